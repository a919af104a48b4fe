"""The counts of an audit: verdicts, scores of a perfect reasoner, and findings grouped by cause with three examples
each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any, Final

from proband.english.domain import OTHER
from proband.proof.causes import readable
from proband.proof.decisions import DECIDED, GENDER_OPEN, VERDICTS, Cause, RowVerdict
from proband.proof.rows import AuditRow

EXAMPLES: Final = 3
LEAST_READ: Final = 0.5  # smallest share of read rows for these scores
ALWAYS_SHOWN: Final = (*DECIDED, "unread")
UNREAD_KINDS: Final = 200
SEVERITY: Final = {
    "false": "error",
    "inconsistent": "error",
    "ambiguous": "warning",
    GENDER_OPEN: "note",
    "duplicate with another label": "error",
    "answer leaked": "warning",
}
NOTES: Final = {
    "duplicate with another label": "the same text and question occur with different labels",
    "answer leaked": "the text states the answer",
}


class Tally:
    def __init__(self) -> None:
        self.files: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.groups: dict[str, dict[str, Any]] = {}  # key of a cause -> its line in findings.jsonl
        self.unread: dict[tuple[str, str], list[Any]] = {}  # (reason, kind of sentence) -> [rows, first place]
        self.worlds: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.one_reading: Counter[str] = Counter()
        self.twice = self.disagree = 0
        self.chance = 0.0

    def add(
        self, judged: RowVerdict, row: AuditRow, shape: Callable[..., str], example: Callable[[], dict[str, Any]]
    ) -> None:
        """Count a row; `example` gives it as evidence, for the first few rows of each finding. `shape`: a sentence of a
        question without its names, so that unread sentences of one template are one kind."""
        self.files[row.file][judged.verdict] += 1
        self.one_reading.update([judged.verdict] if judged.one_reading else [])
        self.twice += len(judged.readers) > 1
        self.disagree += judged.disagree
        if judged.unread:
            kind = judged.unread.reason, readable(shape(judged.unread.sentence, row.question))[:200]
            if len(self.unread) < UNREAD_KINDS or kind in self.unread:
                self.unread.setdefault(kind, [0, row.place])[0] += 1
        elif judged.verdict in ("entailed", "ambiguous") and judged.read:
            self.chance += 1 / max(sum(answer != OTHER for answer in judged.possible), 1)
        for world, (verdict, _) in judged.by_world.items():
            self.worlds[world][verdict] += 1
        cause, names = judged.cause, [note.partition(":")[0] for note in judged.notes]
        causes = [cause] if cause and (judged.accused or judged.verdict == GENDER_OPEN) else []
        for each in (*causes, *(Cause(key=name, claim=NOTES[name], kind=name) for name in names)):
            severity = SEVERITY[each.kind if each.kind in NOTES else judged.verdict]
            known = {"finding": 0, "claim": each.claim, "severity": severity, "kind": each.kind, "rows": 0}
            counts: dict[str, Any] = {"verdicts": Counter(), "suggested_label": Counter(), "evidence": []}
            group = self.groups.setdefault(each.key, known | counts)
            group["severity"] = severity if severity == "error" else group["severity"]
            group["rows"] += 1
            group["verdicts"][judged.verdict] += 1
            if judged.verdict == "false" and judged.right and judged.accused:
                group["suggested_label"][f"{judged.label} -> {judged.right}"] += 1
            if len(group["evidence"]) < EXAMPLES:
                group["evidence"].append(example())

    # ---- as it is written ------------------------------------------------------------------------------------------

    @property
    def verdicts(self) -> dict[str, int]:
        """Rows by verdict; rare verdicts are listed only if they occur."""
        total = sum(self.files.values(), Counter[str]())
        return {name: total[name] for name in VERDICTS if total[name] or name in ALWAYS_SHOWN}

    @property
    def read(self) -> int:
        return sum(n for name, n in self.verdicts.items() if name != "unread") - self.one_reading.total()

    def readings(self) -> dict[str, float]:
        """The score in percent of a perfect reasoner on the decided rows: if it answers only what follows; if it
        guesses among the possible answers; if any possible answer counts. Empty if few rows are read."""
        counts = {name: n - self.one_reading[name] for name, n in self.verdicts.items()}
        decided = sum(counts[name] for name in DECIDED)
        if not decided or self.read < LEAST_READ * sum(self.verdicts.values()):
            return {}
        entailed = counts["entailed"]
        right = {"cautious": entailed, "guess": self.chance, "lenient": entailed + counts["ambiguous"]}
        return {name: round(100 * n / decided, 1) for name, n in right.items()}

    def findings(self) -> list[dict[str, Any]]:
        """The groups, errors before warnings, the largest first."""
        order = ("error", "warning", "note")
        groups = [self.groups[key] for key in sorted(self.groups)]
        groups.sort(key=lambda group: (order.index(group["severity"]), -group["rows"]))
        for number, group in enumerate(groups, start=1):
            group["finding"] = number
            group["suggested_label"] = dict(group["suggested_label"].most_common(12))
        return groups

    def summary(self) -> dict[str, Any]:
        rows = sum(self.verdicts.values())
        unread = sorted(self.unread.items(), key=lambda each: (-each[1][0], each[0]))
        return {
            "rows": rows,
            "read": self.read,
            "share read": round(self.read / rows, 4) if rows else None,
            "verdicts": self.verdicts,
            "readings": self.readings(),
            "one reading": {name: self.one_reading[name] for name in VERDICTS if self.one_reading[name]},
            "read twice": self.twice,
            "readings disagree": self.disagree,
            "by_file": {name: {v: c[v] for v in self.verdicts} for name, c in sorted(self.files.items())},
            "worlds": {name: dict(sorted(counts.items())) for name, counts in self.worlds.items()},
            "unread": [
                {"rows": rows, "reason": reason, "sentence": sentence, "first": place}
                for (reason, sentence), (rows, place) in unread
            ],
        }
