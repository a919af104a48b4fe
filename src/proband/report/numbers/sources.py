"""An item set with its runs, read as streams: the items and the answers to them side by side.

Answers stand in the order of the items (a run may have answered only some of them), so that nothing has to be looked
up. Of an item only what every number needs is decoded (`ScannedItem`); the rest follows when a metric asks for it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import decode, parse, raw_lines, read_answers, read_items
from proband.core.statistics import estimates as stats
from proband.core.suite import Suite
from proband.core.types import Answer, Item, Run, Split, Tag
from proband.report.numbers.systems import run_labels


@dataclass(frozen=True, kw_only=True)
class Answered:
    """A run and its answers: an answers.jsonl, or a list in the order of the items."""

    run: Run
    answers: Path | Sequence[Answer]


@dataclass(frozen=True, kw_only=True)
class ItemSet:
    """One item set with the runs over it (`core.suite.Results`). `items` is an items.jsonl or a list."""

    suite: Suite
    items_from: Path | Sequence[Item]
    answered: Sequence[Answered]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""  # the name of the items' folder

    def ordered(self) -> ItemSet:
        """Baselines last."""
        return replace(self, answered=sorted(self.answered, key=lambda each: each.run.model.startswith("baseline:")))

    @property
    def runs(self) -> Sequence[Run]:
        return [each.run for each in self.answered]

    @cached_property
    def labels(self) -> Sequence[str]:
        return run_labels(self.runs)

    def items(self) -> Iterator[Item]:
        """Every item, whole and checked."""
        yield from read_items(self.items_from) if isinstance(self.items_from, Path) else self.items_from

    def answers(self, run: int) -> Iterator[tuple[Item, Answer]]:
        """Every item that a run answered, with its answer."""
        given = self.answered[run].answers
        answers = iter(read_answers(given) if isinstance(given, Path) else given)
        answer = next(answers, None)
        for item in self.items():
            if answer is None:
                return
            if answer.item_id == item.id:
                yield item, answer
                answer = next(answers, None)

    # ---- what numbers are made from ----

    def scanned(self) -> Iterator[tuple[ScannedItem | Item, Sequence[str], Hashable]]:
        """Every item with its clusters, and a key that items with the same tags share."""
        if not isinstance(self.items_from, Path):
            for item in self.items_from:
                key = tuple((name, isinstance(value, bool), value) for name, value in item.tags.items())
                yield item, stats.clusters_of(item), key
            return
        before, choices = b"", ()
        for number, raw in raw_lines(self.items_from):
            head: _Head = decode(_Head, raw, file=self.items_from, line=number)
            if (own := bytes(head.choices)) != before:  # mostly those of the item before
                before, choices = own, decode(tuple[str, ...], own, file=self.items_from, line=number)
            if head.gold is not None and not 0 <= head.gold < len(choices):
                what = f"'gold' is {head.gold} but there are {len(choices)} choices"
                raise ProbandError(what, file=self.items_from, line=number)
            yield ScannedItem(head, choices, raw, number), head.facts.clusters or (head.id,), bytes(head.tags)

    def raw_answers(self, run: int) -> Iterator[Answer]:
        """The answers of a run, decoded and no more."""
        given = self.answered[run].answers
        if not isinstance(given, Path):
            yield from given
            return
        for number, raw in raw_lines(given):
            yield decode(Answer, raw, file=given, line=number)

    def items_at(self, places: Collection[int]) -> dict[int, Item]:
        """The items at some places (from 0), read in one pass."""
        return _picked(self.items_from, Item, places)

    def answers_at(self, run: int, places: Collection[int]) -> dict[int, Answer]:
        return _picked(self.answered[run].answers, Answer, places)


def _picked(source: Path | Sequence[Any], kind: type[Any], places: Collection[int]) -> dict[int, Any]:
    if not isinstance(source, Path):
        return {at: source[at] for at in places}
    wanted = set(places)
    return {n - 1: parse(kind, raw, file=source, line=n) for n, raw in raw_lines(source) if n - 1 in wanted}


# ---- items, partly decoded -----------------------------------------------------------------------------------------


class _Facts(msgspec.Struct, frozen=True):
    clusters: tuple[str, ...] = ()


class _Head(msgspec.Struct, frozen=True):
    """What every number needs of an item."""

    id: str
    suite: str
    choices: msgspec.Raw = msgspec.Raw(b"[]")
    gold: int | None = None
    tags: msgspec.Raw = msgspec.Raw(b"{}")
    facts: _Facts = _Facts()
    split: Split = "test"


class ScannedItem:
    """An item as metrics see it; `prompt`, `tags` and `facts` are decoded when they are asked for."""

    __slots__ = ("_line", "_raw", "_whole", "choices", "gold", "id", "split", "suite")

    def __init__(self, head: _Head, choices: tuple[str, ...], raw: bytes, line: int) -> None:
        self.id, self.suite, self.choices = head.id, head.suite, choices
        self.gold, self.split, self._raw, self._line = head.gold, head.split, raw, line
        self._whole: Item | None = None

    def whole(self) -> Item:
        if self._whole is None:
            self._whole = decode(Item, self._raw, file="items.jsonl", line=self._line)
        return self._whole

    @property
    def prompt(self) -> str:
        return self.whole().prompt

    @property
    def tags(self) -> dict[str, Tag]:
        return self.whole().tags

    @property
    def facts(self) -> dict[str, Any]:
        return self.whole().facts
