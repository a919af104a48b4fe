"""Options of builders, solvers, nets and models: frozen dataclasses, read the same way from the command line, TOML and
Python.

>>> @dataclass(frozen=True, kw_only=True)
... class Probing:
...     steps: Annotated[int, Meta(description="training batches", ge=1)] = 300
...     norm: Literal["sum", "token"] = "sum"
>>> read_options(Probing, {"steps": "20"}, of="solver probe")
Probing(steps=20, norm='sum')
>>> read_options(Probing, {"norm": "word"}, of="solver probe")
Traceback (most recent call last):
proband.core.errors.ProbandError: solver probe: 'norm' is 'word'; it must be one of sum, token
"""

from __future__ import annotations

import dataclasses
import json
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar  # noqa: F401 (the example above is annotated)

import msgspec
from msgspec import Meta

from proband.core.errors import ProbandError

__all__ = [
    "Meta",
    "NoOptions",
    "OnCommandLine",
    "OptionField",
    "described",
    "json_object",
    "read_options",
    "settings",
]
Options = TypeVar("Options")
WORDS = {"yes": True, "on": True, "true": True, "1": True, "no": False, "off": False, "false": False, "0": False}
POINT_AT_END = re.compile(r"[+-]?(\d+\.|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)  # .5, 2.
KINDS = {int: "a whole number", float: "a number", bool: "yes or no", str: "text", Path: "a path"}


@dataclass(frozen=True)
class NoOptions:
    """For what has none."""


@dataclass(frozen=True, kw_only=True)
class OnCommandLine:
    """How the command line has an option, where its name and type do not say it (in `Annotated`, beside `Meta`)."""

    name: str = ""  # --set, for a field called options
    short: str = ""  # -s
    metavar: str = ""
    in_profile: bool = False  # it has none: a profile file sets it (--profile), a study or Python


@dataclass(frozen=True, kw_only=True)
class OptionField:
    """One option, for help pages: `name` as a user types it (with -), `type` without annotations, `hint` with them."""

    name: str
    type: Any
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    hint: Any = None
    on_command_line: OnCommandLine = OnCommandLine()

    @property
    def attribute(self) -> str:
        return self.name.replace("-", "_")


@cache
def described(kind: type) -> tuple[OptionField, ...]:
    """Every option of a dataclass, in order."""
    hints, plain = typing.get_type_hints(kind, include_extras=True), typing.get_type_hints(kind)
    out = []
    for field in dataclasses.fields(kind):
        parts = _parts(plain[field.name])
        notes = [n for hint in _parts(hints[field.name]) for n in getattr(hint, "__metadata__", ())]
        default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        choices = next((typing.get_args(part) for part in parts if typing.get_origin(part) is Literal), ())
        out.append(
            OptionField(
                name=field.name.replace("_", "-"),
                type=plain[field.name],
                default=None if default is dataclasses.MISSING else default,
                help=" ".join(note.description for note in notes if isinstance(note, Meta) and note.description),
                choices=tuple(str(each) for each in choices),
                hint=hints[field.name],
                on_command_line=next((note for note in notes if isinstance(note, OnCommandLine)), OnCommandLine()),
            )
        )
    return tuple(out)


def _parts(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)


def read_options(kind: type[Options], given: Mapping[str, Any], *, of: str) -> Options:
    """An instance of `kind`; names may be written with '-' or '_', values as text or as they are."""
    fields = {field.attribute: field for field in described(kind)}  # type: ignore[arg-type] # a class can be hashed
    values = {}
    for name, value in given.items():
        attribute = name.replace("-", "_")
        if attribute not in fields:
            known = ", ".join(sorted(field.name for field in fields.values())) or "none"
            raise ProbandError(f"{of} has no option {name!r}; it has {known}")
        values[attribute] = _read(fields[attribute], value, of=of)
    return kind(**values)


def _read(field: OptionField, value: Any, *, of: str) -> Any:
    kinds = _parts(field.type)
    if value is None or (value == "none" and type(None) in kinds and str not in kinds):
        if type(None) not in kinds:
            raise ProbandError(f"{of}: {field.name!r} needs a value")
        return None
    if isinstance(value, Path) and Path not in kinds:
        value = str(value)
    if isinstance(value, str) and bool in kinds:
        value = WORDS.get(value.lower(), value)
    if isinstance(value, str) and float in kinds and POINT_AT_END.fullmatch(value):
        value = float(value)  # which msgspec does not read
    if Path in kinds and bool in kinds:  # a union that msgspec does not know
        return value if isinstance(value, bool) else Path(value)
    try:
        return msgspec.convert(value, field.hint, strict=False, dec_hook=_path)
    except (msgspec.ValidationError, TypeError, ValueError) as error:
        raise ProbandError(f"{of}: {field.name!r} is {value!r}; it must be {_wanted(field, error)}") from None


def _path(kind: type, value: Any) -> Any:
    if kind is Path and isinstance(value, (str, Path)):
        return Path(value)
    raise ValueError(f"not {kind.__name__}")


def _wanted(field: OptionField, error: Exception) -> str:
    """
    >>> _wanted(OptionField(name="k", type=int, default=1, help=""), ValueError("Expected `int` >= 1"))
    'a whole number, at least 1'
    """
    if field.choices:
        return f"one of {', '.join(field.choices)}"
    named = [KINDS.get(part, str(part)) for part in _parts(field.type) if part is not type(None)]
    text = str(error)
    for sign, words in ((">=", "at least"), ("<=", "at most"), ("> ", "above"), ("< ", "below")):
        if sign in text:
            named[-1] += f", {words} {text.split(sign)[1].split(' - ')[0].strip()}"
            break
    return " or ".join(named)


def settings(options: Any) -> dict[str, Any]:
    """The values for a manifest or run.json: names with '-', paths as text.

    >>> settings(NoOptions())
    {}
    """
    values = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    return {name.replace("_", "-"): _json(value) for name, value in values.items()}


def _json(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else list(value) if isinstance(value, tuple) else value


def json_object(given: Mapping[str, Any] | str | None, *, field: str, name: str) -> dict[str, Any]:
    """An option that is a JSON object, given as one or as text.

    >>> json_object('{"top_k": 1}', field="extra", name="openai:m"), json_object(None, field="extra", name="openai:m")
    ({'top_k': 1}, {})
    """
    try:
        fields = json.loads(given) if isinstance(given, str) else dict(given or {})
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise ProbandError(f"{name}: {field!r} is not a JSON object")
    return fields
