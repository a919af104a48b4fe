"""Hold-outs (section 3.3.1 of the paper) and the report on what leaks.

    paraphrases    a share of the bank's paraphrases tells test stories only
    clauses        a share of the clauses of more than two facts is for test stories only; a clause read from its other
                   end (the inverse relations, backwards) is the same clause
    lengths        test stories are longer than any training story
    names          a share of the names is for test stories only

Any combination can be asked for; the report says for each of the four what training and test have in common.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, TypeVar

from proband.core.errors import ProbandError
from proband.suites.kinship.logic.chaining import rule_bodies
from proband.suites.kinship.logic.closure import close
from proband.suites.kinship.world.rules import FEMALE, MALE, Rules

HOLD_OUTS = ("paraphrases", "clauses", "lengths", "names")
TRAIN, TEST = "train", "test"
MOST = 100_000  # clauses to count apart at most
Clause = tuple[int, ...]
R = TypeVar("R", int, str)


def parse_hold_out(text: str) -> tuple[str, ...]:
    """
    >>> parse_hold_out("names,clauses"), len(parse_hold_out("all")), parse_hold_out("")
    (('clauses', 'names'), 4, ())
    """
    asked = [part.strip() for part in text.split(",") if part.strip()]
    if asked == ["all"]:
        return HOLD_OUTS
    if wrong := next((name for name in asked if name not in HOLD_OUTS), None):
        raise ProbandError(f"'hold-out' has no {wrong!r}; it takes {', '.join(HOLD_OUTS)} or all")
    return tuple(name for name in HOLD_OUTS if name in asked)


def canonical(clause: tuple[R, ...], inverse: Any) -> tuple[R, ...]:
    """A clause and its reading from the other end, as one; relations are numbers or names."""
    return min(clause, tuple([inverse[r] for r in reversed(clause)]))


class Clauses:
    """Which clauses are held out: a function of the clause and the seed alone, so that it needs no list of clauses.

    A clause is held out when its hash falls into the share. Among the few clauses of three to five facts each target
    keeps at least one for the test: the one with the lowest hash that can be told of so many different people.
    """

    def __init__(self, rules: Rules, *, share: float, seed: int) -> None:
        self.inverse, self.share, self.seed = rules.inverse, share, seed
        self._mark = lru_cache(maxsize=100_000)(self._hash)
        self.least = set()
        for group in _short(rules):
            ranked = sorted({canonical(clause, rules.inverse) for clause in group}, key=self._mark)
            self.least.add(next((clause for clause in ranked if _possible(rules, clause)), ()))

    def _hash(self, clause: Clause) -> float:
        digest = hashlib.blake2b(f"{self.seed} {clause}".encode(), digest_size=7).digest()
        return int.from_bytes(digest) / 2**56

    def held(self, clause: Clause) -> bool:
        if len(clause) <= 2:
            return False
        one = canonical(clause, self.inverse)
        return self._mark(one) < self.share or one in self.least

    def accept(self, split: str) -> Callable[[Clause], bool]:
        """Which clauses the stories of a split may have, at lengths that both splits have."""
        if split == TRAIN:
            return lambda clause: not self.held(clause)
        return lambda clause: len(clause) <= 2 or self.held(clause)


def _short(rules: Rules) -> list[set[Clause]]:
    """For each length from 3 to 5 and each target, its clauses: what its rules unfold to, whatever the genders."""
    targets = range(len(rules.neutrals))
    bodies = rule_bodies(rules)
    known: dict[int, list[set[Clause]]] = {1: [{(r,)} for r in targets]}
    for k in range(2, 6):
        known[k] = [
            {
                left + right
                for a, b in bodies[target]
                for i in range(1, k)
                for left in known[i][a]
                for right in known[k - i][b]
            }
            for target in targets
        ]
    return [group for k in (3, 4, 5) for group in known[k] if group]


def _possible(rules: Rules, clause: Clause) -> bool:
    """Whether the closure finds no contradiction ("my spouse's child's other parent" would be a second spouse)."""
    for genders in product((MALE, FEMALE), repeat=len(clause) + 1):
        edges = [(i, rules.word(relation, genders[i + 1]), i + 1) for i, relation in enumerate(clause)]
        if close(rules, genders, edges).consistent:
            return True
    return False


def names_of(names: Mapping[str, Sequence[str]], *, share: float, seed: int) -> dict[str, dict[str, list[str]]]:
    """split -> gender -> names, with `share` of each gender's for the test.

    >>> both = names_of({"male": ["A", "B", "C", "D", "E"]}, share=0.2, seed=0)
    >>> len(both["train"]["male"]), len(both["test"]["male"])
    (4, 1)
    """
    split: dict[str, dict[str, list[str]]] = {TRAIN: {}, TEST: {}}
    for gender, given in sorted(names.items()):
        mixed = random.Random(f"names {seed} {gender}").sample(list(given), len(given))
        held = max(1, round(share * len(given)))
        split[TEST][gender], split[TRAIN][gender] = mixed[:held], mixed[held:]
    return split


# ---- what the manifest says ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class Note:
    """What the manifest counts of an item."""

    cell: tuple[str, str, int]  # split, task, k
    target: str
    genders: str
    clause: str
    verdict: str
    searched: bool
    seen: tuple[Any, ...]  # templates, names, cluster, digest of the prompt; nothing where there is no split


def digest(prompt: str) -> bytes:
    """What stands for a prompt where prompts are compared."""
    return hashlib.blake2b(prompt.encode(), digest_size=8).digest()


class Tally:
    """Counts as the items go by: labels, genders, clauses, and what each split has seen."""

    def __init__(self) -> None:
        self.targets: Counter[tuple[Any, ...]] = Counter()
        self.genders: Counter[str] = Counter()
        self.clauses: Counter[str] = Counter()
        self.seen: dict[str, dict[str, set[Any]]] = {TRAIN: {}, TEST: {}}
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
            train, test = (self.seen[split].get(what, set()) for split in (TRAIN, TEST))
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
            total = labels.total()
            report[" ".join(filter(None, (split, task, f"k={k}")))] = {
                "items": total,
                "labels": len(labels),
                "majority_accuracy": round(max(labels.values()) / total, 4),
                "priors": {name: round(count / total, 4) for name, count in sorted(labels.items())},
            }
        return report

    def shares(self, counts: Counter[str]) -> dict[str, float]:
        total = counts.total()
        return {name: round(count / total, 4) for name, count in sorted(counts.items())}
