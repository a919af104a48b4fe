"""What the page of an audit shows, as plain data: words for verdicts and worlds, and the figures as rows of tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from proband.suites.kinship.audit.findings import Card

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
Row = tuple[Any, ...]


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
        "text": _text(figures),
        "worlds": {world: WORLDS[world] for world in figures["worlds"]},
        "readings": [(split, *line.values()) for split, line in figures["readings"].items()],
        "follow": [(split, *line.values()) for split, line in figures["follow"].items()],
        "moves": [(move, *(line.get(move, 0) for line in figures["worlds"].values())) for move in moves],
    }


def _columns(first: str, lines: Mapping[str, Mapping[str, Any]]) -> tuple[list[str], list[Row]]:
    names = list(next(iter(lines.values()), {}))
    return [first, *names], [(key, *(line[name] for name in names)) for key, line in lines.items()]


def _releases(lines: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[Row], list[Row]]:
    """What is counted, per release and split, and per k as well."""
    names = [name for name in lines[0] if name not in ("release", "split", "k")] if lines else []
    groups: dict[tuple[str, str], Counter[str]] = {}
    for line in lines:
        groups.setdefault((line["release"], line["split"]), Counter()).update({n: line[n] for n in names})
    coarse = [(*group, *(counts[n] for n in names)) for group, counts in groups.items()]
    return names, coarse, [(line["release"], line["split"], line["k"], *(line[n] for n in names)) for line in lines]


def _text(figures: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = list(figures["text"].items())
    noise = figures["noise"]
    if noise["rows with noise"]:
        rows += [(name, noise[name]) for name in ("rows with noise", "all noise facts typed by the text")]
        moves = noise["verdict without and with them"]
        rows += [(f"… verdict without -> with them: {move}", n) for move, n in moves.items()]
    return rows
