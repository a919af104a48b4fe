"""Sets of typed predicates without sentences: Berant's annotated rules and BoOQA's questions.

berant   `ber_all.txt` of entgraph_eval: `q-triple<TAB>p-triple<TAB>label`, RIGHT entails left, where arguments are
         types (`person_1, be born in, place_2`; the number tells two of one type apart). They become `person X`, `place
         Y`.
booqa    JSON lines (Li et al. 2022): `{"r": "(PREDICATE::subject::object::...::type::type)", "label": true}`, a
         question about a time in the news. The articles are not part of it: items have no premise, so that a score says
         how far the statement is attested, and other systems' scores (`scores:FILE`) can be read beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.types import Split
from proband.suites.inference.datasets.levy_holt import is_straight
from proband.suites.inference.datasets.rows import data_files, text_lines, triple_rows
from proband.suites.inference.items import Example, Triple

PREDICATE = re.compile(r"^(?:(\w+?)__)?\((.+),(.+)\)$")
SPLITS: dict[str, Split] = {"train": "train", "dev": "valid", "test": "test"}


def read_berant(path: Path) -> Iterator[Example]:
    file = next((each for each in data_files(path) if each.name.startswith("ber_all")), path) if path.is_dir() else path
    for _, left, right, entailed in triple_rows(file):
        hypothesis, premise = (Triple(named(each.subject), each.relation, named(each.object)) for each in (left, right))
        straight = is_straight(premise, hypothesis)
        kinds = (kind(right.subject), kind(right.object))
        yield Example(
            premise=premise,
            hypothesis=hypothesis,
            entailed=entailed,
            straight=straight,
            question=", ".join(left),
            source="berant",
            typed=kinds,
            matched=(premise if straight else premise.swapped)[::2] == hypothesis[::2],
        )


def kind(argument: str) -> str:
    return re.sub(r"_[12]$", "", argument).replace("_", " ")


def named(argument: str) -> str:
    """
    >>> named("person_1"), named("place_2"), named("disease")
    ('person X', 'place Y', 'disease')
    """
    end = {"_1": " X", "_2": " Y"}.get(argument[-2:], "")
    return kind(argument) + end


def read_booqa(path: Path) -> Iterator[Example]:
    for file in data_files(path) if path.is_dir() else [path]:
        split: Split = next((split for name, split in SPLITS.items() if f"_{name}" in file.stem), "test")
        for line, text in text_lines(file):
            try:
                row = json.loads(text)
                cells, label = row["r"].strip("()").split("::"), row["label"]
            except (ValueError, KeyError, TypeError, AttributeError):
                raise ProbandError("is not a JSON object with 'r' and 'label'", file=file, line=line) from None
            if len(cells) != 8 or not isinstance(label, bool):
                raise ProbandError(
                    "'r' must have eight parts between `::`, and 'label' be true or false", file=file, line=line
                )
            relation = in_words(row["r"].removeprefix("(").split("::")[0])
            hypothesis = Triple(cells[1], relation, cells[2])
            yield Example(
                premise=Triple("", "", ""),
                hypothesis=hypothesis,
                entailed=label,
                straight=True,
                question=f"{cells[6]} {relation} {cells[7]}",
                pair=", ".join(hypothesis),
                source="booqa",
                split=split,
                typed=(cells[6], cells[7]),
            )


def in_words(predicate: str) -> str:
    """A predicate of the CCG parser in words: the longer of its two slots, and what stands before them.

    >>> in_words("(write.1,write.2)"), in_words("NEG__(use.2,use.in.2)"), in_words("try__(find.1,find.2)")
    ('write', 'do not use in', 'try to find')
    """
    match = PREDICATE.match(predicate)
    if match is None:
        return predicate.strip("()").replace(".", " ")
    slots = [[word for word in slot.split(".") if not word.isdigit()] for slot in match.groups()[1:]]
    words = " ".join(slots[0] if len(slots[0]) > len(slots[1]) else slots[1])
    before = {None: "", "NEG": "do not "}.get(match[1], f"{match[1]} to ")
    return f"{before}{words}".replace("_", " ")
