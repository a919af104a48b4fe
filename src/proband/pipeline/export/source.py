"""What is exported: a stream of items, and what a first reading of them found (splits, tags, choices, open items)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import atomic, encode, items_path, read_items, read_manifest, write_text
from proband.core.metrics import SPLITS
from proband.core.progress import track
from proband.core.types import Item, Split, Tag
from proband.pipeline.asking.setup import first_item

PACKAGE = "proband.pipeline.export"  # of the templates

NOT_STATED = "not stated"
LICENCE = re.compile(r"\b(?:apache[- ]2\.0|mit|cc0[- ]1\.0|cc[- ]by(?:[- ](?:nc|sa|nd))*[- ][34]\.0)\b", re.I)


def hub_name(text: str) -> str:
    """The hub's name of the licence that the text begins with, or else of the only one that it names.

    >>> hub_name("Apache-2.0 (written for Proband)"), hub_name("Google analogy test set: Apache-2.0")
    ('apache-2.0', 'apache-2.0')
    >>> hub_name("CC BY-NC 4.0 (the templates are CLUTRR's; rules and names Proband's own, Apache-2.0)")
    'cc-by-nc-4.0'
    >>> hub_name("that of the templates in mine.txt (rules and names are Proband's own, Apache-2.0)")
    'other'
    >>> hub_name("that of the files given"), hub_name(NOT_STATED)
    ('other', 'unknown')
    """
    if text == NOT_STATED:
        return "unknown"
    if text.startswith("that of"):  # a licence named after that is of something else
        return "other"
    places = {match[0].lower().replace(" ", "-"): match.start() for match in reversed(list(LICENCE.finditer(text)))}
    first = min(places, key=places.__getitem__, default="other")
    return first if len(places) == 1 or places.get(first) == 0 else "other"


def write_licence(out: Path, source: ExportSource, *, items: int) -> None:
    """OUT/LICENCE for a folder; NAME.licence.txt next to a file NAME.csv."""
    path = out / "LICENCE" if out.is_dir() else out.with_name(f"{out.stem}.licence.txt")
    built = f"{items:,} items of suite {source.suite}, built and exported by Proband."
    write_text(path, f"{built}\nLicence of the items: {source.licence}\n")


KINDS: Mapping[type, str] = {str: "string", int: "int64", float: "float64", bool: "bool"}
NO_CHOICES = "without choices (open questions and cloze texts)"
NO_GOLD = "without a right answer (not judged yet)"


def task_name(suite: str) -> str:
    """The name of a task for another tool, which is also the name of a function."""
    return "proband_" + re.sub(r"\W", "_", suite)


@dataclass(frozen=True, kw_only=True)
class ExportSource:
    """`splits` counts all items, `answerable` those with choices and a right answer, `left_out` the others by reason;
    `tags` gives each tag's kind, `width` the largest number of choices."""

    path: Path
    suite: str
    setting: str  # of the first item: which solvers are for it
    licence: str  # as the manifest states it
    splits: Mapping[Split, int]
    answerable: Mapping[Split, int]
    left_out: Mapping[str, int]
    tags: Mapping[str, str]
    width: int

    @property
    def task(self) -> str:
        return task_name(self.suite)

    @property
    def hub_licence(self) -> str:
        return hub_name(self.licence)

    def items(self) -> Iterator[Item]:
        items = read_items(self.path, check=suites.suite(self.suite).check)
        return track(items, "exporting", total=sum(self.splits.values()))

    def questions(self) -> Iterator[Item]:
        """The items with choices and a right answer."""
        return (item for item in self.items() if item.gold is not None)

    def tags_of(self, item: Item) -> dict[str, Tag | None]:
        """All tags of the set, in one order and each of one kind, None where this item has none."""
        return {name: as_kind(item.tags.get(name), kind) for name, kind in self.tags.items()}

    def only_questions(self, to: str) -> Mapping[Split, int]:
        """`answerable`, if it is something that a tool can evaluate."""
        if not self.answerable:
            reasons = ", ".join(self.left_out)
            raise ProbandError(f"{to} is for multiple choice, and all items are {reasons}", file=self.path)
        if not any(split in self.answerable for split in ("valid", "test")):
            raise ProbandError(f"{to} evaluates valid or test items, and all items are for training", file=self.path)
        return self.answerable


def survey(path: Path) -> ExportSource:
    """Read all items once."""
    splits, answerable, left_out = Counter[Split](), Counter[Split](), Counter[str]()
    tags: dict[str, str] = {}
    first, width = first_item(path), 0
    for item in track(read_items(path), "reading"):
        splits[item.split] += 1
        if item.gold is not None:
            answerable[item.split] += 1
        else:
            left_out[NO_GOLD if item.choices else NO_CHOICES] += 1
        width = max(width, len(item.choices))
        for name, value in item.tags.items():
            kind = KINDS[type(value)]
            if tags.setdefault(name, kind) != kind:
                tags[name] = "float64" if {tags[name], kind} == {"int64", "float64"} else "string"
    return ExportSource(
        path=path,
        suite=first.suite,
        setting=str(first.tags.get("setting", "")),
        licence=" ".join(str(read_manifest(items_path(path)).get("licence", "")).split()) or NOT_STATED,
        splits={split: splits[split] for split in SPLITS if splits[split]},
        answerable={split: answerable[split] for split in SPLITS if answerable[split]},
        left_out=dict(left_out),
        tags=tags,
        width=width,
    )


def as_kind(value: Tag | None, kind: str) -> Tag | None:
    """
    >>> as_kind(2, "float64"), as_kind(True, "string"), as_kind(2, "string"), as_kind(None, "string")
    (2.0, 'true', '2', None)
    """
    if value is None or KINDS[type(value)] == kind:
        return value
    if kind == "float64":
        return float(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_splits(folder: Path, splits: Iterable[Split], rows: Iterable[tuple[Split, Any]]) -> None:
    """One file of JSON lines per split, all or none."""
    with ExitStack() as stack:
        files = {split: stack.enter_context(atomic(folder / f"{split}.jsonl", mode="wb")) for split in splits}
        for split, row in rows:
            files[split].write(encode(row) + b"\n")
