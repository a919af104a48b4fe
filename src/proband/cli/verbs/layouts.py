"""What verbs print: each layout turns a result into lines and tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from proband.cli.commands import table, warning, words
from proband.core.files import figure, format_p

FINDINGS = 12  # on the terminal
KINDS = ("full", "partial", "none")  # of credit
SCORED = ("model", "replies", "published", "proved", "change", "p (Holm)", "read again")
REASONS = 5  # reasons on the terminal
COLUMNS = ("verb", "name", "state", "folder", "reason")


def evaluate_layout(made: Mapping[str, Any]) -> Iterable[Any]:
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


def compare_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    unit = "%" if result["unit"] == "share" else result["unit"]
    several = len(result.get("systems", ())) > 2
    named = "" if several else f": A = {result['a']}, B = {result['b']}"
    yield f"{result['suite']}, {result['metric']} ({unit}){named}"
    header: tuple[str, ...] = ("", "A", "B", "A - B", "95 % interval", "p (Holm)", "n", "")
    rows = [compared_row(group, result["unit"]) for group in result["groups"]]
    if several:
        header = ("system A", "system B", *header)
        rows = [(group["a"], group["b"], *cells) for group, cells in zip(result["groups"], rows)]
    yield from [result["asked"]] if result.get("asked") else []
    first = 3 if several else 1
    yield table(header, rows, numbers=(first, first + 1, first + 2, first + 4, first + 5))
    for label, count in result.get("left_out", {}).items():
        yield f"{label}: {count:,} items are left out because no other system has them"
    if (changed := result["groups"][0].get("changed")) and not several:
        yield "right by both {:,}, by A alone {:,}, by B alone {:,}, by neither {:,}".format(*changed)
    for each in result.get("equal") or ():
        shown = "too few to tell" if each["p"] is None else f"p = {format_p(each['p'])}"
        yield f"test that {each['a']} and {each['b']} differ by less than {each['points']:g} points: {shown}"
    if look := result.get("until"):
        ends = f"[{100 * look['low']:+.1f}, {100 * look['high']:+.1f}]"
        asked = f"{look['clusters']:,} of {look['of_clusters']:,} clusters ({look['items']:,} items)"
        shown = f"{100 * look['difference']:+.1f} {ends} after {asked}, valid at every look"
        yield f"{'decided' if look['decided'] else 'not decided'}: {shown}"
        if not look["decided"] and look["clusters"] < look["of_clusters"]:
            yield "to continue, extend both runs: proband run ITEMS -m MODEL -o RUN --until with a smaller half-width"
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
            f"With {result['tags']} tags, the chance that at least one shows a significant difference between equal "
            f"systems is up to {100 * chance:.0f} %. Choose the tag before looking, and trust it only if all items "
            "together differ."
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


def compared_row(group: Mapping[str, Any], unit: str) -> tuple[str, ...]:
    low, high = (figure(group[name], unit, sign="+") for name in ("low", "high"))
    return (
        group["group"],
        figure(group["mean_a"], unit),
        figure(group["mean_b"], unit),
        figure(group["difference"], unit, sign="+"),
        "–" if group["few"] else f"[{low}, {high}]",
        "–" if group["undecided"] else format_p(group["p_holm"]),
        f"{group['n']:,}",
        group["verdict"],
    )


def plan_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    now, power = result["now"], result["power"]
    yield {
        "basis": result["basis"],
        "goal": f"detect a difference of {result['difference']:g} at p < 0.05 with {100 * power:.0f} % power",
        "this design": f"{100 * now['power']:.0f} % power"
        + (f"; 80 % power to detect {now['detectable']:.3f}" if now["detectable"] is not None else "")
        + (" [{:.3f}, {:.3f}]".format(*now["interval"]) if now["interval"] else ""),
    }
    counted = [name for name in result["design"] if name != "effective_clusters"]
    ways = {
        "this design": result["design"],
        "needed, with clusters as large as these": result["more_clusters"],
        "needed, in these clusters": result["more_items_per_cluster"],
    }
    ends = [None, *(result["interval"] or {"": None, " ": None}).values()]
    rows = ((way, *(_number(name, each, both) for name in counted)) for (way, each), both in zip(ways.items(), ends))
    yield table(("", *counted), rows, numbers=tuple(range(1, 1 + len(counted))))
    if result["more_items_per_cluster"] is None:
        yield "–: no number of items is enough without more clusters"
    if result["interval"]:
        yield "[ ]: 95 % interval, given the variance between the pilot's clusters"


def _number(name: str, results: Mapping[str, int] | None, both: Sequence[Mapping[str, int] | None] | None) -> str:
    """A number with its interval.

    >>> _number("items", {"items": 1200}, [{"items": 700}, None]), _number("items", None, None)
    ('1,200 [700, –]', '–')
    """
    needed = f"{results[name]:,}" if results else "–"
    return f"{needed} [{', '.join(f'{end[name]:,}' if end else '–' for end in both)}]" if both else needed


def audit_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    below = ("page", "finding", "models", "credit", "check failed")
    yield {name: value for name, value in result.items() if name not in below and value not in ({}, [], None)}
    if findings := result.get("finding"):
        lines = [(each["rows"], each["severity"], each["claim"]) for each in findings[:FINDINGS]]
        yield table(("rows", "", "finding"), lines, numbers=(0,))
        if len(findings) > FINDINGS:
            yield f"... and {len(findings) - FINDINGS} more in findings.jsonl"
    if credit := result.get("credit"):
        lines = [(each["probe"], *(each.get("credit", {}).get(k, 0) for k in KINDS), each["fault"]) for each in credit]
        yield table(("reply", *KINDS, "fault"), lines, numbers=range(1, len(KINDS) + 1))
    for level, scores in result.get("models", {}).items():
        yield f"{level}: {scores['settled items']} of {scores['items']} items have a proved answer"
        if models := scores["models"]:
            shown = [
                *((name, models[name]) for name in scores["order"]["proved"]),
                ("all models", scores["all models"]),
            ]
            yield table(SCORED, (_scores(*each) for each in shown), numbers=range(1, len(SCORED)))
        for a, b in scores.get("swapped", ()):
            yield f"{a} is published as better than {b}; under the proved labels it is not"
    if result.get("page"):
        yield f"open {result['page']}"


def _scores(name: str, of: Mapping[str, Any]) -> tuple[str, ...]:
    """A model's scores before and after, with their 95 % intervals."""

    def cell(known: Mapping[str, float] | None, sign: str = "") -> str:
        if known is None:
            return "–"
        mean, low, high = (figure(each, sign=sign) for each in list(known.values())[:3])
        return f"{mean} [{low}, {high}]"

    p = of["change"].get("p corrected")
    change = cell(of["change"], "+"), "–" if p is None else format_p(p)
    return name, str(of["replies"]), cell(of["published"]), cell(of["proved"]), *change, cell(of["read again"])


def verify_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield table(("items", "checked"), ((count, method) for method, count in result["checked"].items()), numbers=(0,))
    yield from result["problems"]


def steps_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield {name: result[name] for name in ("replies", "statements", "follows from")}
    if not any(result["statements"].values()):
        yield "there is nothing to check: no reply has a statement about its story"
    outcomes = list(result["models"][0]["counts"])
    rows = [(each["model"], each["replies"], *(each["counts"][name] for name in outcomes)) for each in result["models"]]
    yield table(("model", "replies", *outcomes), rows, numbers=range(1, len(outcomes) + 2))
    for what in ("not checked", "unread because"):
        if reasons := list(result[what].items())[:REASONS]:
            yield table(("", what), [(count, why) for why, count in reasons], numbers=(0,))
    if judged := result.get("judge"):
        yield f"{judged['model']} as a judge of {judged['steps']} steps: {_share(judged['unread'])} without a verdict"
        quality = judged["wrong steps"].items()
        rows = [(name, own["steps"], _share(own["precision"]), _share(own["recall"])) for name, own in quality]
        yield table(("wrong steps", "steps", "precision", "recall"), rows, numbers=(1, 2, 3))
    yield f"open {result['page']}"


def _share(of: Mapping[str, Any]) -> str:
    ends = f"[{100 * of['low']:.0f}, {100 * of['high']:.0f}]" if "low" in of else "(too few)"
    return f"{100 * of['share']:.0f} % {ends}" if of["n"] else "-"


def study_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """The stages, the claims, and where the page is."""
    yield result["title"]
    columns = [name for name in COLUMNS if any(stage.get(name) is not None for stage in result["stages"])]
    rows = ([stage.get(name) for name in columns] for stage in result["stages"])
    yield table(columns, rows)
    if claims := result.get("claims"):
        yield ""
        yield table(("claims", ""), claims.items())
    if tables := result.get("tables"):
        yield f"\ntables: {words(tables)}"
    if result.get("page"):
        yield f"\nopen {result['page']}"


def demo_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{result['runs']} runs in {result['seconds']} s"
    for line in result["learnt"]:
        yield f"- {line}"
    for line in result["left_out"]:
        yield f"left out: {line}"
    yield f"open {result['page']}"


def train_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    """What net.json says."""
    yield {name: value for name, value in result.items() if name not in ("versions", "curve", "identity")}


def items_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    yield {name: result[name] for name in ("systems", "items", "suspects")}
    for sheet in result["sheets"]:
        yield sheet["title"]
        yield table(sheet["header"], sheet["rows"][:12])
        yield sheet["note"]
    if result.get("short"):
        yield {"short test": result["short"]}
    yield f"open {result['page']}"


def vary_layout(manifest: Mapping[str, Any]) -> Iterable[Any]:
    yield f"{manifest['items']:,} items of {manifest['suite']}, varied with seed {manifest['seed']}"
    rows = [
        (name, each["effect"], each["items"], sum(each["not_varied"].values()), next(iter(each["not_varied"]), ""))
        for name, each in manifest["variations"].items()
    ]
    yield table(("variation", "right answer", "items", "not varied", "most frequent reason"), rows, numbers=(2, 3))


def export_layout(result: Mapping[str, Any]) -> Iterable[Any]:
    what = "items" if "items" in result else "replies"
    yield f"{result[what]:,} {what} as {result['format']} in {result['out']}"
    of_steps = ("steps", "right", "wrong", "withheld")
    names = ("splits", "left_out", "licence", "model", "metric", "score", "files", *of_steps)
    rest = {name: result[name] for name in names if result.get(name)}
    if rest:
        yield rest
