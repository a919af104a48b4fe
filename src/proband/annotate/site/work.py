"""A person's visit: one address, GET shows what is next, POST does it.

Forms work without a script and then redirect; with the script they are sent by `fetch`, which asks for JSON and gets
`{"saved": true}` when the answer is on the disk.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from proband.annotate import visit as steps
from proband.annotate.bundle import unsafe
from proband.annotate.site.context import Study, message, page
from proband.annotate.site.forms import ID, BadForm, TooLarge, bounded, read_form
from proband.annotate.site.tokens import Forged, Visit, form_token, unseal
from proband.annotate.store import answers as answer_store
from proband.annotate.store import people as people_store
from proband.annotate.store import places as place_store
from proband.annotate.tasks.kind import Invalid
from proband.annotate.texts import text
from proband.core.files import encode

Handler = Callable[[Request, Study, Visit, dict[str, str]], Awaitable[Response]]


def visit_of(request: Request) -> Visit:
    found: Visit = unseal(request.app.state.study.secret, "visit", request.path_params["visit"], Visit)
    return found


async def show(request: Request) -> Response:
    """GET /v/VISIT"""
    study: Study = request.app.state.study
    try:
        visit = visit_of(request)
    except Forged:
        return message(request, "no_link", status=404)
    if not study.visits.allows(visit.worker, time.monotonic()):
        return message(request, "busy", status=429)
    step = await study.read(lambda c: steps.glance(c, visit.worker))
    if step is None:
        step = await study.write(lambda c: steps.advance(c, study.project, visit.worker))
    return _page_of(request, study, visit, step)


def _page_of(
    request: Request, study: Study, visit: Visit, step: steps.Step, *, problem: Invalid | None = None, status: int = 200
) -> Response:
    token = request.path_params["visit"]
    if step.name == "unit":
        return unit_page(request, study, step, problem=problem, status=status)
    if step.name == "instructions":
        return page(
            request, "instructions.html", token=token, step=step, questions=questions(study, visit), status=status
        )
    if step.name == "end":
        return page(request, "end.html", token=token, **ending(study, visit, step))
    if step.name == "consent":
        return page(request, "consent.html", token=token)
    return message(request, step.name, token=token, done=step.done)


def unit_page(
    request: Request,
    study: Study,
    step: steps.Step,
    *,
    problem: Invalid | None = None,
    status: int = 200,
    revise: bool = False,
) -> Response:
    body, project = step.unit["body"], study.project
    attention = step.unit["role"] == "attention"
    shown = attention_shown(body) if attention else study.kind.shown(body)
    limit = project.time.limit_seconds if step.person is not None and step.person.panel == "crowd" else 0
    return page(
        request,
        "attention.html" if attention else f"{study.kind.name}.html",
        token=request.path_params["visit"],
        unit=shown,
        number=step.unit["id"],
        role=step.unit["role"],
        step=step,
        draft=step.draft,
        problem=problem,
        revise=revise,
        left=max(0, round(step.started + limit - time.time())) if limit and not attention and not revise else None,
        status=status,
    )


def attention_shown(body: dict[str, Any]) -> dict[str, Any]:
    return {"text": body["text"], "options": body["options"]}


def questions(study: Study, visit: Visit) -> list[dict[str, Any]]:
    """The questions about the instructions, their options in an order of the person's own."""
    import random

    made = []
    for number, each in enumerate(study.project.quality.comprehension):
        order = list(enumerate(each.options))
        random.Random(f"{visit.worker}{number}").shuffle(order)
        made.append({"text": each.question, "options": order})
    return made


def ending(study: Study, visit: Visit, step: steps.Step) -> dict[str, Any]:
    assert step.person is not None
    outcome = step.person.outcome
    code = getattr(study.project.codes, outcome)
    back = study.project.platform.return_url
    if visit.source == "prolific":
        back = back or "https://app.prolific.com/submissions/complete?cc={code}"
    return {
        "outcome": outcome,
        "code": code,
        "back": back.replace("{code}", code),
        "mturk": visit.back,
        "done": step.done,
    }


# ---- what is sent ---------------------------------------------------------------------------------------------------


def posting(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """What every POST of a visit has in common: its token, its limit, its form."""

    async def handle(request: Request) -> Response:
        study: Study = request.app.state.study
        try:
            visit = visit_of(request)
            form = await read_form(request)
        except Forged:
            return refuse(request, 404, "no_link")
        except TooLarge:
            return refuse(request, 413, "too_large")
        except BadForm:
            return refuse(request, 400, "bad_form")
        if form.get("form") != form_token(study.secret, request.path_params["visit"]):
            return refuse(request, 403, "bad_form")
        if not study.visits.allows(visit.worker, time.monotonic()):
            return refuse(request, 429, "busy")
        return await handler(request, study, visit, form)

    return handle


def wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def refuse(request: Request, status: int, name: str) -> Response:
    if wants_json(request):
        return JSONResponse({"saved": False, "problem": text(f"message.{name}.title")}, status_code=status)
    return message(request, name, status=status)


def onward(request: Request, **values: Any) -> Response:
    """Done: back to the person's one address."""
    if wants_json(request):
        return JSONResponse({"saved": True, **values})
    root = request.scope.get("root_path", "")
    return RedirectResponse(f"{root}/v/{request.path_params['visit']}", status_code=303)


@posting
async def consent(request: Request, study: Study, visit: Visit, form: dict[str, str]) -> Response:
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
async def understood(request: Request, study: Study, visit: Visit, form: dict[str, str]) -> Response:
    asked = study.project.quality.comprehension
    given = [form.get(f"q{number}", "") for number in range(len(asked))]
    if "" in given:
        step = await study.read(lambda c: steps.glance(c, visit.worker))
        if step is not None and step.name == "instructions":
            problem = Invalid(f"q{given.index('')}", "invalid.choose")
            return page(
                request,
                "instructions.html",
                token=request.path_params["visit"],
                step=step,
                questions=questions(study, visit),
                problem=problem,
                status=422,
            )
        return onward(request)
    right = all(choice == "0" for choice in given)
    attempts = study.project.quality.comprehension_attempts
    await study.write(lambda c: people_store.try_comprehension(c, visit.worker, right=right, attempts=attempts))
    return onward(request)


def _number(form: dict[str, str]) -> int:
    value = form.get("unit", "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 9 else -1


def read_answer(study: Study, unit: dict[str, Any], form: dict[str, str]) -> dict[str, Any]:
    """The answer in a form; Invalid says what is missing."""
    if unit["role"] == "attention":
        from proband.annotate.tasks.kind import one_of

        places = [str(place) for place in range(len(unit["body"]["options"]))]
        return {"choice": unit["body"]["options"][int(one_of(form, "choice", places))]}
    return study.kind.answer(unit["body"], form)


SIGNALS = ("pasted", "pastes", "keys", "typing_seconds", "hidden")


def signals_of(form: dict[str, str]) -> dict[str, float]:
    """Counts that the script sends of how a text came about; never more than these, never anything but numbers."""
    found = {}
    for name in SIGNALS:
        value = form.get(f"signal_{name}", "")
        if value.isascii() and value.replace(".", "", 1).isdigit() and len(value) < 12:
            found[name] = float(value)
    return found


@posting
async def answer(request: Request, study: Study, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/answer: acknowledged when it is on the disk."""
    number, answer_id = _number(form), form.get("id", "")
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
        shown = steps.Step(**{**vars(step), "draft": form})
        return unit_page(request, study, shown, problem=problem, status=422)
    try:
        stored = await study.write(
            lambda c: steps.submit(
                c,
                study.project,
                study.kind,
                visit.worker,
                answer_id=answer_id,
                unit_id=number,
                body=body,
                signals=signals_of(form),
            )
        )
    except answer_store.Conflict:
        return refuse(request, 409, "not_yours")
    return onward(request, id=answer_id, new=stored.new, revision=stored.revision)


def overtime(study: Study, step: steps.Step) -> bool:
    limit = study.project.time.limit_seconds
    timed = limit and step.person is not None and step.person.panel == "crowd"
    return bool(timed and time.time() > step.started + limit)


@posting
async def draft(request: Request, study: Study, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/draft: what is being typed, kept."""
    number = _number(form)
    kept = {name: value for name, value in form.items() if name not in ("form", "unit", "id")}

    def work(connection: Any) -> bool:
        person = people_store.find(connection, visit.worker, lock=True)
        if person is None:
            return False
        now = time.time()
        saved = answer_store.save_draft(connection, person, number, encode(kept).decode(), now)
        return saved and beat(connection, study, person, number, now)

    if not await study.write(work):
        return refuse(request, 409, "not_yours")
    return onward(request)


def beat(connection: Any, study: Study, person: Any, number: int, now: float) -> bool:
    until = now + study.project.time.lease_minutes * 60
    place_store.beat(connection, person, number, now=now, until=until)
    return True


@posting
async def alive(request: Request, study: Study, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/alive: the lease lasts longer."""
    number = _number(form)

    def work(connection: Any) -> bool:
        person = people_store.find(connection, visit.worker, lock=True)
        return person is not None and beat(connection, study, person, number, time.time())

    await study.write(work)
    return onward(request)


@posting
async def live_checks(request: Request, study: Study, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/checks: what a text still lacks, as JSON."""
    step = await study.read(lambda c: steps.unit_for(c, visit.worker, _number(form)))
    if step is None or step.unit["role"] == "attention":
        return refuse(request, 409, "not_yours")
    found = study.kind.checks(step.unit["body"], form)
    return JSONResponse({"checks": [{"met": c.met, "stops": c.stops, "text": text(c.text, **c.values)} for c in found]})


async def revise(request: Request) -> Response:
    """GET /v/VISIT/change: the last answer, to be changed; sending it adds a revision."""
    study: Study = request.app.state.study
    try:
        visit = visit_of(request)
    except Forged:
        return message(request, "no_link", status=404)
    step = await study.read(lambda c: steps.last_step(c, study.kind, visit.worker))
    if step is None:
        return message(request, "not_yours", token=request.path_params["visit"], status=409)
    return unit_page(request, study, step, revise=True)


async def media(request: Request) -> Response:
    """GET /v/VISIT/media/UNIT: the picture or clip of a unit the person was given."""
    study: Study = request.app.state.study
    try:
        visit = visit_of(request)
    except Forged:
        return message(request, "no_link", status=404)
    step = await study.read(lambda c: steps.unit_for(c, visit.worker, bounded(request.path_params["unit"])))
    name = step.unit["body"].get("media") if step is not None else None
    path = study.folder / "media" / name if name and not unsafe(name) else None
    if path is None or path.is_symlink() or not path.is_file():
        return message(request, "missing", status=404)
    return FileResponse(path, headers={"Cache-Control": "private, max-age=3600"})


@posting
async def stop(request: Request, study: Study, visit: Visit, form: dict[str, str]) -> Response:
    """POST /v/VISIT/stop: the person ends the visit."""

    def work(connection: Any) -> None:
        person = people_store.find(connection, visit.worker, lock=True)
        if person is not None and not person.outcome:
            done = people_store.answered(connection, person.id, "main")
            people_store.finish(connection, person.id, "done" if done else "screened_out")

    await study.write(work)
    return onward(request)
