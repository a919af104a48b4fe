"""`proband build SUITE`: a command per suite, with the fields of the suite's own dataclass as options; `proband vary`;
`proband SUITE VERB`: the commands of a suite's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

from cyclopts import App, Group, Parameter
from cyclopts.validators import Number
from msgspec import Meta

from proband.cli.arguments_and_output import (
    OPTIONS,
    Flag,
    Force,
    Items,
    Json,
    Out,
    Profile,
    Seed,
    fields,
    give,
    given_options,
    metavar,
    parameters,
    table,
)
from proband.core.errors import ProbandError
from proband.core.plugins import declared

HELP = """Build the items of a suite: DIR/items.jsonl and DIR/manifest.json.

Options of a suite: proband build SUITE --help

Example: proband build analogy -o items --seed 1"""


Replace = Annotated[Flag, Parameter(name="--force", help="Replace another build in that folder.")]


def build_commands(names: Sequence[str]) -> App:
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
        verb.command(
            build_command(suite), name=name, help=f"{suite.question}\n\nExample: proband build {name} -o items"
        )
    return verb


def build_command(suite: Any) -> Any:
    """`build` with the suite's options as keyword arguments, each as text that `read_options` converts."""

    def build(
        *, out: Out, seed: Seed = 0, force: Replace = False, json: Json = False, profile: Profile = None, **given: Any
    ) -> None:
        from proband.pipeline.build import build

        chosen = given_options(suite.options, given, profile)
        give(build(suite.name, out=out, seed=seed, force=force, **chosen), build_layout, json=json)

    *shared, _ = inspect.signature(build, eval_str=True).parameters.values()
    own = parameters(suite.options, group=Group(f"Options of {suite.name}", sort_key=2), negatives=True)
    build.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
    return build


def elsewhere(suite: str, name: str) -> str:
    """How an option of a suite is set that only a profile file has."""
    from proband import suites
    from proband.core.options import described

    rare = suite in suites.names() and any(field.name == name for field in described(suites.suite(suite).options))
    return f"a profile file sets it: {name} = ..., with --profile FILE" if rare else ""


def build_layout(manifest: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{manifest['items']:,} items of {manifest['suite']}, seed {manifest['seed']}"
    skip = {"suite", "seed", "options", "items", "licence", "sha256", "versions"}
    rest = {name: value for name, value in manifest.items() if name not in skip}
    yield fields({**rest, "licence": manifest["licence"], "sha256": manifest["sha256"]["items.jsonl"]})


# ---- `proband vary` --------------------------------------------------------------------------------------------------


def vary(
    items: Items,
    /,
    *,
    out: Out,
    as_: Annotated[
        str, Parameter(name="--as", metavar="NAME[,NAME...]", help="Variations of the suite (docs/variations.md).")
    ],
    per_item: Annotated[int, Parameter(metavar="N", help="How many of each to make of every item.")] = 1,
    split: Annotated[str, Parameter(help="Items to vary: train, valid, test or all; default: those scored.")] = "",
    seed: Seed = 0,
    force: Force = False,
    json: Json = False,
) -> None:
    """Make certified variations of items: the same question otherwise, its right answer known.

    Example: proband vary items -o varied --as rename,reorder,counterfactual
    """
    from proband.pipeline.vary import vary

    give(vary(items, out=out, as_=as_, per_item=per_item, split=split, seed=seed, force=force), vary_layout, json=json)


def vary_layout(manifest: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{manifest['items']:,} items of {manifest['suite']}, varied with seed {manifest['seed']}"
    rows = [
        (name, each["effect"], each["items"], sum(each["not_varied"].values()), next(iter(each["not_varied"]), ""))
        for name, each in manifest["variations"].items()
    ]
    yield table(("variation", "right answer", "items", "not varied", "most often because"), rows, numbers=(2, 3))


# ---- `proband SUITE VERB`: the commands that a suite declares (`Suite.verbs`), made of their functions' signatures ---


if TYPE_CHECKING:
    from proband.core.suite import Suite, Verb

SHARED: Mapping[str, Any] = {"out": Out, "seed": Seed}  # parameters that all verbs have alike


def suite_commands(suite: Suite) -> App:
    """The suite's own verbs."""
    if not suite.verbs:
        raise ProbandError(f"{suite.name} has no commands of its own; it is built with `proband build {suite.name}`")
    usage = f"Usage: proband {suite.name} VERB [ARGUMENTS] [OPTIONS]"
    made = App(
        name=suite.name,
        help=f"Commands of the suite {suite.name}.\n\nHelp on one: proband {suite.name} {suite.verbs[0].name} --help",
        usage=usage,
        group_commands=Group("Verbs"),
        group_parameters=OPTIONS,
    )
    for place, verb in enumerate(suite.verbs):
        made.command(suite_command(verb), name=verb.name, sort_key=place)
    return made


def suite_command(verb: Verb) -> Callable[..., None]:
    """The function of a verb with `--json`; what it returns is printed."""
    function = declared(verb.run)

    def run(*arguments: Any, json: Json = False, **options: Any) -> None:
        layout = declared(verb.layout) if verb.layout else lambda result: [result]
        give(function(*arguments, **options), lambda result: map(_table, layout(result)), json=json)

    run.__doc__ = function.__doc__
    given = inspect.signature(function, eval_str=True).parameters.values()
    own = [_parameter(each) for each in given]
    json = inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json)
    run.__signature__ = inspect.Signature([*own, json])  # type: ignore[attr-defined]
    return run


def _table(part: Any) -> Any:
    return fields(part) if isinstance(part, Mapping) else part


def _parameter(each: inspect.Parameter) -> inspect.Parameter:
    """A parameter with what its `Meta` says (description, title, ge) as the command line has it."""
    kind = get_args(each.annotation)[0] if get_origin(each.annotation) is Annotated else each.annotation
    meta = _meta(each)
    if meta is None and each.name in SHARED:
        return each.replace(annotation=SHARED[each.name])
    option = each.kind is inspect.Parameter.KEYWORD_ONLY
    how = Parameter(
        name=("--out", "-o") if each.name == "out" else None,
        help=(meta.description if meta else None) or "",
        metavar=((meta.title if meta else None) or _metavar(kind)) if option else None,
        negative=() if option else None,
        validator=Number(gte=meta.ge) if meta and meta.ge is not None else None,
    )
    return each.replace(annotation=Annotated[kind, how])


def _meta(each: inspect.Parameter) -> Meta | None:
    return next((note for note in getattr(each.annotation, "__metadata__", ()) if isinstance(note, Meta)), None)


def _metavar(kind: Any) -> str | None:
    """None for flags and choices, which cyclopts names itself."""
    return metavar(kind) if {str, Path, int, float} & {kind, *get_args(kind)} else None
