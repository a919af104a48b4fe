"""What the first screen says: nothing of guessers, nothing that unread replies explain."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray

from proband.core.metrics import ACCURACY
from proband.core.suite import Table
from proband.core.types import Answer, Item, Run
from proband.reporting.findings import sentences
from proband.reporting.numbers.comparisons import comparisons, holm_corrected
from proband.reporting.numbers.score_tables import fill
from proband.reporting.numbers.study import AnsweredRun, ItemSet, Study
from proband.suites import suite

KINDS = "abcdef"
TABLE = Table(name="t", title="t", rows=(), columns=("kind",), metric="accuracy")
FINDINGS = ("furthest", "has the highest")
Flags = NDArray[np.bool_]


def said(right: Flags, unread: Flags | None = None) -> list[str]:
    """The first-screen sentences about models (the rows of `right`) on items of six kinds with two choices each."""
    study = study_of(right, unread)
    return sentences(study, fill(study, TABLE), comparisons(study))


def study_of(right: Flags, unread: Flags | None = None, *, nets: int = 0) -> Study:
    """The first of the models are `nets`, each trained with one seed."""
    items = [
        Item(id=str(i), suite="analogy", prompt="?", choices=("x", "y"), gold=0, tags={"kind": KINDS[i % 6]})
        for i in range(right.shape[1])
    ]
    answered = []
    for at, row in enumerate(right):
        answers = [
            Answer(item_id=item.id, status="unread", text="?")
            if unread is not None and unread[at, i]
            else Answer(item_id=item.id, scores=(float(row[i]), 1.0 - float(row[i])))
            for i, item in enumerate(items)
        ]
        net = {"net": f"net{at}"} if at < nets else {}
        run = Run(suite="analogy", solver="choose", model=f"m{at}", seed=0, items_sha="", net=net)
        answered.append(AnsweredRun(run=run, answers=answers))
    own = dataclasses.replace(suite("analogy"), metrics=(ACCURACY,), tables=(TABLE,))
    return Study(ItemSet(suite=own, items_from=items, answered=answered))


def findings_about_guessers(models: int, reports: int, *, items: int = 120) -> float:
    """The share of reports that say anything of models which all guess."""
    rng = np.random.default_rng(models)
    found = (said(rng.random((models, items)) < 0.5) for _ in range(reports))
    return sum(any(word in each for each in report for word in FINDINGS) for report in found) / reports


@pytest.mark.nightly
@pytest.mark.parametrize("models", [2, 8])
def test_of_guessers_nothing_is_said_to_stand_out(models: int) -> None:
    """In 8 % of reports at most: 5 % for the headline, the rest for what is chosen among cells."""
    assert findings_about_guessers(models, 200) <= 0.08


def test_what_stands_out_is_said() -> None:
    right = np.random.default_rng(0).random((3, 240)) < 0.5
    right[0, np.arange(240) % 6 == 2] = True
    found = said(right)
    assert any(each.startswith("m0 is furthest above chance on c: by 50.0 points") for each in found)


def test_unread_replies_are_no_finding() -> None:
    """Half of the replies of m1 on kind b could not be read: it is not furthest below chance there, and
    m0 does not lead because of them."""
    rng = np.random.default_rng(0)
    right, unread = rng.random((2, 240)) < 0.5, np.zeros((2, 240), dtype=bool)
    unread[1, np.arange(240) % 6 == 1] = rng.random(40) < 0.9
    found = said(right, unread)
    assert not any("furthest below" in each for each in found)
    assert any("15 % of the replies of m1 are unread" in each for each in found), found


def test_two_networks_that_were_trained_once_have_a_difference_and_no_test() -> None:
    """A placeholder p of 1 entered Holm's correction, and the page said that the items do not decide."""
    study = study_of(np.random.default_rng(1).random((3, 240)) < np.array([[0.95], [0.4], [0.2]]), nets=2)
    compared = comparisons(study)
    untested = [each for each in compared if {each.a, each.b} == set(study.system_labels[:2])]
    assert len(untested) == 7  # all items, and six kinds
    for each in untested:
        assert (each.p, each.p_holm, each.detectable, each.clear) == (None, None, None, False)
        assert each.record()["undecided"]
    tested = [each for each in compared if each not in untested]
    assert all(each.p is not None for each in tested)  # a net against a model that is not trained
    together = holm_corrected(compared, together=True)
    assert [each.tests for each in together if each.p is not None and not each.group] == [2, 2]
    first = sentences(study, fill(study, TABLE), compared)[0]
    assert "these two trained networks differ by" in first
    assert "each was trained once" in first
    assert "Holm" not in first
