"""Figures of the paper, typed in from its tables (data/script/published.csv).

Table 4's match is of whole blanks and its top-5 of single words: that is how the released program counts, and the
only reading in which a net of the released size meets the published row (experiments/script/nets/table4.md).
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from io import StringIO

from proband.core.suite import MeasuredOn, Published
from proband.core.types import Tag

SOURCE = "Bisk et al. 2019"
# of the released templates; the program that was released with them trains nets of these settings
KIDSCOOK = frozenset({"1573a9469df4fb7f15448434ae5317a718522acf362fa569a379fdb8500863bc"})
BLANKS_RELEASED: dict[str, Tag] = {"blanks": "as released"}
RELEASED: dict[str, Tag] = {
    **BLANKS_RELEASED,
    "run.hidden": 128,
    "run.width": 100,
    "run.dropout": 0.5,
    "run.input_dropout": 0.0,
    "run.state_dropout": 0.0,
    "run.rate": 0.001,
    "run.decay": 0.0,
    "run.rates": "constant",
    "run.clip": 0.0,
    "run.average": 0.0,
    "run.keep": "last",
    "run.longest": 49,
    "run.temperature": 0.5,
    "run.pick": "all",
    "run.ends": "unread",
}
SPLITS = ("valid", "test")
# what a measure counts, in either split of the released files; the released program cuts texts after 49 words
TEXTS, BLANKS, WORDS = (1007, 1000), (4787, 4638), (5941, 5674)
CUT_TEXTS, CUT_BLANKS, CUT_WORDS = (1006, 999), (4603, 4443), (5661, 5398)
COUNTED = {"alignment_length": TEXTS, "top5_word_oracle": WORDS, "top5_word_greedy": WORDS}
CUT = {TEXTS: CUT_TEXTS, BLANKS: CUT_BLANKS, WORDS: CUT_WORDS}
PLACES = {"table4": "table 4", "section4.2": "section 4.2"}


@cache
def rows() -> tuple[dict[str, str], ...]:
    """Every row: table, row, column, value."""
    text = files("proband").joinpath("data/script/published.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(StringIO(text)))


def value(table: str, row: str, column: str) -> float:
    """
    >>> value("table4", "transducer", "whole_greedy")
    0.2491
    """
    return next(float(r["value"]) for r in rows() if (r["table"], r["row"], r["column"]) == (table, row, column))


def published() -> Sequence[Published]:
    """Table 4 and the lengths of alignments, beside valid and test of KidsCook: the paper does not name its split."""
    return [
        Published(
            model=row["row"],
            metric=row["column"],
            group={"category": "kidscook", "split": split},
            value=float(row["value"]),
            source=f"{SOURCE}, {PLACES[row['table']]}",
            on=MeasuredOn(
                data="KidsCook",
                fingerprints=KIDSCOOK,
                questions=None if row["row"].startswith("gpt") else count,  # of GPT the program was not released
                conditions=BLANKS_RELEASED if row["row"].startswith("gpt") else RELEASED,
            ),
        )
        for row in rows()
        if row["table"] in PLACES
        for split, count in zip(SPLITS, _counts(row), strict=True)
    ]


def _counts(row: dict[str, str]) -> tuple[int, int]:
    whole = COUNTED.get(row["column"], BLANKS)
    return CUT[whole]
