"""From a function to a command. Its positional parameters are arguments, its keywords options, and its docstring, with
a `:param name: ...` each, is the help; what it returns is printed.

`**given` of a function stands for the options of a dataclass (core/plugins.py): all of them, or those that a TypedDict
names of `RunOptions`. The command line passes them on as text, which the function converts as it does what a profile
file has (TOML with a key per option).
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin, is_typeddict

from cyclopts import Group, Parameter

from proband.cli.arguments_and_output import (
    OPTIONS,
    Json,
    dry_run_layout,
    give,
    metavar,
    model_names,
    settings,
    shown,
    whole,
    whole_number,
    words,
)
from proband.core.errors import CheckFailed, ProbandError
from proband.core.plugins import OptionField, described
from proband.core.progress import Verbosity
from proband.pipeline.run_options import RunOptions

Layout = Callable[[Any], Iterable[Any]]
KEYWORD, REST = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD


def numbers(text: str) -> tuple[int, ...]:
    """
    >>> numbers("0,1,2")
    (0, 1, 2)
    """
    try:
        return tuple(int(each) for each in text.split(","))
    except ValueError:
        raise ProbandError(f"--seeds is {text!r}; it must be whole numbers with commas, such as 0,1,2") from None


CONVERTED: Mapping[str, Callable[[Any], Any]] = {"options": settings, "parameters": settings, "seeds": numbers}
SET = Annotated[tuple[str, ...], Parameter(name="--set", metavar="NAME=VALUE")]
MODEL = Parameter(name=("--model", "-m"), metavar="MODEL", completer=lambda _: model_names())
SHARED: Mapping[str, Any] = {  # options whose name or type on the command line is not that of Python
    "out": Parameter(name=("--out", "-o"), metavar="DIR"),
    "items": Parameter(metavar="DIR"),
    "profile": Parameter(metavar="FILE"),
    "data": Parameter(env_var="PROBAND_DATA", metavar="DIR"),
    "difference": Parameter(name=("--difference", "-d")),
    "as_": Parameter(name="--as", metavar="NAME[,NAME...]"),
    "model": MODEL,
    "models": Annotated[Sequence[str], MODEL],
    "solver": Parameter(name=("--solver", "-s"), metavar="SOLVER"),
    "readers": Annotated[tuple[str, ...], Parameter(name="--reader", metavar="MODEL")],
    "seeds": Annotated[str | None, Parameter(metavar="N,N,...")],
    "options": SET,
    "parameters": SET,
}
HELP = {  # of what the docstring of a function leaves out
    **{field.attribute: field.help for field in described(RunOptions)},
    "out": "Folder to write.",
    "items": "Folder of the items, if it has been moved.",
    "force": "Overwrite existing files.",
    "profile": "TOML file with any of these options.",
    "model": "KIND:NAME; see `proband list models`.",
}
Verbose = Annotated[bool, Parameter(name=("--verbose", "-v"), help="Print more about what is done.")]
Quiet = Annotated[bool, Parameter(name=("--quiet", "-q"), help="Print errors and results only.")]
VERBOSE, QUIET, JSON = (  # parameters of commands, not of functions; the first two of those that run models
    inspect.Parameter(name, KEYWORD, default=False, annotation=kind)
    for name, kind in (("verbose", Verbose), ("quiet", Quiet), ("json", Json))
)


def command(
    function: Callable[..., Any], layout: Layout = whole, *, kind: type = RunOptions, group: Group = OPTIONS
) -> Callable[..., None]:
    """The command; `kind` is the dataclass whose options `**given` stands for, `group` their heading."""
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    rest = parameters.pop() if parameters and parameters[-1].kind is REST else None
    options = [] if rest is None else options_of(kind, rest.annotation)
    negatives, text = kind is not RunOptions, inspect.cleandoc(function.__doc__ or "")

    def run(*arguments: Any, verbose: bool = False, quiet: bool = False, json: bool = False, **given: Any) -> None:
        Verbosity.verbose, Verbosity.quiet = verbose, quiet
        chosen = given_options(options, {field.attribute: given.pop(field.attribute, None) for field in options})
        own = {name: CONVERTED[name](value) if name in CONVERTED else value for name, value in given.items()}
        result = function(*arguments, **own, **chosen)
        result = result.summary() if hasattr(result, "summary") else result
        dry = isinstance(result, Mapping) and "forecasts" in result
        give(result, dry_run_layout if dry else layout, json=json)
        if isinstance(result, Mapping) and result.get("check failed"):
            raise CheckFailed(result["check failed"])

    run.__doc__ = re.sub(r"(?<!\n)\n *(?=[^\n: ])", " ", text)  # a paragraph is a line
    run.__annotations__ = {}
    parameters = [_parameter(each, text) for each in parameters]
    parameters += [*([VERBOSE, QUIET] if options and not negatives else []), JSON]
    parameters += [_option(field, group, negatives=negatives) for field in options]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parameter(each: inspect.Parameter, documented: str) -> inspect.Parameter:
    """A parameter of the function as one of the command."""
    if each.kind is each.VAR_POSITIONAL:
        return each.replace(annotation=_plain(each.annotation))
    if each.kind is not KEYWORD:  # an argument
        several = each.name == "runs"
        return each.replace(
            kind=each.POSITIONAL_ONLY, annotation=Sequence[Path] if several else _plain(each.annotation)
        )
    plain, own = _plain(each.annotation), SHARED.get(each.name, Parameter())
    if isinstance(own, Parameter):
        exact = Parameter(converter=whole_number) if int in (plain, *get_args(plain)) else Parameter()
        own = Annotated[plain, Parameter(metavar=None if plain is bool else metavar(plain)), exact, own]
    if each.name in HELP and f":param {each.name}:" not in documented:
        own = Annotated[own, Parameter(help=HELP[each.name])]
    return each.replace(annotation=own, default=() if SHARED.get(each.name) is SET else each.default)


def _plain(hint: Any) -> Any:
    """Of the types that a function takes, the one that the command line gives: not a list of names, not an object.

    >>> _plain(str | Path | None), _plain(str | Sequence[str]), _plain(bool | Sequence[str]), _plain(float)
    (pathlib.Path | None, <class 'str'>, <class 'bool'>, <class 'float'>)
    """
    kinds = get_args(hint) if get_origin(hint) in (types.UnionType, Union) else ()
    plain = next((kind for kind in (bool, Path, str) if kind in kinds), None)
    return hint if plain is None else plain | None if type(None) in kinds else plain


# ---- options of a dataclass ------------------------------------------------------------------------------------------


def options_of(kind: type, named: Any) -> list[OptionField]:
    """The options that `**given: named` stands for: those of an unpacked TypedDict, or all of the dataclass."""
    (only,) = get_args(named) or (None,)
    names = only.__annotations__ if is_typeddict(only) else None
    return [field for field in described(kind) if names is None or field.attribute in names]


def _option(field: OptionField, group: Group, *, negatives: bool) -> inspect.Parameter:
    declared, flag, repeated = field.on_command_line, _is_flag(field), isinstance(field.default, (dict, tuple))
    name = declared.name or f"--{field.name}"
    plain = not flag and not repeated and shown(field.default)
    shown_as = Parameter(
        name=(name, declared.short) if declared.short else name,
        group=group,
        help=field.help + (f" [{' | '.join(field.choices)}]" if field.choices else ""),
        metavar=None if flag else declared.metavar or metavar(field.type),
        negative_bool=("no-",) if negatives else (),
        show_default=(lambda value: words(field.default)) if plain else False,
        show=not declared.in_profile,
    )
    of_type: Any = bool | None if flag else tuple[str, ...] if repeated else str | None
    default = () if repeated else None
    return inspect.Parameter(field.attribute, KEYWORD, default=default, annotation=Annotated[of_type, shown_as])


def _is_flag(field: OptionField) -> bool:
    return field.type is bool or isinstance(field.default, bool)


def given_options(options: Sequence[OptionField], given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were set, by their names in Python."""
    chosen: dict[str, Any] = {}
    for field in options:
        value, name = given.get(field.attribute), field.on_command_line.name or f"--{field.name}"
        if value is None or value == ():
            continue
        if isinstance(field.default, dict):
            value = settings(value, name)
        chosen[field.attribute] = not value if name.startswith("--no-") else value
    return chosen
