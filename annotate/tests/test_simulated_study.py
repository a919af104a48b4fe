"""A study of every kind with twenty workers and three spammers: what is paid is what the pages promised, to the cent
and in every outcome; the labels are better without the people who failed checks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from proband_annotate.results.payments import payments
from proband_annotate.site.context import open_project

if TYPE_CHECKING:
    from annotate.tests.simulated import KINDS, SPAMMERS, Study, Visit, truth
    from annotate.tests.visitors import edit
else:
    from simulated import KINDS, SPAMMERS, Study, Visit, truth
    from visitors import edit

LABELS = {"judge": ("yes", "no", "nonsense"), "review": ("good", "bad")}


BY_DAY = ("judge",)


@pytest.fixture(
    scope="module",
    params=[kind if kind in BY_DAY else pytest.param(kind, marks=pytest.mark.nightly) for kind in KINDS],
)
def study(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    made = Study(tmp_path_factory.mktemp(request.param), request.param)
    made.run()
    yield made
    made.close()


@pytest.mark.slow
def test_people_are_paid_and_counted_as_they_should_be(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    """One test of one study, so that no two workers make it."""
    everybody_is_paid_what_their_pages_promised(study)
    if study.kind in (*LABELS, "solve"):  # texts have no labels
        labels_with_and_without_people_who_failed(study, capsys)
    the_switch_counts_them_again(study)


def everybody_is_paid_what_their_pages_promised(study: Study) -> None:
    rows = {row["person"]: row for row in payments(study.collected(), study.study.secret)}
    outcomes: dict[str, list[Visit]] = {}
    for who in study.visits:
        row = rows.get(who.number)
        if who.plan == "be erased":
            assert row is None
            outcomes.setdefault("erased", []).append(who)
            continue
        assert row is not None
        outcomes.setdefault("rejected" if row["decision"] else row["outcome"], []).append(who)
        paid = Decimal(str(row["total"]))
        if row["decision"] == "rejected":
            assert paid == 0
            continue
        assert row["tasks"] == who.sent == len(who.counters), "each counted task is paid"
        assert paid == who.promised() == who.stated(), (who.plan, row, who.end)
    erased = rows[""]  # belongs to nobody any more
    assert Decimal(str(erased["total"])) == outcomes["erased"][0].promised()
    assert {"done", "stopped", "returned", "rejected", "erased"} <= outcomes.keys()
    if study.kind in ("judge", "solve", "simplify"):  # a review has no known answer, a story that is sent has passed
        assert "screened_out" in outcomes
    assert {0, 1, 3} <= {who.sent for who in outcomes["stopped"]}
    finished = outcomes["done"][0]
    whole = finished.consent[1]
    assert whole == f"You can do up to {finished.sent} tasks.", "the consent, the counter and the end agree"
    assert finished.counters[-1] == f"Task {finished.sent} of {finished.sent}"
    if study.kind in LABELS or study.kind == "solve":
        assert len(outcomes["failed_checks"]) >= (1 if study.kind == "review" else SPAMMERS - 1)
    else:  # what is no story is refused, so that a spammer stops
        assert all(who.refused for who in study.visits if who.plan == "spam")


def labels_with_and_without_people_who_failed(study: Study, capsys: pytest.CaptureFixture[str]) -> None:
    assert study.missing() == 0, "the places of people who failed were opened again and filled"
    without, with_failed = votes_of(study, failed=False), votes_of(study, failed=True)
    answers = [share_right(study, votes, each=True) for votes in (without, with_failed)]
    labels = [share_right(study, votes, each=False) for votes in (without, with_failed)]
    with capsys.disabled():
        print(
            f"\n{study.kind}: right answers {answers[0]:.3f} without people who failed, {answers[1]:.3f} with them;"
            f" right labels {labels[0]:.3f} and {labels[1]:.3f}"
        )
    failed = {person["id"] for person in study.collected().people if person["outcome"] == "failed_checks"}
    sent = sum(each.person_id in failed for each in study.collected().answers)
    assert answers[0] >= answers[1] - 0.01 if sent else answers[0] == answers[1]
    assert labels[0] >= labels[1] - 0.02
    assert labels[0] > 0.85


def the_switch_counts_them_again(study: Study) -> None:
    """Where their places are still free; a full study has none, and says nothing."""
    failed = [each for each in study.collected().people if each["outcome"] == "failed_checks"]
    edit(study.folder, "count-failed = false", "count-failed = true")
    again = open_project(study.folder)
    again.database.close()
    edit(study.folder, "count-failed = true", "count-failed = false")
    assert bool(again.applied) == (bool(failed) and study.missing() > 0)


Votes = dict[tuple[str, str], list[str]]


def votes_of(study: Study, *, failed: bool) -> Votes:
    """The answers that count; with `failed`, those that came first, whoever sent them: as many for each unit."""
    found = study.collected()
    votes: Votes = {}
    rejected = {person["id"] for person in found.people if person["decision"] == "rejected"}
    for each in sorted(found.answers, key=lambda each: each.created):
        if each.person_id in rejected or (each.slot is None and not failed):
            continue
        for part, label in zip(each.parts, each.labels, strict=True):
            some = votes.setdefault((each.unit, part), [])
            if len(some) < study.study.project.people.overlap:
                some.append(label)
    return votes


def share_right(study: Study, votes: Votes, *, each: bool) -> float:
    """Of the answers, or of the majority's labels."""
    rows = {row.name: row for row in study.units.values()}
    hits: list[bool] = []
    for (unit, part), given in votes.items():
        solve = study.kind == "solve"
        right = json.loads(rows[unit].gold) if solve else truth(study.kind, part, LABELS[study.kind])
        chosen = given if each else [max(sorted(set(given)), key=given.count)]
        hits += [label == right for label in chosen]
    return sum(hits) / len(hits)
