"""What an audit shows of flawed rows: the commonest patterns, each with a family that speaks against the label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from proband.suites.kinship.audit.judging import JudgedRow
from proband.suites.kinship.audit.verdicts import counter
from proband.suites.kinship.world.family_svg import family_svg
from proband.suites.kinship.world.kernel import NONE
from proband.suites.kinship.world.relations import NEUTRAL

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
