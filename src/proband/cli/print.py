"""What the command line prints for people (machines ask for --json)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from proband.core.types import Run


def listing(result: Mapping[str, list[dict[str, str]]]) -> str:
    lines = []
    for title, rows in result.items():
        width = max((len(row["name"]) for row in rows), default=0)
        lines += [title, *(f"  {row['name']:<{width}}  {row['what']}" for row in rows)]
    return "\n".join(lines)


def build(result: Mapping[str, Any]) -> str:
    skip = {"suite", "seed", "options", "items", "licence", "sha256", "versions"}
    lines = [f"{result['items']:,} items of {result['suite']}, seed {result['seed']}, licence: {result['licence']}"]
    lines += [f"  {key}: {brief(value)}" for key, value in result.items() if key not in skip]
    return "\n".join([*lines, f"  sha256: {result['sha256']['items.jsonl'][:16]}…"])


def brief(value: Any) -> str:
    text = ", ".join(f"{k} {brief(v)}" for k, v in value.items()) if isinstance(value, Mapping) else None
    if text is None:
        text = f"{value:.4g}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False).strip('"')
    return text if len(text) <= 300 else text[:299] + "…"


def run(result: Run) -> str:
    usage = f"; usage: {brief(result.usage)}" if result.usage else ""
    return f"{result.suite}: {result.model} answered with {result.solver}{usage}"


def compare(result: Mapping[str, Any]) -> str:
    rows = [("", "A", "B", "A - B", "95 % interval", "p (Holm)", "n", "")]
    for g in result["groups"]:
        rows.append(
            (
                g["group"],
                f"{g['mean_a']:.3f}",
                f"{g['mean_b']:.3f}",
                f"{g['difference']:+.3f}",
                f"[{g['low']:+.3f}, {g['high']:+.3f}]",
                f"{g['p_holm']:.4f}",
                f"{g['n']:,}",
                g["verdict"],
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    head = f"{result['suite']}, {result['metric']}: A = {result['a']}, B = {result['b']}"
    table = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    least = result["groups"][0]["detectable"]
    return "\n".join([head, *table, f"a true difference under {least:.3f} would most likely stay unseen in all items"])


def show(result: Mapping[str, Any]) -> str:
    lines, item = [result["text"]], result["item"]
    for said in result["answers"]:
        answer = said["answer"]
        mark = "" if said["right"] is None else f"  {said['right']:.2f}"
        lines.append(f"\n{said['model']} ({said['solver']}){mark}")
        ranked = sorted(zip(answer.scores, item.choices, strict=False), reverse=True)
        lines += [f"  {score:10.4f}  {choice}" for score, choice in ranked[:5]]
        lines += [f"  {brief(blank)}" for blank in answer.blanks]
        if answer.text:
            lines.append(f"  says: {answer.text[:500]}")
    return "\n".join(lines)


def mapping(result: Mapping[str, Any]) -> str:
    return "\n".join(f"{key}: {brief(value)}" for key, value in result.items())
