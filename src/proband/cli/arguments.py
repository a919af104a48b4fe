"""Arguments that several verbs share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter
from cyclopts.validators import Number

from proband.core.errors import ProbandError

COUNT = Number(gte=1)


def whole_number(_: Any, tokens: Sequence[Any]) -> int:
    """A number as it stands: 1.5 is none, and is not rounded to one."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"{tokens[0].value!r} is not a whole number") from None


OPTIONS = Group("Options", sort_key=1)

Items = Annotated[Path, Parameter(help="Folder that `proband build` wrote, or a file of items.")]
Out = Annotated[Path, Parameter(name=("--out", "-o"), metavar="DIR", help="Folder to write.")]
Seed = Annotated[
    int,
    Parameter(
        name="--seed", metavar="N", converter=whole_number, help="Random seed; the same seed gives the same bytes."
    ),
]
Json = Annotated[bool, Parameter(name="--json", negative=(), help="Print the result as one JSON object.")]
Force = Annotated[
    bool, Parameter(name="--force", negative=(), help="Write over files that are there already with other content.")
]
Moved = Annotated[
    Path | None, Parameter(name="--items", metavar="DIR", help="Folder of the items, if it has been moved.")
]
Split = Annotated[
    str,
    Parameter(
        name="--split",
        metavar="SPLIT",
        help="Items to score: train, valid, test, several with commas, or all (default: test; valid where there is no "
        "test; train where there is neither).",
    ),
]
Pairs = Sequence[str]  # NAME=VALUE, as often as it is given


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Engine:
    """Who does the work."""

    engine: Annotated[
        Literal["local", "ray"],
        Parameter(
            help="local: this process; ray: the workers of a Ray cluster ($RAY_ADDRESS, or one on this machine)."
        ),
    ] = "local"
    workers: Annotated[
        int | None,
        Parameter(metavar="N", validator=COUNT, help="Processes of the ray engine (default: one per GPU or core)."),
    ] = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Loud:
    """How much is said on standard error."""

    verbose: Annotated[
        bool, Parameter(name=("--verbose", "-v"), negative=(), help="Print more about what is done.")
    ] = False
    quiet: Annotated[bool, Parameter(name=("--quiet", "-q"), negative=(), help="Print errors and results only.")] = (
        False
    )

    def set(self) -> None:
        from proband.core.progress import Loudness

        Loudness.verbose, Loudness.quiet = self.verbose, self.quiet


def shown(default: Any) -> str | None:
    """A default as help prints it: nothing for flags and empty lists."""
    return None if default is None or default is False or default in ("", ()) else str(default)


def settings(pairs: Pairs, flag: str = "--set") -> dict[str, str]:
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
