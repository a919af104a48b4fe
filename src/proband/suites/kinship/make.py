"""Making one story of a plan: a function of (seed, split, task, k, index) alone."""

from __future__ import annotations

import _random
import hashlib
import json
import random
from collections.abc import Callable
from typing import Any

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.suites.kinship import split as splits
from proband.suites.kinship.abstract import rules_draft
from proband.suites.kinship.chain import pool
from proband.suites.kinship.draft import Draft, Goal, World, family_draft, goals, shuffled
from proband.suites.kinship.dress import Dresser
from proband.suites.kinship.plan import MIXED, Cell, Plan
from proband.suites.kinship.rules import Rules, load

SAMPLE = 500  # without --certify full, one item in so many is searched for a counter-family
ENCODE = json.JSONEncoder(  # core.files.dumps, made once for all lines, and records that cannot contain themselves
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), check_circular=False
).encode


class Maker:
    """Makes any story of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rules: Rules = load(plan.rules)
        sound = load("sound") if self.rules.world == "family" else self.rules
        self.world = World(
            rules=self.rules,
            sound=sound,
            ground=pool(self.rules, seed=plan.seed, size=plan.families, shape=plan.shape),
            families=plan.families,
            size=plan.size,
            revisit=plan.revisit,
            blind=plan.anonymise,
        )
        self.goals = goals(self.rules)
        self._turns: dict[tuple[str, int, int], list[Goal]] = {}
        self._chosen: tuple[Any, int] = (None, -1)
        self._rng = random.Random()
        self._starts: dict[Cell, int] = {}
        held = splits.Clauses(self.rules, share=plan.clauses, seed=plan.seed) if "clauses" in plan.hold_out else None
        self.shared = {c.k for c in plan.cells if c.split == splits.TRAIN}  # longer clauses are new to training anyway
        self.accept = {s: held.accept(s) if held and s else None for s in ("", splits.TRAIN, splits.TEST)}
        self.dresser = Dresser(plan, self.rules)

    def goal(self, cell: Cell, index: int, draw: Callable[[], float]) -> Goal:
        """Balanced: every target and gender in turn, in a new order each round. Uniform: drawn each time."""
        if self.plan.labels == "uniform":
            return self.goals[int(draw() * len(self.goals))]
        size = len(self.goals)
        key = (f"{cell.split} {cell.task}", cell.k, index // size)
        turn = self._turns.get(key)
        if turn is None:
            self._turns.clear()
            turn = self._turns[key] = self._round(generator(self.plan.seed, "turn", *key).random)
        return turn[index % size]

    def _round(self, draw: Callable[[], float]) -> list[Goal]:
        """Every goal once: each word with one gender of x, in random order, then each with the other."""
        by_word: dict[tuple[int, str], list[Goal]] = {}
        for goal in self.goals:
            by_word.setdefault(goal[:2], []).append(goal)
        mixed = [[goals[i] for i in shuffled(len(goals), draw)] for goals in by_word.values()]
        layers = zip(*mixed, strict=True)
        return [layer[i] for layer in layers for i in shuffled(len(mixed), draw)]

    def item(self, cell: Cell, index: int) -> Item:
        return Item(**self.record(cell, index))

    def line(self, cell: Cell, index: int) -> tuple[str, splits.Note]:
        """The item as it stands in items.jsonl (as core.files.dumps has it), and what the manifest counts."""
        record = self.record(cell, index)
        return ENCODE(record), splits.note(record)

    def record(self, cell: Cell, index: int) -> dict[str, Any]:
        """The fields of an item, in order."""
        rng = self._rng
        _random.Random.seed(rng, self._start(cell) + index)  # as rng.seed, without its checks of the argument
        draw = rng.random
        task = MIXED[index // len(self.goals) % len(MIXED)] if cell.task == "mixed" else cell.task
        goal = self.goal(cell, index, draw)
        make = family_draft if self.rules.world == "family" else rules_draft
        accept = self.accept[cell.split] if task != "memory" and cell.k in self.shared else None
        draft = make(self.world, goal, cell.k, task=task, draw=draw, accept=accept)
        shift = 0
        while draft is None and shift < len(self.goals):  # no such clause for this target: the next target
            shift += 1
            other = self.goals[(self.goals.index(goal) + shift) % len(self.goals)]
            draft = make(self.world, other, cell.k, task=task, draw=draw, accept=accept)
        if draft is None:
            raise ProbandError(f"no story of {cell.k} facts for task {task!r} can be made with these settings")
        searched = self._searched(cell, index) and draft.verdict == "entailed"
        if searched:
            _search(draft)
        tags: dict[str, Any] = {"task": cell.task, "k": draft.k, "depth": draft.depth, "target": draft.target}
        if cell.split:
            tags["split"] = cell.split
        if cell.task == "mixed":
            tags["kind"] = task
        name = f"{cell.task}-k{cell.k}-{index:06d}"
        if cell.split:
            name = f"{cell.split}-{name}"
        return self.dresser.record(draft, rng, name=name, split=cell.split, tags=tags, searched=searched)

    def _start(self, cell: Cell) -> int:
        """The seed of a cell's first story; the n-th has the n-th after it."""
        start = self._starts.get(cell)
        if start is None:
            start = self._starts[cell] = generator(self.plan.seed, cell.split, cell.task, cell.k).getrandbits(62)
        return start

    def _searched(self, cell: Cell, index: int) -> bool:
        """Whether the item is searched for a counter-family: always, or one of every SAMPLE at random."""
        if self.plan.certify != "sample" or self.rules.world != "family":
            return self.plan.certify == "full" and self.rules.world == "family"
        block = index // SAMPLE
        if self._chosen[0] != (cell, block):
            size = max(1, min(SAMPLE, cell.count - block * SAMPLE))
            key = generator(self.plan.seed, "search", cell.split, cell.task, cell.k, block)
            self._chosen = ((cell, block), block * SAMPLE + int(key.random() * size))
        return index == self._chosen[1]


def generator(*parts: object) -> random.Random:
    """A random generator for a story or another part of a build: the parts decide it, not the process.

    >>> generator(0, "train", 3).random() == generator(0, "train", 3).random() != generator(0, "train", 4).random()
    True
    """
    digest = hashlib.blake2b(repr(parts).encode(), digest_size=8).digest()
    return random.Random(int.from_bytes(digest))


def _search(draft: Draft) -> None:
    """An independent, complete search for a family in which the facts hold and the answer does not."""
    from proband.suites.kinship.certify import entailed

    x, z = draft.query
    edges = [(i, word, j) for i, word, j in draft.edges]
    if not entailed(draft.genders, edges, (x, z), draft.target):
        raise ProbandError(
            f"closure and search disagree on {draft.edges}, query {draft.query}, answer {draft.target!r}: please report"
        )
