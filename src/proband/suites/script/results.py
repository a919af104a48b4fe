"""What models said to the paper's questions: numbers with intervals, and the answers kept for the next time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import dumps, read_answers, read_json, read_run, write_lines
from proband.core.stats import clusters_of, estimate
from proband.core.types import Answer, Estimate, Item
from proband.suites.script.analysis.breakdown import BREAKDOWN
from proband.suites.script.analysis.metrics import METRICS
from proband.suites.script.solvers import SOLVERS

ALL_METRICS = {metric.name: metric for metric in (*METRICS, *BREAKDOWN)}
IN_DOMAIN = ("lm", "seq2seq", "attention", "transducer", "transducer-param")
PLAIN, TUNED = "gpt", "gpt fine-tuned"  # the published rows that a language model stands beside
ORDER = (*IN_DOMAIN, PLAIN, TUNED)


@dataclass(frozen=True, kw_only=True)
class Result:
    """One model's answers; `row` is the published row it stands beside."""

    name: str
    row: str
    items: Sequence[Item]
    answers: Sequence[Answer]
    model: Any = None

    def rows(self, metric: str, split: str) -> list[tuple[str, float, tuple[str, ...]]]:
        """(item, number, clusters) for every number the metric gives on a split."""
        measure = ALL_METRICS[metric]
        return [
            (f"{item.id}#{n}", value, clusters_of(item))
            for item, answer in zip(self.items, self.answers, strict=True)
            if item.tags["split"] == split
            for n, value in enumerate(measure.numbers(item, answer))
        ]

    def estimate(self, metric: str, split: str, *, seed: int) -> Estimate | None:
        rows = self.rows(metric, split)
        if not rows:
            return None
        return estimate([value for _, value, _ in rows], clusters=[c for *_, c in rows], seed=seed, draws=500)


Numbers = Mapping[str, tuple[float, tuple[str, ...]]]


@dataclass(frozen=True)
class Group:
    """Several runs of one kind (other seeds), taken together: averaged blank by blank."""

    name: str
    row: str
    runs: tuple[Result, ...]

    def numbers(self, metric: str, split: str) -> Numbers:
        """Blank -> mean over the runs, and its clusters; only blanks that every run has."""
        found = [{key: (value, clusters) for key, value, clusters in run.rows(metric, split)} for run in self.runs]
        found = [run for run in found if run]
        shared = [key for key in found[0] if all(key in run for run in found)] if found else []
        return {key: (sum(run[key][0] for run in found) / len(found), found[0][key][1]) for key in shared}

    def estimate(self, metric: str, split: str, *, seed: int) -> Estimate | None:
        rows = list(self.numbers(metric, split).values())
        if not rows:
            return None
        return estimate([value for value, _ in rows], clusters=[c for _, c in rows], seed=seed, draws=500)

    def means(self, metric: str, split: str) -> list[float]:
        """Of each run."""
        found = [[value for _, value, _ in run.rows(metric, split)] for run in self.runs]
        return [sum(values) / len(values) for values in found if values]


def grouped(results: Sequence[Result]) -> list[Group]:
    """Nets of one kind are one group, and so are fine-tuned models; any other model stands for itself."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.row if result.row in (*IN_DOMAIN, TUNED) else short(result.name), []).append(result)
    return [Group(name, runs[0].row, tuple(runs)) for name, runs in found.items()]


def short(name: str) -> str:
    """A model's name without the folders it lies in.

    >>> short("net:some/where/transducer-1"), short("embedded:smollm2")
    ('transducer-1', 'embedded:smollm2')
    """
    return name.rsplit("/", 1)[-1]


def row_of(name: str, kind: str | None, *, beside: Path | None = None) -> str:
    """Nets by their kind; a model that `train --net finetune` wrote (net.json is in its folder, or in `beside`); any
    other language model."""
    if kind in IN_DOMAIN:
        return str(kind)
    if name.startswith("hf:"):
        for folder in (Path(name.removeprefix("hf:")).parent, beside):
            note = folder / "net.json" if folder is not None else None
            if note is not None and note.exists() and read_json(note).get("net") == "finetune":
                return TUNED
    return PLAIN if not name.startswith("solver:") else name


def collect(
    models: Sequence[tuple[str, Any]],
    items: Sequence[Item],
    *,
    out: Path,
    seed: int,
    limit: int | None,
    say: Callable[[str], None],
) -> list[Result]:
    """Every model's answers, asked once and read back afterwards. `limit` holds for language models: a net is quick."""
    found = []
    for name, model in models:
        solver = next((s for s in SOLVERS if isinstance(model, s.needs)), None)
        if solver is None:
            raise ProbandError(f"{name} can serve none of the solvers of script")
        asked = (
            [item for item in items if item.tags["split"] != "train"] if not hasattr(model, "learn") else list(items)
        )
        if limit is not None and solver.name != "answer":
            asked = spread(asked, limit)
        say(f"{name}: {solver.name}, {len(asked):,} items")
        answers = ask(solver, model, asked, out=out, name=name, seed=seed)
        found.append(
            Result(name=name, row=row_of(name, getattr(model, "kind", None)), items=asked, answers=answers, model=model)
        )
    return found


def answered(folder: Any, items: Sequence[Item]) -> list[Result]:
    """The answers that `proband run` wrote into a folder (at any depth), for models that answered elsewhere."""
    if folder is None:
        return []
    if not Path(folder).is_dir():
        raise ProbandError("no such folder of runs", file=folder)
    known = {item.id: item for item in items if item.tags["split"] != "train"}
    found = []
    for note in sorted(Path(folder).glob("**/run.json")):
        run = read_run(note)
        if run.suite != "script":
            continue
        answers = [a for a in read_answers(note.parent / "answers.jsonl") if a.item_id in known and a.blanks]
        if not answers:
            raise ProbandError("answers none of the items of this corpus", file=note.parent)
        kind = run.identity.get("kind", "").removeprefix("script net ")
        row = row_of(run.model, kind, beside=note.parent)
        asked = [known[answer.item_id] for answer in answers]
        found.append(Result(name=f"{run.model} ({note.parent.name})", row=row, items=asked, answers=answers))
    return found


def ordered(results: Sequence[Result]) -> list[Result]:
    """As the published rows stand."""
    order = {row: n for n, row in enumerate(ORDER)}
    return sorted(results, key=lambda result: (order.get(result.row, len(order)), result.name))


def spread(items: Sequence[Item], limit: int) -> list[Item]:
    """`limit` items of each split, evenly spread.

    >>> items = [Item(id=str(i), suite="script", prompt="", tags={"split": "test"}) for i in range(10)]
    >>> [item.id for item in spread(items, 3)]
    ['0', '3', '6']
    """
    kept = []
    for split in dict.fromkeys(item.tags["split"] for item in items):
        own = [item for item in items if item.tags["split"] == split]
        kept += [own[i * len(own) // min(limit, len(own))] for i in range(min(limit, len(own)))]
    return kept


def ask(solver: Any, model: Any, items: Sequence[Item], *, out: Path, name: str, seed: int) -> list[Answer]:
    key = hashlib.sha256(dumps([dict(model.identity()), solver.name, seed]).encode())
    for item in items:
        key.update(dumps(item).encode())
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-")[-60:]
    path = out / "answers" / f"{slug}.{solver.name}.{key.hexdigest()[:12]}.jsonl"
    if path.exists():
        answers = list(read_answers(path))
        if [answer.item_id for answer in answers] == [item.id for item in items]:
            return answers
    answers = []
    model = model.learn(items) if hasattr(model, "learn") else model
    size = len(items) if solver.whole or solver.name == "answer" else 256  # a net reads texts of one length together
    for at in range(0, len(items), size):
        answers += solver.solve(items[at : at + size], model, seed=seed, options=solver.options())
    write_lines(path, answers)
    return answers
