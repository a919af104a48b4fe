"""A study as a TOML file: a grid of build, train and run stages and what its report shows.

    [study]        title; folder: name that the data may have inside the folder given as {data};
                   include: studies in its folder whose parameters, stages and report it takes over
    [parameters]   what the command line may set (--set NAME=VALUE, --data, -m), with their defaults;
                   a value "{name}" anywhere below is replaced by the parameter
    [[build]]      name, suite, options, seeds (of several each is a set of items: NAME-s0, NAME-s1, ...; a net that is
                   trained on one answers the items of the same seed alone)
    [[train]]      items (a build, or several: one training on each), name (that of the items unless given; on several
                   NAME-ITEMS), net (of several each is NAME-NET, and "net:NAME" is all of them), label (a further word
                   of that name: NAME-NET-LABEL), options, seeds, model (to start from), optional (where it cannot be
                   trained here, it is named and left out, and so are its optional runs)
    [[run]]        items (builds, or folders), models ("net:NAME" is a train stage), grid (option of the solver -> a
                   list of values: one run per combination), seeds, optional (a model that is not installed or cannot be
                   asked this way is named and left out), and the options of a run (pipeline/run_options.py): solver,
                   options, model-options, limit, split, ...
    [report]       tables, claims, analyses, split (the items that are scored: test, or valid where there is no test)

An unknown key is an error with its line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError, in_words
from proband.core.files import parse_toml, read_toml, read_utf8
from proband.core.plugins import KINDS, WORDS, described
from proband.pipeline.run_options import RunOptions


class StudyPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A table of the file."""


class Head(StudyPart, frozen=True, kw_only=True):
    title: str
    folder: str = ""
    include: list[str] = []


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
    claims: bool | list[str] = False  # all of the suite, or those whose statement contains one of these texts
    analyses: list[str] = []
    split: str = ""


class StudyFile(StudyPart, frozen=True, kw_only=True):
    study: Head
    parameters: dict[str, Any] = {}
    build: list[BuildPart] = []
    train: list[TrainPart] = []
    run: list[RunPart] = []
    report: ReportPart = msgspec.field(default_factory=ReportPart)


def read_study(path: Path, given: Mapping[str, Any]) -> StudyFile:
    """The checked file with the parameters filled in; `given` overrides their defaults."""
    text = read_utf8(path)
    raw = with_included(parse_toml(text, file=path), path)
    head = raw.get("study")
    folder = head.get("folder") if isinstance(head, dict) else None
    if "data" in given:
        inside = Path(given["data"]) / str(folder or ".")
        given = {**given, "data": str(inside if inside.is_dir() else given["data"])}
    values = parameters(raw.get("parameters", {}), given, file=path)
    try:
        filled = {name: part if name == "parameters" else fill(part, values) for name, part in raw.items()}
    except KeyError as error:
        place = next((n for n, line in enumerate(text.splitlines(), 1) if "{" + error.args[0] + "}" in line), None)
        raise ProbandError(f"no parameter {error.args[0]!r} under [parameters]", file=path, line=place) from None
    filled["run"] = [with_run_options(part) for part in _tables(filled.get("run"))] or filled.get("run", [])
    try:
        return msgspec.convert({**filled, "parameters": values}, StudyFile)
    except msgspec.ValidationError as error:
        message, where = explain(str(error), text)
        raise ProbandError(message, file=path, line=where) from None


OF_THE_STUDY = ("seed", "prompt", "repeat", "engine", "workers", "cache", "retry_errors")
RUN_KEYS = {field.name for field in described(RunOptions) if field.attribute not in OF_THE_STUDY}


def _tables(value: Any) -> list[dict[str, Any]]:
    return value if isinstance(value, list) and all(isinstance(each, dict) for each in value) else []


def with_run_options(part: dict[str, Any]) -> dict[str, Any]:
    """A [[run]] with the options of its runs under their own key."""
    own = {name: value for name, value in part.items() if name in RUN_KEYS}
    return {**{name: value for name, value in part.items() if name not in own}, "(run options)": own}


def with_included(raw: dict[str, Any], path: Path) -> dict[str, Any]:
    """The tables of the studies it includes, in their order, then its own. Of parameters that several have its own
    win, then those of the study that is named first."""
    head, own_values = raw.get("study"), raw.get("parameters", {})
    for name in reversed(head.get("include", ()) if isinstance(head, dict) else ()):
        other = path.with_name(f"{name}.toml")
        if not other.is_file():
            raise ProbandError(f"no study {name!r} next to it to include", file=path)
        part = with_included(read_toml(other), other)
        raw["parameters"] = {**raw.get("parameters", {}), **part.get("parameters", {}), **own_values}
        for kind in ("build", "train", "run"):
            raw[kind] = [*part.get(kind, ()), *raw.get(kind, ())]
        report, own = part.get("report", {}), raw.setdefault("report", {})
        for key in ("tables", "analyses"):
            own[key] = list(dict.fromkeys([*report.get(key, ()), *own.get(key, ())]))
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
