"""GET /metrics for Prometheus: the state of the study and its server.

A request needs the token that `proband annotate links` prints, as
`Authorization: Bearer TOKEN`.
"""

from __future__ import annotations

import hmac
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping
from typing import Any

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, Metric, generate_latest
from prometheus_client.registry import Collector
from sqlalchemy import Connection, func, select
from sqlalchemy.exc import DBAPIError
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from proband import __version__
from proband_annotate.site.context import OpenProject
from proband_annotate.store.migrate import current
from proband_annotate.store.schema import answers, assignments, count_rows, people, remarks, slots
from proband_annotate.tokens import metrics_token

STARTED = time.time()
HELP = {
    "proband_up": "1 if the database answers and takes what is written",
    "proband_build_info": "version of Proband and of the database's schema",
    "proband_answers": "answers stored, with all revisions",
    "proband_slots": "answers wanted, by panel",
    "proband_slots_done": "answers wanted that are there, by panel",
    "proband_open_leases": "units that people work on now",
    "proband_people": "people, by outcome",
    "proband_remarks_open": "open problems and comments",
    "proband_last_answer_timestamp_seconds": "when the last answer was stored",
    "proband_disk_free_bytes": "space left where the project's folder is",
    "proband_process_start_time_seconds": "when the server started",
}
Labels = Mapping[str, str]


async def metrics(request: Request) -> Response:
    study: OpenProject = request.app.state.study
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not hmac.compare_digest(given.encode(), metrics_token(study.secret).encode()):
        return PlainTextResponse("a token is needed\n", status_code=401, headers={"WWW-Authenticate": "Bearer"})
    values: dict[str, Any] = {"proband_process_start_time_seconds": STARTED}
    values["proband_disk_free_bytes"] = shutil.disk_usage(study.folder).free
    try:
        values |= await study.read(counts)
        values["proband_up"] = 0 if study.database.trouble.reason else 1
    except (DBAPIError, sqlite3.Error):
        values["proband_up"] = 0
    return Response(exposition(values), headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})


def counts(connection: Connection) -> dict[str, Any]:
    done = assignments.c.place.is_not(None) & (assignments.c.state == "done")

    def by(column: Any, query: Any) -> list[tuple[Labels, float]]:
        rows = connection.execute(query.group_by(column))
        return [({column.name: row[0] or "working"}, row[1]) for row in rows]

    return {
        "proband_build_info": [({"version": __version__, "schema": str(current(connection))}, 1)],
        "proband_answers": count_rows(connection, answers),
        "proband_slots": by(slots.c.panel, select(slots.c.panel, func.count())),
        "proband_slots_done": by(assignments.c.panel, select(assignments.c.panel, func.count()).where(done)),
        "proband_open_leases": count_rows(connection, assignments, assignments.c.state == "open"),
        "proband_people": by(people.c.outcome, select(people.c.outcome, func.count())),
        "proband_remarks_open": count_rows(connection, remarks, remarks.c.settled == 0, remarks.c.kind != "skip"),
        "proband_last_answer_timestamp_seconds": connection.scalar(select(func.max(answers.c.created))) or 0,
    }


def exposition(values: Mapping[str, Any]) -> bytes:
    """Prometheus' text format: numbers, or lists of labels and numbers.

    >>> print(exposition({"proband_up": 1, "proband_people": [({"outcome": "done"}, 2)]}).decode())
    # HELP proband_up 1 if the database answers and takes what is written
    # TYPE proband_up gauge
    proband_up 1.0
    # HELP proband_people people, by outcome
    # TYPE proband_people gauge
    proband_people{outcome="done"} 2.0
    <BLANKLINE>
    """
    registry = CollectorRegistry()
    registry.register(ValueCollector(values))
    return generate_latest(registry)


class ValueCollector(Collector):
    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def collect(self) -> Iterator[Metric]:
        for name, value in self.values.items():
            metric = Metric(name, HELP[name], "counter" if name == "proband_answers" else "gauge")
            rows = value if isinstance(value, list) else [({}, value)]
            for labels, number in rows:
                metric.add_sample(f"{name}_total" if metric.type == "counter" else name, dict(labels), float(number))
            yield metric
