"""The pages of a study as people see them, for its owner; forms store nothing."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, func, select
from starlette.requests import Request
from starlette.responses import Response

from proband_annotate import visit as steps
from proband_annotate.human_task import Invalid
from proband_annotate.site.context import OpenProject, page
from proband_annotate.site.forms import Refused
from proband_annotate.site.owner_session import COOKIE, acting_as, owned
from proband_annotate.site.visit_pages import ending, instructions_page, media_of, unit_page
from proband_annotate.site.visit_posts import read_answer
from proband_annotate.store.schema import units
from proband_annotate.terms import current_terms
from proband_annotate.texts import text
from proband_annotate.tokens import Visit

ROLES = {"unit": "main", "trial": "trial", "gold": "gold", "attention": "attention"}
OUTCOMES = ("done", "stopped", "returned", "screened_out", "author", "failed_checks")
NOBODY = Visit("nobody", "url", "crowd")


@owned
async def contents(request: Request, study: OpenProject, session: str) -> Response:
    """GET /owner/preview: the list of pages."""
    there = await study.read(_roles)
    names = ["consent", "instructions", *(name for name, role in ROLES.items() if role in there)]
    return page(request, "preview.html", token=session, names=names, outcomes=OUTCOMES, here="preview")


def _roles(connection: Connection) -> set[str]:
    return set(connection.execute(select(units.c.role).distinct()).scalars())


@owned
async def step_page(request: Request, study: OpenProject, session: str) -> Response:
    """GET /owner/preview/STEP"""
    name = request.path_params["step"]
    more = {"preview": name, "token": session}
    version, terms = await study.read(current_terms)
    if name == "consent":
        return page(request, "consent.html", terms=terms, version=version, problem="", **more)
    step = await study.read(lambda c: pretended(c, study, name, request.query_params.get("unit", "")))
    if name == "instructions":
        return instructions_page(request, study, NOBODY, step, **more)
    if name.startswith("end-"):
        return page(request, "end.html", practice=[], **ending(study, NOBODY, step), **more)
    return unit_page(request, study, step, **more)


def pretended(connection: Connection, study: OpenProject, name: str, unit: str = "") -> steps.Step:
    """A step of an imaginary person who has just come, or has just ended."""
    outcome = name.removeprefix("end-") if name.startswith("end-") else ""
    if outcome and outcome not in OUTCOMES:
        raise Refused(404, "missing")
    terms = current_terms(connection)[1]
    author = outcome == "author"
    who = {"id": 0, "worker": "nobody", "panel": "crowd", "outcome": "screened_out" if author else outcome}
    person: Any = SimpleNamespace(**who, agreement_id=0, decision="", reason="", signals=0, attempts=0, understood=1)
    sent = {"main": terms.units, "gold": terms.gold, "trial": terms.practice, "attention": terms.attention}
    if outcome != "done":
        sent = {} if outcome in ("screened_out", "author", "") else {"trial": terms.practice, "main": 1}
    made = steps.Step(name=name, person=person, terms=terms, sent=sent, author=author, started=time.time())
    if outcome or name == "instructions":
        return made
    if name not in ROLES:
        raise Refused(404, "missing")
    here = select(func.min(units.c.id)).where(units.c.role == ROLES[name])
    number = int(unit) if unit.isascii() and unit.isdigit() and len(unit) < 9 else connection.scalar(here)
    if number is None or connection.scalar(select(units.c.id).where(units.c.id == number)) is None:
        raise Refused(404, "missing")
    return replace(made, unit=steps.unit_of(connection, number))


@owned
async def media(request: Request, study: OpenProject, session: str) -> Response:
    """GET /owner/preview/media/UNIT"""
    number = str(request.path_params["unit"])
    return media_of(study, await study.read(lambda c: pretended(c, study, "unit", number)))


@acting_as("viewer")
async def sent(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """POST /owner/preview/STEP: an answer is read and checked, but not stored."""
    name, session = request.path_params["step"], request.cookies.get(COOKIE, "")
    if name not in ROLES:
        return page(request, "preview_sent.html", answer="", token=session, here="preview")
    step = await study.read(lambda c: pretended(c, study, name, form.get("unit", "")))
    try:
        answer = read_answer(study, step.unit, dict(form))
    except Invalid as problem:
        again = replace(step, draft=form)
        return unit_page(request, study, again, problem=problem, preview=name, token=session)
    shown = json.dumps(answer, ensure_ascii=False, indent=1)
    words = text("owner.preview_kept")
    return page(request, "preview_sent.html", answer=shown, words=words, token=session, here="preview")
