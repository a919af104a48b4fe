"""Questionnaires: a question with at most 24 candidates, their answers hidden behind `[TYPE]`, in shuffled order."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from proband.core.files import atomic, encode
from proband.core.types import Split
from proband.suites.inference.questions import TypedQuestion

MAX_CANDIDATES = 24  # candidates, as in the paper: "less than 25"


@dataclass(frozen=True)
class Candidate:
    """An assertion about q_arg; `side` is where its answer is."""

    subject: str
    relation: str
    object: str
    count: int
    side: str
    negated: bool = False

    @property
    def answer(self) -> str:
        return self.subject if self.side == "subject" else self.object

    @property
    def argument(self) -> str:
        return self.object if self.side == "subject" else self.subject


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate as judges see it (`text`), and the fields hidden from them."""

    id: str
    text: str = ""
    answer: str = ""
    subject: str = ""
    relation: str = ""
    object: str = ""
    side: str = ""
    count: int = 0


class Questionnaire(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of questionnaires.jsonl (docs/formats.md)."""

    id: str
    question: str
    q_type: str
    q_rel: str = ""
    q_arg: str = ""
    candidates: tuple[Shown, ...]
    split: Split = "test"  # of the examples that judgments make of it
    gold: dict[str, str] | None = None  # candidate -> label, of a unit with a known answer
    role: Literal["main", "trial", "gold", "attention"] = "main"  # of the unit in a study with people


def masked(one: Candidate, q_type: str) -> str:
    """
    >>> masked(Candidate("Eritrea", "invaded", "Ethiopia", 3, "subject"), "country")
    '[COUNTRY] invaded Ethiopia'
    """
    hidden = f"[{q_type.upper()}]"
    subject, thing = (hidden, one.object) if one.side == "subject" else (one.subject, hidden)
    return f"{subject} {one.relation} {thing}"


def questionnaires(
    question: TypedQuestion, number: int, candidates: Sequence[Candidate], *, seed: int, most: int | None = None
) -> Iterator[Questionnaire]:
    """Split a question's candidates into sheets of similar length; if there are more than `most`, sample by seed."""
    drawn = list(candidates)
    random.Random(f"{seed} {number} {question.text}").shuffle(drawn)
    drawn = drawn[:most]
    sheets = -(-len(drawn) // MAX_CANDIDATES)
    for sheet in range(sheets):
        name = f"q{number:03}-{sheet + 1}"
        yield Questionnaire(
            id=name,
            question=question.text,
            q_type=question.q_type,
            q_rel=question.q_rel,
            q_arg=question.q_arg,
            candidates=tuple(
                Shown(
                    id=f"{name}-{place:02}",
                    text=masked(one, question.q_type),
                    answer=one.answer,
                    subject=one.subject,
                    relation=one.relation,
                    object=one.object,
                    side=one.side,
                    count=one.count,
                )
                for place, one in enumerate(drawn[sheet::sheets], start=1)
            ),
        )


def write(folder: Path, sheets: Iterable[Questionnaire]) -> tuple[int, int]:
    """Write questionnaires.jsonl and questionnaires.tsv; returns the numbers of questionnaires and candidates."""
    count = candidates = 0
    with atomic(folder / "questionnaires.jsonl", mode="wb") as lines, atomic(folder / "questionnaires.tsv") as table:
        table.write("questionnaire\tquestion\tcandidate\ttext\tjudgment\n")
        for sheet in sheets:
            lines.write(encode(sheet) + b"\n")
            table.writelines(f"{sheet.id}\t{sheet.question}\t{one.id}\t{one.text}\t\n" for one in sheet.candidates)
            count, candidates = count + 1, candidates + len(sheet.candidates)
    return count, candidates
