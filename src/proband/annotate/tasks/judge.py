"""Judge: one question, up to 24 candidate answers, each *answers / does not answer / makes no sense* (Levy & Dagan
2016, section 3.3).

The word that would answer is masked by its type here, on the server: what `shown` gives holds neither the word nor an
id that might contain it.

>>> masked("Eritrea invaded Ethiopia.", ["Eritrea"], "country")
'[COUNTRY] invaded Ethiopia.'
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from proband.annotate.tasks.kind import Body, Form, Invalid, Kind, share_right
from proband.annotate.units import Role, Unit
from proband.core.errors import ProbandError
from proband.core.files import read_records

LABELS = ("yes", "no", "nonsense")  # the sentence answers the question; does not; makes no sense
MOST = 24  # "less than 25 candidate answers each"


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    text: str
    answer: str = ""
    subject: str = ""
    relation: str = ""
    object: str = ""
    side: str = ""
    count: int = 0


class Questionnaire(msgspec.Struct, frozen=True, kw_only=True):
    """A line of questionnaires.jsonl, as the suite `inference` writes it."""

    id: str
    question: str
    q_type: str
    candidates: tuple[Candidate, ...]
    q_rel: str = ""
    q_arg: str = ""
    gold: dict[str, str] | None = None  # candidate id -> label, of a unit with a known answer
    role: Role = "main"


def masked(text: str, answers: Iterable[str], kind: str) -> str:
    """The text with its answers, wherever they stand and however they are written, replaced by the type in brackets."""
    longest = sorted({" ".join(answer.split()) for answer in answers} - {""}, key=lambda word: (-len(word), word))
    if not longest:
        return text
    words = "|".join(re.escape(answer).replace(r"\ ", r"\s+") for answer in longest)
    return re.sub(rf"(?<!\w)(?:{words})(?!\w)", lambda _: f"[{kind.upper()}]", text, flags=re.IGNORECASE)


def units(path: Path) -> Iterator[Unit]:
    file = path / "questionnaires.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise ProbandError("no such file of questionnaires", file=file)
    for line, each in enumerate(read_records(file, Questionnaire, key="id"), start=1):
        if not 1 <= len(each.candidates) <= MOST:
            raise ProbandError(f"{len(each.candidates)} candidates; 1 to {MOST} fit on a page", file=file, line=line)
        if len({c.id for c in each.candidates}) < len(each.candidates):
            raise ProbandError("'candidates' has an id twice", file=file, line=line)
        gold = each.gold or {}
        if wrong := [c for c, label in gold.items() if label not in LABELS]:
            raise ProbandError(f"'gold' of {wrong[0]!r} is not one of {', '.join(LABELS)}", file=file, line=line)
        yield Unit(
            id=each.id,
            role=each.role,
            clause=each.question,
            body={
                "question": each.question,
                "q_type": each.q_type,
                "q_rel": each.q_rel,
                "q_arg": each.q_arg,
                "candidates": [msgspec.to_builtins(c) for c in each.candidates],
            },
            gold=each.gold,
        )


def shown(body: Body) -> dict[str, Any]:
    """Texts only, by position. Every candidate's word is masked in every text, unless the question itself says it."""
    question = body["question"].casefold()
    hidden = {c["answer"] for c in body["candidates"] if c["answer"].casefold() not in question}
    texts = [masked(c["text"], {c["answer"], *hidden}, body["q_type"]) for c in body["candidates"]]
    return {"question": body["question"], "type": body["q_type"], "candidates": texts, "labels": LABELS}


def answer(body: Body, form: Form) -> dict[str, Any]:
    count = len(body["candidates"])
    given = [form.get(f"c{place}", "") for place in range(count)]
    for place, label in enumerate(given):
        if label not in LABELS:
            raise Invalid(f"c{place}", "invalid.judge", place=place + 1, left=sum(g not in LABELS for g in given))
    return {"labels": {c["id"]: label for c, label in zip(body["candidates"], given, strict=True)}}


def fields(body: Body, given: Body) -> dict[str, str]:
    labels = given.get("labels", {})
    return {f"c{place}": labels.get(c["id"], "") for place, c in enumerate(body["candidates"])}


def agreed(body: Body, given: Body, gold: Any) -> float:
    """Gold: candidate id -> label."""
    return share_right(labels(body, given), gold)


def labels(body: Body, given: Body) -> list[tuple[str, str]]:
    return list(given["labels"].items())


JUDGE = Kind(
    name="judge",
    units=units,
    shown=shown,
    answer=answer,
    fields=fields,
    agreed=agreed,
    labels=labels,
    defaults={"people": {"overlap": 5}, "time": {"expected-seconds": 180}, "pay": {"per-unit": 0.6}},
)
