"""Reading people's English: what is read, what is accused, what is certified, by construction and by form of question.

    python benchmarks/reading/regression.py [FILE ...]

Rows were written before the grammar and without knowledge of it, truth found by an independent search, a quarter of the
labels planted wrong; the rows of `traps_*` say something that is not so (hedged, ironic, hypothetical, past, negated,
fiction). A label is accused (false, inconsistent) only where both readers agree on the facts. Goals: right labels
accused 0, wrong labels called entailed 0, wrong corrections 0, nothing accused or certified in a trap, 75 % read.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from proband.core.errors import ProbandError
from proband.english.domain import Word
from proband.english.reading import Reading
from proband.proof.problem import Problem
from proband.suites.kinship.audit.family_prover import beyond, solve
from proband.suites.kinship.reading.first_names import gender_of_name
from proband.suites.kinship.reading.questions import BEYOND, read_answer
from proband.suites.kinship.reading.rows import read_by_grammar, read_by_parse, take_apart
from proband.suites.kinship.reading.tokens import NotUnderstood
from proband.suites.kinship.world.relations import GENDER, INVERSE, NEUTRAL, STRICT

HERE = Path(__file__).parent


class Outcome(NamedTuple):
    """`readers`: how many read it; `right`: what follows, where one answer does."""

    verdict: str
    readers: int = 0
    right: str = ""
    why: str = ""


def outcome(row: Mapping[str, Any], *, second: bool = True) -> Outcome:
    first = read_by_grammar(row["text"], row["question"], {})
    if first.unread:
        return Outcome("unread", why=first.unread.reason)
    try:
        verdict, right = judge(row, first)
    except (NotUnderstood, ProbandError) as error:
        return Outcome("unread", 1, why=str(error))
    if not second or verdict not in ("false", "inconsistent"):
        return Outcome(verdict, 1, right)
    other = read_by_parse(row["text"], row["question"], {})
    if other.unread:
        return Outcome("one reader", 1, right, other.unread.reason)
    if facts_of(first) != facts_of(other):
        return Outcome("unread", 2, why="the readers differ")
    return Outcome(verdict, 2, right)


def facts_of(reading: Reading) -> set[tuple[str, str, str]]:
    """Each fact from one side; people without names are not compared."""
    sides = ((f.who, f.relation, f.of) for f in reading.facts if "'s " not in f.who + f.of)
    return {min((a, r, b), (b, INVERSE[r], a)) for a, r, b in sides}


def judge(row: Mapping[str, Any], reading: Reading) -> tuple[str, str]:
    """The verdict on the label, and the answer that follows."""
    parts = take_apart(row["text"], row["question"], {})
    answer = read_answer(row["answer"], parts.question, parts.people)
    pair = answer.pair or (answer.person or parts.question.who, parts.question.of)
    things = {*pair, *(x for f in reading.facts for x in (f.who, f.of))}
    genders = tuple((x, reading.genders.get(x) or gender_of_name(x)) for x in sorted(things))
    problem = Problem(reading.facts, pair, genders)
    possible = solve(problem, STRICT).possible
    if not possible:
        return "inconsistent", ""
    right = possible[0] if len(possible) == 1 and possible[0] != "none" else ""
    if answer.open:
        return ("false" if right else "entailed"), right
    asked = parts.question.word if parts.question.word else answer.word
    assert asked is not None
    verdict = beyond(problem, asked, STRICT) if asked.relation in BEYOND else _verdict(asked, possible)
    if answer.truth is False:
        verdict = {"entailed": "false", "false": "entailed"}.get(verdict, verdict)
    return verdict, right


def _verdict(word: Word, possible: tuple[str, ...]) -> str:
    fits = [x for x in possible if x != "none" and NEUTRAL[x] == word.relation and word.gender in (None, GENDER[x])]
    if len(fits) == len(possible):
        return "entailed"
    if fits and all(x != "none" and NEUTRAL[x] == word.relation for x in possible):
        return "gender open"
    return "ambiguous" if fits else "false"


def table(rows: list[dict[str, Any]], by: str) -> str:
    lines = [f"{by:40} rows  read  accused-right  entailed-wrong  corrected-wrong"]
    for value in sorted({str(row.get(by)) for row in rows}):
        part = [row for row in rows if str(row.get(by)) == value]
        lines.append(f"{value:40} {len(part):4}  " + "  ".join(f"{n:4}" for n in figures(part)))
    return "\n".join(lines)


def figures(rows: list[dict[str, Any]]) -> tuple[int, int, int, int]:
    """Read; right labels accused; wrong ones called entailed; corrections that are wrong."""
    read = [row for row in rows if row["outcome"].verdict != "unread"]
    return (
        len(read),
        sum(row["outcome"].verdict in ("false", "inconsistent") and row["planted"] is False for row in read),
        sum(row["outcome"].verdict == "entailed" and row["planted"] is True for row in read),
        sum(
            row["outcome"].verdict == "false" and row["outcome"].right not in ("", row["truth"]) and not _names(row)
            for row in read
        ),
    )


def _names(row: Mapping[str, Any]) -> bool:
    """Questions for a person or a truth value have no relation as their correction."""
    return row["form"].startswith(("Who is B's", "Who is the", "Is ", "True", "yesno", "which"))


def load(paths: Iterable[Path]) -> list[dict[str, Any]]:
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def main(paths: list[Path]) -> None:
    for path in paths:
        rows = load([path])
        for row in rows:
            row["outcome"] = outcome(row)
        print(
            f"\n== {path.name}: {len(rows)} rows; read, right accused, wrong entailed, wrong corrections:",
            *figures(rows),
        )
        print(Counter((row["planted"], row["outcome"].verdict) for row in rows))
        print(table(rows, "trap" if "trap" in rows[0] else "construction"))
        if "trap" not in rows[0]:
            print(table(rows, "form"))


if __name__ == "__main__":
    main([Path(each) for each in sys.argv[1:]] or sorted(HERE.glob("*.jsonl")))
