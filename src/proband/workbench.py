"""The verbs as Python functions; the command line only parses arguments and prints what these return.

import proband
proband.build("analogy", out="items", seed=0)
proband.run("items", model="embedded:mlm", out="runs/mlm")
proband.report(["runs/mlm"], out="report")
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband import models, running, suites
from proband.comparing import compare
from proband.core.cache import default_folder
from proband.core.errors import ProbandError, not_installed
from proband.core.files import (
    atomic,
    dumps,
    items_path,
    parse,
    read_answers,
    read_items,
    read_json,
    read_lines,
    read_run,
    sha256_file,
    write_json,
    write_text,
)
from proband.core.progress import Progress, track
from proband.core.types import Answer, Item, Run, Suite, numbers
from proband.options import defaults, keywords
from proband.run_folder import answers_of, items_of, run_folders

__all__ = ["audit", "build", "compare", "export", "load_model", "paper", "report", "run", "show", "train"]
PathLike = str | Path


# ---- build ---------------------------------------------------------------------------------------------------------


def build(suite: str, *, out: PathLike, seed: int = 0, **options: Any) -> dict[str, Any]:
    """Write OUT/items.jsonl and OUT/manifest.json; the same seed and options give the same bytes."""
    found, folder = suites.suite(suite), Path(out)
    settings = defaults(found.options, options, of=f"build {suite}")
    if (folder / "run.json").exists():
        raise ProbandError("is the folder of a run; name another one", file=folder)
    built = found.build(seed=seed, **keywords(settings))
    count, labels = 0, {}
    with atomic(folder / "items.jsonl") as file:
        for item in track(built.items, f"building {suite}"):
            file.write((item if isinstance(item, str) else dumps(item)) + "\n")
            count += 1
    for name, text in built.files().items():
        write_text(folder / name, text)
        labels[name] = sha256_file(folder / name)
    if not count:
        raise ProbandError(f"these options give no items of {suite}")
    manifest = {
        "suite": suite,
        "seed": seed,
        "options": settings,
        "items": count,
        "licence": built.licence,
        "sha256": {"items.jsonl": sha256_file(folder / "items.jsonl"), **labels},
        "versions": {"proband": running.versions().get("proband", "")},
        **built.summary(),
    }
    write_json(folder / "manifest.json", manifest)
    return read_json(folder / "manifest.json")


# ---- models --------------------------------------------------------------------------------------------------------


def load_model(spec: str, *, suite: Suite | None = None, **settings: Any) -> Any:
    """Any model by name; `net:` and `solver:` are found in the suite."""
    kind, _, rest = spec.partition(":")
    if kind == "net":
        return load_net(Path(rest), spec)
    if kind == "solver":
        own = suite.own_models if suite else {}
        if rest not in own:
            known = ", ".join(f"solver:{name}" for name in own) or "none"
            raise ProbandError(f"no {spec!r} for {suite.name if suite else 'this'}; there is {known}")
        return own[rest]()
    given = {name: value for name, value in settings.items() if value is not None}
    if kind in models.KINDS:
        allowed = inspect.signature(models.loader(kind)).parameters
        for name in given:
            if name not in allowed and not any(p.kind is p.VAR_KEYWORD for p in allowed.values()):
                raise ProbandError(f"a {kind}: model takes no {name!r}")
    try:
        return models.load(spec, **given)
    except ModuleNotFoundError as error:
        raise not_installed(error, spec) from None


def load_net(folder: Path, spec: str) -> Any:
    """A network that `proband train` wrote: net.json beside the weights names its suite and kind."""
    note = read_json(folder / "net.json")
    found = suites.suite(str(note.get("suite")))
    net = next((net for net in found.nets if net.name == note.get("net")), None)
    if net is None:
        raise ProbandError(f"{found.name} has no net {note.get('net')!r}", file=folder / "net.json")
    loaded = net.load(folder)
    loaded.name = spec
    return loaded


def train(
    items: PathLike,
    *,
    net: str,
    out: PathLike,
    seed: int = 0,
    model: str | Any = None,
    options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Fit one of a suite's own networks on the items' training split."""
    found, folder = suite_of(items), Path(out)
    chosen = next((each for each in found.nets if each.name == net), None)
    if chosen is None:
        raise ProbandError(f"{found.name} has no net {net!r}; it has {', '.join(n.name for n in found.nets) or 'none'}")
    extra: dict[str, Any] = {}
    if chosen.needs is not None:
        if model is None:
            raise ProbandError(f"net {net} starts from a model: name one with -m")
        extra["model"] = load_model(model, suite=found) if isinstance(model, str) else model
        if not isinstance(extra["model"], chosen.needs):
            raise ProbandError(f"{extra['model'].name} cannot be trained further")
    settings = defaults(chosen.options, options or {}, of=f"net {net}")
    folder.mkdir(parents=True, exist_ok=True)
    with running.locked(folder):
        facts = chosen.train(Path(items), out=folder, seed=seed, progress=Progress, **keywords(settings), **extra)
        note = {
            "suite": found.name,
            "net": net,
            "seed": seed,
            "options": settings,
            "items_sha": sha256_file(items_path(Path(items))),
            **facts,
        }
        write_json(folder / "net.json", note)
    return read_json(folder / "net.json")


# ---- run -----------------------------------------------------------------------------------------------------------


def run(
    items: PathLike,
    *,
    model: str | Any,
    out: PathLike,
    solver: str | None = None,
    seed: int = 0,
    limit: int | None = None,
    cache: PathLike | bool = True,
    options: Mapping[str, Any] | None = None,
    engine: str = "local",
    workers: int | None = None,
    **settings: Any,
) -> Run:
    """Answer the items with a model; the same call again resumes. `cache=False` asks the model everything anew.

    `engine="ray"` hands chunks of items to `workers` processes of a Ray cluster, each with the model loaded.
    """
    first = first_item(items)
    found = suites.suite(first.suite)
    loaded = load_model(model, suite=found, **settings) if isinstance(model, str) else model
    chosen = running.choose_solver(found, loaded, solver, setting=str(first.tags.get("setting", "")))
    folder = default_folder() if cache is True else Path(cache) if cache else None
    settled = defaults(chosen.options, options or {}, of=f"solver {chosen.name}")
    how: running.Engine = map
    if engine == "ray":
        from proband.distributed import ray_engine

        if not isinstance(model, str):
            raise ProbandError("the ray engine loads the model in each worker: name it, as in 'hf:roberta-large'")
        job = Job(
            suite=found.name,
            model=model,
            settings=settings,
            solver=chosen.name,
            seed=seed,
            options=settled,
            cache=folder,
        )
        how = ray_engine(job, workers=workers)
    elif engine != "local":
        raise ProbandError(f"no engine {engine!r}; there are local, ray")
    return running.run(
        found,
        Path(items),
        loaded,
        out=Path(out),
        solver=chosen.name,
        seed=seed,
        limit=limit,
        cache=folder,
        options=settled,
        engine=how,
    )


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a worker in another process needs to answer a chunk of items as this one would."""

    suite: str
    model: str
    settings: Mapping[str, Any]
    solver: str
    seed: int
    options: Mapping[str, Any]
    cache: Path | None

    def solver_here(self) -> Callable[[Sequence[Item]], list[Answer]]:
        found = suites.suite(self.suite)
        asked = running.remembering(load_model(self.model, suite=found, **self.settings), self.cache)
        chosen = running.choose_solver(found, asked, self.solver)
        return lambda items: list(chosen.solve(items, asked, seed=self.seed, **keywords(self.options)))


def suite_of(items: PathLike) -> Suite:
    """The suite that the first item of a folder names."""
    return suites.suite(first_item(items).suite)


def first_item(items: PathLike) -> Item:
    path = items_path(Path(items))
    for number, value in read_lines(path):
        return parse(Item, value, file=path, line=number)
    raise ProbandError("holds no items", file=path)


# ---- report ---------------------------------------------------------------------------------------------------------


def report(
    runs: Sequence[PathLike],
    *,
    out: PathLike,
    items: PathLike | None = None,
    title: str | None = None,
    seed: int = 0,
    draws: int = 2000,
) -> Mapping[str, Any]:
    """One folder with index.html, tables and figures over any number of runs."""
    from proband.report import Loaded, write_report

    by_items: dict[tuple[str, str], tuple[Path, list[Item], list[tuple[Run, list[Answer]]]]] = {}
    for folder in run_folders(runs):
        note = read_run(folder / "run.json")
        path = items_of(folder, note, items)
        key = (note.suite, note.items_sha)
        if key not in by_items:
            by_items[key] = (path, read_items(path), [])
        _, loaded, answered = by_items[key]
        answered.append((note, answers_of(folder, loaded, note)))
    sets = [
        Loaded(
            suite=suites.suite(name),
            items=loaded,
            runs=answered,
            manifest=read_json(path.parent / "manifest.json") if (path.parent / "manifest.json").exists() else {},
            source=path.parent.name,
        )
        for (name, _), (path, loaded, answered) in by_items.items()
    ]
    return write_report(sets, out=Path(out), title=title, seed=seed, draws=draws)


# ---- show, list, export --------------------------------------------------------------------------------------------


def show(folder: PathLike, item_id: str, *, runs: Sequence[PathLike] = ()) -> dict[str, Any]:
    """One item: its text, its proof or alignment, and the answer of every run given (or found beside the items)."""
    place = Path(folder)
    if (place / "run.json").exists():
        runs = [place, *runs]
        place = items_of(place, read_run(place / "run.json"))
    path = items_path(place)
    item = next((item for item in read_items(path) if item.id == item_id), None)
    if item is None:
        raise ProbandError(f"has no item {item_id!r}", file=path)
    suite, sha = suites.suite(item.suite), sha256_file(path)
    around = [note.parent for note in sorted(path.parent.parent.glob("**/run.json"))] if not runs else run_folders(runs)
    said = []
    for run_folder in around:
        note = read_run(run_folder / "run.json")
        if note.items_sha == sha and (run_folder / "answers.jsonl").exists():
            answer = next((a for a in read_answers(run_folder / "answers.jsonl") if a.item_id == item_id), None)
            if answer is not None:
                said.append(
                    {"model": note.model, "solver": note.solver, "answer": answer, "right": right(suite, item, answer)}
                )
    return {"item": item, "text": suite.show(item), "answers": said}


def right(suite: Suite, item: Item, answer: Answer) -> float | None:
    values = numbers(next(iter(suite.metrics.values()))(item, answer))
    return sum(values) / len(values) if values else None


def listing() -> dict[str, list[dict[str, str]]]:
    """Everything there is, by name."""
    from proband.models.embedded import PACKAGES

    found = [suites.suite(name) for name in suites.NAMES]
    return {
        "suites": [{"name": s.name, "what": s.question} for s in found],
        "models": [{"name": f"{kind}:", "what": what} for kind, (_, what) in models.KINDS.items() if kind != "fake"]
        + [{"name": f"embedded:{name}", "what": what} for name, (_, _, what) in PACKAGES.items()]
        + [{"name": "net:", "what": "a network that `proband train` wrote"}]
        + [{"name": f"solver:{name}", "what": f"{s.name}, without a model"} for s in found for name in s.own_models],
        "nets": [{"name": n.name, "what": f"{s.name}: {n.help}"} for s in found for n in s.nets],
        "solvers": [{"name": v.name, "what": f"{s.name}: {v.help}"} for s in found for v in s.solvers],
    }


def audit(path: PathLike, *, out: PathLike, suite: str = "kinship", seed: int = 0) -> Mapping[str, Any]:
    """Certify the labels of a data set."""
    found = suites.suite(suite)
    if found.audit is None:
        raise ProbandError(f"{suite} has no auditor")
    return found.audit(Path(path), out=Path(out), progress=Progress, seed=seed)


def paper(
    suite: str, *, data: PathLike, out: PathLike, model_names: Sequence[str] = (), seed: int = 0, **settings: Any
) -> Mapping[str, Any]:
    """A paper's own tables, ours beside the published figures."""
    found = suites.suite(suite)
    if found.paper is None:
        raise ProbandError(f"{suite} has no paper tables yet")
    loaded = [(name, load_model(name, suite=found)) for name in model_names]
    return found.paper(data=Path(data), out=Path(out), models=loaded, seed=seed, progress=Progress, **settings)


def export(items: PathLike, *, to: str, out: PathLike) -> dict[str, Any]:
    """The items in another tool's format."""
    from proband.export import FORMATS

    found, loaded = suite_of(items), read_items(Path(items))
    writers = {**FORMATS, **found.export}
    if to not in writers:
        raise ProbandError(f"no format {to!r}; there are {', '.join(writers)}")
    writers[to](loaded, Path(out))
    return {"format": to, "items": len(loaded), "out": str(out)}
