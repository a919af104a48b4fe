"""`proband list`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from proband.cli.arguments import Json
from proband.cli.output import give, table, words

Kind = Literal["suites", "models", "nets", "solvers", "prompts", "verbs", "tasks", "variations", "studies"]


def list_(
    what: Annotated[Kind | None, Parameter(help="List one kind only, with its options.")] = None,
    /,
    *,
    json: Json = False,
) -> None:
    """List suites, models, nets, solvers, prompts, studies, and the suites' own verbs, tasks and variations.

    Example: proband list solvers
    """
    from proband.pipeline.show import listing

    found = listing()
    give(found if what is None else {str(what): found[what]}, layout, json=json)


def layout(result: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterable[Any]:
    """Every entry; of one kind alone with the options below it."""
    for title, rows in result.items():
        lines: list[tuple[str, str]] = []
        for row in rows:
            lines.append((f"  {row['name']}", row["what"]))
            options = row.get("options", ()) if len(result) == 1 else ()
            lines += [(f"    {option['name']}", described(option)) for option in options]
        yield title
        yield table(("", ""), lines or [("  none", "")])


def described(option: Mapping[str, Any]) -> str:
    """
    >>> described({"name": "norm", "help": "divide by", "choices": ["sum", "token"], "default": "sum"})
    'divide by [sum | token] (default: sum)'
    """
    choices = f" [{' | '.join(option['choices'])}]" if option["choices"] else ""
    default = "" if option["default"] in (None, "", False) else f" (default: {words(option['default'])})"
    return f"{option['help']}{choices}{default}".strip()
