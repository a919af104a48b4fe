"""What every POST of a visit has in common: its token, its limit, its form, and the two ways to answer."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from proband.annotate.site.context import OpenProject, message
from proband.annotate.site.forms import BadForm, TooLarge, read_form
from proband.annotate.texts import text
from proband.annotate.tokens import Forged, Visit, form_token, unseal

Handler = Callable[[Request, OpenProject, Visit, dict[str, str]], Awaitable[Response]]


def visit_of(request: Request) -> Visit:
    result: Visit = unseal(request.app.state.study.secret, "visit", request.path_params["visit"], Visit)
    return result


def posting(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        study: OpenProject = request.app.state.study
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
    token = request.path_params["visit"] if name in ("not_yours", "ended") else ""
    return message(request, name, status=status, token=token)


def onward(request: Request, **values: Any) -> Response:
    """Done: back to the person's one address."""
    if wants_json(request):
        return JSONResponse({"saved": True, **values})
    root = request.scope.get("root_path", "")
    return RedirectResponse(f"{root}/v/{request.path_params['visit']}", status_code=303)


def unit_number(form: dict[str, str], name: str = "unit") -> int:
    """The unit a form is about; -1 if it names none."""
    value = form.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 9 else -1
