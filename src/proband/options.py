"""The options a suite, a solver or a net declares, and the values a user gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proband.core.errors import ProbandError
from proband.core.types import Option


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
