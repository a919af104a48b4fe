"""Making the stories of a plan, round by round: a round is a function of (seed, split, task, k, number) alone."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Sequence

from proband.core.errors import ProbandError
from proband.suites.kinship.generate import hold_outs as splits
from proband.suites.kinship.generate.plan import MIXED, Cell, Plan
from proband.suites.kinship.generate.rule_world_logic import rules_draft
from proband.suites.kinship.generate.story_logic import Draft, Goal, World, family_draft, goals
from proband.suites.kinship.generate.wording import Dresser
from proband.suites.kinship.logic.chaining import pool
from proband.suites.kinship.logic.letters import Proofs
from proband.suites.kinship.world.random_orders import Random, shuffled
from proband.suites.kinship.world.rules import Rules, load

SAMPLE = 500  # without --certify full, one item in so many is searched for a counter-family


class Maker:
    """Makes any round of stories of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rules: Rules = load(plan.rules)
        sound = load("sound") if self.rules.world == "family" else self.rules
        low, high = plan.size
        self.world = World(
            rules=self.rules,
            sound=sound,
            ground=pool(self.rules, seed=plan.seed, shape=plan.shape),
            families=plan.families,
            size=range(low, high + 1),
            revisit=plan.revisit,
            blind=plan.anonymise,
            proofs=Proofs(sound, blind=plan.anonymise),
        )
        self.draft = family_draft if self.rules.world == "family" else rules_draft
        self.goals = goals(self.rules)
        self.from_here = {goal: [*self.goals[i:], *self.goals[:i]] for i, goal in enumerate(self.goals)}
        held = splits.Clauses(self.rules, share=plan.clauses, seed=plan.seed) if "clauses" in plan.hold_out else None
        self.shared = {c.k for c in plan.cells if c.split == splits.TRAIN}  # longer clauses are new to training anyway
        self.accept = {s: held.accept(s) if held and s else None for s in ("", splits.TRAIN, splits.TEST)}
        self.dresser = Dresser(plan, self.rules)

    def round(self, cell: Cell, number: int) -> Iterator[tuple[str, splits.Note]]:
        """As many stories as there are goals: each as it stands in items.jsonl, and what the manifest counts of it."""
        key = (self.plan.seed, cell.split, cell.task, cell.k, number)
        draw, words = generator(*key).random, generator(*key, "words")  # apart: the same facts in any form
        task = MIXED[number % len(MIXED)] if cell.task == "mixed" else cell.task
        first = number * len(self.goals)
        sample = self._sample(cell, first)
        for index, goal in enumerate(self._order(draw), start=first):
            draft = self._story(cell, goal, task, draw)
            searched = index in sample and draft.verdict == "entailed"
            if searched:
                _search(draft)
            yield self.dresser.line(draft, draw, words, cell=cell, kind=task, index=index, searched=searched)

    def _order(self, draw: Random) -> list[Goal]:
        """Balanced: every goal once, each word with one gender of x, in random order, then each with the other.
        Uniform: as many goals, each drawn."""
        if self.plan.labels == "uniform":
            return [self.goals[int(draw() * len(self.goals))] for _ in self.goals]
        by_word: dict[tuple[int, str], list[Goal]] = {}
        for goal in self.goals:
            by_word.setdefault(goal[:2], []).append(goal)
        mixed = [[same[i] for i in shuffled(len(same), draw)] for same in by_word.values()]
        return [layer[i] for layer in zip(*mixed, strict=True) for i in shuffled(len(mixed), draw)]

    def _story(self, cell: Cell, goal: Goal, task: str, draw: Random) -> Draft:
        """A draft for the goal or, where its clauses are all held out, for one of the goals that come after it."""
        accept = self.accept[cell.split] if task != "memory" and cell.k in self.shared else None
        for candidate in self.from_here[goal]:
            draft = self.draft(self.world, candidate, cell.k, task=task, draw=draw, accept=accept)
            if draft is not None:
                return draft
        raise ProbandError(f"no story of {cell.k} facts for task {task!r} can be made with these settings")

    def _sample(self, cell: Cell, first: int) -> Sequence[int]:
        """The stories of a round to search for a counter-family: all, or one of every SAMPLE of the cell at random."""
        last = first + len(self.goals)
        if self.rules.world != "family" or self.plan.certify == "none":
            return ()
        if self.plan.certify == "full":
            return range(first, last)
        chosen = []
        for start in range(first - first % SAMPLE, last, SAMPLE):
            draw = generator(self.plan.seed, "search", cell.split, cell.task, cell.k, start).random
            chosen.append(start + int(draw() * max(1, min(SAMPLE, cell.count - start))))
        return chosen


def generator(*parts: object) -> random.Random:
    """A random generator for a round or another part of a build: the parts decide it, not the process.

    >>> generator(0, "train", 3).random() == generator(0, "train", 3).random() != generator(0, "train", 4).random()
    True
    """
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return random.Random(int.from_bytes(digest))


def _search(draft: Draft) -> None:
    """An independent, complete search for a family in which the facts hold and the answer does not."""
    from proband.suites.kinship.certify.search import entailed

    if not entailed(draft.genders, draft.edges, draft.query, draft.target):
        raise ProbandError(
            f"closure and search disagree on {draft.edges}, query {draft.query}, answer {draft.target!r}: please report"
        )
