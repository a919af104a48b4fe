"""From a function to a command. Its positional parameters are arguments, its keywords options, and its docstring, with
a `:param name: ...` each, is the help. What it returns is printed as tables for people, or (--json) as one JSON object:
on a terminal a table fits the window; in a pipe nothing is wrapped or coloured, whatever the width of the content.

`**given` of a function means the options of a dataclass (core/plugins.py): all of them, or those that a TypedDict
names of `RunOptions`. The command line passes them on as text, which the function converts as it does what a profile
file has (TOML with a key per option).
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, is_typeddict

from cyclopts import Group, Parameter
from cyclopts.validators import Number

from proband.core.errors import CheckFailed, ProbandError
from proband.core.files import dumps, minus
from proband.core.plugins import OptionField, described
from proband.core.progress import Verbosity
from proband.pipeline.run_options import RunOptions

if TYPE_CHECKING:
    from proband.pipeline.run import Forecast

Layout = Callable[[Any], Iterable[Any]]
KEYWORD, REST = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD
COUNT = Number(gte=1)
Count = Annotated[int, Parameter(metavar="N", validator=COUNT)]
MaybeCount = Annotated[int | None, Parameter(metavar="N", validator=COUNT)]
Flag = Annotated[bool, Parameter(negative=())]


def whole_number(_: Any, tokens: Sequence[Any]) -> int:
    """A whole number: 1.5 is an error and is not rounded."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"{tokens[0].value!r} is not a whole number") from None


OPTIONS = Group("Options", sort_key=1)
EVERYDAY, FURTHER = Group("Everyday verbs", sort_key=0), Group("Further verbs", sort_key=0.5)
Pairs = Annotated[Sequence[str], Parameter(metavar="NAME=VALUE")]  # as often as it is given
Json = Annotated[Flag, Parameter(name="--json", help="Print the result as one JSON object.")]


def all_fields(result: Any) -> Iterable[Any]:
    """The layout of a result that is one table of its fields."""
    yield result


def model_names() -> list[str]:
    """What may follow -m, as far as it has a name: for completion."""
    from proband.cli.verbs.listing import listing

    return [row["name"] for row in listing()["models"]]


def shown(default: Any) -> str | None:
    """A default as help prints it: nothing for flags and empty lists."""
    return None if default is None or default is False or default in ("", ()) else str(default)


def settings(pairs: Sequence[str], flag: str = "--set") -> dict[str, str]:
    """NAME=VALUE pairs as a mapping.

    >>> settings(["steps=20", "norm=token"])
    {'steps': '20', 'norm': 'token'}
    """
    results = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise ProbandError(f"{flag} takes NAME=VALUE, not {pair!r}")
        results[name] = value
    return results


def metavar(kind: Any) -> str:
    """
    >>> metavar(int | None), metavar(Path | None), metavar(str)
    ('N', 'PATH', 'TEXT')
    """
    kinds = (kind, *get_args(kind))
    names = {str: "TEXT", Path: "PATH", float: "X", int: "N"}
    return next((name for part, name in names.items() if part in kinds), "TEXT")


CONVERTED: Mapping[str, Callable[[Any], Any]] = {"options": settings, "parameters": settings}
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
    "options": SET,
    "parameters": SET,
}
HELP = {  # of what the docstring of a function leaves out
    **{
        field.attribute: field.help.replace("Items to run and score", "Items to score")
        for field in described(RunOptions)
    },
    "out": "Folder to write.",
    "items": "Folder of the items, if it has been moved.",
    "force": "Overwrite existing files.",
    "profile": "TOML file with any of these options.",
    "model": "KIND:NAME; see `proband list models`.",
    "cluster": "Field of a log that names the cluster of each item (default: cluster or clusters).",
    "metric": "Name of the metric (default: the main one).",
    "parameters": "Parameter of the study; repeatable.",
    "jobs": "Stages at a time, each in its own process.",
}
Quiet = Annotated[bool, Parameter(name=("--quiet", "-q"), help="Print errors and results only.")]
# parameters of commands, not of functions; the first of those that run models
QUIET = inspect.Parameter("quiet", KEYWORD, default=False, annotation=Quiet)
JSON = inspect.Parameter("json", KEYWORD, default=False, annotation=Json)


def command(
    function: Callable[..., Any], layout: Layout = all_fields, *, kind: type = RunOptions, group: Group = OPTIONS
) -> Callable[..., None]:
    """The command; `kind` is the dataclass of the options of `**given`, `group` their heading."""
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())
    rest = parameters.pop() if parameters and parameters[-1].kind is REST else None
    options = [] if rest is None else options_of(kind, rest.annotation)
    negatives, text = kind is not RunOptions, inspect.cleandoc(getattr(function, "func", function).__doc__ or "")

    def run(*arguments: Any, quiet: bool = False, json: bool = False, **given: Any) -> None:
        Verbosity.quiet = quiet
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
    parameters += [*([QUIET] if options and not negatives else []), JSON]
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
    """The options of `**given: named`: those of an unpacked TypedDict, or all of the dataclass."""
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


# ---- what a command prints -------------------------------------------------------------------------------------------


NO_WRAPPING = 100_000  # columns


def give(result: Any, layout: Callable[[Any], Iterable[Any]] = all_fields, *, json: bool) -> None:
    """Print a result: `layout` gives its lines, tables, and mappings, which are printed as tables of their fields."""
    if json:
        print(dumps(result))
        return
    for part in layout(result):
        if isinstance(part, str):
            print(minus(part))
        else:
            _print_table(fields(part) if isinstance(part, Mapping) else part)


def _print_table(part: Any) -> None:
    from rich.console import Console

    if sys.stdout.isatty():
        Console(highlight=False).print(part)
        return
    console = Console(width=NO_WRAPPING, color_system=None, highlight=False)
    with console.capture() as capture:
        console.print(part)
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, numbers: Sequence[int] = ()) -> Any:
    """A table without rules; `numbers` are the columns to align at the right."""
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(header), header_style="bold")
    for place, name in enumerate(header):
        made.add_column(name, justify="right" if place in numbers else "left", overflow="fold")
    for row in rows:
        made.add_row(*(Text(minus(words(cell))) for cell in row))
    return made


def fields(values: Mapping[str, Any]) -> Any:
    """A table of names and values; a mapping as value is laid out below its name."""
    return table(("", ""), _lines(values, ""))


def _lines(values: Mapping[str, Any], indent: str) -> Iterable[tuple[str, str]]:
    for name, value in values.items():
        plain = name.replace("_", " ")
        if isinstance(value, Mapping) and any(isinstance(each, (Mapping, list)) and each for each in value.values()):
            yield f"{indent}{plain}:", ""
            yield from _lines(value, indent + "  ")
        else:
            yield f"{indent}{plain}:", words(value)


def words(value: Any) -> str:
    """A value in words, never as JSON.

    >>> words({"train": 1200, "test": 0.25}), words([1, 2]), words(True), words(None)
    ('train 1,200, test 0.25', '1, 2', 'yes', '')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return shortened(_pairs(value))
    if isinstance(value, (list, tuple)) and any(isinstance(each, Mapping) for each in value):
        return f"{len(value):,} rows"
    if isinstance(value, (list, tuple)):
        return shortened(", ".join(words(each) for each in value))
    return str(value)


def _pairs(value: Mapping[str, Any]) -> str:
    """Names and values, without those that are empty.

    >>> _pairs({"people": 0, "outcomes": {}, "measured": []})
    'people 0'
    """
    empty: tuple[Any, ...] = (None, "", [], (), {})
    return ", ".join(f"{name} {words(each)}".replace("_", " ") for name, each in value.items() if each not in empty)


def shortened(text: str, size: int = 200) -> str:
    return text if len(text) <= size else text[: size - 1] + "…"


def warning(unread: float, of: str = "") -> Iterable[str]:
    """
    >>> list(warning(0.25))
    ['warning: 25.0 % of the replies could not be read and count as wrong; look at them with `proband show`']
    """
    from proband.core.metrics import WARNED

    if unread > WARNED:
        who, share = f"{of}: " if of else "", f"{100 * unread:.1f} %"
        what = "of the replies could not be read and count as wrong; look at them with `proband show`"
        yield f"warning: {who}{share} {what}"


# ---- what a dry run prints -------------------------------------------------------------------------------------------


def dry_run_layout(result: Mapping[str, Sequence[Forecast]]) -> Iterable[Any]:
    """A line per run where there are several, then the whole."""
    forecasts = result["forecasts"]
    if len(forecasts) > 1:
        head = ("model", "suite", "solver", "prompt", "questions", "answered", "calls", "tokens in", "cost", "time")
        names = ("model", "suite", "solver", "prompt", "items", "answered", "calls", "tokens_in", "cost")
        times = [duration(each.seconds) + ("" if each.seconds_tried else " (estimated)") for each in forecasts]
        rows = [(*(getattr(each, name) for name in names), time) for each, time in zip(forecasts, times)]
        yield table(head, rows, numbers=range(4, 9))
        yield f"\nall {len(forecasts)} runs:"

    def total(name: str) -> Any:
        values = [getattr(each, name) for each in forecasts]
        return None if None in values else sum(values)

    same = [name for name in ("suite", "model", "solver") if len({getattr(each, name) for each in forecasts}) == 1]
    shown = {name: getattr(forecasts[0], name) for name in same if getattr(forecasts[0], name)}
    shown |= {name: total(name) for name in ("items", "answered") if total(name)}
    if total("calls") is None:
        shown |= {"calls": "not known for this solver", "tokens in": "not known"}
    else:
        cached = f" ({total('cached'):,} more are in the cache)" if total("cached") else ""
        estimated = "" if forecasts[0].tokens_counted else " (estimated: 4 characters each)"
        shown |= {"calls": f"{total('calls'):,}{cached}", "tokens in": f"{total('tokens_in'):,}{estimated}"}
        shown |= {"tokens out": f"{total('tokens_out'):,} at most"} if total("tokens_out") else {}
        shown |= {"cost": f"{total('cost'):,.4f} at most"} if total("cost") is not None else {}
    known = [each.seconds for each in forecasts if each.seconds is not None]
    tried = all(each.seconds_tried for each in forecasts)
    shown["time"] = duration(sum(known) if known else None) + ("" if tried else " (partly estimated)")
    if known and len(known) < len(forecasts):
        shown["time"] += f", without {len(forecasts) - len(known)} of the runs, whose time is not known"
    yield shown


def duration(seconds: float | None) -> str:
    """
    >>> duration(40.2), duration(600), duration(9000), duration(None)
    ('about 40 s', 'about 10 min', 'about 2.5 h', 'not known before the first answers')
    """
    if seconds is None:
        return "not known before the first answers"
    if seconds < 120:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min" if seconds < 7200 else f"about {seconds / 3600:.1f} h"
