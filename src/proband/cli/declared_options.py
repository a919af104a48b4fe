"""Options of the command line made of the dataclass that declares them (core/options.py), and profile files, which set
any of them: TOML with a key per option. What the command line says counts more.
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, get_args

from cyclopts import Group, Parameter

from proband.cli.arguments_and_output import settings, shown, words
from proband.core.errors import ProbandError
from proband.core.files import file_errors
from proband.core.options import OptionField, described

Profile = Annotated[
    Path | None,
    Parameter(
        name="--profile", metavar="FILE", help="TOML file with any of these options, and those too rare for help."
    ),
]


def parameters(kind: type, *, group: Group, negatives: bool = False) -> list[inspect.Parameter]:
    """A keyword per option, as text that `read_options` converts; without those that only profile files have. With
    `negatives`, a flag has its opposite: --no-faithful."""
    return [
        _parameter(field, group, negatives=negatives)
        for field in described(kind)
        if not field.on_command_line.in_profile
    ]


def _parameter(field: OptionField, group: Group, *, negatives: bool) -> inspect.Parameter:
    how, flag = field.on_command_line, _is_flag(field)
    name, plain = how.name or f"--{field.name}", not flag and not _is_repeatable(field)
    said = field.help + (f" [{' | '.join(field.choices)}]" if field.choices else "")
    shown_as = Parameter(
        name=(name, how.short) if how.short else name,
        group=group,
        help=said,
        metavar=None if flag else how.metavar or metavar(field.type),
        negative=() if flag and not negatives else None,
        show_default=(lambda value: words(field.default)) if plain and shown(field.default) else False,
    )
    kind: Any = bool | None if flag else tuple[str, ...] if _is_repeatable(field) else str | None
    return inspect.Parameter(
        field.attribute,
        inspect.Parameter.KEYWORD_ONLY,
        default=() if _is_repeatable(field) else None,
        annotation=Annotated[kind, shown_as],
    )


def _is_flag(field: OptionField) -> bool:
    return field.type is bool or isinstance(field.default, bool)


def _is_repeatable(field: OptionField) -> bool:
    return isinstance(field.default, (dict, tuple))


def given_options(kind: type, given: Mapping[str, Any], profile: Path | None) -> dict[str, Any]:
    """The options that were set: on the command line, else in the profile; tables of both are put together."""
    chosen: dict[str, Any] = read_profile(profile) if profile is not None else {}
    for field in described(kind):
        value, name = given.get(field.attribute), field.on_command_line.name or f"--{field.name}"
        if value is None or value == ():
            continue
        if isinstance(field.default, dict):
            there = chosen.get(field.attribute)
            value = {**(there if isinstance(there, dict) else {}), **settings(value, name)}
        chosen[field.attribute] = not value if name.startswith("--no-") else value
    return chosen


def read_profile(path: Path) -> dict[str, Any]:
    """The keys of a profile file, with _ for -."""
    try:
        with file_errors(path):
            raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProbandError(f"not TOML: {error}", file=path) from None
    return {name.replace("-", "_"): value for name, value in raw.items()}


def metavar(kind: Any) -> str:
    """
    >>> metavar(int | None), metavar(Path | None), metavar(str)
    ('N', 'PATH', 'TEXT')
    """
    kinds = (kind, *get_args(kind))
    names = {str: "TEXT", Path: "PATH", float: "X", int: "N"}
    return next((name for part, name in names.items() if part in kinds), "TEXT")
