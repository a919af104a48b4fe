"""What a run is made of, and what must not happen before it begins: no guess, no request, no wrong net."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import proband
from proband import suites
from proband.core.errors import ProbandError
from proband.pipeline.asking.setup import (
    LoadedModels,
    RunSetup,
    check_name,
    choose_solver,
    example_pool,
    load_model,
    load_net,
    loading_of,
    sum_usage,
    usage_since,
)
from proband.pipeline.run import errors_allowed
from proband.pipeline.run_options import RunOptions

KINSHIP = suites.suite("kinship")


@pytest.mark.parametrize("most", ["many", "-1", "2.5", "10%%", "", "nan", "inf%"])
def test_a_limit_of_errors_that_is_no_number_is_refused(most: str) -> None:
    with pytest.raises(ProbandError, match=r"'max-errors' is .*; it must be a number of items, or a share such as 10%"):
        errors_allowed(most, 30)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("solver:nobody", "no 'solver:nobody' for kinship; there is solver:"),
        ("net:nowhere", "net:nowhere: no "),
        ("hf:./nowhere", "hf:./nowhere: no such file or folder"),
        ("vec:/nowhere/v.txt", "no such file or folder"),
        ("nokind:x", "nokind"),
    ],
)
def test_a_model_that_cannot_be_there_is_named_without_loading_it(spec: str, message: str) -> None:
    with pytest.raises(ProbandError, match=message):
        check_name(spec, KINSHIP)


def test_a_net_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "net.json").write_text(json.dumps({"suite": "kinship", "net": "gone"}))
    with pytest.raises(ProbandError, match="kinship has no net 'gone'"):
        load_net(tmp_path, f"net:{tmp_path}", {})


def test_a_model_is_loaded_once_for_what_decides_it() -> None:
    """Its options, and for a suite's own models the suite and the seed; alone it leaves no other in the memory."""
    loaded, analogy, scripted = LoadedModels(), suites.suite("analogy"), "proband.models.fake:ScriptedModel"
    model = loaded.of(scripted, KINSHIP, seed=0)
    assert loaded.of(scripted, analogy, seed=1) is model
    assert loaded.of(scripted, KINSHIP, {"default": -1.0}, seed=0) is not model
    own = loaded.of("baseline:majority", KINSHIP, seed=0)
    assert loaded.of("baseline:majority", KINSHIP, seed=0) is own
    assert loaded.of("baseline:majority", analogy, seed=0) is not own
    assert loaded.has(scripted)
    loaded.of("baseline:majority", KINSHIP, seed=1, alone=True)
    assert not loaded.has(scripted)
    loaded["mine", ""] = own
    assert loaded.of("mine", KINSHIP, seed=7) is own


def test_a_named_solver_is_taken_or_refused_and_of_several_the_first_that_fits() -> None:
    majority = load_model("baseline:majority", suite=KINSHIP)
    with pytest.raises(ProbandError, match=r"solver likelihood needs a model that .*; baseline:majority does not"):
        choose_solver(KINSHIP, majority, "likelihood")
    assert choose_solver(KINSHIP, majority, "likelihood,direct").name == "direct"
    with pytest.raises(ProbandError, match="supports none of the solvers likelihood,generate"):
        choose_solver(KINSHIP, majority, "likelihood,generate")


def test_a_server_is_asked_nothing_for_a_dry_run() -> None:
    def given(options: RunOptions, spec: str = "openai:m@http://localhost:1/v1") -> dict[str, Any]:
        return loading_of(spec, KINSHIP, options, silent=True)

    ((option, scores),) = given(RunOptions()).items()
    assert scores is False
    assert given(RunOptions(solver="likelihood")) == {option: True}
    own = RunOptions(model_options={option: True})
    assert given(own) == given(own, "baseline:majority") == {option: True}
    assert given(RunOptions(), "baseline:majority") == {}


def test_worked_examples_are_training_items_and_the_same_for_the_same_seed(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, k="2", per_k=30, hold_out="clauses", test_per_k=5)
    pools = [example_pool(tmp_path, suite="kinship", seed=seed) for seed in (0, 0)]
    assert pools[0] == pools[1]
    assert {item.split for item in pools[0]} == {"train"}
    with pytest.raises(ProbandError, match="contains items of kinship, not of script"):
        example_pool(tmp_path, suite="script", seed=0)


def test_a_run_refuses_an_option_that_its_solver_does_not_have(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, k="2", per_k=1)
    with pytest.raises(ProbandError, match="solver direct has no option 'x'"):
        RunSetup(tmp_path, "baseline:random", RunOptions(solver="direct", options={"x": 1}))


@pytest.mark.parametrize(
    ("parts", "total"),
    [
        ([], {}),
        ([{"cost": None}, {"cost": None}], {"cost": None}),
        ([{"cost": None}, {"cost": 2.0}], {"cost": 2.0}),
        ([{"longest_seconds": 3.0, "without_usage": 1.0}] * 2, {"longest_seconds": 3.0, "without_usage": 2.0}),
    ],
)
def test_what_is_not_known_is_not_counted_as_nothing(parts: list[Any], total: dict[str, Any]) -> None:
    assert sum_usage(parts) == total


def test_an_earlier_run_of_the_same_model_is_not_paid_twice() -> None:
    before = {"requests": 4.0, "longest_seconds": 3.0}
    assert usage_since({"requests": 9.0, "longest_seconds": 3.0}, before) == {"requests": 5.0, "longest_seconds": 3.0}
