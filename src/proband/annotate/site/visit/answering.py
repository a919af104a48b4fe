"""What a person sends: consent, the questions about the instructions, answers, the wish to stop."""

from __future__ import annotations

import time
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from proband.annotate import visit as steps
from proband.annotate.site.context import OpenProject, message, page
from proband.annotate.site.forms import ID
from proband.annotate.site.visit.pages import instructions_page, questions, unit_page
from proband.annotate.site.visit.posting import onward, posting, refuse, unit_number, wants_json
from proband.annotate.store import people as people_store
from proband.annotate.store import remarks as remark_store
from proband.annotate.store.answers import Conflict, Ended
from proband.annotate.texts import text
from proband.annotate.tokens import Visit
from proband.core.human_task import Invalid, one_of

SIGNALS = ("pasted", "pastes", "keys", "typing_seconds", "hidden")


@posting
async def consent(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    if form.get("agree") != "yes":
        return page(request, "consent.html", token=request.path_params["visit"], problem="agree", status=422)
    project = study.project
    who = {"worker": visit.worker, "source": visit.source, "panel": visit.panel}
    signals = project.signals.ask and form.get("signals") == "yes"

    def work(connection: Any) -> bool:
        if steps.state_of(connection) != "open":
            return True
        return people_store.arrive(connection, **who, signals=signals, most=project.people.most_people)

    if not await study.write(work):
        return message(request, "full")
    return onward(request)


@posting
async def understood(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    asked = questions(study, visit)
    given = [form.get(f"q{number}", "") for number in range(len(asked))]
    if "" in given:
        step = await study.read(lambda c: steps.glance(c, visit.worker))
        if step is None or step.name != "instructions":
            return onward(request)
        problem = Invalid(f"q{given.index('')}", "invalid.choose")
        return instructions_page(request, study, visit, step, problem=problem)
    right = all(choice == each["right"] for choice, each in zip(given, asked, strict=True))
    attempts = study.project.quality.comprehension_attempts
    await study.write(lambda c: people_store.try_comprehension(c, visit.worker, right=right, attempts=attempts))
    return onward(request)


@posting
async def answer(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/answer: acknowledged when it is on the disk."""
    number, answer_id = unit_number(form), form.get("id", "")
    if not ID.fullmatch(answer_id):
        return refuse(request, 400, "bad_form")
    step = await study.read(lambda c: steps.unit_for(c, visit.worker, number))
    if step is None:
        return refuse(request, 409, "not_yours")
    form["overtime"] = "yes" if overtime(study, step) else ""
    try:
        body = read_answer(study, step.unit, form)
    except Invalid as problem:
        if wants_json(request):
            said = text(problem.text, **problem.values)
            return JSONResponse({"saved": False, "field": problem.field, "problem": said}, status_code=422)
        return unit_page(request, study, steps.Step(**{**vars(step), "draft": form}), problem=problem)
    sent: dict[str, Any] = {"answer_id": answer_id, "unit_id": number, "body": body, "signals": signals_of(form)}
    try:
        stored = await study.write(lambda c: steps.submit(c, study.project, study.task, visit.worker, **sent))
    except Conflict:
        return refuse(request, 409, "not_yours")
    except Ended:
        return refuse(request, 409, "ended")
    return onward(request, id=stored.id, new=stored.new, revision=stored.revision)


def read_answer(study: OpenProject, unit: dict[str, Any], form: dict[str, str]) -> dict[str, Any]:
    """The answer in a form; Invalid says what is missing."""
    if unit["role"] == "attention":
        places = [str(place) for place in range(len(unit["body"]["options"]))]
        return {"choice": unit["body"]["options"][int(one_of(form, "choice", places))]}
    return study.task.answer(unit["body"], form)


def overtime(study: OpenProject, step: steps.Step) -> bool:
    limit = study.project.time.limit_seconds
    timed = limit and step.person is not None and step.person.panel == "crowd"
    return bool(timed and time.time() > step.started + limit)


def signals_of(form: dict[str, str]) -> dict[str, float]:
    """Counts that the script sends of how a text came about; never more than these, never anything but numbers."""
    results = {}
    for name in SIGNALS:
        value = form.get(f"signal_{name}", "")
        if value.isascii() and value.replace(".", "", 1).isdigit() and len(value) < 12:
            results[name] = float(value)
    return results


@posting
async def stop(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/stop: the person ends the visit."""

    def work(connection: Any) -> None:
        person = people_store.find(connection, visit.worker, lock=True)
        if person is not None and not person.outcome:
            people_store.leave(connection, person.id)

    await study.write(work)
    return onward(request)


@posting
async def remark(request: Request, study: OpenProject, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/remark: a problem with a unit, a comment, or a unit that the person would rather not do."""
    kind, words, number = form.get("kind", ""), form.get("words", "").strip(), unit_number(form, "about")
    if kind not in ("skip", "problem", "comment") or (kind != "comment" and number < 0):
        return refuse(request, 400, "bad_form")
    if kind != "skip" and not words:
        return refuse(request, 422, "no_words")

    def work(connection: Any) -> bool:
        person = people_store.find(connection, visit.worker, lock=True)
        if person is None:
            return False
        if kind == "skip":
            return remark_store.skip(connection, person, number, words, most=study.project.people.skips)
        return remark_store.add(connection, person, kind=kind, text=words, unit_id=number if number >= 0 else None)

    if not await study.write(work):
        return refuse(request, 409, "not_yours")
    if kind == "skip" or wants_json(request):
        return onward(request)
    return message(request, "thanks", token=request.path_params["visit"])
