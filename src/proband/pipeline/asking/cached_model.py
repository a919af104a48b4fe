"""A model whose answers are remembered: what was asked before is read from the cache, the rest is asked and kept."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from proband.core.cache import Cache
from proband.core.files import dumps
from proband.core.protocols import Choice, Question, Score, Text


def remembering(model: Any, folder: Path | None) -> Any:
    """A shallow copy of the model whose `score`, `choose` and `generate` ask the cache first.

    It stays an object of the model's own class, so that a solver can still ask what it is able to do.
    """
    memory, copied = Memory(model, folder), copy.copy(model)
    for call in ("score", "choose", "generate"):
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
        found = self._through(
            {"call": "score", "method": method},
            [dumps([text.text, text.start]) for text in texts],
            lambda wanted, report: self._ask("score", [texts[i] for i in wanted], report, method=method),
        )
        return [Score(total, tokens, words) for total, tokens, words in found]

    def choose(self, questions: Sequence[Question]) -> list[Choice]:
        found = self._through(
            {"call": "choose"},
            [dumps([question.prompt, question.choices]) for question in questions],
            lambda wanted, report: self._ask("choose", [questions[i] for i in wanted], report),
        )
        return [Choice(tuple(scores), text) for scores, text in found]

    def generate(self, prompts: Sequence[str], **settings: Any) -> list[str]:
        found = self._through(
            {"call": "generate", **settings},
            list(prompts),
            lambda wanted, report: self._ask("generate", [prompts[i] for i in wanted], report, **settings),
        )
        return [str(text) for text in found]

    def _ask(self, call: str, requests: list[Any], report: Callable[[int, Any], None] | None, **options: Any) -> Any:
        if report is not None:
            options["on_result"] = lambda at, value: report(at, _plain(value))
        return [_plain(value) for value in getattr(self.model, call)(requests, **options)]

    def _through(self, settings: Mapping[str, Any], keys: list[str], ask: Callable[..., Sequence[Any]]) -> list[Any]:
        """Look each key up; put the distinct unknown ones to the model in one call, and remember them.

        A remote model's answers cost money one by one and do not depend on a batch: each is written down as it
        arrives. A local model's answers are one record.
        """
        name = dumps(settings)
        if self.folder is not None and name not in self.caches:
            self.caches[name] = Cache(self.folder, identity=self.identity, settings=settings)
        cache = self.caches.get(name)
        known = cache.known if cache else {}
        first: dict[str, int] = {}
        for at, key in enumerate(keys):
            if key not in known:
                first.setdefault(key, at)
        fresh: dict[str, Any] = {}
        if first:
            wanted, names = list(first.values()), list(first)
            if cache is not None and getattr(self.model, "reports_each", False):
                values = ask(wanted, lambda at, value: cache.put([names[at]], [value]))
            else:
                values = ask(wanted, None)
                if cache is not None:
                    cache.put(names, values)
            fresh = dict(zip(names, values, strict=True))
        return [fresh[key] if key in fresh else known[key] for key in keys]


def _plain(value: Any) -> Any:
    if isinstance(value, Score):
        return [value.total, value.tokens, value.words]
    if isinstance(value, Choice):
        return [list(value.scores), value.text]
    return value
