"""A model whose answers are remembered: what was asked before is read from the cache, the rest is asked and kept."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

from proband.core.cache import Cache
from proband.core.files import dumps
from proband.core.protocols import Chat, Choice, Question, Reply, Score, Text


def remembering(model: Any, folder: Path | None) -> Any:
    """A shallow copy of the model whose `score`, `choose`, `generate`, `chat` and `replies` ask the cache first.

    It stays an object of the model's own class, so that a solver can still ask what it is able to do.
    """
    memory, copied = Memory(model, folder), copy.copy(model)
    for call in ("score", "choose", "generate", "chat", "replies"):
        if hasattr(model, call):
            object.__setattr__(copied, call, getattr(memory, call))
    return copied


class Memory:
    """What a model has said, and the model for what it has not."""

    def __init__(self, model: Any, folder: Path | None) -> None:
        self.model, self.folder = model, folder
        self.identity = dict(model.identity())
        self.caches: dict[str, Cache] = {}

    def score(self, texts: Sequence[Text], *, method: str) -> list[Score]:
        keys = [dumps([text.text, text.start]) for text in texts]
        return [Score(*found) for found in self._through("score", texts, keys, method=method)]

    def choose(self, questions: Sequence[Question]) -> list[Choice]:
        keys = [dumps([question.prompt, question.choices]) for question in questions]
        return [Choice(tuple(scores), *more) for scores, *more in self._through("choose", questions, keys)]

    def generate(self, prompts: Sequence[str], **settings: Any) -> list[str]:
        return self._through("generate", prompts, list(prompts), **settings)

    def chat(self, chats: Sequence[Chat], **settings: Any) -> list[str]:
        return self._through("chat", chats, [dumps(chat) for chat in chats], **settings)

    def replies(self, chats: Sequence[Chat], **settings: Any) -> list[Reply]:
        return [Reply(*found) for found in self._through("replies", chats, [dumps(chat) for chat in chats], **settings)]

    def _through(self, call: str, requests: Sequence[Any], keys: list[str], **settings: Any) -> list[Any]:
        """Look each key up; ask the model the distinct unknown ones in one call, and remember them.

        A remote model's answers cost money one by one and do not depend on a batch: each is written down as it
        arrives. A local model's answers are one record.
        """
        about = {"call": call, **settings}
        name = dumps(about)
        if self.folder is not None and name not in self.caches:
            self.caches[name] = Cache(self.folder, identity=self.identity, settings=about)
        cache = self.caches.get(name)
        known = cache.known if cache else {}
        wanted: dict[str, Any] = {}
        for key, request in zip(keys, requests, strict=True):
            if key not in known:
                wanted.setdefault(key, request)
        if not wanted:
            return [known[key] for key in keys]
        names, one_by_one = list(wanted), getattr(self.model, "reports_each", False)
        if one_by_one:

            def written_down(at: int, value: Any) -> None:
                if cache is not None:
                    cache.put([names[at]], [_plain(value)])

            settings["on_result"] = written_down
        values = [_plain(value) for value in getattr(self.model, call)(list(wanted.values()), **settings)]
        if cache is not None and not one_by_one:
            cache.put(names, values)
        fresh = dict(zip(names, values, strict=True))
        return [fresh[key] if key in fresh else known[key] for key in keys]


def _plain(value: Any) -> Any:
    return astuple(value) if isinstance(value, (Score, Choice, Reply)) else value
