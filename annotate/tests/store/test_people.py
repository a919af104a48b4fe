"""People who are erased, rejected or too many."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from proband_annotate.results.reading import collected
from proband_annotate.store import people as people_store
from proband_annotate.store.schema import people

if TYPE_CHECKING:
    from annotate.tests.assigning import advance, come, opened, send

else:
    from assigning import advance, come, opened, send


def test_erased_and_rejected_people_give_their_places_back(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address, units=1, people={"overlap": 2})
    for worker in ("a", "b"):
        come(study, worker)
        send(study, worker, advance(study, worker).unit)
    study.database.write(lambda c: people_store.decide(c, 1, "rejected", "careless"))
    assert study.database.write(lambda c: people_store.erase(c, 2)) == 1
    assert study.database.read(lambda c: [row.worker for row in c.execute(select(people))]) == ["a"]
    assert collected(study.folder).counted() == []
    for worker in ("c", "d"):
        come(study, worker)
        assert send(study, worker, advance(study, worker).unit).counts
    come(study, "e")
    assert advance(study, "e").name == "end"
    study.database.close()


def test_the_number_of_people_is_limited(tmp_path: Path, address: str) -> None:
    study = opened(tmp_path, address)

    def arrive(worker: str) -> bool:
        def work(c: Any) -> bool:
            return people_store.arrive(c, worker=worker, source="url", panel="crowd", signals=False, most=2)

        return study.database.write(work)

    assert [arrive(worker) for worker in ("a", "b", "c", "a")] == [True, True, False, True]
    study.database.close()
