"""Suite `questions`: your own questions, from a spreadsheet, JSON lines, Parquet or a Hugging Face folder.

columns.py   finds the columns of the question, the choices and the right answer, by name or as the user says
build.py     rows -> items
replies.py   replies to open questions, matched with the accepted answers
"""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

from proband.core.suite import Suite, Table, Variation
from proband.core.types import Item
from proband.solvers import DIRECT
from proband.suites.questions.build import BuildOptions, build
from proband.suites.questions.replies import ACCURACY, CHOOSE, GENERATE, LIKELIHOOD, OPEN, show


def reorder(item: Item, *, rng: random.Random, folder: Path | None = None) -> Item | str:
    """The choices in another order."""
    if item.gold is None or len(item.choices) < 2:
        return "it has no choices"
    places = list(range(len(item.choices)))
    while places == sorted(places):
        rng.shuffle(places)
    choices = tuple(item.choices[place] for place in places)
    return msgspec.structs.replace(item, choices=choices, gold=places.index(item.gold))


def only_reordered(source: Item, varied: Item) -> str | None:
    right = [None if item.gold is None else item.choices[item.gold] for item in (source, varied)]
    same = sorted(source.choices) == sorted(varied.choices) and right[0] == right[1]
    return None if same and source.prompt == varied.prompt else "it is not its source with its choices in another order"


VARIATIONS = (
    Variation(name="reorder", help="the choices in another order", effect="keeps", make=reorder, check=only_reordered),
)
SUITE = Suite(
    name="questions",
    question="Your own questions: CSV, Excel, JSON lines, Parquet or a Hugging Face folder.",
    cites="",
    build=build,
    options=BuildOptions,
    solvers=(DIRECT, LIKELIHOOD, GENERATE, CHOOSE, OPEN),
    metrics=(ACCURACY,),
    tables=(Table(name="questions", title="Accuracy", rows=(), columns=()),),
    show=show,
    variations="proband.suites.questions:VARIATIONS",
)
