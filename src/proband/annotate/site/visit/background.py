"""What the script sends while a person works: drafts, signs of life, a text to be checked."""

from __future__ import annotations

import time
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from proband.annotate import visit as steps
from proband.annotate.site.context import OpenProject
from proband.annotate.site.visit.posting import onward, posting, refuse, unit_number
from proband.annotate.store import people as people_store
from proband.annotate.store import slots as slot_store
from proband.annotate.store.answers import save_draft
from proband.annotate.texts import text
from proband.annotate.tokens import Visit
from proband.core.files import encode


@posting
async def draft(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/draft: what is being typed, kept; a sign of life too."""
    number = unit_number(form)
    kept = {name: value for name, value in form.items() if name not in ("form", "unit", "id")}

    def work(connection: Any) -> bool:
        person = people_store.find(connection, visit.worker, lock=True)
        if person is None or not save_draft(connection, person, number, encode(kept).decode(), time.time()):
            return False
        keep_alive(connection, study, person, number)
        return True

    if not await study.write(work):
        return refuse(request, 409, "not_yours")
    return onward(request)


@posting
async def alive(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/alive: the lease lasts longer."""

    def work(connection: Any) -> None:
        person = people_store.find(connection, visit.worker, lock=True)
        if person is not None:
            keep_alive(connection, study, person, unit_number(form))

    await study.write(work)
    return onward(request)


def keep_alive(connection: Any, study: OpenProject, person: people_store.Person, number: int) -> None:
    slot_store.heartbeat(connection, person, number, until=time.time() + study.project.time.lease_minutes * 60)


@posting
async def live_checks(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/checks: what a text still lacks, as JSON."""
    step = await study.read(lambda c: steps.unit_for(c, visit.worker, unit_number(form)))
    if step is None or step.unit["role"] == "attention":
        return refuse(request, 409, "not_yours")
    found = study.task.checks(step.unit["body"], form)
    return JSONResponse({"checks": [{"met": c.met, "stops": c.stops, "text": text(c.text, **c.values)} for c in found]})
