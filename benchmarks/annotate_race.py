"""50 people race for 100 units: the overlap must be exact, whatever the order.

python benchmarks/annotate_race.py --database sqlite --seeds 20
"""

from __future__ import annotations

import argparse
import random
import threading
import time
import uuid
from pathlib import Path
from typing import Any

from annotate_parts import load_average
from servers import database_server
from visitors import judge_study

PEOPLE, UNITS = 50, 100


def race(folder: Path, *, people: int, seed: int) -> dict[str, Any]:
    """Everybody asks for work until there is none; some leave a unit unanswered until its lease runs out."""
    from sqlalchemy import func, select

    from proband_annotate import visit
    from proband_annotate.site.context import open_project
    from proband_annotate.store import people as people_store
    from proband_annotate.store.schema import answers, assignments, slots

    opened = open_project(folder)
    database, project, kind = opened.database, opened.project, opened.task
    errors: list[BaseException] = []
    start = threading.Barrier(people)

    def person(number: int) -> None:
        rng, worker = random.Random(f"{seed} {number}"), f"worker-{number}"
        try:
            database.write(lambda c: people_store.arrive(c, worker=worker, source="url", panel="crowd", signals=False))
            database.write(lambda c: people_store.try_comprehension(c, worker, right=True, attempts=2))
            start.wait(120)
            while True:
                step = database.write(lambda c: visit.advance(c, project, worker))
                if step.name == "wait":
                    time.sleep(0.2)
                    continue
                if step.name != "unit":
                    return
                if rng.random() < 0.05:  # goes for a walk: the lease runs out, the answer comes late
                    time.sleep(project.time.lease_minutes * 60 * 1.5)
                labels = {c["id"]: rng.choice(["yes", "no", "nonsense"]) for c in step.unit["body"]["candidates"]}
                number_of = step.unit["id"]
                made = str(uuid.UUID(int=rng.getrandbits(128)))
                for _ in range(2 if rng.random() < 0.2 else 1):  # sent twice: stored once
                    database.write(
                        lambda c, n=number_of, a=made, b=labels: visit.submit(  # type: ignore[misc]
                            c, project, kind, worker, answer_id=a, unit_id=n, body={"labels": b}, signals={}
                        )
                    )
        except BaseException as error:
            errors.append(error)

    begin = time.monotonic()
    threads = [threading.Thread(target=person, args=(number,)) for number in range(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]

    def figures(connection: Any) -> dict[str, Any]:
        held = (
            select(assignments.c.unit_id, func.count())
            .where(assignments.c.place.is_not(None), assignments.c.state == "done")
            .group_by(assignments.c.unit_id)
        )
        filled = {row[0]: row[1] for row in connection.execute(held)}
        twice = select(answers.c.person_id, answers.c.unit_id).group_by(answers.c.person_id, answers.c.unit_id)
        return {
            "places": connection.scalar(select(func.count()).select_from(slots)),
            "filled": filled,
            "answers": connection.scalar(select(func.count()).select_from(answers)),
            "doubled": len(connection.execute(twice.having(func.count() > 1)).all()),
        }

    found = database.read(figures)
    database.close()
    return {**found, "seconds": round(time.monotonic() - begin, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--units", type=int, default=UNITS)
    given = parser.parse_args()
    with database_server(given.database) as server:
        for overlap in (5, 3):
            races(given, server, overlap)


def races(given: Any, server: Any, overlap: int) -> None:
    answers = late = 0
    for seed in range(given.seeds):
        settings = {"people": {"overlap": overlap}, "time": {"lease-minutes": 0.035}, "seed": seed}
        with judge_study(server and server.database(), units=given.units, candidates=2, settings=settings) as folder:
            found = race(folder, people=given.people, seed=seed)
        assert found["filled"] == dict.fromkeys(range(1, given.units + 1), overlap), found["filled"]
        assert found["places"] == given.units * overlap, found["places"]
        assert found["doubled"] == 0
        assert found["answers"] >= given.units * overlap
        answers += given.units * overlap
        late += found["answers"] - given.units * overlap
    print(
        f"{given.database}, overlap {overlap}: {given.seeds} races of {given.people} people for {given.units} units, "
        f"{answers:,} answers that count, {late:,} late ones kept and not counted, overlap exact in all "
        f"({load_average()})"
    )


if __name__ == "__main__":
    main()
