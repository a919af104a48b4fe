"""What there is by name (suites, models, nets, solvers, prompts, studies, also of plug-ins), and one item with its
answers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from proband import models, suites
from proband.core.errors import ProbandError
from proband.core.files import (
    DATA,
    encode,
    items_path,
    parse,
    raw_lines,
    read_items,
    read_run,
    read_toml,
    sha256_file,
)
from proband.core.plugins import NoOptions, declared, described
from proband.core.types import Answer, Item
from proband.models.hf import PACKAGES
from proband.pipeline.asking.items_and_answers import items_of, run_folders
from proband.pipeline.report import PathLike, item_sets
from proband.pipeline.steps import answer_steps
from proband.reporting.numbers.formatting import run_labels
from proband.solvers.prompts import shipped_prompts

Kind = Literal["suites", "models", "nets", "solvers", "prompts", "verbs", "tasks", "variations", "studies"]


def listing(what: Kind | None = None) -> dict[str, list[dict[str, Any]]]:
    """List suites, models, nets, solvers, prompts, studies, and the verbs, tasks and variations of suites.

    Example: proband list solvers

    :param what: One kind only, with descriptions and options.
    """
    results = [suites.suite(name) for name in suites.names()]
    kinds = [kind for kind in models.kinds().values() if kind.name != "fake"]
    everything = {
        "suites": [row(s.name, s.question) for s in results],
        "models": [row(f"{kind.name}:", kind.help, kind.options) for kind in kinds]
        + [row(f"embedded:{name}", what) for name, (_, _, what) in PACKAGES.items()]
        + [row("net:", "a network that `proband train` wrote"), row("package.module:Object", "a model of your own")]
        + [row(f"solver:{name}", f"{s.name}, without a model") for s in results for name in s.own_models]
        + [row(f"baseline:{name}", f"{s.name}, a shortcut") for s in results for name in s.baselines],
        "nets": [row(n.name, f"{s.name}: {n.help}", n.options) for s in results for n in s.nets],
        "solvers": [row(v.name, f"{s.name}: {v.help}", v.options) for s in results for v in s.solvers],
        "prompts": [
            row(f"{s.name}/{name}", str(folder))
            for s in results
            for folder in dict.fromkeys(v.prompts for v in s.solvers if v.prompts is not None)
            for name in shipped_prompts(folder)
        ],
        "verbs": [row(f"{s.name} {v.name}", _first_line(declared(v.run))) for s in results for v in s.verbs],
        "tasks": [row(f"{s.name}/{name}", "for people, in `proband annotate`") for s in results for name in s.tasks],
        "variations": [row(f"{s.name}/{v.name}", v.help) for s in results for v in s.all_variations()],
        "studies": [row(name, title) for name, title in studies().items()],
    }
    return everything if what is None else {what: everything[what]}


def studies() -> dict[str, str]:
    """The studies that ship with Proband, with their titles."""
    paths = sorted((DATA.parent / "studies").glob("*.toml"), key=lambda path: path.stem)
    return {path.stem: str(read_toml(path).get("study", {}).get("title", "")) for path in paths}


def _first_line(function: Any) -> str:
    return str(function.__doc__ or "").strip().partition("\n")[0]


def row(name: str, what: str, options: type = NoOptions) -> dict[str, Any]:
    fields = [
        {"name": field.name, "help": field.help, "default": field.default, "choices": list(field.choices)}
        for field in described(options)
    ]
    return {"name": name, "what": what, **({"options": fields} if fields else {})}


# ---- one item --------------------------------------------------------------------------------------------------------


def show(folder: PathLike, item_id: str, *, runs: Sequence[PathLike] = ()) -> dict[str, Any]:
    """The item, its text, and the answer of every run given (or found next to the items)."""
    path, of_run = _items_path(Path(folder)), (Path(folder) / "run.json").exists()
    runs = [folder, *runs] if of_run else runs
    item = find(path, Item, item_id)
    if item is None:
        raise ProbandError(f"has no item {item_id!r}", file=path)
    suite = suites.suite(item.suite)
    if wrong := suite.check(item):
        raise ProbandError(f"item {item.id!r}: {wrong}", file=path)
    around = run_folders(runs) if runs else [note.parent for note in sorted(path.parent.parent.glob("**/run.json"))]
    sha = sha256_file(path) if around else ""
    read = [(each / "answers.jsonl", read_run(each / "run.json")) for each in around]
    read = [(file, run) for file, run in read if run.items_sha == sha and file.exists()]
    answers = []
    for (file, run), label in zip(read, run_labels([run for _, run in read])):
        answer = find(file, Answer, item_id)
        if answer is not None:
            whose = {"label": label, "model": run.model, "solver": run.solver, "run": str(file.parent)}
            right, steps = suite.metric().value(item, answer), answer_steps(item, answer)
            answers.append({**whose, "answer": answer, "right": right, **({"steps": steps} if steps else {})})
    return {"item": item, "text": suite.show(item), "answers": answers}


SOME = 10  # items that are listed


def some_items(folder: PathLike, *, count: int = SOME) -> list[Item]:
    """The first items of a folder, or of those that a run answered."""
    return list(islice(read_items(_items_path(Path(folder))), count))


def _items_path(folder: Path) -> Path:
    """The items of a folder, or those that its run answered."""
    note = folder / "run.json"
    return items_path(items_of(folder, read_run(note)) if note.exists() else folder)


def wrong_items(folder: PathLike, *, count: int) -> list[str]:
    """The first items that a run got wrong, by name; of items that are right by degrees, those below a half."""
    if not (Path(folder) / "run.json").exists():
        raise ProbandError("is no run; --wrong is for the folder of one", file=folder)
    (answered,) = item_sets([folder])
    metric = answered.suite.metric()
    values = ((item.id, metric.value(item, answer)) for item, answer in answered.answers(0))
    bad = (name for name, value in values if value is not None and (value < 0.5) == (metric.better == "high"))
    return list(islice(bad, count))


def find(path: Path, kind: type[Any], name: str) -> Any:
    """The record of that id: only lines that hold its bytes are parsed."""
    wanted, key = encode(name), "id" if kind is Item else "item_id"
    for number, raw in raw_lines(path):
        if wanted in raw:
            record = parse(kind, raw, file=path, line=number)
            if getattr(record, key) == name:
                return record
    return None
