"""`proband run`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import Group, Parameter

from proband.cli.arguments import COUNT, Engine, Items, Json, Out, Pairs, Seed, settings
from proband.cli.tables import fields, give


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Asking:
    """How the model is asked."""

    solver: Annotated[
        str | None,
        Parameter(
            name=("--solver", "-s"),
            metavar="SOLVER",
            help="How the model is asked; see `proband list solvers` (default: the first that fits).",
        ),
    ] = None
    set: Annotated[
        Pairs, Parameter(metavar="NAME=VALUE", help="Option of the solver (`proband list solvers`); repeatable.")
    ] = ()
    limit: Annotated[
        int | None,
        Parameter(
            metavar="N",
            validator=COUNT,
            help="Run on a sample of N items that are not for training, in the proportions of the suite's tags.",
        ),
    ] = None
    no_cache: Annotated[bool, Parameter(negative=(), help="Do not read or write the cache of answers.")] = False


@Parameter(name="*", group=Group("Loading the model", sort_key=2))
@dataclass(frozen=True, kw_only=True)
class Loading:
    """How the model is loaded."""

    device: Annotated[
        str | None, Parameter(metavar="DEVICE", help="cpu, cuda, cuda:1 (default: a GPU if there is one).")
    ] = None
    dtype: Annotated[
        str | None,
        Parameter(metavar="DTYPE", help="float32, bfloat16, float16 (default: float32 on a CPU, bfloat16 on a GPU)."),
    ] = None
    batch: Annotated[
        int | None, Parameter(metavar="N", validator=COUNT, help="Sequences per batch (default: found automatically).")
    ] = None
    revision: Annotated[str | None, Parameter(metavar="REV", help="Revision of a Hugging Face model.")] = None
    allow_pickle: Annotated[bool, Parameter(negative=(), help="Load weights that are not safetensors.")] = False
    model_set: Annotated[
        Pairs,
        Parameter(
            metavar="NAME=VALUE",
            help="Option of the kind of model (`proband list models`), such as permutations=4 of openai: or "
            "phrases=none of vec:; repeatable.",
        ),
    ] = ()

    def given(self) -> dict[str, Any]:
        """What the user said; the rest is the model's default."""
        said = {name: value for name, value in dataclasses.asdict(self).items() if name != "model_set" and value}
        return {**said, **settings(self.model_set, "--model-set")}


def run(
    items: Items,
    /,
    *,
    model: Annotated[
        str, Parameter(name=("--model", "-m"), metavar="MODEL", help="KIND:NAME; see `proband list models`.")
    ],
    out: Out,
    asking: Asking = Asking(),  # noqa: B008
    seed: Seed = 0,
    engine: Engine = Engine(),  # noqa: B008
    loading: Loading = Loading(),  # noqa: B008
    json: Json = False,
) -> None:
    """Run a model on the items; give the same command again to resume.

    Options of the solver: --set NAME=VALUE; options of the kind of model: --model-set NAME=VALUE.

    Example: proband run items -m embedded:mlm -o runs/mlm
    """
    from msgspec.structs import asdict

    from proband.pipeline.run import run
    from proband.pipeline.score import score

    made = run(
        items,
        model=model,
        out=out,
        solver=asking.solver,
        seed=seed,
        limit=asking.limit,
        cache=not asking.no_cache,
        options=settings(asking.set),
        **dataclasses.asdict(engine),
        model_options=loading.given(),
    )
    result = score(out)
    give({**asdict(made), "answers": result.pop("answers"), "score": result}, layout, json=json)


def layout(made: Mapping[str, Any]) -> Iterable[Any]:
    score, usage = made["score"], {"usage": made["usage"]} if made["usage"] else {}
    shown = {name: made[name] for name in ("suite", "model", "solver", "seed", "answers")}
    yield fields({**shown, score["metric"]: in_words(score), **usage})


def in_words(score: Mapping[str, Any]) -> str:
    """
    >>> in_words({"mean": 0.98765, "low": 0.9, "high": 1.0, "unit": "share", "chance": 0.5})
    '98.8 % [90.0, 100.0], chance 50.0 %'
    >>> in_words({"mean": 2.5, "low": 2.25, "high": 2.75, "unit": "nats", "chance": None})
    '2.500 nats [2.250, 2.750]'
    >>> in_words({"mean": 0.5, "low": 0.1, "high": 0.9, "n": 4, "few": True, "unit": "share", "chance": 0.5})
    '50.0 % (n = 4, too few to tell), chance 50.0 %'
    """
    if score["mean"] is None:
        return "does not apply"
    share = score["unit"] == "share"
    mean, low, high = (
        f"{100 * score[name]:.1f}" if share else f"{score[name]:.3f}" for name in ("mean", "low", "high")
    )
    chance = "" if score["chance"] is None else f", chance {score['chance']:.1%}".replace("%", " %")
    span = f"(n = {score['n']:,}, too few to tell)" if score.get("few") else f"[{low}, {high}]"
    return f"{mean} {'%' if share else score['unit']} {span}{chance}"
