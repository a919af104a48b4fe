"""`proband compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

GROUP = {
    "undecided": False,
    "group": "all", "mean_a": 0.5, "mean_b": 0.25, "difference": 0.25, "low": 0.1, "high": 0.4, "p": 0.01,
    "p_holm": 0.02, "n": 1200, "detectable": 0.05, "few": False, "verdict": "hf:a is better",
}  # fmt: skip


def test_groups_are_a_table(proband: Any, stage: Any) -> None:
    groups = [GROUP, {**GROUP, "group": "k=2", "p_holm": 0.4, "n": 60, "verdict": "not significant"}]
    made = stage(
        "compare", {"a": "hf:a", "b": "hf:b", "suite": "toy", "metric": "accuracy", "unit": "share", "groups": groups}
    )
    words = ["compare", "runs/a", "runs/b", "--by", "k", "--metric", "accuracy", "--items", "items"]
    assert proband(*words).splitlines() == [
        "toy, accuracy (%): A = hf:a, B = hf:b",
        "        A     B  A - B  95 % interval   p (Holm)      n",
        "all  50.0  25.0  +25.0  [+10.0, +40.0]    0.0200  1,200  hf:a is better",
        "k=2  50.0  25.0  +25.0  [+10.0, +40.0]    0.4000     60  not significant",
        "minimum detectable difference over all: 5.0",
    ]
    assert made.arguments == (Path("runs/a"), Path("runs/b"))
    assert made.given == {
        "items": Path("items"),
        "by": "k",
        "metric": "accuracy",
        "cluster": None,
        "split": "",
        "seed": 0,
    }
    assert proband.json(*words)["groups"] == groups


def test_a_solver_is_told_from_a_coin(proband: Any, items: Path) -> None:
    one, two = items.parent / "runs/adder", items.parent / "runs/random"
    proband("run", items, "-m", "solver:adder", "-o", one)
    proband("run", items, "-m", "baseline:random", "-o", two)
    result = proband.json("compare", one, two, "--by", "parity")
    assert [group["group"] for group in result["groups"]] == ["test items", "parity = 0", "parity = 1"]
    assert result["groups"][0]["mean_a"] == 1.0
    same = proband.json("compare", two, two)
    assert [group["verdict"] for group in same["groups"]] == ["not significant", "too few to tell", "too few to tell"]
    assert "no metric 'beauty'" in proband.fails("compare", one, two, "--metric", "beauty")
