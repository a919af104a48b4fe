"""`proband train`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments_and_output import Items, Json, Name, Out, Pairs, Seed, fields, give, settings, table
from proband.core.errors import ProbandError


def train(
    items: Items,
    /,
    *,
    net: Name,
    out: Out,
    model: Annotated[str | None, Parameter(name=("--model", "-m"), metavar="MODEL")] = None,
    set: Pairs = (),
    seed: Seed = 0,
    seeds: Annotated[str | None, Parameter(metavar="N,N,...")] = None,
    json: Json = False,
) -> None:
    """Train one of a suite's own networks on its training items.

    Example: proband train items --net transducer -o nets/transducer

    :param net: Name of the network; see `proband list nets`.
    :param model: Model to start from (net finetune).
    :param set: Option of the network (`proband list nets`); repeatable.
    :param seeds: Several random seeds: one network each, in DIR/seed-N.
    """
    from proband.pipeline.train import train

    several = None if seeds is None else numbers(seeds)
    made = train(items, net=net, out=out, seed=seed, seeds=several, model=model, options=settings(set))
    give(made, layout, json=json)


def numbers(text: str) -> tuple[int, ...]:
    """
    >>> numbers("0,1,2")
    (0, 1, 2)
    """
    try:
        return tuple(int(each) for each in text.split(","))
    except ValueError:
        raise ProbandError(f"--seeds is {text!r}; it must be whole numbers with commas, such as 0,1,2") from None


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """What net.json says; of several seeds, one line each."""
    if "net" in result:
        yield fields({name: value for name, value in result.items() if name not in ("versions", "curve", "identity")})
        return
    columns = ("seed", "epochs", "kept", "valid", "seconds")
    rows = ((folder, *(note.get(name) for name in columns)) for folder, note in result.items())
    yield table(("folder", *columns), rows, numbers=range(1, 6))
