"""CLUTRR's crowd templates, from the user's own copy: read, checked, and told what is wrong with them.

The folder holds `amt_train.csv` and `amt_test.csv`: a combination of relations, a combination of genders, and a text
with slots ENT_<i>_<gender>, in which person i+1 is the i-th relation of person i. Every text is read freely (`grammar`)
and compared with its label; only those that tell exactly the facts of their label enter the bank.
Nothing of it is shipped.

>>> words_of("father-mother-in-law"), verdict("ENT_0_male rang his mother ENT_1_female.", ("father",), ("male", "male"))
(('father', 'mother-in-law'), 'wrong gender')
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import file_errors
from proband.core.tables import read_table
from proband.suites.kinship.logic.closure import close
from proband.suites.kinship.reading.reader import KinReading, KinTriple, read_facts
from proband.suites.kinship.telling.template_check import STAND_INS, canonical
from proband.suites.kinship.telling.template_language import LONGEST, Frame
from proband.suites.kinship.world.relations import FEMALE, GENDER, MALE, NEUTRAL, word
from proband.suites.kinship.world.rules import load

SLOT: Final = re.compile(r"ENT_(\d)_(male|female)")
SPELLING: Final = {"neice": "niece"}  # as the released files have it
GOOD: Final = "accepted"
REASONS: Final = {
    GOOD: "tells exactly its facts",
    "person left out": "somebody of the label is never named",
    "wrong gender": "a slot, a kin word or a pronoun has the other gender",
    "reversed": "a fact is told the wrong way round",
    "another relation": "two people of the label stand in another relation",
    "contradiction": "read by the rule for pronouns, it cannot be true together with its label",
    "tells the answer": "it tells a fact that should be inferred",
    "tells more": "it tells a further fact that its label leaves open",
    "not told": "a fact of the label is not told, or not in a way the checker can read",
}


class BankSource(msgspec.Struct, frozen=True):
    """source.json: what is known about templates that are not CLUTRR's own."""

    licence: str = ""


@dataclass(frozen=True)
class TemplateRow:
    id: str
    split: str
    words: tuple[str, ...]
    genders: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Crowd:
    """The templates that are right, with the split each was released in; and a verdict for every row."""

    name: str
    frames: tuple[Frame, ...]
    split: Mapping[str, str]
    verdicts: Mapping[str, str]  # row id -> a key of REASONS
    rows: tuple[TemplateRow, ...] = field(repr=False)

    def counts(self) -> dict[str, int]:
        counts = Counter(self.verdicts.values())
        return {reason: counts[reason] for reason in REASONS}


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


ONLY = "clutrr-only:"  # stories with none of our templates


def bank_licence(folder: Path) -> str:
    """The licence of templates that somebody else collected (source.json, as `annotate export` writes it); empty for
    CLUTRR's own."""
    path = folder / "source.json"
    if not path.is_file():
        return ""
    with file_errors(path):
        raw = path.read_bytes()
    try:
        return msgspec.json.decode(raw, type=BankSource).licence
    except msgspec.DecodeError as error:
        raise ProbandError(str(error), file=path) from None


def _rows(path: Path, split: str) -> Iterator[TemplateRow]:
    for number, row in enumerate(read_table(path)):  # the files' own ids start anew for every combination
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


# ---- the verdict ---------------------------------------------------------------------------------------------------


def verdict(text: str, words: tuple[str, ...], genders: tuple[str, ...]) -> str:
    """What is wrong with a text that should tell: person i+1 is words[i] of person i."""
    slots = {(int(i), gender) for i, gender in SLOT.findall(text)}
    if any(i >= len(genders) or genders[i] != gender for i, gender in slots):
        return "wrong gender" if all(i < len(genders) for i, _ in slots) else "person left out"
    if any(GENDER[w] != g for w, g in zip(words, genders[1:])):
        return "wrong gender"
    if len(slots) < len(genders):
        return "person left out"
    names = [STAND_INS[g][i] for i, g in enumerate(genders)]
    reading = read_facts(SLOT.sub(lambda m: names[int(m[1])], text), dict(zip(names, genders)), ours=True)
    label = [(names[i], w, names[i + 1]) for i, w in enumerate(words)]
    return _judge(reading, label, names, genders)


def _judge(reading: KinReading, label: list[KinTriple], names: list[str], genders: tuple[str, ...]) -> str:
    read, meant = {canonical(f) for f in reading.facts}, {canonical(f) for f in label}
    if "but called a" in reading.problem or " by one word and " in reading.problem:
        return "wrong gender"
    if read == meant:
        return GOOD
    pairs = {frozenset((a, b)): relation for a, relation, b in meant}
    for a, relation, b in sorted(read - meant):
        right = pairs.get(frozenset((a, b)))
        if right is not None and (a, right, b) not in read & meant:
            inverse = canonical((b, word(relation, genders[names.index(a)]), a))
            return "reversed" if inverse in meant else "another relation"
    return _extra(read - meant, label, names, genders) if read - meant else "not told"


def _extra(extra: set[tuple[str, str, str]], label: list[KinTriple], names: list[str], genders: tuple[str, ...]) -> str:
    """A further fact: impossible, implied, or merely more."""
    rules, place = load("sound"), {name: i for i, name in enumerate(names)}
    edges = [(place[a], w, place[b]) for a, w, b in label]
    closure = close(rules, genders, edges)
    verdicts = set()
    for a, neutral, b in extra:
        w = word(neutral, genders[place[b]])
        if not close(rules, genders, [*edges, (place[a], w, place[b])]).consistent:
            return "contradiction"
        verdicts.add("tells the answer" if closure.answers(place[a], place[b]) == [w] else "tells more")
    return "tells more" if "tells more" in verdicts else "tells the answer"


# ---- the bank ------------------------------------------------------------------------------------------------------


def tidy(text: str) -> str:
    """The tokeniser's spaces and quotes undone, and a full stop where none is.

    >>> tidy("ENT_0_male did n't laugh , `` Ha ''")
    'ENT_0_male didn\\'t laugh, "Ha".'
    """
    text = re.sub(r"\s+(n't|'s|[,.!?])", r"\1", " ".join(text.split()))
    text = re.sub(r"``\s*", '"', re.sub(r"\s*''(?!s)", '"', text))
    return text if text.rstrip('"').endswith((".", "!", "?")) else text + "."


def load_crowd(folder: Path) -> Crowd:
    """The templates of a folder with a verdict for each, and those that are right, split as released."""
    rows = tuple(read_rows(folder))
    verdicts = {row.id: verdict(row.text, row.words, row.genders) for row in rows}
    frames: dict[tuple[object, ...], Frame] = {}
    for row in rows:
        text = SLOT.sub(lambda m: f"{{{m[1]}}}", tidy(row.text))
        clause = tuple(NEUTRAL[w] for w in row.words)
        braces = text.count("{") - len(SLOT.findall(row.text))
        if verdicts[row.id] == GOOD and len(row.words) <= LONGEST and not braces and "<" not in text:
            name = f"clutrr.{row.id}"
            frames.setdefault((text, clause, row.genders), Frame(name, name, text, (clause,), row.genders))
    split = {f"clutrr.{row.id}": row.split for row in rows}
    kept = tuple(frames.values())
    return Crowd(f"clutrr:{folder}", kept, {t.id: split[t.id] for t in kept}, verdicts, rows)
