"""An item set with its runs, read as streams: the items and the answers to them side by side.

Answers stand in the order of the items (a run may have answered only some of them): nothing has to be looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import decode, parse, raw_lines, read_answers, read_items
from proband.core.suite import Suite
from proband.core.types import Answer, Item, Run
from proband.report.numbers.systems import run_labels


@dataclass(frozen=True, kw_only=True)
class Answered:
    """A run and its answers: an answers.jsonl, or a list in the order of the items."""

    run: Run
    answers: Path | Sequence[Answer]
    unfinished: str = ""  # how far a run is that has not answered all its items, in words


@dataclass(frozen=True, kw_only=True)
class ItemSet:
    """One item set with the runs over it (`core.suite.Results`). `items` is an items.jsonl or a list."""

    suite: Suite
    items_from: Path | Sequence[Item]
    answered: Sequence[Answered]
    manifest: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""  # the name of the items' folder
    splits: tuple[str, ...] = ()  # those that are scored; none: every one

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
        if isinstance(self.items_from, Path):
            yield from read_items(self.items_from, check=self.suite.check)
        else:
            yield from self.items_from

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

    def scored(self, run: int) -> Iterator[tuple[Item, Answer]]:
        """The same of the items that are scored."""
        return (pair for pair in self.answers(run) if not self.splits or pair[0].split in self.splits)

    def raw_items(self) -> Iterator[Item]:
        """Every item, whole and checked by itself: that all are different is not asked."""
        return _decoded(self.items_from, Item, self._parse)

    def _parse(self, kind: type[Item], raw: bytes, *, file: Path, line: int) -> Item:
        item = parse(kind, raw, file=file, line=line)
        if wrong := self.suite.check(item):
            raise ProbandError(f"item {item.id!r}: {wrong}", file=file, line=line)
        return item

    def raw_answers(self, run: int) -> Iterator[Answer]:
        """The answers of a run, decoded and no more."""
        return _decoded(self.answered[run].answers, Answer, decode)

    def items_at(self, places: Collection[int]) -> dict[int, Item]:
        """The items at some places (from 0), read in one pass."""
        return _picked(self.items_from, Item, places)

    def answers_at(self, run: int, places: Collection[int]) -> dict[int, Answer]:
        return _picked(self.answered[run].answers, Answer, places)


def _decoded(source: Path | Sequence[Any], kind: type[Any], read: Callable[..., Any]) -> Iterator[Any]:
    if isinstance(source, Path):
        return (read(kind, raw, file=source, line=number) for number, raw in raw_lines(source))
    return iter(source)


def _picked(source: Path | Sequence[Any], kind: type[Any], places: Collection[int]) -> dict[int, Any]:
    if not isinstance(source, Path):
        return {at: source[at] for at in places}
    wanted = set(places)
    return {n - 1: parse(kind, raw, file=source, line=n) for n, raw in raw_lines(source) if n - 1 in wanted}


def names(sets: Sequence[ItemSet], keys: Sequence[str]) -> list[str]:
    """What item sets are called: the suite, with the source where several are of one suite (or, where that does not
    tell them apart, with the key of the page)."""
    found = []
    for each, key in zip(sets, keys):
        suite, rest = each.suite.name, [other.source for other in sets if other.suite.name == each.suite.name]
        told_apart = each.source and rest.count(each.source) == 1
        short = each.source.removeprefix(suite).lstrip("-_ ") if told_apart else key  # kinship-small: small
        found.append(f"{suite} ({short})" if len(rest) > 1 and short else suite)
    return found
