"""Small versions of the benchmarks of the web app: killed under load, odd requests. Each has a floor on the work
done; benchmarks/annotate.md has them at full size."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from annotate.tests.crashing import EDITS, Plan, crash, verify
    from annotate.tests.fuzzing import fuzz
    from annotate.tests.servers import Postgres
    from annotate.tests.visitors import judge_study
else:
    from crashing import EDITS, Plan, crash, verify
    from fuzzing import fuzz
    from servers import Postgres
    from visitors import judge_study


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def test_nothing_is_lost_when_the_server_is_killed(database: str, request: pytest.FixtureRequest) -> None:
    server: Postgres | None = request.getfixturevalue("postgres") if database == "postgresql" else None
    plan = Plan(kills=2, clients=8, answers=80, every=2, edits=EDITS[:1])
    with judge_study(
        server.database() if server else None, units=60, candidates=2, settings={"people": {"overlap": 8}}
    ) as folder:
        with ThreadPoolExecutor(1) as thread:  # in this one, the event loop of a browser may run
            found = thread.submit(asyncio.run, crash(plan, folder, server)).result()
        result = verify(folder, found.acknowledged)
    assert len(found.acknowledged) >= 80
    assert (len(found.back), len(found.back_database)) == ((1, 1) if server else (2, 0))
    assert result["lost"] == result["altered"] == result["doubled"] == result["misplaced"] == 0
    assert result["stored"] >= len(found.acknowledged)


@pytest.mark.nightly
def test_no_request_breaks_the_server(served: Callable[[Path], Any]) -> None:
    with judge_study(None, units=20, candidates=3, settings={"people": {"overlap": 5}}) as folder:
        statuses = fuzz(served(folder).url, folder, 200, seed=1)
    assert sum(statuses.values()) >= 150
    assert statuses[200] + statuses[303] >= 20, "too few got past the door"
