"""`proband compare`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from proband.cli.arguments_and_output import Json, Points, Scored, give, table, warning
from proband.core.files import figure, p_value


def compare(
    run_a: Path,
    run_b: Path,
    /,
    *more: Path,
    by: Annotated[str | None, Parameter(metavar="TAG")] = None,
    metric: Annotated[str | None, Parameter(metavar="METRIC")] = None,
    cluster: Annotated[str | None, Parameter(metavar="FIELD")] = None,
    equal_within: Points = None,
    until: Literal["", "decided"] = "",
    fail_if_worse: Points = None,
    scored: Scored = Scored(),  # noqa: B008
    json: Json = False,
) -> None:
    """Compare runs by paired, clustered significance tests.

    Logs: samples_*.jsonl of lm-eval, .eval and .json of inspect_ai, CSV or JSON lines of item, correct, cluster.

    Example: proband compare runs/mlm runs/smollm2

    :param run_a: Folder of the first run, or a log of another tool.
    :param run_b: The second run or log, on the same items.
    :param more: Further runs or logs: all pairs are compared.
    :param by: One test for each value of this tag, with Holm's correction.
    :param metric: Name of the metric (default: the main one).
    :param cluster: Field of a log with what items share (default: cluster or clusters).
    :param equal_within: Test whether the runs differ by less than this either way.
    :param until: decided: test after every cluster whether two runs differ, valid at every look; asks nothing.
    :param fail_if_worse: Exit with code 3 if the second run is worse than the first by more than this.
    """
    from proband.pipeline.compare import compare

    wanted: dict[str, Any] = {"by": by, "metric": metric, "cluster": cluster, "until": until}
    result = compare(run_a, run_b, *more, **wanted, equal_within=equal_within, **asdict(scored))
    if fail_if_worse is None:
        give(result, layout, json=json)
    else:
        _check(result, fail_if_worse, json=json)


def _check(result: dict[str, Any], points: float, *, json: bool) -> None:
    """Print the comparison and whether it shows a regression; an annotation in a workflow of GitHub."""
    from proband.core.errors import CheckFailed
    from proband.pipeline.compare import worse

    check = worse(result, points)
    give({**result, "check": check}, layout, json=json)
    message = check_message(check, result["unit"])
    if os.environ.get("GITHUB_ACTIONS") == "true" and not json:
        print(f"::{'error' if check['failed'] else 'notice'} title=proband compare::{message}")
    if check["failed"]:
        raise CheckFailed(message)


def check_message(check: Mapping[str, Any], unit: str) -> str:
    """The outcome of a check for a regression in one line."""
    drop, low, high, limit = (figure(check[n], unit) for n in ("drop", "low", "high", "limit"))
    points = "points" if unit == "share" else unit
    what = f"{check['new']} is worse than {check['base']} by"
    if check["failed"]:
        alarm = f"chance of a false alarm: at most {check['false_alarm']:.1%}"
        return f"{what} {drop} {points} [{low}, {high}], more than {limit} ({alarm})"
    seen = "the runs agree" if check["detectable"] is None else f"80 % power for {figure(check['detectable'], unit)}"
    return f"not shown that {what} more than {limit}: {drop} {points} [{low}, {high}]; {seen}"


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
        yield check_message(result["check"], result["unit"])
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
