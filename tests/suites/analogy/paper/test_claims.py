"""The claims as data: each says where the paper states it, selects items, and judges planted answers as planted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from proband.core.suite import Claim
from proband.core.types import Answer, Item, Run
from proband.reporting.claims import judge
from proband.reporting.numbers.study import AnsweredRun, ItemSet, Study
from proband.suites.analogy import SUITE
from proband.suites.analogy.paper.findings import CLOSE, LEAD, SIZE
from proband.suites.analogy.paper.frequency import BY_ITEM, BY_TUPLE, EXCEPTIONS
from proband.suites.analogy.paper.tables import derive


def test_statements_differ_and_name_their_section() -> None:
    statements = [claim.statement for claim in SUITE.claims]
    assert len(set(statements)) == len(statements)
    assert all(claim.source.startswith("section ") for claim in SUITE.claims)
    assert {claim.test for claim in SUITE.claims if claim.test} == {
        BY_ITEM,
        BY_TUPLE,
        SIZE,
        LEAD,
        CLOSE,
        EXCEPTIONS,
    }
    assert all(bool(claim.contrasts) + bool(claim.test) + bool(claim.across) == 1 for claim in SUITE.claims)
    assert all(claim.needs for claim in SUITE.claims)


@pytest.fixture(scope="module")
def tags(data: Path, built: Any) -> list[dict[str, Any]]:
    items = built(data=str(data / "bats"), faithful=True, per_relation=2)
    return [{**item.tags, **derive(item.tags)} for item in items]


@pytest.mark.data
@pytest.mark.parametrize("claim", [claim for claim in SUITE.claims if claim.contrasts], ids=lambda c: c.statement)
def test_both_sides_of_a_contrast_have_items_of_several_relations(tags: list[dict[str, Any]], claim: Claim) -> None:
    assert claim.per in ((), ("run.model", "setting"))
    for contrast in claim.contrasts:
        for side in (contrast.above, contrast.below):
            wanted = {**contrast.where, **side}
            assert wanted.pop("run.solver", "pppl") in {solver.name for solver in SUITE.solvers}
            found = {own["relation"] for own in tags if all(own[name] == value for name, value in wanted.items())}
            assert len(found) >= 2


# ---- planted answers are judged as planted -------------------------------------------------------------------------


def planted(items: Sequence[Item], solver: str = "pppl", **shares: float) -> AnsweredRun:
    """A run with a share of each probe's items right, morphology a fifth above semantics."""
    answers = []
    for number, item in enumerate(items):
        share = shares[str(item.tags["paper_probe"])] + 0.2 * (item.tags["group"] in ("DM", "IM"))
        right = (number * 7) % 20 < 20 * share
        scores = tuple(float((k == item.gold) == right) for k in range(len(item.choices)))
        answers.append(Answer(item_id=item.id, scores=scores))
    return AnsweredRun(run=Run(suite="analogy", solver=solver, model=solver, seed=0, items_sha=""), answers=answers)


def verdicts(items: Sequence[Item], *answered: AnsweredRun) -> dict[str, str]:
    study = Study(ItemSet(suite=SUITE, items_from=items, answered=answered), [SUITE.metric()], seed=0)
    return {verdict.statement: verdict.verdict for verdict in judge([(study, [])])}


@pytest.fixture(scope="module")
def items(built: Any) -> list[Item]:
    found: list[Item] = built(faithful=True, per_relation=20)
    return found


def test_a_finding_of_the_supervised_setting_is_not_asked_of_zero_shot_items(items: list[Item]) -> None:
    """The paper's own zero-shot row of RoBERTa-base has type below random."""
    study = Study(
        ItemSet(suite=SUITE, items_from=items, answered=[planted(items, random=0.7, reverse=0.3, type=0.3)]),
        [SUITE.metric()],
        seed=0,
    )
    found = {verdict.statement: verdict for verdict in judge([(study, [])])}
    random = found["random is harder than reverse"]
    assert (random.verdict, random.evidence, random.where) == (
        "open",
        "needs supervised runs of one model",
        "supervised",
    )
    kinds = found["semantic relations are harder than morphological ones (random)"]
    assert (kinds.systems, kinds.verdict) == ("pppl · zero-shot", "holds")


def test_planted_differences_hold_or_fail(items: list[Item]) -> None:
    items = [replace(item, tags={**item.tags, "setting": "supervised"}) for item in items]
    found = verdicts(items, planted(items, random=0.3, reverse=0.7, type=0.5))
    assert found["random is harder than reverse"] == "holds"
    assert found["type is harder than reverse"] == "holds"
    assert found["semantic relations are harder than morphological ones (random)"] == "holds"
    found = verdicts(items, planted(items, random=0.7, reverse=0.3, type=0.3))
    assert found["random is harder than reverse"] == "fails"
    assert found["type is harder than reverse"] == "not interpretable"  # both are below chance


def test_vectors_are_compared_with_language_models(items: list[Item]) -> None:
    vectors = planted(items, "difference", random=0.2, reverse=0.8, type=0.8)
    found = verdicts(items, vectors, planted(items, "pppl", random=0.5, reverse=0.5, type=0.5))
    assert {verdict for claim, verdict in found.items() if claim.startswith("static vectors")} == {"holds"}
    alone = verdicts(items, vectors, planted(items, "direct", random=0.5, reverse=0.5, type=0.5))
    assert {verdict for claim, verdict in alone.items() if claim.startswith("static vectors")} == {"open"}
