"""`proband compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband import stats
from proband.cli import main

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
        "all  50.0  25.0  +25.0  [+10.0, +40.0]     0.020  1,200  hf:a is better",
        "k=2  50.0  25.0  +25.0  [+10.0, +40.0]     0.400     60  not significant",
        "80 % power to detect a difference of 5.0 over all",
    ]
    assert made.arguments == (Path("runs/a"), Path("runs/b"))
    assert made.given == {
        "items": Path("items"),
        "by": "k",
        "metric": "accuracy",
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


def scores(path: Path, right: int, of: int = 200) -> Path:
    rows = [f"q{i},{int(i < right)}" for i in range(of)]
    path.write_text("\n".join(["item,correct", *rows]) + "\n", encoding="utf-8")
    return path


def test_a_check_for_a_regression(
    proband: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    base, same, bad = (scores(tmp_path / f"{name}.csv", n) for name, n in (("base", 160), ("same", 156), ("bad", 130)))
    check = ["compare", base, same, "--fail-if-worse", "2"]
    assert "not shown that same is worse than base by more than 2.0: 2.0 points" in proband(*check)
    found = proband.json(*check)["check"]
    assert found["failed"] is False
    assert found["low"] < found["limit"] == 0.02
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    capsys.readouterr()
    assert main(["compare", str(base), str(bad), "--fail-if-worse", "2"]) == 3
    out, err = capsys.readouterr()
    line = "bad is worse than base by 15.0 points [10.0, 20.0], more than 2.0 (chance of a false alarm: at most 2.5 %)"
    assert err == f"proband: {line}\n"
    assert out.splitlines()[-1] == f"::error title=proband compare::{line}"
    assert main(["compare", str(base), str(bad), "--fail-if-worse", "11"]) == 0  # within the interval
    assert main(["compare", str(bad), str(base), "--fail-if-worse", "0"]) == 0  # better
    assert capsys.readouterr().out.splitlines()[-1].startswith("::notice title=proband compare::not shown")


def test_a_check_that_cannot_be_made_is_an_error(proband: Any, tmp_path: Path) -> None:
    few = scores(tmp_path / "few.csv", 2, of=4)
    assert "too few to tell" in proband.fails("compare", few, few, "--fail-if-worse", "2")
    many = scores(tmp_path / "many.csv", 20)
    assert "needs two runs" in proband.fails("compare", many, many, many, "--fail-if-worse", "2")
    assert "0 or more" in proband.fails("compare", many, many, "--fail-if-worse=-1")


def test_false_alarms_are_as_rare_as_stated() -> None:
    """Two equal systems, 400 times over: the check at 0 points fails in at most 2.5 % of cases, give or take."""
    rng = np.random.default_rng(6)
    alarms = 0
    for _ in range(400):
        ease = rng.random(120)
        a, b = (rng.random((2, 120)) < ease).astype(float)
        alarms += stats.difference(a, b).low > 0
    assert alarms <= 20  # P(more than 20 of 400 at 2.5 %) is 0.1 %
