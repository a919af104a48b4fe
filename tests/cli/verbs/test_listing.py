"""`proband list`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband import models, suites


def test_lists_are_complete(proband: Any, root: Path) -> None:
    found = proband.json("list")
    assert list(found) == ["suites", "models", "nets", "solvers", "prompts", "verbs", "tasks", "variations", "studies"]
    folders = {path.parent.name for path in (root / "src/proband/suites").glob("*/__init__.py")}
    assert {row["name"] for row in found["suites"]} == {*folders, "toy"} == set(suites.names())
    assert {f"{kind}:" for kind in models.KINDS if kind != "fake"} <= {row["name"] for row in found["models"]}
    for kind in ("prompts", "nets", "variations"):
        names = [row["name"] for row in found[kind]]
        assert len(names) == len(set(names))
    for suite in map(suites.suite, suites.names()):
        assert {solver.name for solver in suite.solvers} <= {row["name"] for row in found["solvers"]}
        assert {net.name for net in suite.nets} <= {row["name"] for row in found["nets"]}


def test_one_kind_comes_with_its_options(proband: Any) -> None:
    lines = [line.split(maxsplit=1) for line in proband("list", "models").splitlines()]
    assert ["phrases", "Vector of a phrase that is not in the table: the mean of its words, or none. [mean | none] "
            "(default: mean)"] in lines  # fmt: skip
    assert list(proband.json("list", "solvers")) == ["solvers"]
    assert "  phrases" not in proband("list")


def test_the_list_is_short_by_default(proband: Any) -> None:
    text = proband("list")
    assert len(text.splitlines()) < 25
    assert all(name in text for name in ("kinship", "baseline:", "solvers ("))


def test_models_are_completed(proband: Any) -> None:
    for words in (["-m", "emb"], ["--model", "emb"]):
        assert "embedded:smollm2" in proband("__complete", "run", "items", *words)
