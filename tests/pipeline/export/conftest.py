"""Two small suites and folders of their items: a choice after a story, and sentences scored whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.toy import toy_suite

from proband.core.files import dumps, write_json, write_text
from proband.core.plugins import NoOptions
from proband.core.protocols import ScoresText, Text
from proband.core.suite import Solver, Suite
from proband.core.types import Answer, Item, Split
from proband.solvers import LIKELIHOOD
from proband.testing import known_suites

CHOICES = ("father", "mother", "aunt")


def sentences(items: Sequence[Item], model: ScoresText, *, seed: int, options: NoOptions) -> list[Answer]:
    """Whole sentences, each distinct one scored once, as the analogy suite does it."""
    wanted = {Text(sentence): 0.0 for item in items for sentence in item.facts["sentences"]}
    for text, score in zip(list(wanted), model.score(list(wanted), method="ll"), strict=True):
        wanted[text] = score.total
    return [
        Answer(item_id=item.id, scores=tuple(wanted[Text(sentence)] for sentence in item.facts["sentences"]))
        for item in items
    ]


def pairs(items: Iterable[Item], out: Path) -> None:
    out.write_text("".join(f"{item.id} {item.split}\n" for item in items), encoding="utf-8")


def suite(name: str, *solvers: Solver) -> Suite:
    return toy_suite(name=name, solvers=solvers, tables=(), export={"pairs": pairs})


@pytest.fixture(autouse=True)
def small_suites() -> Iterator[None]:
    whole = Solver(name="whole", help="", needs=ScoresText, solve=sentences)
    with known_suites(suite("stories", LIKELIHOOD), suite("word-pairs", whole)):
        yield


def make_story(number: int, split: Split = "test", **fields: Any) -> Item:
    return Item(
        **{
            "id": f"{split}-{number}",
            "suite": "stories",
            "prompt": f"Story {number}, in Zürich.\nAnn is the ___ of Ben.",
            "choices": CHOICES,
            "gold": number % 3,
            "tags": {"k": number, "task": "clean"},
            "facts": {"names": ["Ann", "Ben"]},
            "split": split,
            **fields,
        }
    )


Folder = Callable[..., Path]


@pytest.fixture
def story() -> Callable[..., Item]:
    return make_story


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """`folder(items, licence=...)` writes a built folder."""

    def write(items: Iterable[Item], licence: str | None = "Apache-2.0 (ours)") -> Path:
        write_text(tmp_path / "items" / "items.jsonl", "".join(dumps(each) + "\n" for each in items))
        if licence is not None:
            write_json(tmp_path / "items" / "manifest.json", {"licence": licence})
        return tmp_path / "items"

    return write


@pytest.fixture
def three_splits(folder: Folder) -> Path:
    counts: dict[Split, int] = {"train": 5, "valid": 2, "test": 3}
    return folder(make_story(i, split) for split, count in counts.items() for i in range(count))
