"""Folders of items of every suite, and models that talk or continue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from proband.core.files import read_items
from proband.core.protocols import Chat
from proband.core.types import Item
from proband.pipeline.build import build

REFUSAL = "I cannot answer that question."
SUITES: dict[str, dict[str, Any]] = {"analogy": {"per_relation": 2}, "kinship": {"k": "2", "per_k": 6}, "script": {}}


class Talks:
    """A chat model that says one thing, or what a function of the message says."""

    default_max_tokens = 64
    all_seen: ClassVar[list[Chat]] = []

    def __init__(self, reply: Any = REFUSAL) -> None:
        self.name, self.reply, self.seen = "talks", reply, list[Chat]()

    def identity(self) -> Mapping[str, str]:
        return {"kind": "test"}

    def chat(self, chats: Sequence[Chat], *, max_tokens: int, temperature: float, seed: int) -> list[str]:
        self.seen += chats
        Talks.all_seen.extend(chats)
        return [self.reply(chat[-1][1]) if callable(self.reply) else self.reply for chat in chats]

    def rendered(self, chat: Chat, **settings: Any) -> str:
        return "".join(f"<{role}>{content}</{role}>" for role, content in chat)

    def generate(self, prompts: Sequence[str], **settings: Any) -> list[str]:
        raise AssertionError("a chat model is asked by chat")


class Continues:
    """A base model: it goes on with a text."""

    name = "continues"

    def __init__(self) -> None:
        self.seen = list[str]()

    def identity(self) -> Mapping[str, str]:
        return {"kind": "test"}

    def generate(self, prompts: Sequence[str], **settings: Any) -> list[str]:
        self.seen += prompts
        assert settings["stop"] == ("\n",)
        return [" aunt" for _ in prompts]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("items")
    for name, options in SUITES.items():
        build(name, out=place / name, **options)
    return {name: place / name for name in SUITES}


def started(folder: Path) -> Item:
    found: Item = next(item for item in read_items(folder) if item.split != "train")
    return found
