"""A unit on which people disagree is given to more of them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from proband_annotate import visit
from proband_annotate.store.schema import units

if TYPE_CHECKING:
    from annotate.tests.assigning import advance, come, opened, send
    from annotate.tests.servers import Postgres
else:
    from assigning import advance, come, opened, send


def test_more_people_where_they_disagree(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=1, people={"overlap": 2}, quality={"extra-overlap": 2})
    for worker, label in (("a", "yes"), ("b", "no"), ("c", "yes"), ("d", "yes")):
        come(study, worker)
        assert send(study, worker, advance(study, worker).unit, label=label).counts
    come(study, "e")
    assert advance(study, "e").name == "end"  # four at most
    study.database.close()


@pytest.mark.nightly
def test_two_answers_at_once_that_disagree_are_a_dispute(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = opened(tmp_path, postgres.database(), units=1, people={"overlap": 2}, quality={"extra-overlap": 1})
    for worker in ("a", "b", "c"):
        come(study, worker)
    both, route = threading.Barrier(2), visit._route
    monkeypatch.setattr(visit, "_route", lambda *words: (both.wait(20), route(*words)))
    with ThreadPoolExecutor(2) as threads:
        given = [(worker, advance(study, worker).unit) for worker in "ab"]
        sending = [threads.submit(send, study, *given[0]), threads.submit(send, study, *given[1], label="no")]
        assert all(each.result(30).counts for each in sending)
    assert advance(study, "c").name == "unit"
    study.database.close()


def test_a_reviewer_of_erased_stories_is_done(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=1, people={"overlap": 1})
    come(study, "a")
    send(study, "a", advance(study, "a").unit)
    study.database.write(lambda c: c.execute(update(units).values(role="erased")))
    step = advance(study, "a")
    assert step.person is not None
    assert step.person.outcome == "done"
    study.database.close()
