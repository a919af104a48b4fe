"""`proband plan`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def test_a_plan_from_items_from_one_run_and_from_two(proband: Any, items: Path) -> None:
    one, two = items.parent / "runs/adder", items.parent / "runs/random"
    proband("run", items, "-m", "baseline:random", "-o", two)
    proband("run", items, "-m", "baseline:majority", "-o", one)
    sources = ((items,), (two,), (two, one))
    found = [proband.json("plan", *source) for source in sources]
    for source, each in zip(sources, found):
        small = proband.json("plan", *source, "-d", "0.02")
        assert small["more_clusters"]["items"] > each["more_clusters"]["items"]
        assert 0 < each["now"]["power"] < 1
    assert [each["basis"].split()[0] for each in found] == ["assumed:", "pilot", "pilot"]
    assert found[0]["interval"] is None  # nothing was measured
    for each in found[1:]:
        low, high = each["interval"]["more_clusters"]
        assert low["items"] < each["more_clusters"]["items"] < high["items"]
        assert each["now"]["interval"] is None  # at its upper end a dozen items detect no possible difference
    low, high = found[2]["interval"]["more_clusters"]
    assert f"{found[2]['more_clusters']['items']:,} [{low['items']:,}, {high['items']:,}]" in proband("plan", two, one)
    printed = proband("plan", items, "--by", "parity", "-d", "0.3")
    assert "needed, with clusters as large as these" in printed
    assert "a difference of 0.3 at p < 0.05" in printed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere",), "nowhere: no such file"),
        (("ITEMS", "-d", "-1"), "--difference is -1"),
        (("ITEMS", "-d", "5"), "difference is 5: a difference of shares is below 1"),
        (("ITEMS", "--metric", "accuracy"), "--metric accuracy needs a pilot run"),
        (("ITEMS", "--power", "2"), "--power is 2"),
        (("ITEMS", "--accuracy", "1"), "--accuracy is 1"),
        (("ITEMS", "--by", "colour"), "have no tag 'colour'"),
    ],
)
def test_what_cannot_be_planned_is_said(proband: Any, items: Path, words: tuple[str, ...], said: str) -> None:
    code, _, err = proband.run("plan", *(items if word == "ITEMS" else word for word in words))
    assert code == 2
    assert said in err


def test_a_pilot_that_does_not_know_an_item(proband: Any, items: Path) -> None:
    """As GloVe in the README, which one item of the first build is unknown to."""
    runs = items.parent / "runs"
    for seed in (0, 1):
        proband("run", items, "-m", "baseline:random", "--seed", seed, "-o", runs / str(seed))
    answers = runs / "0" / "answers.jsonl"
    first, *rest = answers.read_text().splitlines(keepends=True)
    answer = json.loads(first) | {"scores": [], "status": "not covered"}
    answers.write_text(json.dumps(answer) + "\n" + "".join(rest))
    plan = proband.json("plan", runs / "0", runs / "1")
    assert plan["design"]["items"] == len(rest)
