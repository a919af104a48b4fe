"""Answers of many models in the two settings, by cell: relation, probe, and the value of every item.

`collect` puts a model's items to it once and keeps its answers beside the tables, so that the same command given again
goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import dumps, read_answers, write_lines
from proband.core.stats import clusters_of, estimate
from proband.core.types import Answer, Estimate, Item, accuracy
from proband.suites.analogy.relations import GROUPS

# per setting, in order of preference: the protocol a model must have -> the solver's name
PREFERRED = {
    "zero-shot": ("relation-cosine", "pppl", "difference", "sentence-cosine", "choose", "as-is"),
    "supervised": ("supervised-relation", "supervised-difference", "supervised", "as-is"),
}


@dataclass(frozen=True)
class Cell:
    """The values of one model on one relation, probe and setting."""

    model: str
    setting: str
    group: str
    relation: str
    probe: str  # random, reverse, type
    values: tuple[float, ...]
    clusters: tuple[tuple[str, ...], ...]

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values)


def cells_of(model: str, items: Sequence[Item], answers: Sequence[Answer]) -> list[Cell]:
    found: dict[tuple[str, str, str, str], list[tuple[float, tuple[str, ...]]]] = {}
    for item, answer in zip(items, answers, strict=True):
        value = accuracy(item, answer)
        if value is not None:
            tags = item.tags
            key = str(tags["setting"]), str(tags["group"]), str(tags["relation"]), str(tags["paper_probe"])
            found.setdefault(key, []).append((value, clusters_of(item)))
    return [Cell(model, *key, *map(tuple, zip(*rows, strict=True))) for key, rows in found.items()]


def pooled(cells: Iterable[Cell], *, seed: int, draws: int = 500) -> Estimate | None:
    """One estimate over all the cells' items, clustered by tuple; nothing if there are none."""
    chosen = list(cells)
    values = [v for cell in chosen for v in cell.values]
    if not values:
        return None
    return estimate(values, clusters=[c for cell in chosen for c in cell.clusters], seed=seed, draws=draws)


def macro(cells: Iterable[Cell]) -> float | None:
    """The mean of the relations' means."""
    means = [cell.mean for cell in cells]
    return sum(means) / len(means) if means else None


def in_group(cells: Iterable[Cell], group: str) -> list[Cell]:
    return [cell for cell in cells if group in ("All", cell.group)]


ROWS = (*GROUPS, "All")


# ---- asking, and keeping what was said -----------------------------------------------------------------------------


def collect(
    solvers: Mapping[str, Any],
    models: Sequence[tuple[str, Any]],
    items: Mapping[str, Sequence[Item]],
    *,
    out: Path,
    seed: int,
    say: Callable[[str], None] = lambda text: None,
) -> list[tuple[str, str, Sequence[Item], list[Answer]]]:
    """(model, setting, items, answers) of every model in every setting it can serve."""
    found = []
    for name, model in models:
        for setting, asked in items.items():
            solver = next((solvers[s] for s in PREFERRED[setting] if isinstance(model, solvers[s].needs)), None)
            if solver is None:
                say(f"{name} can serve no {setting} solver")
                continue
            say(f"{name}: {setting}, {solver.name}, {len(asked):,} items")
            found.append((name, setting, asked, ask(solver, model, asked, out=out, name=name, seed=seed)))
    if models and not found:
        raise ProbandError("none of the models can serve a solver of this suite")
    return found


def ask(solver: Any, model: Any, items: Sequence[Item], *, out: Path, name: str, seed: int) -> list[Answer]:
    """The model's answers, read back if this model gave them to these items before."""
    key = hashlib.sha256()
    settings = {option.name: option.default for option in solver.options}
    key.update(dumps([dict(model.identity()), solver.name, settings, seed]).encode())
    for item in items:
        key.update(dumps(item).encode())
    path = out / "answers" / f"{slug(name)}.{solver.name}.{key.hexdigest()[:12]}.jsonl"
    if path.exists():
        answers = read_answers(path)
        if [answer.item_id for answer in answers] == [item.id for item in items]:
            return answers
    answers = list(solver.solve(items, model, seed=seed))
    write_lines(path, answers)
    return answers


def slug(name: str) -> str:
    """
    >>> slug("embedded:mlm"), slug("hf:FacebookAI/roberta-base")
    ('embedded-mlm', 'hf-facebookai-roberta-base')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
