"""`proband show`."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_the_item_and_every_answer(proband: Any, items: Path) -> None:
    for model in ("solver:adder", "baseline:random"):
        proband("run", items, "-m", model, "--split", "all", "-o", items.parent / "runs" / model.replace(":", "-"))
    text = proband("show", items, "sum-3")
    assert text.startswith("3 + 2 = ?\n\nbaseline:random (direct)  score ")
    assert text.endswith("\nsolver:adder (direct)  score 1.00\n      1.0000  5\n      0.0000  6\n")
    one, two = (items.parent / "runs" / name for name in ("solver-adder", "baseline-random"))
    assert proband("show", one, "sum-3").count("direct") == 1
    assert proband("show", items, "sum-3", "--runs", one, two).count("direct") == 2
    found = proband.json("show", items, "sum-3", "--runs", one)
    assert found["item"]["id"] == "sum-3"
    assert [each["model"] for each in found["answers"]] == ["solver:adder"]


def test_without_a_name_some_items_are_listed_and_wrong_ones_shown(proband: Any, items: Path) -> None:
    run = items.parent / "run"
    proband("run", items, "-m", "baseline:random", "-o", run)
    listed = proband("show", items)
    assert listed.splitlines()[1].split()[0] == "sum-1" or "sum-" in listed
    assert listed.endswith("one of them: proband show FOLDER ITEM\n")
    assert len(proband.json("show", run)) == 10
    wrong = proband.json("show", run, "--wrong", 2)
    assert len(wrong) == 2
    assert all(each["answers"][0]["right"] < 0.5 for each in wrong)
    assert proband("show", run, "--wrong", 2).count("----") == 2
    proband("run", items, "-m", "solver:adder", "-o", items.parent / "right")
    for words, message in {
        ("--prompt", "-m", "solver:adder"): "name the item",
        ("sum-3", "--wrong", "2"): "--wrong chooses the items",
        ("sum-3", "--solver", "nope"): "--solver needs the model",
        ("sum-3", "--prompt"): "--prompt needs the model",
    }.items():
        assert message in proband.fails("show", run, *words)
    assert "no item is wrong" in proband("show", items.parent / "right", "--wrong", 2)
    assert "is not a run; --wrong needs the folder of a run" in proband.fails("show", items, "--wrong", 2)
