"""What an audit shows of flawed rows: the commonest patterns, each with a family that speaks against the label."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from proband.auditing.causes import Cause
from proband.auditing.run import CHECKED, Checked
from proband.auditing.tally import Line
from proband.suites.kinship.audit.figures import correct
from proband.suites.kinship.audit.judging import JudgedRow
from proband.suites.kinship.audit.verdicts import counter
from proband.suites.kinship.clutrr.rows import Unreadable
from proband.suites.kinship.logic.closure import close
from proband.suites.kinship.world.family_svg import family_svg
from proband.suites.kinship.world.relations import GENDER, INVERSE, NEUTRAL, NONE
from proband.suites.kinship.world.rules import Rules, load

SHOWN: Final = {"false": 9, "ambiguous": 9, "inconsistent": 4}  # cards per verdict


@dataclass(frozen=True, kw_only=True)
class Card:
    """A flawed pattern: its first row in words, and a drawing (SVG) of a family in which the label does not hold."""

    verdict: str
    rows: int
    facts: tuple[str, ...]
    label: str  # "Ann is the aunt of Bo"
    others: str  # what else holds, or may hold
    drawing: str
    place: str


class Findings:
    """Collects one row per flawed pattern, up to gender, and how often the pattern comes."""

    def __init__(self) -> None:
        self.groups: dict[tuple[str, Any], list[Any]] = {}  # -> [first row, rows]

    def add(self, row: JudgedRow) -> None:
        if row.verdict.verdict in SHOWN:
            facts = tuple((i, NEUTRAL[r], j) for i, r, j in row.case.pattern[1])
            group = self.groups.setdefault((row.verdict.verdict, (facts, NEUTRAL[row.seen.row.target])), [row, 0])
            group[1] += 1

    def cards(self) -> list[Card]:
        found: list[Card] = []
        for name, most in SHOWN.items():
            groups = [group for (verdict, _), group in self.groups.items() if verdict == name]
            groups.sort(key=lambda group: (-group[1], group[0].seen.row.file, group[0].seen.row.line))
            found += [_card(row, count) for row, count in groups[:most]]
        return found


def _card(row: JudgedRow, rows: int) -> Card:
    seen, verdict = row.seen, row.verdict
    names = [seen.row.names[x] for x in seen.order]
    drawing, shown = "", counter(verdict)
    if shown:
        relation, family = shown
        answer = "no relation" if relation == NONE else relation
        drawing = family_svg(family, names, query=(0, 1), answer=answer, title=f"{names[1]}: {answer}")
    others = [r for r in verdict.possible if r != seen.row.target]
    return Card(
        verdict=verdict.verdict,
        rows=rows,
        facts=tuple(f"{names[j]} is the {relation} of {names[i]}" for i, relation, j in row.case.pattern[1]),
        label=f"{names[1]} is the {seen.row.target} of {names[0]}",
        others=", ".join("no relation of the 22" if r == NONE else r for r in others),
        drawing=drawing,
        place=f"{seen.row.file} line {seen.row.line}",
    )


# ---- by cause ------------------------------------------------------------------------------------------------------


def line_of(row: JudgedRow | Unreadable) -> Line:
    """A row as the tally of findings counts it: put down to the rule of its proof that does not hold."""
    if isinstance(row, Unreadable):
        return Line(file=row.file, verdict="unread", unread=(row.what, ""))
    verdict, target = row.verdict, row.seen.row.target
    return Line(
        file=row.seen.row.file,
        verdict=verdict.verdict,
        label=target,
        possible=verdict.possible,
        right=correct(verdict) or "",
        cause=_cause(row),
        example=lambda: _example(row),
    )


def _cause(row: JudgedRow) -> Cause | None:
    verdict = row.verdict
    if verdict.verdict == "inconsistent":
        return Cause(key="inconsistent", claim="the facts contradict each other: no family fits", kind="facts")
    if verdict.verdict not in ("ambiguous", "false"):
        return None
    if verdict.blame:
        claim = f"the label rests on the rule {verdict.blame}, which does not hold in general"
        return Cause(key=f"rule:{verdict.blame}", claim=claim, kind="rule")
    label, others = (
        NEUTRAL[row.seen.row.target],
        " or ".join(dict.fromkeys(NEUTRAL.get(r, r) for r in verdict.possible)),
    )
    return Cause(key=f"label:{label}>{others}", claim=f"labelled {label} where {others} is possible", kind="label")


def is_reversed(row: JudgedRow) -> bool:
    """Is the label right for the question turned round?"""
    right, target = correct(row.verdict), row.seen.row.target
    asker = row.seen.row.genders[row.seen.row.query[0]]
    return right is not None and NEUTRAL[target] == INVERSE[NEUTRAL[right]] and GENDER[target] == asker


def _example(row: JudgedRow) -> dict[str, Any]:
    card = _card(row, 1)
    names = [row.seen.row.names[x] for x in row.seen.order]
    return {
        "place": card.place,
        "row": row.seen.row.id,
        "line": row.seen.row.line,
        "text": ". ".join(card.facts) + ".",
        "question": f"{names[1]} to {names[0]}",
        "label": row.seen.row.target,
        "verdict": row.verdict.verdict,
        "possible": row.verdict.possible,
        "suggested_label": correct(row.verdict),
        "proof": [],
        "drawings": {card.others: card.drawing} if card.drawing else {},
    }


class SecondProver:
    """The closure under the composition table on a sample of the rows: it may leave more open, never less."""

    def __init__(self) -> None:
        self.seen, self.checked = 0, Checked()

    def add(self, row: JudgedRow) -> None:
        self.seen += 1
        if (self.seen & (self.seen - 1) and self.seen % 331) or self.checked.rows >= CHECKED:
            return  # the first few, then evenly
        genders, edges, query = row.case.pattern
        if None in genders:
            return
        closed = close(_sound(), [g or "" for g in genders], edges)
        left = {NONE if each == "other" else each for each in closed.answers(*query)} if closed.consistent else set()
        found = set(row.verdict.possible)
        self.checked = Checked(
            rows=self.checked.rows + 1,
            agree=self.checked.agree + (left == found),
            weaker=self.checked.weaker + (found < left),
            against=self.checked.against + (not found <= left),
        )


@cache
def _sound() -> Rules:
    return load("sound")
