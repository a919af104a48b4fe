"""A study as a TOML file, and its stages: every build, training and run of the grid, each once.

docs/studies.md lists the tables and their keys. An unknown key is an error with its line.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from proband import suites
from proband.core.errors import ProbandError, in_words
from proband.core.files import parse_toml, read_toml, read_utf8
from proband.core.plugins import KINDS, WORDS, described, read_options
from proband.pipeline.asking.setup import net_folder
from proband.pipeline.run_options import RunOptions
from proband.pipeline.studies.stages import BuildStage, RunStage, Stage, TrainStage

S = TypeVar("S", BuildStage, TrainStage, RunStage)


class StudyPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A table of the file."""


class StudyHead(StudyPart, frozen=True, kw_only=True):
    title: str
    folder: str = ""  # name that the data may have inside the folder given as {data}
    include: list[str] = []  # studies in its folder whose parameters, stages and report it takes over


class BuildPart(StudyPart, frozen=True, kw_only=True):
    name: str
    suite: str
    options: dict[str, Any] = {}
    seeds: tuple[int, ...] = (0,)


class TrainPart(StudyPart, frozen=True, kw_only=True):
    name: str = ""
    items: str | list[str]
    net: str | list[str]
    label: str = ""
    options: dict[str, Any] = {}
    seeds: tuple[int, ...] = (0,)
    model: str | None = None
    optional: bool = False


class RunPart(StudyPart, frozen=True, kw_only=True):
    items: list[str]
    models: list[str]
    grid: dict[str, list[Any]] = {}
    seeds: tuple[int, ...] = (0,)
    optional: bool = False
    run_options: dict[str, Any] = msgspec.field(default_factory=dict, name="(run options)")  # keys of RunOptions


class ReportPart(StudyPart, frozen=True, kw_only=True):
    tables: list[str] | None = None  # all that a suite shows by default
    claims: bool = False  # test those of the suite
    split: str = ""


class StudyFile(StudyPart, frozen=True, kw_only=True):
    study: StudyHead
    parameters: dict[str, Any] = {}
    build: list[BuildPart] = []
    train: list[TrainPart] = []
    run: list[RunPart] = []
    report: ReportPart = msgspec.field(default_factory=ReportPart)


def read_study(path: Path, given: Mapping[str, Any], *, within: Sequence[Path] = ()) -> StudyFile:
    """The checked file with the parameters filled in; `given` overrides their defaults; `within`: what includes it."""
    text = read_utf8(path)
    own = parse_toml(text, file=path)
    raw, head = with_included(own, path, within), own.get("study")
    folder = head.get("folder") if isinstance(head, dict) else None
    if "data" in given:
        inside = Path(given["data"]) / str(folder or ".")
        given = {**given, "data": str(inside if inside.is_dir() else given["data"])}
    try:
        values = parameters(raw.get("parameters", {}), given, file=path)
        converted(own, values)  # the lines of an error are those of this file
        return converted(raw, values)
    except KeyError as error:
        place = next((n for n, line in enumerate(text.splitlines(), 1) if "{" + error.args[0] + "}" in line), None)
        raise ProbandError(f"no parameter {error.args[0]!r} under [parameters]", file=path, line=place) from None
    except msgspec.ValidationError as error:
        message, where = explain(str(error), text)
        raise ProbandError(message, file=path, line=where) from None


def converted(raw: Mapping[str, Any], values: Mapping[str, Any]) -> StudyFile:
    filled = {name: fill(part, values) for name, part in raw.items() if name != "parameters"}
    filled["run"] = with_run_options(filled.get("run", []))
    return msgspec.convert({**filled, "parameters": values}, StudyFile)


OF_THE_STUDY = ("seed", "prompt", "repeat", "until", "engine", "workers", "cache", "retry_errors")
RUN_KEYS = {field.name for field in described(RunOptions) if field.attribute not in OF_THE_STUDY}


def with_run_options(parts: Any) -> Any:
    """Each [[run]] with the options of its runs under their own key; what is no list of tables is left as it is."""
    if not isinstance(parts, list) or not all(isinstance(each, dict) for each in parts):
        return parts
    own = [{name: value for name, value in part.items() if name in RUN_KEYS} for part in parts]
    rest = [{name: value for name, value in part.items() if name not in RUN_KEYS} for part in parts]
    return [{**each, "(run options)": options} for each, options in zip(rest, own, strict=True)]


def with_included(own: Mapping[str, Any], path: Path, within: Sequence[Path] = ()) -> dict[str, Any]:
    """The tables of the studies it includes, in their order, then its own. Of parameters that several have its own
    win, then those of the study that is named first; likewise of [report], whose tables are added."""
    raw, head, own_values = dict(own), own.get("study"), own.get("parameters", {})
    for name in reversed(head.get("include", ()) if isinstance(head, dict) else ()):
        other = path.with_name(f"{name}.toml")
        if not other.is_file():
            raise ProbandError(f"no study {name!r} next to it to include", file=path)
        within = [*within, path]
        if other in within:
            raise ProbandError(f"includes {name!r}, which includes it", file=path)
        StageGrid(read_study(other, {}, within=within), file=other, out=path.parent).stages()  # its errors, its lines
        part = with_included(read_toml(other), other, within)
        raw["parameters"] = {**raw.get("parameters", {}), **part.get("parameters", {}), **own_values}
        for kind in ("build", "train", "run"):
            raw[kind] = [*part.get(kind, ()), *raw.get(kind, ())]
        report = {**part.get("report", {}), **raw.get("report", {})}
        tables = dict.fromkeys(name for each in (part, raw) for name in each.get("report", {}).get("tables", ()))
        raw["report"] = {**report, "tables": list(tables)} if tables else report
    return raw


# ---- parameters ----------------------------------------------------------------------------------------------------


def parameters(defaults: Any, given: Mapping[str, Any], *, file: Path) -> dict[str, Any]:
    """The defaults, or what was given, read as the same kind of value; a default "{name}" is another's value."""
    values = dict(defaults) if isinstance(defaults, dict) else {}
    for name, value in given.items():
        key = name.replace("_", "-")
        if key not in values:
            raise ProbandError(f"has no parameter {name!r}; it has {', '.join(values) or 'none'}", file=file)
        values[key] = _alike(value, values[key], name=key)
    return {name: fill(value, values) for name, value in values.items()}


def _alike(value: Any, default: Any, *, name: str) -> Any:
    """
    >>> _alike("40", 100, name="n"), _alike("a,b", ["c"], name="models"), _alike("yes", False, name="x")
    (40, ['a', 'b'], True)
    """
    if isinstance(default, list) and isinstance(value, str):
        return [_alike(part, default[0] if default else "", name=name) for part in value.split(",") if part]
    if not isinstance(value, str) or isinstance(default, str):
        return list(value) if isinstance(default, list) else value
    try:
        return WORDS[value.lower()] if isinstance(default, bool) else type(default)(value)
    except (KeyError, ValueError):
        kind = KINDS.get(type(default), "like its default")
        raise ProbandError(f"parameter {name!r} is {value!r}; it must be {kind}") from None


def fill(value: Any, values: Mapping[str, Any]) -> Any:
    """Every "{name}" replaced: by the parameter itself where it is the whole text, by its text elsewhere.

    >>> fill({"k": "{k}", "out": "k-{k}"}, {"k": 3})
    {'k': 3, 'out': 'k-3'}
    """
    if isinstance(value, dict):
        return {name: fill(each, values) for name, each in value.items()}
    if isinstance(value, list):
        filled = [fill(each, values) for each in value]
        return [part for each in filled for part in (each if isinstance(each, list) else [each])]
    if isinstance(value, str):
        if whole := re.fullmatch(r"\{([\w-]+)\}", value):
            return values[whole[1]]
        return re.sub(r"\{([\w-]+)\}", lambda entry: str(values[entry[1]]), value)
    return value


# ---- stages ----------------------------------------------------------------------------------------------------------


class StageGrid:
    """The stages of a study, in the order in which they are run. Two names for the same content are one stage, that of
    the first name: parts of a study share what they build and train."""

    def __init__(self, study: StudyFile, *, file: Path, out: Path, **shared: Any) -> None:
        read_options(RunOptions, shared, of="study")
        self.study, self.file, self.out, self.shared = study, file, out, shared  # the last: options of every run
        # an included study names its own lines; behind its tables those of this file are not counted
        self.text = "" if study.study.include else file.read_text(encoding="utf-8")
        self.stages_by_key: dict[str, Stage] = {}
        self.builds: dict[str, list[BuildStage]] = {}
        self.nets: dict[str, list[tuple[str, TrainStage]]] = {}  # all trainings that a name means, each with its own
        self.trainings: set[str] = set()  # the names of single ones
        self.sets: set[str] = set()  # keys of builds that are one of several seeds

    def stages(self) -> list[Stage]:
        for at, build in enumerate(self.study.build):
            with self._at("build", at, "name"):
                check_part_name(build.name, self.builds, "build")
            self.builds[build.name] = [self._once(stage) for stage in self._build(build, at)]
            self.sets |= {stage.key for stage in self.builds[build.name] if len(build.seeds) > 1}
        for at, net in enumerate(self.study.train):
            self._train(net, at)
        for at, part in enumerate(self.study.run):
            for stage in self._run(part, at):
                self._once(stage)
        return list(self.stages_by_key.values())

    def _once(self, stage: S) -> S:
        return cast(S, self.stages_by_key.setdefault(stage.key, stage))

    @contextmanager
    def _at(self, *path: str | int) -> Iterator[None]:
        """An error in this block is that of a line of the file."""
        try:
            yield
        except ProbandError as error:
            raise ProbandError(str(error), file=self.file, line=line_of(self.text, path)) from None

    def _build(self, part: BuildPart, at: int) -> Iterator[BuildStage]:
        with self._at("build", at, "suite"):
            suite = suites.suite(part.suite)
        with self._at("build", at, "options"):
            read_options(suite.options, part.options, of=f"build {part.suite}")
        for seed in part.seeds:
            name = part.name if len(part.seeds) == 1 else f"{part.name}-s{seed}"
            line = line_of(self.text, ["build", at, "name"])
            yield BuildStage(name=name, out=self.out, seed=seed, options=part.options, line=line, suite=part.suite)

    def _train(self, part: TrainPart, at: int) -> None:
        """Every training of a [[train]]: `net:NAME` is one of them, or all of its name or of its items."""
        on_each = [part.items] if isinstance(part.items, str) else part.items
        nets = [part.net] if isinstance(part.net, str) else part.net
        for items, net in itertools.product(on_each, nets):
            of_items = "-".join(filter(None, [part.name, "" if part.name and isinstance(part.items, str) else items]))
            name = "-".join(filter(None, [of_items, "" if isinstance(part.net, str) else net, part.label]))
            with self._at("train", at, "name"):
                check_part_name(name, self.trainings, "train")
            self.trainings.add(name)
            trained = [(name, self._once(stage)) for stage in self._trained(part, at, name, items, net)]
            for whole in dict.fromkeys((name, of_items, part.name or of_items)):
                self.nets.setdefault(whole, []).extend(trained)

    def _trained(self, part: TrainPart, at: int, name: str, on: str, net: str) -> Iterator[TrainStage]:
        with self._at("train", at, "items"):
            built = self._builds(on)
        for items, seed in itertools.product(built, part.seeds):
            with self._at("train", at, "net"):
                kind = suites.suite(items.suite).net(net)
            with self._at("train", at, "options"):
                read_options(kind.options, part.options, of=f"net {net}")
            parts = [name, items.name if len(built) > 1 else "", f"s{seed}" if len(part.seeds) > 1 else ""]
            yield TrainStage(
                name="-".join(filter(None, parts)), out=self.out, seed=seed, options=part.options, items=items, net=net,
                model=part.model, line=line_of(self.text, ["train", at, "name"]), optional=part.optional,
            )  # fmt: skip

    def _run(self, part: RunPart, at: int) -> Iterator[RunStage]:
        for name, value in part.run_options.items():
            with self._at("run", at, name):  # the line of the one that is wrong
                read_options(RunOptions, {name: value}, of="[[run]]")
        given = read_options(RunOptions, {**part.run_options, **self.shared}, of="[[run]]")
        grid = [dict(zip(part.grid, values)) for values in itertools.product(*part.grid.values())]
        with self._at("run", at, "items"):
            sets = [stage for name in part.items for stage in self._builds(name)]
        with self._at("run", at, "models"):
            asked = [each for model in part.models for each in self._models(model)]
        for (model, trained), items in itertools.product(asked, sets):
            if trained is not None:  # of several sets of items it is asked those of its own seed
                own, several = trained.items, {trained.items.key, items.key} <= self.sets
                if own.suite != items.suite or (several and own.seed != items.seed):
                    continue
            for options, seed in itertools.product(grid, part.seeds):
                words = [items.name, trained.name if trained else model, given.solver, *map(str, options.values())]
                yield RunStage(
                    name=" · ".join(filter(None, words)), out=self.out, seed=seed, items=items, model=model,
                    options={**given.options, **options}, trained=trained, run_options=given, optional=part.optional,
                    line=line_of(self.text, ["run", at, "models"]),
                )  # fmt: skip

    def _builds(self, name: str) -> list[BuildStage]:
        if name not in self.builds:
            raise ProbandError(f"no [[build]] is named {name!r}")
        return self.builds[name]

    def _models(self, model: str) -> Sequence[tuple[str, TrainStage | None]]:
        """The trainings behind `net:NAME`; any other model is itself."""
        kind, _, name = model.partition(":")
        if kind == "net" and name in self.nets:
            return [(f"net:{own}", trained) for own, trained in self.nets[name]]
        if kind == "net":
            try:
                net_folder(name)
            except ProbandError as error:
                raise ProbandError(f"no [[train]] is named {name!r}, and {error}") from None
        return [(model, None)]


def check_part_name(name: str, taken: Container[str], kind: str) -> None:
    if not re.fullmatch(r"[\w.-]+", name):
        raise ProbandError(f"'name' {name!r} must be letters, digits, . _ -")
    if name in taken:
        raise ProbandError(f"two [[{kind}]] are named {name!r}")


# ---- errors with their line ----------------------------------------------------------------------------------------


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line of a key: `["run", 1, "models"]` is the key `models` of the second [[run]].

    >>> line_of("[study]\\ntitle = 'x'\\n[[run]]\\nitems = []\\n", ["run", 0, "items"])
    4
    """
    steps = [step for step in path if isinstance(step, str)]
    index = next((step for step in path if isinstance(step, int)), 0)
    table, seen, last = "", -1, None
    for number, line in enumerate(text.splitlines(), start=1):
        if match := re.match(r"\s*\[\[?\s*([\w.-]+)\s*\]\]?", line):
            table = match[1]
            seen += table == steps[0]
        if table == steps[0] and seen == index:
            last = last or number
            if len(steps) > 1 and re.match(rf"\s*[\"']?{re.escape(steps[1])}[\"']?\s*=", line):
                return number
    return last


def explain(message: str, text: str) -> tuple[str, int | None]:
    """A message of msgspec in words, and the line it is about."""
    what, _, place = message.partition(" - at `$")
    path: list[str | int] = [int(n) if n else name for name, n in re.findall(r"\.([\w-]+)|\[(\d+)\]", place)]
    if match := re.search(r"field `(.+)`", what):  # unknown, or missing
        where = f" in [{path[0]}]" if path else ""
        return in_words(what).replace("field", "key", 1) + where, line_of(text, [*path, match[1]])
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    return in_words(f"{what} - at `$.{name}`").replace("an object", "a table"), line_of(text, path)
