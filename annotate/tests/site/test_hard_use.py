"""Small versions of the benchmarks of the web app: killed under load, odd requests. Each has a floor on the work
done; benchmarks/annotate.md has them at full size."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from annotate.tests.crashing import BOTH, EDITS, PER_UNIT, Outcome, Plan, crash, verify
    from annotate.tests.fuzzing import fuzz
    from annotate.tests.servers import Postgres
    from annotate.tests.visitors import judge_study
else:
    from crashing import BOTH, EDITS, PER_UNIT, Outcome, Plan, crash, verify
    from fuzzing import fuzz
    from servers import Postgres
    from visitors import judge_study


PLAN = Plan(kills=8, clients=20, answers=1200, every=4, owners=2, commands=80, signals=BOTH)


@pytest.mark.nightly
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_nothing_acknowledged_is_lost_when_the_server_is_stopped_while_its_owner_works(
    database: str, request: pytest.FixtureRequest
) -> None:
    server: Postgres | None = request.getfixturevalue("postgres") if database == "postgresql" else None
    settings = {"people": {"overlap": 8}, "pay": {"per-unit": PER_UNIT}}
    address = server.database() if server else None
    with judge_study(address, units=PLAN.answers // 6 + 40, candidates=2, settings=settings) as folder:
        found = run(replace(PLAN, every=PLAN.every if server else PLAN.kills + 1), folder, server)
        result = verify(folder, found)
    assert len(found.acknowledged) >= PLAN.answers
    assert len(found.back) + len(found.back_database) == PLAN.kills
    assert found.erased
    assert not found.wrong
    assert server or not [name for name in found.commands if "failed" in name], found.commands
    gone = {name for who in found.erased for name in found.of_person[who]}
    assert result.pop("stored") == len(found.acknowledged) - len(gone)
    assert set(result.values()) == {0}, result


def test_an_acknowledged_answer_survives_a_kill() -> None:
    """By day, without an owner."""
    with judge_study(None, units=12, candidates=2, settings={"people": {"overlap": 8}}) as folder:
        found = run(Plan(kills=1, clients=2, answers=6), folder, None)
        result = verify(folder, found)
    assert len(found.acknowledged) >= 6
    assert len(found.back) == 1
    assert result["stored"] == len(found.acknowledged)
    assert result["lost"] == result["altered"] == result["doubled"] == result["misplaced"] == 0


def run(plan: Plan, folder: Path, server: Postgres | None) -> Outcome:
    with ThreadPoolExecutor(1) as thread:  # in this one, the event loop of a browser may run
        return thread.submit(asyncio.run, crash(plan, folder, server)).result()


@pytest.mark.nightly
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_edited_settings_lose_nothing_when_the_server_is_killed(database: str, request: pytest.FixtureRequest) -> None:
    server: Postgres | None = request.getfixturevalue("postgres") if database == "postgresql" else None
    plan = Plan(kills=4, clients=8, answers=160, every=3, edits=EDITS)
    settings = {"people": {"overlap": 8}}
    with judge_study(server.database() if server else None, units=60, candidates=2, settings=settings) as folder:
        result = verify(folder, run(plan, folder, server))
    assert result["lost"] == result["altered"] == result["doubled"] == result["misplaced"] == 0


@pytest.mark.nightly
def test_no_request_breaks_the_server(served: Callable[[Path], Any]) -> None:
    with judge_study(None, units=20, candidates=3, settings={"people": {"overlap": 5}}) as folder:
        statuses = fuzz(served(folder).url, folder, 200, seed=1)
    assert sum(statuses.values()) >= 150
    assert statuses[200] + statuses[303] >= 20, "too few got past the door"
