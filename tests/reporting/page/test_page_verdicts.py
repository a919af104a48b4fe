"""In every suite, items can be filtered by whether a model is right, with filters in words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.pipeline.report import report

SUITES: dict[str, tuple[dict[str, Any], str, str]] = {  # options of build, a model, a label that was a raw tag name
    "analogy": ({"per_relation": 1}, "baseline:random", "wrong option, as the paper groups them"),
    "kinship": ({"task": "clean,memory", "k": "2,3", "per_k": 4}, "baseline:random", "facts to combine (k)"),
    "inference": ({"splits": "test"}, "solver:lemma", "holds in one direction only"),
    "script": ({"splits": "train,test"}, "solver:frequent", "number of blanks"),
}


@pytest.fixture(scope="module")
def page_of_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites")
    runs = []
    for name, (options, model, _) in SUITES.items():
        build(name, out=folder / "items" / name, seed=0, **options)
        runs.append(folder / "runs" / name)
        run(folder / "items" / name, model=model, out=runs[-1], cache=False)
    report(runs, out=folder / "report")
    return folder


@pytest.mark.parametrize("suite", SUITES)
def test_items_are_filtered_by_verdict(visit: Callable[..., Any], page_of_all: Path, suite: str) -> None:
    seen = visit(f"{suite}.html", of=page_of_all / "report")
    seen.items()
    page = seen.page
    labels = [text.split("\n")[0] for text in page.locator("#tags label").all_inner_texts()]
    assert SUITES[suite][2] in labels
    assert not [label for label in labels if "_" in label]
    counts = {}
    for verdict in ("right", "wrong", "partly right"):
        option = page.locator("select[name=answers] option", has_text=re.compile(rf" {verdict}$")).first
        if option.count():
            page.select_option("select[name=answers]", label=option.inner_text())
            text = page.locator("#found").inner_text()
            counts[verdict] = (
                0 if text.startswith("none") else int(re.findall(r"of ([\d,]+)", text)[0].replace(",", ""))
            )
    assert counts["wrong"] > 0
    if suite == "inference":  # the lemma baseline answers yes or no: its threshold is that answer
        assert counts == _right_and_wrong(page_of_all / "items" / suite, page_of_all / "runs" / suite)


def _right_and_wrong(items: Path, answers: Path) -> dict[str, int]:
    gold = [json.loads(line) for line in (items / "items.jsonl").read_text("utf-8").splitlines()]
    given = [json.loads(line) for line in (answers / "answers.jsonl").read_text("utf-8").splitlines()]
    right = sum(
        answer["scores"][item["gold"]] == max(answer["scores"]) for item, answer in zip(gold, given, strict=True)
    )
    return {"right": right, "wrong": len(gold) - right}
