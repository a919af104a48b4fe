"""`proband build SUITE`: a command per suite, whose options are the fields of the suite's own dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

from cyclopts import App, Group, Parameter

from proband.cli.arguments_and_output import OPTIONS, Json, Out, Seed, fields, give, shown, words
from proband.core.errors import ProbandError

HELP = """Build the items of a suite: DIR/items.jsonl and DIR/manifest.json.

Options of a suite: proband build SUITE --help

Example: proband build analogy -o items --seed 1"""


Force = Annotated[bool, Parameter(name="--force", negative=(), help="Replace another build in that folder.")]


def commands(names: Sequence[str]) -> App:
    """The verb with these suites."""
    usage = "Usage: proband build SUITE --out DIR [OPTIONS]"
    verb = App(
        name="build", help=HELP, usage=usage, group_commands=Group("Suites"), group_parameters=OPTIONS, sort_key=1.5
    )
    for name in names:
        from proband import suites

        try:
            suite = suites.suite(name)
        except ProbandError:
            if len(names) == 1:
                raise
            continue  # a plug-in that cannot be imported does not spoil the list
        verb.command(command(suite), name=name, help=f"{suite.question}\n\nExample: proband build {name} -o items")
    return verb


def command(suite: Any) -> Any:
    """`build` with the suite's options as keyword arguments, each as text that `read_options` converts."""
    from proband.core.options import Field, described

    def build(*, out: Out, seed: Seed = 0, force: Force = False, json: Json = False, **given: Any) -> None:
        from proband.pipeline.build import build

        chosen = {name: value for name, value in given.items() if value is not None}
        give(build(suite.name, out=out, seed=seed, force=force, **chosen), layout, json=json)

    group = Group(f"Options of {suite.name}", sort_key=2)

    def parameter(field: Field, former: str = "") -> inspect.Parameter:
        """An option of the suite, or (hidden) its `former` name."""
        flag = field.type is bool
        how = Parameter(
            name=f"--{former or field.name}",
            show=not former,
            group=group,
            help=field.help + (f" [{' | '.join(field.choices)}]" if field.choices else ""),
            metavar=None if flag else metavar(field.type),
            show_default=(lambda value: words(field.default)) if shown(field.default) else False,
        )
        kind: Any = bool | None if flag else str | None
        return inspect.Parameter(
            former.replace("-", "_") or field.attribute,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[kind, how],
        )

    *shared, _ = inspect.signature(build, eval_str=True).parameters.values()
    options = described(suite.options)
    own = [parameter(field) for field in options]
    own += [parameter(field, field.formerly) for field in options if field.formerly]
    build.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
    return build


def metavar(kind: Any) -> str:
    """
    >>> metavar(int | None), metavar(Path | None), metavar(str)
    ('N', 'PATH', 'TEXT')
    """
    kinds = (kind, *get_args(kind))
    names = {str: "TEXT", Path: "PATH", float: "X", int: "N"}
    return next((name for part, name in names.items() if part in kinds), "TEXT")


def layout(manifest: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{manifest['items']:,} items of {manifest['suite']}, seed {manifest['seed']}"
    skip = {"suite", "seed", "options", "items", "licence", "sha256", "versions"}
    rest = {name: value for name, value in manifest.items() if name not in skip}
    yield fields({**rest, "licence": manifest["licence"], "sha256": manifest["sha256"]["items.jsonl"]})
