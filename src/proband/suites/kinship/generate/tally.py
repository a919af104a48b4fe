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
    # templates, names, cluster, digests of the prompt, its sentences and its phrases; nothing where nothing is held out
    seen: tuple[Any, ...]


def digest(prompt: str) -> bytes:
    """What stands for a prompt where prompts are compared."""
    return hashlib.blake2b(prompt.encode(), digest_size=8).digest()


class Tally:
    """Counts as the items go by: labels, genders, clauses, and what each split has seen."""

    def __init__(self) -> None:
        self.targets: Counter[tuple[Any, ...]] = Counter()
        self.genders: Counter[str] = Counter()
        self.clauses: Counter[str] = Counter()
        self.seen: dict[str, dict[str, Counter[Any]]] = {"train": {}, "test": {}}
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

    def _see(self, seen: dict[str, Counter[Any]], note: Note) -> None:
        templates, names, cluster, prompt, sentences, phrases = note.seen
        k = note.cell[2]
        parts = ([k], [cluster] if k > 2 else [], [prompt], templates, names, sentences, phrases)
        for what, each in zip(("lengths", "clauses", "prompts", "paraphrases", "names", "sentences", "phrases"), parts):
            seen.setdefault(what, Counter()).update(each)

    def leaks(self, held: Sequence[str]) -> dict[str, Any]:
        """For each of the four, whole prompts, and sentences and fact-telling phrases with the names masked: how many
        different ones train, test and both have, and which share of test's train has (of the different ones, and of
        all that occur)."""
        report = {}
        for what in (*HOLD_OUTS, "prompts", "sentences", "phrases"):
            train, test = (self.seen[split].get(what, Counter()) for split in ("train", "test"))
            both = train.keys() & test.keys()
            report[what] = {
                "train": len(train),
                "test": len(test),
                "shared": len(both),
                "share_of_test": round(len(both) / len(test), 4) if test else 0.0,
                "share_of_occurrences": round(sum(test[x] for x in both) / test.total(), 4) if test else 0.0,
                "held_out": (what if what in HOLD_OUTS else "paraphrases") in held and what != "prompts",
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
