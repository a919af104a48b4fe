"""What an audit shows: flawed rows by cause, the commonest patterns among them, each with a family that speaks against
the label, and the values of the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from proband.suites.kinship.world.rules import load

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
        cards: list[Card] = []
        for name, most in SHOWN.items():
            groups = [group for (verdict, _), group in self.groups.items() if verdict == name]
            groups.sort(key=lambda group: (-group[1], group[0].seen.row.file, group[0].seen.row.line))
            cards += [_card(row, count) for row, count in groups[:most]]
        return cards


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
    label = NEUTRAL[row.seen.row.target]
    others = " or ".join(dict.fromkeys(NEUTRAL.get(r, r) for r in verdict.possible))
    return Cause(key=f"label:{label}>{others}", claim=f"labelled {label} where {others} is possible", kind="label")


def is_reversed(row: JudgedRow) -> bool:
    """Is the label right for the question turned around?"""
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
        closed = close(load("sound"), [g or "" for g in genders], edges)
        left = {NONE if each == "other" else each for each in closed.answers(*query)} if closed.consistent else set()
        self.checked = self.checked.and_one(set(row.verdict.possible), left)


# ---- the page ------------------------------------------------------------------------------------------------------

MEANING: Final = {
    "entailed": "the label holds in every family in which the story is true",
    "ambiguous": "it holds in some such families and not in others",
    "false": "it holds in none of them",
    "inconsistent": "there is no such family",
    "unread": "the row could not be read",
}
WORLDS: Final = {
    "one-generation": "nobody marries into another generation",
    "uncles-by-marriage": "an uncle or aunt may be a parent's sibling's spouse",
    "remarriage": "people may marry again: step-parents, half-siblings",
    "cousins-marry": "spouses may be of one family",
    "all-three": "the last three together",
}
Cells = tuple[Any, ...]


def page_data(figures: Mapping[str, Any], cards: Sequence[Card], *, name: str) -> dict[str, Any]:
    """The values of the template page.html."""
    used, blamed = figures["rules"]["used"], figures["rules"]["blamed"]
    depth_head, depths = _columns("k", figures["depth"])
    overlap = {r: line for r, line in figures["overlap"].items() if line["train rows"] and line["test rows"]}
    counted, releases, releases_by_k = _releases(figures["by_release"])
    moves = sorted({move for line in figures["worlds"].values() for move in line})
    return {
        "title": f"Audit of {name}",
        "figures": figures,
        "meaning": MEANING,
        "cards": cards,
        "rules": [(rule, used.get(rule, 0), blamed.get(rule, 0)) for rule in dict.fromkeys([*used, *blamed])],
        "counted": counted,
        "releases": releases,
        "releases_by_k": releases_by_k,
        "depth_head": depth_head,
        "depths": depths,
        "overlap_head": ["", *overlap],
        "overlap": [(what, *(line[what] for line in overlap.values())) for what in next(iter(overlap.values()), ())],
        "text": _text_figures(figures),
        "worlds": {world: WORLDS[world] for world in figures["worlds"]},
        "readings": [(split, *line.values()) for split, line in figures["readings"].items()],
        "follow": [(split, *line.values()) for split, line in figures["follow"].items()],
        "moves": [(move, *(line.get(move, 0) for line in figures["worlds"].values())) for move in moves],
    }


def _columns(first: str, lines: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[Cells]]:
    names = list(next(iter(lines.values()), {}))
    return [first, *names], [(key, *(line[name] for name in names)) for key, line in lines.items()]


def _releases(lines: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[Cells], list[Cells]]:
    """What is counted, per release and split, and per k as well."""
    names = [name for name in lines[0] if name not in ("release", "split", "k")] if lines else []
    groups: dict[tuple[str, str], Counter[str]] = {}
    for line in lines:
        groups.setdefault((line["release"], line["split"]), Counter()).update({n: line[n] for n in names})
    coarse = [(*group, *(counts[n] for n in names)) for group, counts in groups.items()]
    return names, coarse, [(line["release"], line["split"], line["k"], *(line[n] for n in names)) for line in lines]


def _text_figures(figures: Mapping[str, Any]) -> list[Cells]:
    rows: list[Cells] = list(figures["text"].items())
    noise = figures["noise"]
    if noise["rows with noise"]:
        rows += [(name, noise[name]) for name in ("rows with noise", "all noise facts typed by the text")]
        moves = noise["verdict without and with them"]
        rows += [(f"… verdict without -> with them: {move}", n) for move, n in moves.items()]
    return rows
