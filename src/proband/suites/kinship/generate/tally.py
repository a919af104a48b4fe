"""What the manifest says of a build: counts as the items go by, and the report on what leaks from training to test."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from proband.suites.kinship.generate.options import HOLD_OUTS

MOST = 100_000  # clauses to count apart at most


@dataclass(slots=True)
class Note:
    """What the manifest counts of an item."""

    cell: tuple[str, str, int]  # part, task, k
    target: str
    genders: str
    clause: str
    verdict: str
    searched: bool
    seen: tuple[Any, ...]  # templates, names, cluster, digest of the prompt; nothing where nothing is held out


def digest(prompt: str) -> bytes:
    """What stands for a prompt where prompts are compared."""
    return hashlib.blake2b(prompt.encode(), digest_size=8).digest()


class Tally:
    """Counts as the items go by: labels, genders, clauses, and what each split has seen."""

    def __init__(self) -> None:
        self.targets: Counter[tuple[Any, ...]] = Counter()
        self.genders: Counter[str] = Counter()
        self.clauses: Counter[str] = Counter()
        self.seen: dict[str, dict[str, set[Any]]] = {"train": {}, "test": {}}
        self.verdicts: Counter[str] = Counter()
        self.searched = 0

    def add(self, note: Note) -> None:
        self.targets[note.cell, note.target] += 1
        self.genders[note.genders] += 1
        if len(self.clauses) < MOST or note.clause in self.clauses:  # flat memory, however long the build
            self.clauses[note.clause] += 1
        self.verdicts[note.verdict] += 1
        self.searched += note.searched
        if note.seen:
            self._see(self.seen[note.cell[0]], note)

    def _see(self, seen: dict[str, set[Any]], note: Note) -> None:
        templates, names, cluster, prompt = note.seen
        seen.setdefault("paraphrases", set()).update(templates)
        seen.setdefault("names", set()).update(names)
        seen.setdefault("lengths", set()).add(note.cell[2])
        if note.cell[2] > 2:
            seen.setdefault("clauses", set()).add(cluster)
        seen.setdefault("prompts", set()).add(prompt)

    def leaks(self, held: Sequence[str]) -> dict[str, Any]:
        """For each of the four (and whole prompts), how many train, test and both have; test's share known to train."""
        report = {}
        for what in (*HOLD_OUTS, "prompts"):
            train, test = (self.seen[split].get(what, set()) for split in ("train", "test"))
            both = train & test
            report[what] = {
                "train": len(train),
                "test": len(test),
                "shared": len(both),
                "share_of_test": round(len(both) / len(test), 4) if test else 0.0,
                "held_out": what in held,
            }
        return report

    def priors(self) -> dict[str, Any]:
        """Per task and k (and split): how many, the share of the commonest label, and every label's share."""
        cells: dict[tuple[Any, ...], Counter[str]] = {}
        for (cell, target), count in self.targets.items():
            cells.setdefault(cell, Counter())[target] += count
        report = {}
        for (split, task, k), labels in cells.items():
            report[" ".join(filter(None, (split, task, f"k={k}")))] = {
                "items": labels.total(),
                "majority_accuracy": round(max(labels.values()) / labels.total(), 4),
                "priors": shares(labels),
            }
        return report


def shares(counts: Counter[str]) -> dict[str, float]:
    total = counts.total()
    return {name: round(count / total, 4) for name, count in sorted(counts.items())}
