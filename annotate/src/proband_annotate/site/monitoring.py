"""GET /metrics for Prometheus: how the study and its server are.

Figures of a study are nobody else's business: a request needs the token that `proband annotate links` prints, as
`Authorization: Bearer TOKEN`.
"""

from __future__ import annotations

import hmac
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping
from typing import Any

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
FORMAT = "text/plain; version=0.0.4; charset=utf-8"
FORMER = {"proband_places": "proband_slots", "proband_places_done": "proband_slots_done"}  # still written
HELP = {
    "proband_up": "1 if the database answers and takes what is written",
    "proband_build_info": "version of Proband and of the database's schema",
    "proband_answers_total": "answers stored, with all revisions",
    "proband_slots": "answers wanted, by panel",
    "proband_slots_done": "answers wanted that are there, by panel",
    **{name: f"former name of {now}, until the next release" for name, now in FORMER.items()},
    "proband_open_leases": "units that people work on now",
    "proband_people": "people, by outcome",
    "proband_remarks_open": "problems and comments that nobody has dealt with",
    "proband_last_answer_timestamp_seconds": "when the last answer was stored",
    "proband_disk_free_bytes": "space left where the project's folder is",
    "proband_process_start_time_seconds": "when the server started",
}


async def metrics(request: Request) -> Response:
    study: OpenProject = request.app.state.study
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not hmac.compare_digest(given.encode(), metrics_token(study.secret).encode()):
        return PlainTextResponse("a token is needed\n", status_code=401, headers={"WWW-Authenticate": "Bearer"})
    values: dict[str, Mapping[str, float] | float] = {"proband_process_start_time_seconds": STARTED}
    values["proband_disk_free_bytes"] = shutil.disk_usage(study.folder).free
    try:
        values |= await study.read(counts)
        values["proband_up"] = 0 if study.database.trouble.reason else 1
    except (DBAPIError, sqlite3.Error):
        values["proband_up"] = 0
    return PlainTextResponse("".join(lines(values)), media_type=FORMAT)


def counts(connection: Connection) -> dict[str, Any]:
    done = assignments.c.place.is_not(None) & (assignments.c.state == "done")

    def by(column: Any, query: Any) -> dict[str, float]:
        name = column.name
        return {f'{name}="{row[0] or "working"}"': row[1] for row in connection.execute(query.group_by(column))}

    values = {
        "proband_build_info": {f'version="{__version__}",schema="{current(connection)}"': 1},
        "proband_answers_total": count_rows(connection, answers),
        "proband_slots": by(slots.c.panel, select(slots.c.panel, func.count())),
        "proband_slots_done": by(assignments.c.panel, select(assignments.c.panel, func.count()).where(done)),
        "proband_open_leases": count_rows(connection, assignments, assignments.c.state == "open"),
        "proband_people": by(people.c.outcome, select(people.c.outcome, func.count())),
        "proband_remarks_open": count_rows(connection, remarks, remarks.c.settled == 0, remarks.c.kind != "skip"),
        "proband_last_answer_timestamp_seconds": connection.scalar(select(func.max(answers.c.created))) or 0,
    }
    return values | {name: values[now] for name, now in FORMER.items()}


def lines(values: Mapping[str, Mapping[str, float] | float]) -> Iterator[str]:
    """Prometheus' text format.

    >>> print("".join(lines({"proband_up": 1, "proband_people": {'outcome="done"': 2}})))  # doctest: +ELLIPSIS
    # HELP proband_up 1 if ...
    # TYPE proband_up gauge
    proband_up 1
    # HELP proband_people people, by outcome
    # TYPE proband_people gauge
    proband_people{outcome="done"} 2
    <BLANKLINE>
    """
    for name, value in values.items():
        kind = "counter" if name.endswith("_total") else "gauge"
        yield f"# HELP {name} {HELP[name]}\n# TYPE {name} {kind}\n"
        rows = value.items() if isinstance(value, Mapping) else (("", value),)
        yield from (f"{name}{{{labels}}} {number}\n" if labels else f"{name} {number}\n" for labels, number in rows)
