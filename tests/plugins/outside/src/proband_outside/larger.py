"""`larger`: people say which of two numbers is larger."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proband.core.files import read_items, write_jsonl
from proband_annotate.human_task import (
    WHOLE,
    Body,
    Figure,
    Form,
    HumanTask,
    Invalid,
    Unit,
    share,
)
from proband_annotate.results.collected import Collected


def units(path: Path) -> Iterator[Unit]:
    for item in read_items(path):
        body = {"prompt": item.prompt, "choices": list(item.choices)}
        yield Unit(id=item.id, body=body, gold=item.choices[item.gold or 0])


def answer(body: Body, form: Form) -> dict[str, Any]:
    if form.get("choice") not in ("0", "1"):
        raise Invalid("choice", "larger.invalid")
    return {"choice": body["choices"][int(form["choice"])]}


def labels(body: Body, given: Body) -> list[tuple[str, str]]:
    return [(WHOLE, given["choice"])]


def figures(results: Collected) -> dict[str, Figure]:
    given = results.counted()
    return {"right": share([each.answer["choice"] == each.gold] for each in given)}


def suite_input(results: Collected, folder: Path, project: Path) -> dict[str, Any]:
    rows = ({"item_id": part, "label": label} for part, label in results.labels.items())
    return {"numbers": write_jsonl(folder / "numbers.jsonl", rows), "next": f"wc -l {folder}/numbers.jsonl"}


LARGER = HumanTask(
    name="larger",
    page="proband_outside:larger.html",
    texts="proband_outside:larger.toml",
    sample="proband_outside:larger.jsonl",
    units=units,
    shown=lambda body: dict(body),
    unit_text=lambda body: str(body["prompt"]),
    choices=lambda body: body["choices"],
    answer=answer,
    fields=lambda body, given: {"choice": str(body["choices"].index(given["choice"]))},
    labels=labels,
    figures=figures,
    suite_input=suite_input,
    defaults={"people": {"overlap": 2}},
)
