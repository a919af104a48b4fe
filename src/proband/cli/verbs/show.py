"""`proband show`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from proband.cli.arguments import Json
from proband.cli.tables import give, shortened, table, words

BEST = 5  # choices shown per answer


def show(
    folder: Annotated[Path, Parameter(help="Folder of items or of a run.")],
    item_id: Annotated[str, Parameter(help="Name of the item.")],
    /,
    *,
    runs: Annotated[
        Sequence[Path],
        Parameter(metavar="RUNDIR", consume_multiple=True, help="Runs to read (default: those beside the items)."),
    ] = (),
    json: Json = False,
) -> None:
    """Show one item: its text, its proof or alignment, and the answer of every run.

    Example: proband show items ITEM_ID
    """
    from proband.pipeline.show import show

    give(show(folder, item_id, runs=runs), layout, json=json)


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield result["text"]
    for given in result["answers"]:
        answer = given["answer"]
        score = "" if given["right"] is None else f"  score {given['right']:.2f}"
        yield f"\n{given['model']} ({given['solver']}){score}"
        ranked = sorted(zip(answer.scores, result["item"].choices, strict=False), reverse=True)[:BEST]
        if ranked:
            yield table(("", ""), ((f"  {score:10.4f}", choice) for score, choice in ranked))
        for blank in answer.blanks:
            yield f"  {words(blank)}"
        if answer.text:
            yield f"  text: {shortened(answer.text, 500)}"
