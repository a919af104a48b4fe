"""What `proband compare` prints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from proband.cli.arguments_and_output import table, warning
from proband.core.files import figure, p_value


def layout(result: Mapping[str, Any]) -> Iterable[Any]:
    unit = "%" if result["unit"] == "share" else result["unit"]
    several = len(result.get("systems", ())) > 2
    named = "" if several else f": A = {result['a']}, B = {result['b']}"
    yield f"{result['suite']}, {result['metric']} ({unit}){named}"
    header: tuple[str, ...] = ("", "A", "B", "A - B", "95 % interval", "p (Holm)", "n", "")
    rows = [row(group, result["unit"]) for group in result["groups"]]
    if several:
        header = ("system A", "system B", *header)
        rows = [(group["a"], group["b"], *cells) for group, cells in zip(result["groups"], rows)]
    yield from [result["asked"]] if result.get("asked") else []
    first = 3 if several else 1
    yield table(header, rows, numbers=(first, first + 1, first + 2, first + 4, first + 5))
    for label, count in result.get("left_out", {}).items():
        yield f"{label}: left out because no other has them: {count:,} of the items"
    if (changed := result["groups"][0].get("changed")) and not several:
        yield "right by both {:,}, by A alone {:,}, by B alone {:,}, by neither {:,}".format(*changed)
    for each in result.get("equal") or ():
        shown = "too few to tell" if each["p"] is None else f"p = {p_value(each['p'])}"
        yield f"{each['a']} and {each['b']} differ by less than {each['points']:g} points: {shown}"
    if look := result.get("until"):
        ends = f"[{100 * look['low']:+.1f}, {100 * look['high']:+.1f}]"
        asked = f"{look['clusters']:,} of {look['of_clusters']:,} clusters ({look['items']:,} items)"
        shown = f"{100 * look['difference']:+.1f} {ends} after {asked}, valid at every look"
        yield f"{'decided' if look['decided'] else 'not decided'}: {shown}"
        if not look["decided"] and look["clusters"] < look["of_clusters"]:
            yield "to go on, extend both runs: proband run ITEMS -m MODEL -o RUN --until with a smaller width"
    if several:
        yield f"{len(rows)} comparisons, corrected together (Holm)"
    elif "check" in result and not result["check"]["failed"]:
        yield result["check"]["message"]
    elif result["groups"][0]["detectable"] is not None:
        least = figure(result["groups"][0]["detectable"], result["unit"])
        yield f"80 % power to detect a difference of {least} over {result['groups'][0]['group']}"
    if result.get("by") and result.get("tags", 0) > 1:
        chance = 1 - 0.95 ** result["tags"]
        yield (
            f"the items have {result['tags']} tags: of systems that do not differ, the most striking of them would "
            f"look significant with a chance of up to {chance:.0%}. A column counts only where all items together "
            "differ; where they do, choose the tag before looking"
        )
    for label, share in result.get("unread", {}).items():
        yield from warning(share, label)
    if result.get("legend"):
        yield result["legend"]
    for text in result.get("constant", ()):
        yield f"warning: {text}"
    if "check" in result and os.environ.get("GITHUB_ACTIONS") == "true":  # an annotation of the workflow
        kind = "error" if result["check"]["failed"] else "notice"
        yield f"::{kind} title=proband compare::{result['check']['message']}"


def row(group: Mapping[str, Any], unit: str) -> tuple[str, ...]:
    low, high = (figure(group[name], unit, sign="+") for name in ("low", "high"))
    return (
        group["group"],
        figure(group["mean_a"], unit),
        figure(group["mean_b"], unit),
        figure(group["difference"], unit, sign="+"),
        "–" if group["few"] else f"[{low}, {high}]",
        "–" if group["undecided"] else p_value(group["p_holm"]),
        f"{group['n']:,}",
        group["verdict"],
    )
