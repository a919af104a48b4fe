"""Overlap exact, nobody twice, leases that return, late answers kept and never counted twice: on both databases."""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from proband_annotate import visit
from proband_annotate.create import init
from proband_annotate.site.context import OpenProject, open_project
from proband_annotate.store import people as people_store
from proband_annotate.store import slots as slot_store
from proband_annotate.store.answers import Conflict, latest, save_draft
from proband_annotate.store.schema import answers, assignments, people

if TYPE_CHECKING:
    from annotate.tests.visitors import questionnaires, write_lines
else:
    from visitors import questionnaires, write_lines


def opened(tmp_path: Path, address: str, *, units: int = 3, **settings: Any) -> OpenProject:
    items = write_lines(tmp_path / "q.jsonl", questionnaires(units, 2))
    folder = tmp_path / f"study{uuid.uuid4().hex[:6]}"
    init(folder, kind="judge", items=items, settings_given={"database": address, **settings})
    return open_project(folder)


def come(study: OpenProject, worker: str) -> None:
    study.database.write(lambda c: people_store.arrive(c, worker=worker, source="url", panel="crowd", signals=True))
    study.database.write(lambda c: people_store.try_comprehension(c, worker, right=True, attempts=2))


def advance(study: OpenProject, worker: str) -> visit.Step:
    return study.database.write(lambda c: visit.advance(c, study.project, worker))


def send(study: OpenProject, worker: str, unit: dict[str, Any], *, label: str = "yes", name: str = "") -> Any:
    body = {"labels": {c["id"]: label for c in unit["body"].get("candidates", ())}}
    made = name or str(uuid.uuid4())
    return study.database.write(
        lambda c: visit.submit(
            c, study.project, study.task, worker, answer_id=made, unit_id=unit["id"], body=body, signals={"keys": 1.0}
        )
    )


def work_until_done(study: OpenProject, worker: str, rng: random.Random) -> None:
    come(study, worker)
    while True:
        step = advance(study, worker)
        if step.name == "wait":
            time.sleep(0.02)
            continue
        if step.name != "unit":
            return
        made = str(uuid.UUID(int=rng.getrandbits(128)))
        for _ in range(rng.choice([1, 1, 2])):
            send(study, worker, step.unit, name=made)


@pytest.mark.parametrize("overlap", [3, 2])
def test_a_race(tmp_path: Path, address: str, overlap: int) -> None:
    """A small one; benchmarks/annotate_race.py has 50 people, 100 units and 20 seeds."""
    study = opened(tmp_path, address, units=12, people={"overlap": overlap})
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work_until_done(study, f"w{number}", random.Random(number))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    rows = study.database.read(lambda c: list(latest(c)))
    assert Counter(row.unit_id for row in rows) == dict.fromkeys(range(1, 13), overlap)
    assert len({(row.person_id, row.unit_id) for row in rows}) == len(rows) == 12 * overlap
    study.database.close()


def test_the_database_itself_refuses_a_second_person_on_a_place(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, people={"overlap": 1})
    for worker in ("a", "b"):
        come(study, worker)
    unit = advance(study, "a").unit["id"]
    row = {"person_id": 2, "unit_id": unit, "panel": "crowd", "state": "open", "started": 0.0, "until": 1.0}
    for place in (1, 2):  # taken; not there at all
        with pytest.raises(IntegrityError):
            study.database.write(lambda c, p=place: c.execute(assignments.insert().values(**row, place=p)))  # type: ignore[misc]
    study.database.close()


def test_a_lease_returns_and_a_late_answer_is_kept(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=1, people={"overlap": 1}, time={"lease-minutes": 0.001})
    come(study, "slow")
    come(study, "quick")
    unit = advance(study, "slow").unit
    time.sleep(0.1)
    assert advance(study, "quick").unit["id"] == unit["id"]  # the lease ran out, the place went to somebody else
    assert send(study, "quick", unit, label="no").counts
    late = send(study, "slow", unit)
    assert late.new
    assert not late.counts
    rows = study.database.read(lambda c: list(latest(c, counted=False)))
    assert sorted((row.worker, row.place) for row in rows) == [("quick", 1), ("slow", None)]
    again = send(study, "slow", unit, name=rows[0].id if rows[0].worker == "slow" else rows[1].id)
    assert not again.new
    study.database.close()


def test_a_late_answer_counts_where_its_place_is_still_free(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=1, people={"overlap": 1}, time={"lease-minutes": 0.001})
    come(study, "slow")
    unit = advance(study, "slow").unit
    time.sleep(0.1)
    assert study.database.write(lambda c: slot_store.return_expired(c, now=time.time())) == 1
    assert send(study, "slow", unit).counts
    study.database.close()


def test_a_heart_beat_keeps_the_lease(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=1, people={"overlap": 1}, time={"lease-minutes": 1})
    come(study, "there")
    unit, now = advance(study, "there").unit["id"], time.time()

    def expired_at(then: float) -> int:
        return study.database.write(lambda c: slot_store.return_expired(c, now=then))

    for _ in range(4):
        now += 50
        assert study.database.write(
            lambda c, now=now: slot_store.heartbeat(c, people_store.find(c, "there"), unit, now=now, until=now + 60)  # type: ignore[misc, arg-type]
        )
        assert expired_at(now + 59) == 0
    assert expired_at(now + 61) == 1
    study.database.close()


def test_revisions_are_added_and_drafts_end_with_the_answer(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=1, people={"overlap": 1})
    come(study, "a")
    step = advance(study, "a")
    person = study.database.read(lambda c: people_store.find(c, "a"))
    assert person is not None
    assert study.database.write(lambda c: save_draft(c, person, step.unit["id"], '{"c0":"no"}', 1.0))
    assert advance(study, "a").draft == {"c0": "no"}
    assert [send(study, "a", step.unit, label=label).revision for label in ("yes", "no")] == [1, 2]
    rows = study.database.read(lambda c: c.execute(select(answers).order_by(answers.c.revision)).all())
    assert ["yes" in row.body for row in rows] == [True, False]
    assert [row.revision for row in study.database.read(lambda c: list(latest(c)))] == [2]
    assert not study.database.write(lambda c: save_draft(c, person, step.unit["id"], "{}", 1.0))
    study.database.close()


def test_another_persons_id_or_unit_is_refused(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=2, people={"overlap": 1})
    come(study, "a")
    come(study, "b")
    mine, other = advance(study, "a").unit, advance(study, "b").unit
    send(study, "a", mine, name="answer-of-a")
    with pytest.raises(Conflict):
        send(study, "b", other, name="answer-of-a")
    with pytest.raises(Conflict):
        send(study, "b", mine)
    study.database.close()


def test_erased_and_rejected_people_give_their_places_back(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=1, people={"overlap": 2})
    for worker in ("a", "b"):
        come(study, worker)
        send(study, worker, advance(study, worker).unit)
    study.database.write(lambda c: people_store.decide(c, 1, "rejected", "careless"))
    assert study.database.write(lambda c: people_store.erase(c, 2)) == 1
    assert study.database.read(lambda c: [row.worker for row in c.execute(select(people))]) == ["a"]
    assert study.database.read(lambda c: list(latest(c))) == []
    for worker in ("c", "d"):
        come(study, worker)
        assert send(study, worker, advance(study, worker).unit).counts
    come(study, "e")
    assert advance(study, "e").name == "end"
    study.database.close()


def test_more_people_where_they_disagree(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=1, people={"overlap": 2}, quality={"extra-overlap": 2})
    for worker, label in (("a", "yes"), ("b", "no"), ("c", "yes"), ("d", "yes")):
        come(study, worker)
        assert send(study, worker, advance(study, worker).unit, label=label).counts
    come(study, "e")
    assert advance(study, "e").name == "end"  # four at most
    study.database.close()


def test_the_number_of_people_is_limited(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address)

    def arrive(worker: str) -> bool:
        def work(c: Any) -> bool:
            return people_store.arrive(c, worker=worker, source="url", panel="crowd", signals=False, most=2)

        return study.database.write(work)

    assert [arrive(worker) for worker in ("a", "b", "c", "a")] == [True, True, False, True]
    study.database.close()
