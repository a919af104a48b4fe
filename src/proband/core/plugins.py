"""Suites, models and other objects by name, built in or added by other packages, and the options that they declare.

Objects are built in, come from an entry point of another package, or are named as `package.module:Object`. Entry points
are looked up on demand, and only the requested one is imported.

Options of builders, solvers, nets and models are frozen dataclasses, read the same way from the command line, TOML and
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
import functools
import inspect
import json
import os
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar, cast, get_args  # noqa: F401 (for the example above)

import msgspec
from msgspec import Meta as Meta

from proband.core.errors import ProbandError, not_installed

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
Options = TypeVar("Options")
WORDS = {"yes": True, "on": True, "true": True, "1": True, "no": False, "off": False, "false": False, "0": False}
POINT_AT_END = re.compile(r"[+-]?(\d+\.|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)  # .5, 2.
KINDS = {int: "a whole number", float: "a number", bool: "yes or no", str: "text", Path: "a path"}
PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


# ---- options ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoOptions:
    """The options of something without options."""


@dataclass(frozen=True, kw_only=True)
class OnCommandLine:
    """How an option appears on the command line (used in `Annotated`), if its name and type do not determine it."""

    name: str = ""  # --set, for a field called options
    short: str = ""  # -s
    metavar: str = ""
    in_profile: bool = False  # not on the command line: set by a profile file (--profile), a study or Python


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
    """Every option of a dataclass, in order; its help is in `Meta`, or in the docstring (`:param NAME: ...`)."""
    documented = dict(re.findall(r":param (\w+): (.+?)(?=\s*:param|\s*\Z)", kind.__doc__ or "", re.DOTALL))
    hints, plain = typing.get_type_hints(kind, include_extras=True), typing.get_type_hints(kind)
    out = []
    for field in dataclasses.fields(kind):
        parts = _parts(plain[field.name])
        notes = [n for hint in _parts(hints[field.name]) for n in getattr(hint, "__metadata__", ())]
        texts = [documented.get(field.name), *(note.description for note in notes if isinstance(note, Meta))]
        text = " ".join(" ".join(filter(None, texts)).split()).rstrip(".")
        default = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        choices = next((typing.get_args(part) for part in parts if typing.get_origin(part) is Literal), ())
        out.append(
            OptionField(
                name=field.name.replace("_", "-"),
                type=plain[field.name],
                default=None if default is dataclasses.MISSING else default,
                help=text and re.sub(r"^[a-z](?!\S*[,:])", lambda first: first[0].upper(), text) + ".",
                choices=tuple(str(each) for each in choices),
                hint=hints[field.name],
                on_command_line=next((note for note in notes if isinstance(note, OnCommandLine)), OnCommandLine()),
            )
        )
    return tuple(out)


def _parts(hint: Any) -> tuple[Any, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (types.UnionType, typing.Union) else (hint,)


def read_options(kind: type[Options], given: Mapping[str, Any], *, of: str) -> Options:
    """An instance of `kind`; names may be written with '-' or '_', values as text or as objects."""
    fields = {field.attribute: field for field in described(kind)}  # type: ignore[arg-type] # a class can be hashed
    values = {}
    for name, value in given.items():
        attribute = name.replace("-", "_")
        if attribute not in fields:
            known = ", ".join(sorted(field.name for field in fields.values())) or "none"
            raise ProbandError(f"{of} has no option {name!r}; it has {known}")
        values[attribute] = _read(fields[attribute], value, of=of)
    return kind(**values)


def with_profile(given: Mapping[str, Any], profile: str | Path | None) -> dict[str, Any]:
    """The options of a profile file (TOML with a key per option), overridden by those given; tables are merged."""
    from proband.core.files import read_toml

    kept = read_toml(Path(profile)) if profile is not None else {}
    chosen: dict[str, Any] = {name.replace("-", "_"): value for name, value in kept.items()}
    for name, value in given.items():
        there = chosen.get(name)
        chosen[name] = {**there, **value} if isinstance(there, dict) and isinstance(value, Mapping) else value
    return chosen


def with_clear_errors(function: Callable[..., T]) -> Callable[..., T]:
    """Wrap a public function so that unknown arguments raise a `ProbandError`.

    >>> with_clear_errors(settings)(option=3)
    Traceback (most recent call last):
    proband.core.errors.ProbandError: settings has no option 'option'; it has options
    """

    @functools.wraps(function)
    def verb(*given: Any, **named: Any) -> T:
        signature = inspect.signature(function, eval_str=True)
        *known, last = [each for each in signature.parameters.values() if each.kind is not each.POSITIONAL_ONLY]
        options = get_args(last.annotation)[:1] or [named] if last.kind is last.VAR_KEYWORD else [[last.name]]
        names = [*(each.name for each in known), *getattr(options[0], "__annotations__", options[0])]
        unknown = [f"has no option {each!r}" for each in named if each not in names]
        try:
            signature.bind(*given, **named)
        except TypeError as error:
            unknown.append(f"cannot be called so: {error}")
        if unknown:
            raise ProbandError(f"{function.__name__} {unknown[0]}; it has {', '.join(sorted(names))}")
        return function(*given, **named)

    verb.__module__ = "proband"  # so that another process can import it
    return verb


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
        value = float(value)  # msgspec does not read this form
    if Path in kinds and bool in kinds:  # msgspec does not support this union
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
    """Option values for a manifest or run.json: names with '-', paths as text.

    >>> settings(NoOptions())
    {}
    """
    values = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    values |= {name: str(value) for name, value in values.items() if isinstance(value, Path)}
    values |= {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    return {name.replace("_", "-"): value for name, value in values.items()}


def name_list(names: str | Iterable[str]) -> list[str]:
    """
    >>> name_list("false, ambiguous,"), name_list(["false"])
    (['false', 'ambiguous'], ['false'])
    """
    return [each.strip() for each in (names.split(",") if isinstance(names, str) else names) if each.strip()]


def json_object(given: Mapping[str, Any] | str | None, *, field: str, name: str) -> dict[str, Any]:
    """The value of an option that is a JSON object, given as an object or as text.

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


# ---- objects by name -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Registry(Generic[T]):
    """Objects of a kind by name: built-in ones at "module:name", and those of other packages at an entry point. Only
    the requested one is imported."""

    group: str
    kind: type[T]
    built_in: Mapping[str, str]

    def names(self) -> tuple[str, ...]:
        """All names, built-in ones first; nothing is imported."""
        return (*self.built_in, *self._outside())

    def get(self, name: str) -> T | None:
        """The object of this name, or None."""
        if name in self.built_in:
            module, _, attribute = self.built_in[name].partition(":")
            return cast(T, getattr(import_module(module), attribute))
        point = self._outside().get(name)
        return None if point is None else imported(point, self.kind)

    def named(self, name: str) -> T:
        if (found := self.get(name)) is None:
            raise ProbandError(f"no {self.kind.__name__.lower()} {name!r}; there are {', '.join(self.names())}")
        return found

    def all(self) -> Mapping[str, T]:
        return {name: self.named(name) for name in self.names()}

    def importable(self) -> Iterator[T]:
        """All objects except those of other packages that cannot be imported."""
        for name in self.names():
            try:
                yield self.named(name)
            except ProbandError:
                if name in self.built_in:
                    raise

    def _outside(self) -> Mapping[str, EntryPoint]:
        return entry_points_of(self.group, built_in=self.built_in)


def entry_points_of(group: str, *, built_in: Iterable[str]) -> dict[str, EntryPoint]:
    """The entry points of a group by name, not imported; a duplicate name is an error."""
    points: dict[str, EntryPoint] = {}
    changed = (os.stat(place).st_mtime_ns for place in sys.path if os.path.exists(place))  # by an installation
    for point in _entry_points(group, (*sys.path, *changed)):
        if point.name in built_in or point.name in points:
            owner = f"one of {_package(points[point.name])}" if point.name in points else "a built-in one"
            raise ProbandError(f"{_package(point)}: its {group} entry point {point.name!r} has the name of {owner}")
        points[point.name] = point
    return points


@cache
def _entry_points(group: str, places: tuple[str | int, ...]) -> tuple[EntryPoint, ...]:
    """Read the entry points once per state of the search path, because this reads a file of every package."""
    from importlib.metadata import entry_points

    return tuple(entry_points(group=group))


def imported(point: EntryPoint, kind: type) -> Any:
    """The object of an entry point; it must be a `kind` and have the entry point's name."""
    place = f"{_package(point)}: its {point.group} entry point {point.name!r}"
    try:
        loaded = point.load()
    except Exception as error:  # third-party code may raise anything
        raise ProbandError(f"{place} cannot be imported: {type(error).__name__}: {error}") from None
    if not isinstance(loaded, kind):
        raise ProbandError(f"{place} is a {type(loaded).__name__}, not a {kind.__name__}")
    own = getattr(loaded, "name", None)
    if own != point.name:
        raise ProbandError(f"{place} is named {own!r}; the two names must be equal")
    return loaded


def is_path(module: str, attribute: str) -> bool:
    """Whether `module:attribute` could name an object.

    >>> is_path("package.module", "Model"), is_path("openai", "m@http://localhost"), is_path("hf", "owner/name")
    (True, False, False)
    """
    return bool(PATH.fullmatch(module) and PATH.fullmatch(attribute))


def declared(place: str) -> Any:
    """The object that a suite declares as "module:name"; its module is imported here.

    >>> declared("proband.core.plugins:is_path") is is_path
    True
    """
    module, _, attribute = place.partition(":")
    if not is_path(module, attribute):
        raise ProbandError(f"{place!r} does not name an object as 'package.module:name'")
    return object_at(module, attribute)


def call_declared(place: str, /, *args: Any, **given: Any) -> Any:
    """Call a function that is declared as "module:name" (for use with `functools.partial`).

    >>> call_declared("proband.core.plugins:is_path", "hf", attribute="owner/name")
    False
    """
    return declared(place)(*args, **given)


def object_at(module: str, attribute: str) -> Any:
    """The object `package.module:Object`, of an installed package or of the current folder."""
    here = os.getcwd()
    if here not in sys.path:  # the script `proband` does not search this folder; installed packages come first
        sys.path.append(here)
    try:
        value = import_module(module)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError):
            if f"{module}.".startswith(f"{error.name}."):
                raise ProbandError(f"no module {module!r} is installed or in this folder") from None
            error = not_installed(error, f"the module {module!r}")
        if isinstance(error, ProbandError):
            raise error from None
        raise ProbandError(f"the module {module!r} cannot be imported: {type(error).__name__}: {error}") from None
    for part in attribute.split("."):
        if not hasattr(value, part):
            raise ProbandError(f"the module {module!r} has no {attribute!r}", file=getattr(value, "__file__", None))
        value = getattr(value, part)
    return value


def _package(point: EntryPoint) -> str:
    return f"package {point.dist.name}" if point.dist is not None else f"module {point.module}"


# ---- kinds of models -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ModelKind:
    """`load(rest, *, options)` gives the model behind `name:rest`; `options` is a frozen dataclass.
    `asks(rest)` names the option, if any, that states whether a server scores texts. If the user does not set it,
    loading the model asks the server."""

    name: str
    help: str
    load: Callable[..., Any]
    options: type = NoOptions
    asks: Callable[[str], str] | None = None  # None: there is no such option
    open_weights: bool = False  # whether anybody can get the weights of its models


def check_named(model: Any, spec: str) -> Any:
    """The model; an error if it lacks `name` or `identity()`."""
    if not isinstance(getattr(model, "name", None), str) or not model.name:
        raise ProbandError(f"{spec}: the model (a {type(model).__name__}) has no text `name`")
    if not callable(getattr(model, "identity", None)):
        raise ProbandError(f"{spec}: the model (a {type(model).__name__}) has no method `identity()`")
    return model


def check_model(model: Any, spec: str) -> Any:
    """The model; an error if it implements none of `core.protocols`."""
    from proband.core.protocols import ABILITIES

    check_named(model, spec)
    if not any(isinstance(model, each) for each in ABILITIES):
        names = ", ".join(each.__name__ for each in ABILITIES)
        raise ProbandError(f"{spec}: the model (a {type(model).__name__}) has none of the protocols {names}")
    return model
