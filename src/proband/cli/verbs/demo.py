"""`proband demo`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from proband.cli.arguments import Json, Out, Seed
from proband.cli.output import give


def demo(*, out: Out = Path("demo"), seed: Seed = 0, json: Json = False) -> None:
    """Build, run and report every suite with the data and models that are installed; offline, on a CPU.

    Example: proband demo -o demo
    """
    from proband.pipeline.demo import demo

    give(demo(out, seed=seed), layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['runs']} runs in {result['seconds']} s"
    for line in result["learnt"]:
        yield f"- {line}"
    for line in result["left_out"]:
        yield f"left out: {line}"
    if result["untested"]:
        yield "what these models would be tested for:"
    for line in result["untested"]:
        yield f"- {line}"
    yield f"open {result['page']}"
