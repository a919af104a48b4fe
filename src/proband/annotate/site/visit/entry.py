"""The way in: a signed link, alone (one person) or with the id that a platform passes."""

from __future__ import annotations

import re
import time
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from proband.annotate import visit as steps
from proband.annotate.project import Project
from proband.annotate.site.context import OpenProject, message
from proband.annotate.site.forms import clean
from proband.annotate.site.signed_ids import verified_id
from proband.annotate.site.visit.posting import onward, posting, refuse, unit_number
from proband.annotate.store import people as people_store
from proband.annotate.store import slots as slot_store
from proband.annotate.store.answers import save_draft
from proband.annotate.texts import text
from proband.annotate.tokens import Forged, Link, Visit, seal, unseal, worker_hash
from proband.core.files import encode

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"  # Mechanical Turk shows a task before it is accepted
NAME = re.compile(r"[\x21-\x7e]{1,128}")


def identity(query: Any, project: Project) -> tuple[str, str, dict[str, str]] | None:
    """(source, id, what to hand back) from the parameters of an address."""
    if name := query.get("PROLIFIC_PID"):
        return "prolific", name, {}
    if name := query.get("workerId"):
        back = {"assignmentId": query.get("assignmentId", ""), "turkSubmitTo": query.get("turkSubmitTo", "")}
        host = urlsplit(back["turkSubmitTo"]).hostname or ""
        genuine = back["turkSubmitTo"].startswith("https://") and host.endswith(".mturk.com")
        return "mturk", name, back if genuine and NAME.fullmatch(back["assignmentId"]) else {}
    if name := query.get(project.platform.id_parameter):
        return "url", name, {}
    return None


def signed(query: Any, study: OpenProject, name: str) -> bool:
    """Whether the platform signed this very id."""
    platform = study.project.platform
    try:
        token = query.get(platform.token_parameter, "")
        return verified_id(token, study.keys, audience=platform.public_url, now=time.time()) == name
    except Forged:
        return False


async def join(request: Request) -> Response:
    """GET /join/LINK: to the person's own address."""
    study: OpenProject = request.app.state.study
    caller = request.client.host if request.client else ""
    if not study.entries.allows(caller, time.monotonic()):
        return message(request, "busy", status=429)
    try:
        link: Link = unseal(study.secret, "link", request.path_params["link"], Link)
    except Forged:
        return message(request, "no_link", status=404)
    query = request.query_params
    if link.name:
        visit = Visit(worker_hash(study.secret, "link", link.name), "link", link.panel)
    else:
        if query.get("assignmentId") == PREVIEW:
            return message(request, "preview")
        result = identity(query, study.project)
        if result is None or not NAME.fullmatch(clean(result[1])):
            return message(request, "no_id", status=400)
        source, name, back = result
        if study.keys and not signed(query, study, name):
            return message(request, "not_signed", status=403)
        visit = Visit(worker_hash(study.secret, source, name), source, link.panel, back)
    root = request.scope.get("root_path", "")
    return RedirectResponse(f"{root}/v/{seal(study.secret, 'visit', visit)}", status_code=303)


# ---- what the script sends while a person works: drafts, signs of life, a text to be checked -----------------------


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
    result = study.task.checks(step.unit["body"], form)
    return JSONResponse(
        {"checks": [{"met": c.met, "stops": c.stops, "text": text(c.text, **c.values)} for c in result]}
    )
