"""The verbs as Python functions; the command line only parses arguments and prints what these return.

import proband
proband.build("analogy", out="items", seed=0)
proband.run("items", model="embedded:mlm", out="runs/mlm")
proband.report(["runs/mlm"], out="report")
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband import models, running, suites
from proband.core import stats
from proband.core.cache import default_folder
from proband.core.errors import ProbandError, not_installed
from proband.core.files import (
    atomic,
    dumps,
    items_path,
    read_answers,
    read_items,
    read_json,
    read_run,
    sha256_file,
    write_json,
    write_text,
)
from proband.core.progress import Progress, track
from proband.core.types import Answer, Item, Option, Run, Suite, numbers

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


def defaults(options: Sequence[Option], given: Mapping[str, Any], *, of: str) -> dict[str, Any]:
    """Every option with its value; names may be written with '-' or '_'."""
    names = {option.name.replace("-", "_"): option for option in options}
    values = {option.name: option.default for option in options}
    for name, value in given.items():
        option = names.get(name.replace("-", "_"))
        if option is None:
            raise ProbandError(
                f"{of} has no option {name!r}; it has {', '.join(sorted(o.name for o in options)) or 'none'}"
            )
        values[option.name] = checked(option, value, of=of)
    return values


def checked(option: Option, value: Any, *, of: str) -> Any:
    """A value as the option wants it; text is converted, anything else is taken as it is."""
    if isinstance(value, str) and option.kind is not str:
        try:
            value = parse_bool(value) if option.kind is bool else option.kind(value)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            raise ProbandError(f"{of}: {option.name!r} cannot be {value!r}: {option.help}") from None
    if option.choices and value is not None and str(value) not in option.choices:
        raise ProbandError(f"{of}: {option.name!r} is {value!r}, not one of {', '.join(option.choices)}")
    return value


def parse_bool(text: str) -> bool:
    return {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}[
        text.lower()
    ]


def keywords(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name.replace("-", "_"): value for name, value in settings.items()}


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
    found = suite_of(items)
    loaded = load_model(model, suite=found, **settings) if isinstance(model, str) else model
    chosen = running.choose_solver(found, loaded, solver)
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
    from proband.core.files import parse, read_lines

    path = items_path(Path(items))
    for number, value in read_lines(path):
        return suites.suite(parse(Item, value, file=path, line=number).suite)
    raise ProbandError("holds no items", file=path)


# ---- reading runs back ---------------------------------------------------------------------------------------------


def run_folders(paths: Sequence[PathLike]) -> list[Path]:
    """The run folders among and directly below the given ones."""
    found: list[Path] = []
    for path in map(Path, paths):
        if (path / "run.json").exists():
            found.append(path)
        elif path.is_dir():
            below = sorted(note.parent for note in path.glob("**/run.json"))
            if not below:
                raise ProbandError("holds no run; `proband run` makes one", file=path)
            found.extend(below)
        else:
            raise ProbandError("no such folder", file=path)
    return found


def items_of(folder: Path, note: Run, named: PathLike | None = None) -> Path:
    """The items a run answered: where it says they are, or where the user says; checked by their hash."""
    place = Path(named) if named is not None else Path(os.path.normpath(folder / note.items))
    path = items_path(place)
    if sha256_file(path) != note.items_sha:
        raise ProbandError(f"these are not the items that {folder} answered (their sha256 differs)", file=path)
    return path


def answers_of(folder: Path, items: Sequence[Item], note: Run) -> list[Answer]:
    """The answers of a finished run, one per item it was to answer."""
    path = folder / "answers.jsonl"
    if not path.exists():
        raise ProbandError("no such file; the run has not begun to answer", file=path)
    answers = read_answers(path)
    limit = note.settings.get("limit")
    wanted = items[: int(limit)] if limit is not None else items
    if len(answers) < len(wanted):
        raise ProbandError(
            f"holds {len(answers)} of {len(wanted)} answers: give the `proband run` command again", file=path
        )
    for line, (item, answer) in enumerate(zip(wanted, answers, strict=True), start=1):
        if item.id != answer.item_id:
            raise ProbandError(f"answers {answer.item_id!r} where {item.id!r} was asked", file=path, line=line)
        if item.choices and answer.scores and len(answer.scores) != len(item.choices):
            raise ProbandError(f"{len(answer.scores)} 'scores' for {len(item.choices)} choices", file=path, line=line)
    return answers


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


# ---- compare -------------------------------------------------------------------------------------------------------


def compare(
    run_a: PathLike,
    run_b: PathLike,
    *,
    items: PathLike | None = None,
    by: str | None = None,
    metric: str | None = None,
    seed: int = 0,
    draws: int = 2000,
) -> dict[str, Any]:
    """Paired, clustered tests of two runs on the same items: overall and for each value of the tag `by`."""
    (folder_a,), (folder_b,) = run_folders([run_a])[:1], run_folders([run_b])[:1]
    a, b = read_run(folder_a / "run.json"), read_run(folder_b / "run.json")
    if a.items_sha != b.items_sha:
        raise ProbandError(f"{run_a} and {run_b} answered different items")
    suite = suites.suite(a.suite)
    path = items_of(folder_a, a, items)
    loaded = read_items(path)
    said_a, said_b = answers_of(folder_a, loaded, a), answers_of(folder_b, loaded, b)
    name = metric or next(iter(suite.metrics))
    if name not in suite.metrics:
        raise ProbandError(f"{suite.name} has no metric {name!r}; it has {', '.join(suite.metrics)}")
    split = by or telling_tag(suite, loaded)
    groups: dict[str, list[tuple[float, float, tuple[str, ...]]]] = {"all": []}
    for item, one, other in zip(loaded, said_a, said_b, strict=False):
        for x, y in paired_numbers(suite, name, item, one, other):
            row = (x, y, stats.clusters_of(item))
            groups["all"].append(row)
            if split is not None and split in item.tags:
                groups.setdefault(f"{split}={item.tags[split]}", []).append(row)
    if not groups["all"]:
        raise ProbandError(f"the two runs share no item that {name!r} applies to")
    tests = {group: paired_row(group, rows, seed=seed, draws=draws) for group, rows in groups.items()}
    adjusted = stats.holm([test["p"] for test in tests.values()])
    for test, p in zip(tests.values(), adjusted, strict=True):
        test |= {"p_holm": p, "verdict": verdict(test["difference"], p, a=a.model, b=b.model)}
    return {"a": a.model, "b": b.model, "suite": a.suite, "metric": name, "groups": list(tests.values())}


def telling_tag(suite: Suite, items: Sequence[Item]) -> str | None:
    """The first column tag of the suite's main table that takes more than one value among these items."""
    columns = suite.tables[0].columns if suite.tables else ()
    return next((tag for tag in columns if len({item.tags.get(tag) for item in items}) > 1), None)


def paired_row(
    group: str, rows: Sequence[tuple[float, float, tuple[str, ...]]], *, seed: int, draws: int
) -> dict[str, Any]:
    x, y, clusters = [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]
    test = stats.paired_test(x, y, clusters=clusters, seed=seed, draws=draws)
    return {"group": group, "mean_a": sum(x) / len(x), "mean_b": sum(y) / len(y), **test.__dict__}


def paired_numbers(suite: Suite, metric: str, item: Item, a: Answer, b: Answer) -> Iterator[tuple[float, float]]:
    measure = suite.metrics[metric]
    xs, ys = numbers(measure(item, a)), numbers(measure(item, b))
    if xs and ys:
        yield from zip(xs, ys, strict=True)


def verdict(difference: float, p: float, *, a: str, b: str) -> str:
    """
    >>> verdict(0.02, 0.4, a="x", b="y")
    'inside the noise'
    """
    if p >= 0.05:
        return "inside the noise"
    return f"{a if difference > 0 else b} is higher"


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
