"""Overlap exact, nobody twice, leases that return, late answers kept and never counted twice: on both databases."""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from proband_annotate.results.reading import collected
from proband_annotate.site.context import OpenProject
from proband_annotate.store import people as people_store
from proband_annotate.store import slots as slot_store
from proband_annotate.store.schema import assignments

if TYPE_CHECKING:
    from annotate.tests.assigning import advance, come, opened, send
    from annotate.tests.servers import Postgres
else:
    from assigning import advance, come, opened, send


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
    rows = collected(study.folder).counted()
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
    rows = collected(study.folder).answers
    assert sorted((row.worker, row.slot) for row in rows) == [("quick", 1), ("slow", None)]
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


# ---- two at once: PostgreSQL has many writers ------------------------------------------------------------------------


@pytest.mark.nightly
def test_a_stop_at_the_moment_of_a_sweep_frees_nobodys_slot(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = opened(tmp_path, postgres.database(), units=1, people={"overlap": 1})
    for worker in ("slow", "quick", "next"):
        come(study, worker)
    advance(study, "slow")
    study.database.write(lambda c: c.execute(update(assignments).values(until=1.0)))
    give_back, steps = people_store.give_back, []

    def give_back_late(*words: Any, **more: Any) -> None:
        with ThreadPoolExecutor(1) as thread:
            steps.append(thread.submit(advance, study, "quick").result().name)
        give_back(*words, **more)

    monkeypatch.setattr(people_store, "give_back", give_back_late)
    study.database.write(lambda c: people_store.finish(c, 1, "stopped"))
    monkeypatch.undo()
    assert steps == ["wait"]
    assert send(study, "quick", advance(study, "quick").unit).counts
    assert advance(study, "next").name == "end"
    study.database.close()


@pytest.mark.nightly
def test_an_answer_at_the_moment_of_a_sweep_counts_as_it_says(tmp_path: Path, postgres: Postgres) -> None:
    study = opened(tmp_path, postgres.database(), units=1, people={"overlap": 1})
    come(study, "slow")
    unit = advance(study, "slow").unit
    study.database.write(lambda c: c.execute(update(assignments).values(until=1.0)))
    with ThreadPoolExecutor(1) as thread:
        with study.database.engine.begin() as sweep:
            assert slot_store.return_expired(sweep, now=time.time()) == 1
            sending = thread.submit(send, study, "slow", unit)
            with pytest.raises(TimeoutError):
                sending.result(timeout=0.3)
        assert sending.result(timeout=30).counts
    assert [each.slot for each in collected(study.folder).answers] == [1]
    study.database.close()
