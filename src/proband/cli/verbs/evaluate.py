"""What `proband evaluate` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proband.cli.arguments_and_output import table


def layout(made: Mapping[str, Any]) -> Iterable[Any]:
    """The profile as a table, the sentences, and where the page is."""
    several = len(made["models"]) > 1
    unread = any(row["unread"] for row in made["capabilities"])
    more = (*(("unread",) if unread else ()), "n", "✓ at", "")
    head = ("capability", *(("model",) if several else ()), "score", "95 % interval", "chance", "shortcut", *more)
    rows = []
    for row in made["capabilities"]:
        name = (row["capability"], *((made["names"][row["model"]],) if several else ()))
        if row["score"] is None:
            rows.append((*name, "–", row["reason"], "", "", *([""] if unread else []), "", "", ""))
            continue
        span = "too few to tell" if row["low"] is None else f"[{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
        levels = ("" if row[each] is None else f"{100 * row[each]:.1f}" for each in ("chance", "shortcut"))
        share = [f"{100 * row['unread']:.1f} %"] if unread else []
        least = "–" if row["ticked_at"] is None else f"{100 * row['ticked_at']:.0f}"
        sign = "✓" if row["can"] else "no verdict" if row["verdict"] not in ("not shown", None) else ""
        rows.append((*name, f"{100 * row['score']:.1f} %", span, *levels, *share, row["n"], least, sign))
    numbers = ("score", "chance", "shortcut", "unread", "n", "✓ at")
    yield table(head, rows, numbers=[at for at, each in enumerate(head) if each in numbers])
    yield (
        f"✓: above chance and every shortcut (corrected over the {made['rows_corrected_together']} rows of the panel); "
        "✓ at: the true score that gets it with 80 % power"
    )
    yield ""
    yield from (f"- {each['sentence']}" for each in made["sentences"])
    yield from made["notes"]
    yield f"\nopen {made['page']}"
