"""What `proband steps` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proband.cli.arguments_and_output import table

SHOWN = 5  # reasons on the terminal


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield {name: result[name] for name in ("replies", "statements", "follows from")}
    outcomes = list(result["models"][0]["counts"])
    rows = [(each["model"], each["replies"], *(each["counts"][name] for name in outcomes)) for each in result["models"]]
    yield table(("model", "replies", *outcomes), rows, numbers=range(1, len(outcomes) + 2))
    for what in ("not checked", "unread because"):
        if reasons := list(result[what].items())[:SHOWN]:
            yield table(("", what), [(count, why) for why, count in reasons], numbers=(0,))
    if judged := result.get("judge"):
        yield f"{judged['model']} as a judge of {judged['steps']} steps ({judged['read']} verdicts read):"
        quality = judged["wrong steps"].items()
        rows = [(name, own["steps"], _share(own["precision"]), _share(own["recall"])) for name, own in quality]
        yield table(("wrong steps", "steps", "precision", "recall"), rows, numbers=(1, 2, 3))
    yield f"open {result['page']}"


def _share(of: Mapping[str, Any]) -> str:
    return f"{100 * of['share']:.0f} % [{100 * of['low']:.0f}, {100 * of['high']:.0f}]" if of["n"] else "-"
