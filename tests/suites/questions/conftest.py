"""Questions of one's own, and models that reply to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.files import read_items
from proband.core.types import Item


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("questions") / "items"
    proband.build("questions", out=folder)
    return folder


class Replying:
    """A base model that writes what a function of the prompt gives."""

    name = "fake:replying"

    def __init__(self, write: Callable[[str], str]) -> None:
        self.write = write

    def identity(self) -> dict[str, str]:
        return {"kind": "fake", "writes": str(id(self))}

    def generate(self, prompts: Sequence[str], **settings: Any) -> list[str]:
        return [self.write(prompt) for prompt in prompts]


def replying(items: Path, reply: Callable[[Item], str]) -> Replying:
    known = list(read_items(items))
    return Replying(lambda prompt: reply(next(item for item in known if item.prompt in prompt)))
