"""A person's visit: one address, GET shows what is next (here), POST does it (visit_posts.py).

The page of each step, the last answer to be changed, the picture or clip of a unit.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from proband_annotate import visit as steps
from proband_annotate.bundle import unsafe
from proband_annotate.human_task import Invalid
from proband_annotate.project import Project
from proband_annotate.site.context import OpenProject, message, page
from proband_annotate.site.forms import Refused, bounded
from proband_annotate.store import people as people_store
from proband_annotate.store import slots as slot_store
from proband_annotate.terms import current_terms
from proband_annotate.texts import text
from proband_annotate.tokens import Forged, Visit, person_code, unseal


def visit_of(request: Request) -> Visit:
    """The person whose signed visit is in the address."""
    try:
        visit: Visit = unseal(request.app.state.study.secret, "visit", request.path_params["visit"], Visit)
    except Forged:
        raise Refused(404, "no_link") from None
    return visit


async def show(request: Request) -> Response:
    """GET /v/VISIT"""
    study: OpenProject = request.app.state.study
    visit = visit_of(request)
    if not study.visits.allows(visit.worker, time.monotonic()):
        raise Refused(429, "busy")
    step = await study.read(lambda c: steps.current_step(c, visit.worker))
    if step is None:
        step = await study.write(lambda c: steps.advance(c, study.project, visit.worker))
    token, person = request.path_params["visit"], step.person
    practice: list[steps.Line] = []
    if person is not None and (step.name == "unit" or person.outcome == "screened_out"):
        practice = await study.read(lambda c: steps.last_practice(c, study.task, person.id))
    if step.name == "unit":
        return unit_page(request, study, step, practice=practice)
    if step.name == "instructions":
        return instructions_page(request, study, visit, step)
    if step.name == "end":
        return page(request, "end.html", token=token, **ending(study, visit, step), practice=practice)
    if step.name == "consent":
        full = visit.panel == "crowd" and await study.read(lambda c: is_full(c, study.project, visit))
        return message(request, "full") if full else await consent_page(request, study)
    return message(request, step.name, token=token, done=step.done)


def is_full(connection: Connection, project: Project, visit: Visit) -> bool:
    """Is nobody else wanted, or nobody of this person's group?"""
    quota: dict[str, Any] = {"quota": visit.group, "most_of_quota": project.quotas.most.get(visit.group, 0)}
    full = people_store.is_full(connection, most=project.people.most_people, **quota)
    return full or not slot_store.unfinished(connection, "crowd")


async def consent_page(request: Request, study: OpenProject, *, problem: str = "", status: int = 200) -> Response:
    version, terms = await study.read(current_terms)
    about: dict[str, Any] = {"terms": terms, "version": version, "problem": problem}
    return page(request, "consent.html", token=request.path_params["visit"], status=status, **about)


def unit_page(
    request: Request,
    study: OpenProject,
    step: steps.Step,
    *,
    problem: Invalid | None = None,
    revise: bool = False,
    practice: Sequence[steps.Line] = (),
    token: str = "",
    preview: str = "",
) -> Response:
    body, attention = step.unit["body"], step.unit["role"] == "attention"
    ends = time_limit(study, step)
    return page(
        request,
        "attention.html" if attention else study.task.page.partition(":")[2],
        token=token or request.path_params["visit"],
        preview=preview,
        unit={"text": body["text"], "options": body["options"]} if attention else study.task.shown(body),
        number=step.unit["id"],
        role=step.unit["role"],
        step=step,
        terms=step.terms,
        place=place_of(step, revise=revise),
        draft=step.draft,
        problem=problem,
        revise=revise,
        practice=practice,
        skips=study.project.people.skips - step.skipped if step.unit["role"] != "trial" else 0,
        left=max(0, round(ends - time.time())) if ends < math.inf and not attention and not revise else None,
        status=422 if problem else 200,
    )


def time_limit(study: OpenProject, step: steps.Step) -> float:
    """When the time for a unit ends."""
    limit = study.project.time.limit_seconds
    return step.started + limit if limit and step.person is not None and step.person.panel == "crowd" else math.inf


def is_settled(study: OpenProject, step: steps.Step) -> bool:
    """Is there an answer in time, which cannot be changed any more?"""
    return time.time() > time_limit(study, step) and step.last_answer.get("overtime") is False


def place_of(step: steps.Step, *, revise: bool) -> str:
    """The text of the counter: the number of this task among the paid ones."""
    assert step.terms is not None
    role, number = step.unit["role"], step.done + (0 if revise else 1)
    if role not in step.terms.roles:
        return text("unit.trial" if role == "trial" else "unit.check")
    of_all = step.terms.limited and step.person is not None and step.person.panel == "crowd"
    place = text("unit.progress", done=number, all=step.terms.tasks) if of_all else text("unit.count", done=number)
    return text("unit.trial_of", place=place) if role == "trial" else place


def instructions_page(
    request: Request,
    study: OpenProject,
    visit: Visit,
    step: steps.Step,
    *,
    problem: Invalid | None = None,
    token: str = "",
    preview: str = "",
) -> Response:
    assert step.person is not None
    return page(
        request,
        "instructions.html",
        token=token or request.path_params["visit"],
        preview=preview,
        terms=step.terms,
        questions=questions(study, visit),
        left=study.project.quality.comprehension_attempts - step.person.attempts,
        attempts=step.person.attempts,
        problem=problem,
        status=422 if problem else 200,
    )


def questions(study: OpenProject, visit: Visit) -> list[dict[str, Any]]:
    """The questions about the instructions, with options in a random order per person; `right` is the position of the
    right one, which the page does not reveal."""
    made = []
    for number, each in enumerate(study.project.quality.comprehension):
        order = list(range(len(each.options)))
        random.Random(f"{visit.worker}{number}").shuffle(order)
        options = [each.options[place] for place in order]
        made.append({"text": each.question, "options": options, "right": str(order.index(0))})
    return made


def ending(study: OpenProject, visit: Visit, step: steps.Step) -> dict[str, Any]:
    assert step.person is not None
    if step.person.decision == "rejected":
        return {"outcome": "rejected", "code": "", "reason": reason_of(step.person.reason), "step": step}
    code = code_of(study, visit, outcome := step.person.outcome)
    return {
        "outcome": "author" if outcome == "screened_out" and step.author and not step.done else outcome,
        "code": code,
        "back": way_back(study, visit, code),
        "mturk": visit.back if code else "",
        "step": step,
        "pay": pay_words(step),
    }


def code_of(study: OpenProject, visit: Visit, outcome: str) -> str:
    """The completion code: none if the platform knows (returned) or nothing was completed (rejected)."""
    code: str = getattr(study.project.codes, outcome, "")
    if code and study.project.codes.per_person and visit.source != "prolific":  # Prolific knows only the study's codes
        code = person_code(study.secret, visit.worker, outcome)
    return code


def way_back(study: OpenProject, visit: Visit, code: str) -> str:
    """The platform's address for this code; empty if there is none."""
    known = "https://app.prolific.com/submissions/complete?cc={code}" if visit.source == "prolific" else ""
    return (study.project.platform.return_url or known).replace("{code}", code) if code else ""


def pay_words(step: steps.Step) -> str:
    """The person's pay in words; empty if the study pays nothing, and for experts."""
    assert step.terms is not None
    assert step.person is not None
    paid = step.payment
    if not step.terms.whole or step.person.panel != "crowd":
        return ""
    amounts = {"total": paid.total, "fixed": paid.by_platform, "bonus": paid.bonus, "currency": step.terms.currency}
    if not paid.total:
        return text("end.no_pay")
    return text("end.pay_parts" if paid.by_platform and paid.bonus else "end.pay", **amounts)


def reason_of(stored: str) -> str:
    """The reason of a rejection, as shown to the person.

    >>> reason_of("careless All alike.")
    'careless answers. All alike.'
    """
    known, _, words = stored.partition(" ")
    return " ".join(f"{part.rstrip('.')}." for part in (text(f"owner.reason_{known}"), words) if part)


async def revise(request: Request) -> Response:
    """GET /v/VISIT/change: the last answer, to be changed; sending it adds a revision."""
    study: OpenProject = request.app.state.study
    visit = visit_of(request)
    step = await study.read(lambda c: steps.last_step(c, study.task, visit.worker))
    if step is None or is_settled(study, step):
        raise Refused(409, "not_yours" if step is None else "settled")
    return unit_page(request, study, step, revise=True)


async def media(request: Request) -> Response:
    """GET /v/VISIT/media/UNIT: the picture or clip of a unit the person was given."""
    study: OpenProject = request.app.state.study
    visit = visit_of(request)
    step = await study.read(lambda c: steps.unit_for(c, visit.worker, bounded(request.path_params["unit"])))
    return media_of(study, step)


def media_of(study: OpenProject, step: steps.Step | None) -> Response:
    name = step.unit["body"].get("media") if step is not None else None
    path = study.folder / "media" / name if name and not unsafe(name) else None
    if path is None or path.is_symlink() or not path.is_file():
        raise Refused(404, "missing")
    return FileResponse(path, headers={"Cache-Control": "private, max-age=3600"})
