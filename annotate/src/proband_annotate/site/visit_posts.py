"""What a person sends: consent, answers to the questions about the instructions, answers, remarks, the wish to stop;
and what the script sends while they work.

Forms work without a script and then redirect; with the script they are sent by `fetch`, which asks for JSON and gets
`{"saved": true}` when the answer is on the disk.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from proband.core.files import encode
from proband_annotate import visit as steps
from proband_annotate.erasing import erase
from proband_annotate.human_task import Invalid, one_of
from proband_annotate.site import visit_pages as pages
from proband_annotate.site.context import OpenProject, message, page
from proband_annotate.site.forms import ID, Refused, number_in, read_form
from proband_annotate.store import people as people_store
from proband_annotate.store import remarks as remark_store
from proband_annotate.store import slots as slot_store
from proband_annotate.store.answers import Conflict, Ended, save_draft
from proband_annotate.store.schema import count_rows, remarks
from proband_annotate.terms import current_terms
from proband_annotate.texts import text
from proband_annotate.tokens import Visit, form_token, person_code

SIGNALS = ("pasted", "pastes", "keys", "typing_seconds", "hidden")
Handler = Callable[[Request, OpenProject, Visit, dict[str, str]], Awaitable[Response]]


def posting(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Wrap the handler of a visit's form: checks its token, its rate limit and its fields."""

    async def handle(request: Request) -> Response:
        study: OpenProject = request.app.state.study
        visit, form = pages.visit_of(request), await read_form(request)
        if form.get("form") != form_token(study.secret, request.path_params["visit"]):
            raise Refused(403, "bad_form")
        if not study.visits.allows(visit.worker, time.monotonic()):
            raise Refused(429, "busy")
        return await handler(request, study, visit, form)

    return handle


def wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def refuse(request: Request, status: int, name: str) -> Response:
    if wants_json(request):
        return JSONResponse({"saved": False, "problem": text(f"message.{name}.title")}, status_code=status)
    token = request.path_params["visit"] if name in ("not_yours", "ended", "settled") else ""
    return message(request, name, status=status, token=token)


def onward(request: Request, **values: Any) -> Response:
    """Redirect to the person's address."""
    if wants_json(request):
        return JSONResponse({"saved": True, **values})
    root = request.scope.get("root_path", "")
    return RedirectResponse(f"{root}/v/{request.path_params['visit']}", status_code=303)


# ---- by the person -------------------------------------------------------------------------------------------------


@posting
async def consent(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    if form.get("agree") != "yes":
        return await pages.consent_page(request, study, problem="need", status=422)
    project, version = study.project, number_in(form, "terms")
    if version != (await study.read(current_terms))[0]:  # the terms have changed since they read them
        return await pages.consent_page(request, study, problem="changed", status=409)
    who: dict[str, Any] = {"worker": visit.worker, "source": visit.source, "panel": visit.panel}
    who |= {"quota": visit.group, "most_of_quota": project.quotas.most.get(visit.group, 0)}
    who["most"] = project.people.most_people
    signals = project.signals.ask and form.get("signals") == "yes"

    def work(connection: Any) -> bool:
        if steps.state_of(connection) != "open":
            return True
        new = people_store.find(connection, visit.worker) is None
        if new and visit.panel == "crowd" and not slot_store.unfinished(connection, "crowd"):
            return False
        return people_store.arrive(connection, **who, signals=signals, agreement=version)

    if not await study.write(work):
        return message(request, "full")
    return onward(request)


@posting
async def decline(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/decline: nothing is stored; if the person has already begun, the visit stops."""
    if await study.read(lambda c: people_store.find(c, visit.worker)) is not None:
        return onward(request)
    return message(request, "declined")


@posting
async def understood(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    right_answers = [each["right"] for each in pages.questions(study, visit)]
    given = [form.get(f"q{number}", "") for number in range(len(right_answers))]
    if "" in given:
        step = await study.read(lambda c: steps.current_step(c, visit.worker))
        if step is None or step.name != "instructions":
            return onward(request)
        problem = Invalid(f"q{given.index('')}", "invalid.choose")
        return pages.instructions_page(request, study, visit, step, problem=problem)
    about: dict[str, Any] = {"right": given == right_answers, "before": max(0, number_in(form, "attempts"))}
    attempts = study.project.quality.comprehension_attempts
    await study.write(lambda c: people_store.try_comprehension(c, visit.worker, attempts=attempts, **about))
    return onward(request)


@posting
async def answer(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/answer: acknowledged when it is on the disk."""
    number, answer_id = number_in(form, "unit"), form.get("id", "")
    if not ID.fullmatch(answer_id):
        raise Refused(400, "bad_form")
    step = await study.read(lambda c: steps.unit_for(c, visit.worker, number))
    if step is None:
        raise Refused(409, "not_yours")
    settled = pages.is_settled(study, step)
    form["overtime"] = "yes" if time.time() > pages.time_limit(study, step) and not settled else ""
    try:
        body = read_answer(study, step.unit, form)
        if settled and body != step.last_answer:
            raise Invalid("", "message.settled.title")
        if step.person is not None and step.unit["role"] != "attention":
            person_id = step.person.id
            await study.read(lambda c: steps.refuse_repeats(c, study.task, person_id, step.unit, body))
    except Invalid as problem:
        if wants_json(request):
            words = text(problem.text, **problem.values)
            return JSONResponse({"saved": False, "field": problem.field, "problem": words}, status_code=422)
        return pages.unit_page(
            request, study, replace(step, draft=form), problem=problem, revise=bool(step.last_answer)
        )
    sent: dict[str, Any] = {"answer_id": answer_id, "unit_id": number, "body": body, "signals": signals_of(form)}
    sent["scripted"] = form.get("script") == "yes"
    try:
        stored = await study.write(lambda c: steps.submit(c, study.project, study.task, visit.worker, **sent))
    except Conflict:
        raise Refused(409, "not_yours") from None
    except Ended:
        raise Refused(409, "ended") from None
    return onward(request, id=stored.id, new=stored.new, revision=stored.revision)


def read_answer(study: OpenProject, unit: dict[str, Any], form: dict[str, str]) -> dict[str, Any]:
    """The answer in a form; Invalid names what is missing."""
    if unit["role"] == "attention":
        places = [str(place) for place in range(len(unit["body"]["options"]))]
        return {"choice": unit["body"]["options"][int(one_of(form, "choice", places))]}
    return dict(study.task.answer(unit["body"], form))


def signals_of(form: dict[str, str]) -> dict[str, float]:
    """Counts from the script about how a text was typed; only these, and only numbers."""
    values = {name: form.get(f"signal_{name}", "") for name in SIGNALS}
    return {
        name: float(value)
        for name, value in values.items()
        if value.isascii() and value.replace(".", "", 1).isdigit() and len(value) < 12
    }


@posting
async def stop(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/stop: the person ends the visit."""

    def work(connection: Any) -> None:
        person = people_store.find(connection, visit.worker, lock=True)
        if person is not None and not person.outcome:
            people_store.finish(connection, person.id, "stopped")

    await study.write(work)
    return onward(request)


@posting
async def withdraw(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/withdraw: everything about the person is deleted. Their pay is recorded under a receipt only."""
    if form.get("certain") != "yes":
        raise Refused(422, "not_sure")
    same = form.get("receipt", "")  # sent again, the page shows the same
    receipt = person_code(study.secret, visit.worker, f"receipt {same}") if same else ""
    made = await asyncio.to_thread(erase, study.folder, study.database, visit.worker, receipt=receipt)
    if made.left:
        await study.write(lambda c: people_store.note(c, "not erased", detail="; ".join(made.left)))
    code, owed = pages.code_of(study, visit, made.outcome), list(zip(made.receipts, made.still_paid, strict=True))
    about: dict[str, Any] = {"receipts": owed, "code": code, "back": pages.way_back(study, visit, code)}
    return page(request, "message.html", name="withdrawn", done=0, **about)


@posting
async def remark(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/remark: a problem with a unit, a comment, or a unit that the person does not want to do."""
    kind, words, number = form.get("kind", ""), form.get("words", "").strip(), number_in(form, "about")
    if kind not in ("skip", "problem", "comment") or (kind != "comment" and number < 0):
        raise Refused(400, "bad_form")
    if kind != "skip" and not words:
        raise Refused(422, "no_words")
    at, about = time.time(), number if number >= 0 else None

    def work(connection: Any) -> bool:
        person = people_store.find(connection, visit.worker, lock=True)
        if person is None or count_rows(connection, remarks, remarks.c.person_id == person.id, remarks.c.at == at):
            return person is not None  # stored by a first try, whose commit had an unknown fate
        if kind == "skip":
            return remark_store.skip(connection, person, number, words, most=study.project.people.skips, at=at)
        return remark_store.add(connection, person, kind=kind, text=words, unit_id=about, at=at)

    if not await study.write(work):
        raise Refused(409, "not_yours")
    if kind == "skip" or wants_json(request):
        return onward(request)
    return message(request, "thanks", token=request.path_params["visit"])


# ---- what the script sends while a person works: drafts, heartbeats, a text to check ------------------------------


@posting
async def draft(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/draft: store what is being typed; also a heartbeat."""
    number = number_in(form, "unit")
    kept = {name: value for name, value in form.items() if name not in ("form", "unit", "id", "script", "idle")}

    def work(connection: Any) -> bool:
        person = people_store.find(connection, visit.worker, lock=True)
        if person is None or not save_draft(connection, person, number, encode(kept).decode(), time.time()):
            return False
        keep_alive(connection, study, person, number, working=True)
        return True

    if not await study.write(work):
        raise Refused(409, "not_yours")
    return onward(request)


@posting
async def alive(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/alive: extend the lease."""

    def work(connection: Any) -> None:
        person = people_store.find(connection, visit.worker, lock=True)
        if person is not None:
            keep_alive(connection, study, person, number_in(form, "unit"), working=form.get("idle") != "yes")

    await study.write(work)
    return onward(request)


def keep_alive(connection: Any, study: OpenProject, person: people_store.Person, number: int, *, working: bool) -> None:
    now = time.time()
    until = now + study.project.time.lease_minutes * 60
    slot_store.heartbeat(connection, person, number, now=now, until=until, working=working)


@posting
async def live_checks(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/checks: what a text still lacks, as JSON."""
    step = await study.read(lambda c: steps.unit_for(c, visit.worker, number_in(form, "unit")))
    if step is None or step.unit["role"] == "attention":
        raise Refused(409, "not_yours")
    checks = study.task.checks(step.unit["body"], form)
    return JSONResponse(
        {"checks": [{"met": c.met, "stops": c.stops, "text": text(c.text, **c.values)} for c in checks]}
    )
