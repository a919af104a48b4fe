"""What an audit counts: verdicts, readings of a perfect score, and findings grouped by cause, with three examples each.

Any auditor can count with it: what is added is a `Line` per row.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from proband.auditing.causes import Cause
from proband.auditing.domain import OTHER
from proband.auditing.judging import VERDICTS

EXAMPLES: Final = 3
UNREAD_KINDS: Final = 200
SEVERITY: Final = {
    "false": "error",
    "inconsistent": "error",
    "ambiguous": "warning",
    "duplicate with another label": "error",
    "answer leaked": "warning",
}
NOTES: Final = {
    "duplicate with another label": "the same text and question stand with different labels",
    "answer leaked": "the text tells the answer in so many words",
}


@dataclass(frozen=True, kw_only=True)
class Line:
    """A judged row, as the tally sees it."""

    file: str
    verdict: str
    label: str = ""
    possible: tuple[str, ...] = ()
    right: str = ""
    cause: Cause | None = None
    notes: tuple[str, ...] = ()
    unread: tuple[str, str] = ("", "")  # reason, kind of sentence
    other_worlds: dict[str, str] = field(default_factory=dict)
    example: Any = None  # a function that gives the example of a finding, called for the first few rows of each


@dataclass
class Group:
    """Rows with one cause."""

    claim: str
    kind: str
    severity: str
    rows: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    suggested: Counter[str] = field(default_factory=Counter)
    examples: list[dict[str, Any]] = field(default_factory=list)

    def as_record(self, number: int, read: int) -> dict[str, Any]:
        return {
            "finding": number,
            "claim": self.claim,
            "severity": self.severity,
            "kind": self.kind,
            "rows": self.rows,
            "share of the rows read": round(self.rows / read, 6) if read else None,
            "verdicts": dict(self.verdicts),
            "suggested_label": dict(self.suggested.most_common(12)),
            "evidence": self.examples,
        }


class Tally:
    def __init__(self) -> None:
        self.files: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.groups: dict[str, Group] = {}
        self.unread: dict[tuple[str, str], list[Any]] = {}  # (reason, kind of sentence) -> [rows, first place]
        self.worlds: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.chance = 0.0

    def add(self, line: Line, place: str = "") -> None:
        self.files[line.file][line.verdict] += 1
        if line.verdict == "unread":
            if len(self.unread) < UNREAD_KINDS or line.unread in self.unread:
                self.unread.setdefault(line.unread, [0, place])[0] += 1
        elif line.verdict in ("entailed", "ambiguous"):
            self.chance += 1 / max(sum(answer != OTHER for answer in line.possible), 1)
        for world, verdict in line.other_worlds.items():
            self.worlds[world][f"{line.verdict} -> {verdict}"] += 1
        if line.cause:
            self._group(line.cause.key, line.cause.claim, line.cause.kind, SEVERITY[line.verdict], line)
        for note in line.notes:
            name = note.partition(":")[0]
            self._group(name, NOTES[name], name, SEVERITY[name], line)

    def _group(self, key: str, claim: str, kind: str, severity: str, line: Line) -> None:
        group = self.groups.setdefault(key, Group(claim, kind, severity))
        if severity == "error":
            group.severity = severity
        group.rows += 1
        group.verdicts[line.verdict] += 1
        if line.verdict == "false" and line.right:
            group.suggested[f"{line.label} -> {line.right}"] += 1
        if len(group.examples) < EXAMPLES and line.example:
            group.examples.append(line.example())

    # ---- as it is written ------------------------------------------------------------------------------------------

    @property
    def verdicts(self) -> dict[str, int]:
        total = sum(self.files.values(), Counter[str]())
        return {name: total[name] for name in VERDICTS}

    @property
    def read(self) -> int:
        return sum(n for name, n in self.verdicts.items() if name != "unread")

    def readings(self) -> dict[str, float]:
        """What a perfect reasoner scores on the rows that are read, in percent: it answers only what follows; it
        guesses among the possible; any possible answer counts."""
        if not self.read:
            return {}
        counts = self.verdicts
        right = {
            "cautious": counts["entailed"],
            "chance among the possible": self.chance,
            "lenient": counts["entailed"] + counts["ambiguous"],
        }
        return {name: round(100 * n / self.read, 1) for name, n in right.items()}

    def findings(self) -> list[dict[str, Any]]:
        """The groups, errors before warnings, the largest first."""
        order = ("error", "warning", "note")
        groups = sorted(self.groups.items(), key=lambda each: (order.index(each[1].severity), -each[1].rows, each[0]))
        return [group.as_record(number, self.read) for number, (_, group) in enumerate(groups, start=1)]

    def unread_kinds(self) -> list[dict[str, Any]]:
        kinds = sorted(self.unread.items(), key=lambda each: (-each[1][0], each[0]))
        return [
            {"rows": rows, "reason": reason, "sentence": sentence, "first": place}
            for (reason, sentence), (rows, place) in kinds
        ]

    def summary(self) -> dict[str, Any]:
        rows = sum(self.verdicts.values())
        return {
            "rows": rows,
            "read": self.read,
            "share read": round(self.read / rows, 4) if rows else None,
            "verdicts": self.verdicts,
            "readings": self.readings(),
            "by_file": {name: {v: c[v] for v in VERDICTS} for name, c in sorted(self.files.items())},
            "worlds": {name: dict(sorted(moves.items())) for name, moves in self.worlds.items()},
            "unread": self.unread_kinds(),
        }


# ---- the page ------------------------------------------------------------------------------------------------------

MEANING: Final = {
    "entailed": "the label holds in every world in which the text is true",
    "ambiguous": "it holds in some such worlds and not in others",
    "false": "it holds in none of them",
    "inconsistent": "there is no such world",
    "unread": "a sentence, the question or the label was not understood",
}
READINGS: Final = {
    "cautious": "it answers only what follows",
    "chance among the possible": "it guesses among the answers that are possible",
    "lenient": "any possible answer counts",
}
MOST_FINDINGS: Final = 60


def page_data(summary: Mapping[str, Any], *, worlds: Mapping[str, str], title: str) -> dict[str, Any]:
    """The values of the template web/audit/rows.html."""
    return {
        "title": title,
        "figures": summary,
        "meaning": MEANING,
        "readings": [(name, READINGS[name], score) for name, score in summary["readings"].items()],
        "findings": summary["finding"][:MOST_FINDINGS],
        "more": max(0, len(summary["finding"]) - MOST_FINDINGS),
        "worlds": worlds,
    }
