"""What a model can do is seen without making it work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from proband.core.plugins import implements
from proband.core.protocols import EmbedsPairs, Generates, HasVectors, Model, ScoresText


class Table:
    """Word vectors whose words and matrix take long to read."""

    def vectors(self, words: Sequence[str]) -> Any:
        raise NotImplementedError

    @property
    def vocabulary(self) -> list[str]:
        pytest.fail("the words were read")

    @property
    def matrix(self) -> Any:
        pytest.fail("the matrix was read")


class Writer:
    def generate(self, prompts: Sequence[str]) -> list[str]:
        return list(prompts)


def test_properties_are_not_read() -> None:
    assert implements(Table(), HasVectors)
    assert not implements(Table(), EmbedsPairs)


def test_attributes_count_and_what_is_missing_or_none_does_not() -> None:
    writes = Writer()
    assert implements(writes, Generates)
    assert not implements(writes, ScoresText)
    assert not implements(writes, Model)
    writes.name, writes.identity = "", dict  # type: ignore[attr-defined]
    assert implements(writes, Model)
    writes.generate = None  # type: ignore[assignment, method-assign]
    assert not implements(writes, Generates)


def test_a_plain_class_is_a_class() -> None:
    assert implements(Table(), Table)
    assert not implements(Writer(), Table)
