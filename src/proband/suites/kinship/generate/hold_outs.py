"""Hold-outs (section 3.3.1 of the paper).

    paraphrases    a share of the bank's paraphrases is for test stories only
    clauses        a share of the clauses of more than two facts is for test stories only; a clause read from its other
                   end (the inverse relations, backwards) is the same clause
    lengths        test stories are longer than any training story
    names          a share of the names is for test stories only

They can be combined; `leaks` reports the overlap of training and test in each of the four.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from proband.core.types import Item
from proband.suites.kinship.generate.options import HOLD_OUTS
from proband.suites.kinship.logic.closure import asked_path, close
from proband.suites.kinship.logic.noise import SECOND
from proband.suites.kinship.telling.stories import digest, masked_sentences
from proband.suites.kinship.world.relations import FEMALE, MALE
from proband.suites.kinship.world.rules import Rules, canonical_clause, of_item, rule_bodies, story_of

TRAIN, TEST = "train", "test"
Clause = tuple[int, ...]


class HeldClauses:
    """Which clauses are held out: a function of the clause and the seed alone, so that it needs no list of clauses.

    For the few clauses of three to five facts the share is a number: for each target, first the clause with the lowest
    hash that is possible with different people, then those with the lowest hashes. A longer clause is held out if its
    hash falls into the share.
    """

    def __init__(self, rules: Rules, *, share: float, seed: int) -> None:
        self.inverse, self.share, self.seed = rules.inverse, share, seed
        self._mark = lru_cache(maxsize=100_000)(self._hash)
        self.short: dict[Clause, bool] = {}  # whether a clause is held out
        for groups in _short(rules):
            ranked = [sorted({canonical_clause(c, rules.inverse) for c in group}, key=self._mark) for group in groups]
            least = [next((clause for clause in group if _possible(rules, clause)), ()) for group in ranked]
            known = dict.fromkeys(
                [*filter(None, least), *sorted({c for group in ranked for c in group}, key=self._mark)]
            )
            wanted = max(len(set(filter(None, least))), round(share * len(known)))
            self.short |= {clause: place < wanted for place, clause in enumerate(known)}

    def _hash(self, clause: Clause) -> float:
        digest = hashlib.blake2b(f"{self.seed} {clause}".encode(), digest_size=7).digest()
        return int.from_bytes(digest) / 2**56

    def held(self, clause: Clause) -> bool:
        if len(clause) <= 2:
            return False
        one = canonical_clause(clause, self.inverse)
        return self.short[one] if one in self.short else self._mark(one) < self.share

    def accept(self, split: str) -> Callable[[Clause], bool]:
        """A predicate: which clauses the stories of a split may have, at lengths that both splits share."""
        if split == TRAIN:
            return lambda clause: not self.held(clause)
        return lambda clause: len(clause) <= 2 or self.held(clause)


@lru_cache(maxsize=4)
def _short(rules: Rules) -> list[list[set[Clause]]]:
    """For each length from 3 to 5 and each target, the clauses that its rules unfold to, for any genders."""
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
    return [[group for group in known[k] if group] for k in (3, 4, 5)]


@lru_cache(maxsize=10_000)
def _possible(rules: Rules, clause: Clause) -> bool:
    """Does the closure find no contradiction? ("my spouse's child's other parent" would be a second spouse)"""
    for genders in product((MALE, FEMALE), repeat=len(clause) + 1):
        edges = [(i, rules.word(relation, genders[i + 1]), i + 1) for i, relation in enumerate(clause)]
        if close(rules, genders, edges).consistent:
            return True
    return False


def names_of(names: Mapping[str, Sequence[str]], *, share: float, seed: int) -> dict[str, dict[str, list[str]]]:
    """split -> gender -> names; `share` of each gender's names are for the test.

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


# ---- what training and test share -----------------------------------------------------------------------------------


def parts_of(item: Item) -> dict[str, Sequence[Any]]:
    """What training and test may share: clauses of more than two facts, occasions, frames, their constructions, and
    sentences with masked names."""
    facts, scenes = item.facts, item.facts["telling"].get("scenes", ())
    occasions, frames = [scene[0] for scene in scenes], [sentence[0] for scene in scenes for sentence in scene[2]]
    masked = masked_sentences(story_of(item), facts["names"]) if scenes else []
    return {
        "lengths": [facts["k"]],
        "clauses": [clause for clause in clauses_of(item) if clause.count(".") > 1],
        "prompts": [digest(item.prompt)],
        "paraphrases": [*occasions, *frames],
        "names": facts["names"],
        "sentences": [digest(each) for each in masked],
        "occasions": occasions,
        "constructions": [frame.partition(".")[0] for frame in frames],
    }


def clauses_of(item: Item) -> list[str]:
    """The clause of the chain and, if a second path proves the answer too, that of this path."""
    facts, rules = item.facts, of_item(item)
    second = [edge for edge, kind in facts["noise"] if kind == SECOND and item.tags["ways"] == 2]
    path = asked_path(rules, facts["genders"], second, facts["query"])
    other = canonical_clause(tuple([rules.code[word] for _, word, _ in path]), rules.inverse)
    return [*facts["clusters"][:1], ".".join([rules.neutrals[r] for r in other])]


def share_known(some: Counter[Any], known: Collection[Any]) -> float:
    """The share of all occurrences that is known."""
    return sum(count for each, count in some.items() if each in known) / max(1, some.total())


def leaks(seen: Mapping[str, Mapping[str, Counter[Any]]], held: Sequence[str]) -> dict[str, dict[str, float]]:
    """Overlap of training and test in the four hold-outs (paraphrases: occasions and frames), whole prompts, and
    sentences with masked names: the number of distinct values in train, test and both, and the share of test that
    also occurs in train (of distinct values, and of all occurrences). `seen`: the parts of the items by split."""
    report = {}
    for what in (*HOLD_OUTS, "prompts", "sentences"):
        train, test = (seen.get(split, {}).get(what, Counter[Any]()) for split in (TRAIN, TEST))
        both = train.keys() & test.keys()
        report[what] = {
            "train": len(train),
            "test": len(test),
            "shared": len(both),
            "share_of_test": round(len(both) / len(test), 4) if test else 0.0,
            "share_of_occurrences": round(share_known(test, train), 4),
            "held_out": (what if what in HOLD_OUTS else "paraphrases") in held and what != "prompts",
        }
    return report
