"""Making one story of a plan: a function of (seed, split, task, k, index) alone."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.suites.kinship import questions
from proband.suites.kinship import split as splits
from proband.suites.kinship.abstract import rules_draft
from proband.suites.kinship.chain import pool
from proband.suites.kinship.draft import Draft, Goal, World, family_draft, goals, shuffled
from proband.suites.kinship.family import Shape
from proband.suites.kinship.rules import NONE, Rules, load
from proband.suites.kinship.stories import Bank, load_bank, plain, tell

TASKS = ("clean", "supporting", "irrelevant", "disconnected", "all", "memory", "mixed")
MIXED = TASKS[:-1]
SAMPLE = 500  # without --certify full, one item in so many is searched for a counter-family
ENTITIES = 40  # placeholders to draw from when names are anonymised


@dataclass(frozen=True, kw_only=True)
class Cell:
    """`count` stories of one kind."""

    split: str  # "", "train" or "test"
    task: str
    k: int
    count: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that decides a build."""

    seed: int
    cells: tuple[Cell, ...]
    rules: str = "sound"
    shape: Shape = field(default_factory=Shape)
    families: int = 12
    size: tuple[int, int] = (2, 2)
    revisit: bool = False
    labels: str = "balanced"
    hold_out: tuple[str, ...] = ()
    paraphrases: float = 0.2
    clauses: float = 0.1
    held_names: float = 0.2
    bank: str = "proband"
    form: str = "story"
    question: str = "choice"
    brackets: bool = False
    anonymise: bool = False
    certify: str = "sample"


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
        )
        self.goals = goals(self.rules)
        self._turns: dict[tuple[str, int, int], list[Goal]] = {}
        self._chosen: tuple[Any, int] = (None, -1)
        self._rng = random.Random()
        self._starts: dict[Cell, int] = {}
        self._clauses: dict[tuple[int, ...], tuple[str, str]] = {}
        held = splits.Clauses(self.rules, share=plan.clauses, seed=plan.seed) if "clauses" in plan.hold_out else None
        self.accept = {s: held.accept(s) if held and s else None for s in ("", splits.TRAIN, splits.TEST)}
        self.english = self.rules.world == "family" and self.rules.words == load("sound").words

    @cached_property
    def bank(self) -> Bank:
        bank = load_bank(self.plan.bank)
        return bank.hold_out(self.plan.paraphrases, self.plan.seed) if "paraphrases" in self.plan.hold_out else bank

    @cached_property
    def names(self) -> dict[str, Mapping[str, Sequence[str]]]:
        """By split and gender."""
        given: Mapping[str, Sequence[str]] = self.rules.names
        if not given:
            from proband.suites.kinship.names import NAMES

            given = NAMES if self.rules.gendered else {NONE: [name for names in NAMES.values() for name in names]}
        if "names" in self.plan.hold_out:
            return {"": given, **splits.names_of(given, share=self.plan.held_names, seed=self.plan.seed)}
        return {"": given, splits.TRAIN: given, splits.TEST: given}

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
        rng = self._rng
        rng.seed(self._start(cell) + index)
        draw = rng.random
        task = MIXED[index // len(self.goals) % len(MIXED)] if cell.task == "mixed" else cell.task
        goal = self.goal(cell, index, draw)
        make = family_draft if self.rules.world == "family" else rules_draft
        accept = self.accept[cell.split] if task != "memory" else None
        draft = make(self.world, goal, cell.k, task=task, draw=draw, accept=accept)
        shift = 0
        while draft is None and shift < len(self.goals):  # no such clause for this target: the next target
            shift += 1
            other = self.goals[(self.goals.index(goal) + shift) % len(self.goals)]
            draft = make(self.world, other, cell.k, task=task, draw=draw, accept=accept)
        if draft is None:
            raise ProbandError(f"no story of {cell.k} facts for task {task!r} can be made with these settings")
        return self._dress(cell, index, task, draft, rng)

    def _start(self, cell: Cell) -> int:
        """The seed of a cell's first story; the n-th has the n-th after it."""
        start = self._starts.get(cell)
        if start is None:
            start = self._starts[cell] = generator(self.plan.seed, cell.split, cell.task, cell.k).getrandbits(62)
        return start

    def _spell(self, clause: tuple[int, ...]) -> tuple[str, str]:
        """A clause in words, and the name it shares with its reading from the other end."""
        known = self._clauses.get(clause)
        if known is None:
            neutral = splits.canonical(clause, self.rules.inverse)
            known = tuple(".".join([self.rules.neutrals[r] for r in one]) for one in (clause, neutral))  # type: ignore[assignment]
            if len(self._clauses) < 50_000:
                self._clauses[clause] = known
        return known

    def _dress(self, cell: Cell, index: int, task: str, draft: Draft, rng: random.Random) -> Item:
        """Names, words and a question for a draft."""
        plan, draw = self.plan, rng.random
        names = self._christen(cell.split, draft.genders, draw)
        text, templates, groups = self._tell(draft, names, cell.split, rng)
        x, z = draft.query
        shown = [f"[{name}]" for name in names] if plan.brackets else names
        question, choices, gold = questions.ask(
            plan.question, x=shown[x], z=shown[z], target=draft.target, rules=self.rules, draw=draw
        )
        tags: dict[str, Any] = {"task": cell.task, "k": draft.k, "depth": draft.depth, "target": draft.target}
        if cell.split:
            tags["split"] = cell.split
        if cell.task == "mixed":
            tags["kind"] = task
        certified = ["closure"]
        if self._searched(cell, index) and draft.verdict == "entailed":
            _search(draft)
            certified.append("search")
        clause, cluster = self._spell(draft.clause)
        facts: dict[str, Any] = {
            "names": names,
            "genders": draft.genders,
            "edges": draft.edges,
            "query": draft.query,
            "target": draft.target,
            "k": draft.k,
            "depth": draft.depth,
            "noise": draft.noise,
            "proof": draft.proof,
            "proofs": draft.proofs,
            "certificate": draft.verdict,
            "certified_by": certified if draft.verdict == "entailed" else [],
            "clause": clause,
            "clusters": [cluster],
            "templates": templates,
            "groups": groups,
            "rules": plan.rules,
        }
        prefix = f"{cell.split}-" if cell.split else ""
        return Item(
            id=f"{prefix}{cell.task}-k{cell.k}-{index:06d}",
            suite="kinship",
            prompt=f"{text}\n{question}",
            choices=choices,
            gold=gold,
            tags=tags,
            facts=facts,
        )

    def _christen(self, split: str, genders: Sequence[str], draw: Callable[[], float]) -> list[str]:
        """A different name for everybody, of the right gender."""
        if self.plan.anonymise:
            order = shuffled(max(ENTITIES, len(genders)), draw)
            return [f"@entity-{order[i]}" for i in range(len(genders))]
        lists, names = self.names[split], []
        for gender in genders:
            given = lists.get(gender, ())
            if len(given) < len(genders) and genders.count(gender) > len(given):
                raise ProbandError(f"a story needs {genders.count(gender)} names ({gender}); there are {len(given)}")
            name = given[int(draw() * len(given))]
            while name in names:
                name = given[int(draw() * len(given))]
            names.append(name)
        return names

    def _tell(self, draft: Draft, names: list[str], split: str, rng: random.Random) -> tuple[str, list[str], list[Any]]:
        """(text, templates, which facts each tells)."""
        plan = self.plan
        shown = [f"[{name}]" for name in names] if plan.brackets else names
        if plan.form == "story" and self.english:
            told = tell(
                draft.edges,
                names=names,
                genders=draft.genders,
                bank=self.bank,
                rng=rng,
                split=(split or None) if "paraphrases" in plan.hold_out else None,
                brackets=plan.brackets,
            )
            return told.text, list(told.templates), [list(group) for group in told.groups]
        order = shuffled(len(draft.edges), rng.random)
        edges = [draft.edges[i] for i in order]
        if plan.form == "graph":
            return questions.triples(edges, shown), [], [[i] for i in order]
        if self.english:
            return " ".join(plain(edges, shown, draft.genders)), [], [[i] for i in order]
        forms = self.rules.sentences if plan.form == "story" else self.rules.sentences[:1]
        texts, used = [], []
        for i, word, j in edges:
            form = int(rng.random() * len(forms))
            texts.append(questions.capital(forms[form].format(i=shown[i], j=shown[j], word=word)))
            used.append(f"{self.rules.name}.{form}")
        return " ".join(texts), used, [[i] for i in order]

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
