"""What a build is asked for: how many stories of which kind, and everything that decides them."""

from __future__ import annotations

from dataclasses import dataclass, field

from proband.suites.kinship.world.families import Shape

TASKS = ("clean", "supporting", "irrelevant", "disconnected", "all", "memory", "mixed")
MIXED = TASKS[:-1]


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
