"""The requests and responses of the pages as an OpenAPI description (GET /openapi.json)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from proband import __version__

TEXT = {"type": "string"}
NUMBER = {"type": "string", "pattern": "^[0-9]{1,8}$"}
ID = {"type": "string", "pattern": "^[A-Za-z0-9-]{8,64}$"}
PLACE = {"type": "integer", "minimum": 0, "maximum": 2147483647}
FORMS: dict[str, dict[str, Any]] = {  # path -> the fields of its form
    "/v/{visit}/consent": {"agree": TEXT, "signals": TEXT},
    "/v/{visit}/understood": {"attempts": NUMBER, "q0": TEXT, "q1": TEXT},
    "/v/{visit}/answer": {
        "unit": NUMBER,
        "id": ID,
        **dict.fromkeys(("c0", "c1", "v0", "r0", "s0", "story", "sure", "choice", "difficulty"), TEXT),
    },
    "/v/{visit}/decline": {},
    "/v/{visit}/draft": {"unit": NUMBER, "story": TEXT, "s0": TEXT, "c0": TEXT},
    "/v/{visit}/alive": {"unit": NUMBER},
    "/v/{visit}/checks": {"unit": NUMBER, "story": TEXT},
    "/v/{visit}/stop": {},
    "/v/{visit}/withdraw": {"certain": TEXT, "receipt": TEXT},
    "/v/{visit}/remark": {"about": NUMBER, "kind": TEXT, "words": TEXT},
    "/owner/login": {"password": TEXT},
    "/owner/logout": {},
    "/owner/people/approve": {},
    "/owner/person/{person}/decide": {"decision": TEXT, "reason": TEXT, "words": TEXT},
    "/owner/person/{person}/returned": {},
    "/owner/person/{person}/erase": {"sure": TEXT},
    "/owner/preview/{step}": {"unit": NUMBER, "story": TEXT, "s0": TEXT, "c0": TEXT, "choice": TEXT},
    "/owner/find": {"who": TEXT},
    "/owner/person/{person}/bonus": {"amount": TEXT, "words": TEXT},
    "/owner/remarks": {"remark": NUMBER, "settled": TEXT},
    "/owner/adjudicate": {"unit": NUMBER, "part": TEXT, "label": TEXT, "words": TEXT},
    "/owner/links": {"count": NUMBER, "panel": TEXT},
    "/owner/state": {"state": TEXT},
}
QUERIES = {  # path -> parameters of its query
    "/join/{link}": (
        "PROLIFIC_PID",
        "STUDY_ID",
        "SESSION_ID",
        "workerId",
        "assignmentId",
        "turkSubmitTo",
        "participant",
    ),
    "/owner/people": ("sort",),
    "/owner/plan": ("precision",),
}
RESPONSES = {
    "200": "a page, a file or JSON",
    "303": "onward",
    "400": "unreadable",
    "403": "not allowed",
    "404": "no such page",
    "405": "no such method",
    "409": "not open for this person",
    "413": "too large",
    "422": "something is missing",
    "429": "too many requests",
}


def describe(routes: Iterable[Route]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    responses = {status: {"description": words} for status, words in RESPONSES.items()}
    for route in routes:
        path = route.path_format
        in_path: list[dict[str, Any]] = [
            {"name": name, "in": "path", "required": True, "schema": PLACE if convertor.regex == "[0-9]+" else TEXT}
            for name, convertor in route.param_convertors.items()
        ]
        if "POST" in (route.methods or ()):
            schema = {"type": "object", "properties": {"form": TEXT, **FORMS[path]}, "required": ["form"]}
            body = {"required": True, "content": {"application/x-www-form-urlencoded": {"schema": schema}}}
            operation = {"post": {"parameters": in_path, "requestBody": body, "responses": responses}}
        else:
            query = [{"name": name, "in": "query", "schema": TEXT} for name in QUERIES.get(path, ())]
            operation = {"get": {"parameters": [*in_path, *query], "responses": responses}}
        paths.setdefault(path, {}).update(operation)
    return {"openapi": "3.1.0", "info": {"title": "Proband annotate", "version": __version__}, "paths": paths}


async def openapi(request: Request) -> Response:
    return JSONResponse(describe(route for route in request.app.routes if route.include_in_schema))
