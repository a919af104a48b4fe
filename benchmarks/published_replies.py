"""Replies that others published, scored again: the figures of experiments/replies.

    python benchmarks/published_replies.py DATA/published_replies/reasoning_gym [--write]

For every task the published scores are computed again from the answers that were read then (reasoning-gym's own
`score_answer`), to the last reply; then `proband audit FILE --replies FILE` scores them under the proved labels.
Written are counts, ids and verdicts; no text of a question or a reply.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import proband
from proband.core.files import write_json, write_text
from proband.reporting.charts import Axis, Mark, Picture, soft_text, svg
from proband_puzzles.formulas import PREMISE

HERE = Path(__file__).parent.parent / "experiments" / "replies"
TASKS = {  # task -> domain, world
    "family_relationships": ("kinship", "strict"),  # the world of its generator
    "syllogism": ("syllogism", "inhabited"),
    "aiw": ("aiw", ""),
    "propositional_logic": ("propositional_logic", ""),
    "knights_knaves": ("knights_knaves", ""),
    "zebra_puzzles": ("zebra_puzzles", ""),
}


def reproduced(path: Path, task: str) -> dict[str, Any]:
    """How many of the published scores their scorer gives again."""
    import reasoning_gym

    data = reasoning_gym.create_dataset(task, size=1, seed=45)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    same = sum(data.score_answer(row["read_answer"], entry(row)) == row["score"] for row in rows)
    return {"replies": len(rows), "scores reproduced": same, "version": reasoning_gym.__version__}


def entry(row: dict[str, Any]) -> dict[str, Any]:
    """The item as the scorer wants it; premises and their letters are in the question."""
    premises = PREMISE.findall(row["question"])
    letters = sorted({letter for each in premises for letter in each if letter.isalpha()})
    return {"answer": row["label"], "metadata": {"premises": premises, "variables": letters}}


def figure(tasks: dict[str, Any], level: str) -> Picture:
    """Published, proved and read again, a line per model and a panel per task."""
    marks: list[Mark] = []
    names: list[str] = []
    left, panel, lane = 210.0, 390.0, 22.0
    for number, (task, each) in enumerate(tasks.items()):
        models, order = each["levels"][level]["models"], each["levels"][level]["order"]["published"]
        axis = Axis(0.0, 1.0, left + number * panel + 20, left + (number + 1) * panel - 30, True)
        names = names or order
        marks.append(Mark(kind="text", at=(axis.start, 16), text=f"{task} ({level})", bold=True, size=13))
        for tick in axis.ticks():
            marks.append(
                Mark(kind="line", at=(axis(tick), 26, axis(tick), 26 + lane * len(names)), paint="soft", opacity=0.3)
            )
            marks.append(soft_text(axis(tick), 44 + lane * len(names), axis.name(tick)))
        for row, name in enumerate(names):
            y = 37 + lane * row
            if not number:
                marks.append(Mark(kind="text", at=(left + 8, y + 4), text=name.split("/")[-1], anchor="end"))
            before, after, again = (models[name][what] for what in ("published", "proved", "read again"))
            marks.append(Mark(kind="line", at=(axis(before["mean"]), y, axis(again["mean"]), y), paint="soft", width=2))
            marks.append(Mark(kind="dot", at=(axis(again["mean"]), y, 5), paint="m2", shape="triangle"))
            marks.append(Mark(kind="dot", at=(axis(after["mean"]), y, 5), paint="m0"))
            marks.append(Mark(kind="dot", at=(axis(before["mean"]), y, 5), paint="m1", hollow=True))
    bottom = 70 + lane * len(names)
    key = (("m1", True, "circle", "published"), ("m0", False, "circle", "proved labels"))
    for place, (paint, hollow, shape, text) in enumerate((*key, ("m2", False, "triangle", "and replies read again"))):
        x = left + 20 + 150 * place
        marks.append(Mark(kind="dot", at=(x, bottom - 4, 5), paint=paint, hollow=hollow, shape=shape))
        marks.append(Mark(kind="text", at=(x + 12, bottom), text=text))
    title = "Accuracy as published, under the proved labels, and with whole replies read again"
    return Picture(
        width=left + panel * len(tasks), height=bottom + 14, marks=tuple(marks), title=title, description="By model."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true", help="write experiments/replies")
    given = parser.parse_args()
    figures: dict[str, Any] = {}
    for task, (domain, world) in TASKS.items():
        path = given.data / f"{task}.jsonl.gz"
        with tempfile.TemporaryDirectory() as folder:
            audited = proband.audit(path, out=folder, domain=domain, world=world, replies=path)
            scores = json.loads((Path(folder) / "replies.json").read_text())
            lists = (Path(folder) / "exclusions.jsonl").read_text()
        counts = {name: audited[name] for name in ("rows", "verdicts", "second prover", "finding")}
        figures[task] = {**reproduced(path, task), **counts, "readers": scores["readers"], "levels": scores["levels"]}
        print(task, {name: figures[task][name] for name in ("replies", "scores reproduced", "verdicts", "readers")})
        if given.write:
            write_json(HERE / f"{task}.json", figures[task])
            if lists:
                write_text(HERE / f"{task}.exclusions.jsonl", lists)
    if given.write:
        shown = {task: figures[task] for task in ("family_relationships", "syllogism")}
        write_text(HERE / "scores.svg", svg(figure(shown, "easy")))


if __name__ == "__main__":
    main()
