"""A study as a TOML file: a grid of build, train and run stages and what its report shows.

    [study]        title; folder: name of the data inside the folder given as {data}
    [parameters]   what the command line may set (--set NAME=VALUE, --data, -m), with their defaults;
                   a value "{name}" anywhere below stands for the parameter
    [[build]]      name, suite, options, seeds
    [[train]]      name, items (a build), net, options, seeds, model (to start from)
    [[run]]        items (builds, or folders), models ("net:NAME" is a train stage), solver, options, grid (option -> a
                   list of values: one run per combination), seeds, limit, model-options, optional (a model that is not
                   installed or cannot be asked this way is named and left out)
    [report]       tables, claims, analyses, draws

A key that nobody reads is an error with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A table of the file."""


class Head(Part, frozen=True, kw_only=True):
    title: str
    folder: str = ""


class BuildPart(Part, frozen=True, kw_only=True):
    name: str
    suite: str
    options: dict[str, Any] = {}
    seeds: tuple[int, ...] = (0,)


class TrainPart(Part, frozen=True, kw_only=True):
    name: str
    items: str
    net: str
    options: dict[str, Any] = {}
    seeds: tuple[int, ...] = (0,)
    model: str | None = None


class RunPart(Part, frozen=True, kw_only=True):
    items: list[str]
    models: list[str]
    solver: str | None = None
    options: dict[str, Any] = {}
    grid: dict[str, list[Any]] = {}
    seeds: tuple[int, ...] = (0,)
    limit: int | None = None
    model_options: dict[str, Any] = {}
    optional: bool = False


class ReportPart(Part, frozen=True, kw_only=True):
    tables: list[str] | None = None  # all that a suite shows by default
    claims: bool = False
    analyses: list[str] = []
    draws: int = 2000


class StudyFile(Part, frozen=True, kw_only=True):
    study: Head
    parameters: dict[str, Any] = {}
    build: list[BuildPart] = []
    train: list[TrainPart] = []
    run: list[RunPart] = []
    report: ReportPart = msgspec.field(default_factory=ReportPart)


def read_study(path: Path, given: Mapping[str, Any]) -> StudyFile:
    """The checked file with the parameters filled in; `given` overrides their defaults."""
    try:
        text = path.read_text(encoding="utf-8")
        raw = tomllib.loads(text)
    except OSError as error:
        raise ProbandError(error.strerror or "cannot be opened", file=path) from None
    except UnicodeDecodeError as error:
        raise ProbandError(f"not UTF-8 at byte {error.start + 1}", file=path) from None
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"(.*) \(at line (\d+)", str(error))
        line = int(found[2]) if found else text.count("\n") + 1
        raise ProbandError(f"not TOML: {found[1] if found else error}", file=path, line=line) from None
    values = parameters(raw.get("parameters", {}), given, file=path)
    try:
        filled = {name: part if name == "parameters" else fill(part, values) for name, part in raw.items()}
    except KeyError as error:
        place = next((n for n, line in enumerate(text.splitlines(), 1) if "{" + error.args[0] + "}" in line), None)
        raise ProbandError(f"no parameter {error.args[0]!r} under [parameters]", file=path, line=place) from None
    try:
        study = msgspec.convert({**filled, "parameters": values}, StudyFile)
    except msgspec.ValidationError as error:
        message, where = explained(str(error), text)
        raise ProbandError(message, file=path, line=where) from None
    check_names(study, path, text)
    return study


# ---- parameters ----------------------------------------------------------------------------------------------------


def parameters(defaults: Any, given: Mapping[str, Any], *, file: Path) -> dict[str, Any]:
    """The defaults with what was given in their place, read as the same kind of value."""
    values = dict(defaults) if isinstance(defaults, dict) else {}
    for name, value in given.items():
        key = name.replace("_", "-")
        if key not in values:
            raise ProbandError(f"has no parameter {name!r}; it has {', '.join(values) or 'none'}", file=file)
        values[key] = _alike(value, values[key], name=key)
    return values


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
        if isinstance(default, bool):
            return {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}[value.lower()]
        return type(default)(value)
    except (KeyError, ValueError):
        kind = {bool: "yes or no", int: "a whole number", float: "a number"}.get(type(default), "like its default")
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
        return re.sub(r"\{([\w-]+)\}", lambda found: str(values[found[1]]), value)
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
        if found := re.match(r"\s*\[\[?\s*([\w.-]+)\s*\]\]?", line):
            table = found[1]
            seen += table == steps[0]
        if table == steps[0] and seen == index:
            last = last or number
            if len(steps) > 1 and re.match(rf"\s*[\"']?{re.escape(steps[1])}[\"']?\s*=", line):
                return number
    return last


def explained(message: str, text: str) -> tuple[str, int | None]:
    """A message of msgspec in words, and the line it is about."""
    what, _, place = message.partition(" - at `$")
    path: list[str | int] = [int(n) if n else name for name, n in re.findall(r"\.([\w-]+)|\[(\d+)\]", place)]
    if found := re.search(r"unknown field `(.+)`", what):
        line = line_of(text, [*path, found[1]]) if path else line_of(text, [found[1]])
        where = f" in [{path[0]}]" if path else ""
        return f"unknown key {found[1]!r}{where}", line
    if found := re.search(r"missing required field `(.+)`", what):
        return f"key {found[1]!r} is missing" + (f" in [{path[0]}]" if path else ""), line_of(text, path or ["study"])
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    kinds = {"str": "text", "int": "a whole number", "array": "a list", "object": "a table", "bool": "true or false"}
    if found := re.fullmatch(r"Expected `(.+)`, got `(.+)`", what):
        wanted, got = (
            " or ".join(kinds.get(k, k) for k in part.split(" | ") if k != "null") for part in found.groups()
        )
        return f"{name!r} must be {wanted}, not {got}", line_of(text, path)
    return f"{name!r}: {what}", line_of(text, path)


def check_names(study: StudyFile, path: Path, text: str) -> None:
    """Every name is given once, and every name that is used is given."""
    for kind, parts in (("build", study.build), ("train", study.train)):
        names = [part.name for part in parts]
        for at, name in enumerate(names):
            if not re.fullmatch(r"[\w.-]+", name):
                raise ProbandError(
                    f"'name' {name!r} must be letters, digits, . _ -", file=path, line=line_of(text, [kind, at])
                )
            if name in names[:at]:
                raise ProbandError(
                    f"two [[{kind}]] are named {name!r}", file=path, line=line_of(text, [kind, at, "name"])
                )
    built, trained = {part.name for part in study.build}, {part.name for part in study.train}
    for at, part in enumerate(study.train):
        if part.items not in built:
            raise ProbandError(
                f"no [[build]] is named {part.items!r}", file=path, line=line_of(text, ["train", at, "items"])
            )
    for at, asked in enumerate(study.run):
        for name in asked.items:
            if name not in built and not (path.parent / name).exists():
                raise ProbandError(
                    f"no [[build]] is named {name!r}, and there is no such folder", file=path,
                    line=line_of(text, ["run", at, "items"]),
                )  # fmt: skip
        for model in asked.models:
            kind, _, name = model.partition(":")
            if kind == "net" and name not in trained and not (path.parent / name).exists():
                raise ProbandError(
                    f"no [[train]] is named {name!r}, and there is no such folder", file=path,
                    line=line_of(text, ["run", at, "models"]),
                )  # fmt: skip
