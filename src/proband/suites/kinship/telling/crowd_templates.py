"""CLUTRR's crowd templates, from the user's own copy; they are not shipped.

The folder contains `amt_train.csv` and `amt_test.csv`: a combination of relations, a combination of genders, and a text
with slots ENT_<i>_<gender>, where person i+1 is the i-th relation of person i. The reader extracts the facts of every
text; the bank has only texts that state exactly the facts of their label.

>>> words_of("father-mother-in-law")
('father', 'mother-in-law')
>>> states_exactly("ENT_0_male rang his mother ENT_1_female.", ("father",), ("male", "male"))
False
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from proband.core.errors import ProbandError
from proband.core.files import read_json
from proband.core.tables import read_table
from proband.core.types import Fact
from proband.suites.kinship.reading.reader import read_facts
from proband.suites.kinship.world.relations import FEMALE, GENDER, INVERSE, MALE, NEUTRAL

SLOT: Final = re.compile(r"ENT_(\d)_(male|female)")
SPELLING: Final = {"neice": "niece"}  # errors of the released files
STAND_INS: Final = {MALE: ("Adam", "Ben", "Carl", "Daniel"), FEMALE: ("Anna", "Beatrice", "Clara", "Diana")}


@dataclass(frozen=True)
class TemplateRow:
    id: str
    split: str
    words: tuple[str, ...]
    genders: tuple[str, ...]
    text: str


def words_of(combination: str) -> tuple[str, ...]:
    """The relation words of a combination; `-in-law` belongs to the word before it."""
    parts = [part.replace("~", "-") for part in combination.replace("-in-law", "~in~law").split("-")]
    return tuple(SPELLING.get(part, part) for part in parts)


def read_rows(folder: Path) -> Iterator[TemplateRow]:
    """All templates of a folder, train before test."""
    if not folder.is_dir():
        raise ProbandError("no such folder of crowd templates", file=folder)
    tables = {split: folder / f"amt_{split}.csv" for split in ("train", "test")}
    if not any(path.is_file() for path in tables.values()):
        raise ProbandError("contains neither amt_train.csv nor amt_test.csv", file=folder)
    for split, path in tables.items():
        if path.is_file():
            yield from _rows(path, split)


def bank_licence(folder: Path) -> str:
    """The licence of templates from another study (source.json, written by `annotate export`); empty for CLUTRR's
    own."""
    path = folder / "source.json"
    return str(read_json(path).get("licence", "")) if path.is_file() else ""


def _rows(path: Path, split: str) -> Iterator[TemplateRow]:
    for number, row in enumerate(read_table(path)):  # ids in the files restart for every combination
        cells = row.cells
        if missing := {"rel_comb", "gender_comb", "template"} - cells.keys():
            raise ProbandError(f"has no column {min(missing)!r}", file=path, line=1)
        words, genders = words_of(cells["rel_comb"]), tuple(cells["gender_comb"].split("-"))
        if unknown := next((w for w in words if w not in NEUTRAL), None):
            raise row.error(f"{unknown!r} is not one of the 22 relations", "rel_comb")
        if len(genders) != len(words) + 1 or any(g not in (MALE, FEMALE) for g in genders):
            wrong = f"{cells['gender_comb']!r} does not give a gender for each of {len(words) + 1} people"
            raise row.error(wrong, "gender_comb")
        yield TemplateRow(f"{split}.{number}", split, words, genders, cells["template"])


# ---- the check -----------------------------------------------------------------------------------------------------


def canonical(fact: Fact) -> Fact:
    """One form for a fact that may be stated from either side, without gender.

    >>> canonical(Fact("Mia", "aunt", "Ben")) == canonical(Fact("Ben", "nephew", "Mia"))
    True
    """
    neutral = NEUTRAL[fact.relation]
    return min(Fact(fact.who, neutral, fact.of), Fact(fact.of, INVERSE[neutral], fact.who), key=lambda side: side.who)


def states_exactly(text: str, words: tuple[str, ...], genders: tuple[str, ...]) -> bool:
    """Does a text state that person i+1 is words[i] of person i, and nothing else?"""
    slots = {(int(i), gender) for i, gender in SLOT.findall(text)}
    if slots != set(enumerate(genders)) or any(GENDER[w] != g for w, g in zip(words, genders[1:])):
        return False
    names = [STAND_INS[g][i] for i, g in enumerate(genders)]
    reading = read_facts(SLOT.sub(lambda m: names[int(m[1])], text), dict(zip(names, genders)), ours=True)
    label = {canonical(Fact(names[i + 1], w, names[i])) for i, w in enumerate(words)}
    return {canonical(fact) for fact in reading.facts} == label


# ---- the templates for a bank --------------------------------------------------------------------------------------


def tidy(text: str) -> str:
    """The text without the tokeniser's spaces and quotes, with a full stop at the end.

    >>> tidy("ENT_0_male did n't laugh , `` Ha ''")
    'ENT_0_male didn\\'t laugh, "Ha".'
    """
    text = re.sub(r"\s+(n't|'s|[,.!?])", r"\1", " ".join(text.split()))
    text = re.sub(r"``\s*", '"', re.sub(r"\s*''(?!s)", '"', text))
    return text if text.rstrip('"').endswith((".", "!", "?")) else text + "."


def load_crowd(folder: Path, *, longest: int) -> list[TemplateRow]:
    """The templates of a folder that state exactly their facts, `longest` at most, each once; {0} stands for person 0
    in their texts."""
    rows: dict[tuple[object, ...], TemplateRow] = {}
    for row in read_rows(folder):
        text = SLOT.sub(lambda m: f"{{{m[1]}}}", tidy(row.text))
        braces = text.count("{") - len(SLOT.findall(row.text))
        plain = len(row.words) <= longest and not braces and "<" not in text
        key = (text, tuple(NEUTRAL[w] for w in row.words), row.genders)
        if plain and key not in rows and states_exactly(row.text, row.words, row.genders):
            rows[key] = replace(row, text=text)
    return list(rows.values())
