"""a : b :: c : ? by the formulas written out, one question at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from proband import suites
from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.pipeline.build import build
from proband.pipeline.compare import compare
from proband.pipeline.run import run
from proband.suites.analogy.relations import Relation, rank_of, reciprocal_rank, top1
from proband.suites.analogy.solvers import retrieval

Vector = NDArray[np.float64]


def slow(method: str, a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    def cos(x: Vector, y: Vector) -> float:
        return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))

    if method == "3cosadd":
        return cos(d, b) - cos(d, a) + cos(d, c)
    if method == "3cosmul":
        return (cos(d, b) + 1) / 2 * (cos(d, c) + 1) / 2 / ((cos(d, a) + 1) / 2 + 1e-3)
    if method == "similar-to-b":
        return cos(d, c)
    a, b, c, d = (x / np.linalg.norm(x) for x in (a, b, c, d))
    return cos(d - c, b - a) if not np.allclose(d, c) else 0.0


@pytest.fixture(scope="module")
def world(own: list[Relation], planes: Any, built: Any) -> tuple[Any, list[Item]]:
    relations = [r for r in own if r.name in ("capital : country", "verb : past")]
    return planes(relations), built(setting="retrieval", per_relation=12, relations="capital, verb : past")


@pytest.mark.parametrize("exclude", [True, False])
@pytest.mark.parametrize("method", list(retrieval.METHODS))
def test_ranks_are_those_of_the_formula(
    world: tuple[Any, Sequence[Item]], solve: Any, method: str, exclude: bool
) -> None:
    model, items = world
    answers = solve("retrieval", items, model, method=method, exclude=exclude)
    for item, answer in zip(items, answers, strict=True):
        asked = [w.lower() for w in (*item.facts["query"], item.facts["head"])]
        a, b, c = (model.table[model.row[w]].astype(float) for w in asked)
        scores = {
            word: slow(method, a, b, c, model.table[at].astype(float))
            for word, at in model.row.items()
            if not (exclude and word in asked)
        }
        golds = [w.lower() for w in item.facts["answers"] if w.lower() in scores]
        best = max(scores[w] for w in golds) if golds else -np.inf
        rank = 1 + sum(s > best + 1e-6 for s in scores.values())
        if golds and method != "pair-direction":  # where d = c its score is 0/0
            assert rank_of(answer) == pytest.approx(rank, abs=1)
        if method == "3cosadd" and exclude:
            assert answer.text == max(scores, key=lambda w: scores[w])


def test_one_offset_per_relation_is_found_and_exclusion_matters(world: tuple[Any, Sequence[Item]], solve: Any) -> None:
    model, items = world
    got = {
        (method, exclude): np.mean(
            [
                top1(i, a)
                for i, a in zip(items, solve("retrieval", items, model, method=method, exclude=exclude), strict=True)
            ]
        )
        for method in ("3cosadd", "similar-to-b", "lrcos")
        for exclude in (True, False)
    }
    assert got["3cosadd", True] > 0.9
    assert got["similar-to-b", False] == 0  # c itself is nearest to c
    assert got["3cosadd", True] > got["similar-to-b", True]
    assert got["lrcos", True] > 0.3


def test_logistic_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 6))
    y = (x @ rng.normal(size=6) + rng.normal(size=80) > 0.3).astype(float)
    ours = retrieval.logistic(x, y, ridge=0.5)
    theirs = LogisticRegression(C=2.0, tol=1e-10, max_iter=2000).fit(x, y)
    assert np.allclose(ours[:-1], theirs.coef_[0], atol=1e-4)
    assert ours[-1] == pytest.approx(theirs.intercept_[0], abs=1e-4)


def test_unknown_words_count_as_wrong_and_other_settings_are_refused(
    own: list[Relation], planes: Any, built: Any, solve: Any
) -> None:
    relation = [r for r in own if r.name == "verb : past"]
    items = built(setting="retrieval", per_relation=0, relations="verb : past")
    model = planes(relation, unknown=["went"])
    lost = [i for i in items if "went" in i.facts["answers"]]
    for item, answer in zip(lost, solve("retrieval", lost, model), strict=True):
        assert rank_of(answer) is None
        assert top1(item, answer) == reciprocal_rank(item, answer) == 0
    with pytest.raises(ProbandError, match="retrieval"):
        solve("retrieval", built(per_relation=2)[:1], model)
    with pytest.raises(ProbandError, match="'method' is"):
        solve("retrieval", items, model, method="4cosadd")


def test_a_finished_run_is_called_finished_and_compares_by_what_applies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build("analogy", out=tmp_path / "items", setting="retrieval", per_relation=1, relations="capital, verb : past")
    for method in ("3cosadd", "similar-to-b"):
        how: dict[str, Any] = {"solver": "retrieval", "options": {"method": method, "words": 5000}}
        run(tmp_path / "items", model="embedded:glove", out=tmp_path / method, **how)
    result = compare(tmp_path / "3cosadd", tmp_path / "similar-to-b")
    assert result["metric"] == "top1"
    assert result["groups"][0]["n"] == 2
    assert "not finished" not in capsys.readouterr().err


def test_no_solver_has_an_option_with_the_name_of_a_setting_of_runs() -> None:
    own = {"limit", "split", "asked", "too-long", "prompts-per-item"}
    for suite in map(suites.suite, suites.BUILT_IN):
        for solver in suite.solvers:
            assert not own & {field.name.replace("_", "-") for field in fields(solver.options)}, solver.name
