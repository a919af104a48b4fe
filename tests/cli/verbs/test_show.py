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
