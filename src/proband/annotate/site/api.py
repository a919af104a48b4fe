"""What the pages take and give, as an OpenAPI description (GET /openapi.json): for tests, proxies and other clients."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from proband import __version__

TEXT = {"type": "string"}
NUMBER = {"type": "string", "pattern": "^[0-9]{1,8}$"}
ID = {"type": "string", "pattern": "^[A-Za-z0-9-]{8,64}$"}
PLACE = {"type": "integer", "minimum": 0, "maximum": 2147483647}
FORMS: dict[str, dict[str, Any]] = {  # path -> the fields of its form
    "/v/{visit}/consent": {"agree": TEXT, "signals": TEXT},
    "/v/{visit}/understood": {"q0": TEXT, "q1": TEXT},
    "/v/{visit}/answer": {
        "unit": NUMBER,
        "id": ID,
        **dict.fromkeys(("c0", "c1", "v0", "r0", "s0", "story", "sure", "choice", "difficulty"), TEXT),
    },
    "/v/{visit}/draft": {"unit": NUMBER, "story": TEXT, "s0": TEXT, "c0": TEXT},
    "/v/{visit}/alive": {"unit": NUMBER},
    "/v/{visit}/checks": {"unit": NUMBER, "story": TEXT},
    "/v/{visit}/stop": {},
    "/v/{visit}/remark": {"about": NUMBER, "kind": TEXT, "words": TEXT},
    "/owner/login": {"password": TEXT},
    "/owner/logout": {},
    "/owner/people/approve": {},
    "/owner/person/{person}/decide": {"decision": TEXT, "reason": TEXT, "words": TEXT},
    "/owner/person/{person}/erase": {"sure": TEXT},
    "/owner/find": {"who": TEXT},
    "/owner/person/{person}/bonus": {"amount": TEXT, "words": TEXT},
    "/owner/remarks": {"remark": NUMBER, "settled": TEXT},
    "/owner/adjudicate": {"unit": NUMBER, "part": TEXT, "label": TEXT, "words": TEXT},
    "/owner/links": {"count": NUMBER, "panel": TEXT},
    "/owner/state": {"state": TEXT},
}
PAGES: dict[str, tuple[str, ...]] = {  # path -> parameters of its query
    "/join/{link}": (
        "PROLIFIC_PID",
        "STUDY_ID",
        "SESSION_ID",
        "workerId",
        "assignmentId",
        "turkSubmitTo",
        "participant",
    ),
    "/v/{visit}": (),
    "/v/{visit}/change": (),
    "/v/{visit}/media/{unit}": (),
    "/health": (),
    "/metrics": (),
    "/static/{name}": (),
    "/owner": (),
    "/owner/login": (),
    "/owner/figures.json": (),
    "/owner/people": (),
    "/owner/person/{person}": (),
    "/owner/remarks": (),
    "/owner/agreement": (),
    "/owner/payments.csv": (),
    "/owner/disputes": (),
    "/owner/plan": ("precision",),
    "/owner/links": (),
    "/owner/export/{format}": (),
}
NUMBERS = ("person", "unit")


def described() -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for path, query in PAGES.items():
        listed = [{"name": name, "in": "query", "schema": TEXT} for name in query]
        paths.setdefault(path, {})["get"] = {"parameters": [*_in_path(path), *listed], "responses": _responses()}
    for path, fields in FORMS.items():
        schema = {"type": "object", "properties": {"form": TEXT, **fields}, "required": ["form"]}
        body = {"required": True, "content": {"application/x-www-form-urlencoded": {"schema": schema}}}
        paths.setdefault(path, {})["post"] = {
            "parameters": _in_path(path),
            "requestBody": body,
            "responses": _responses(),
        }
    return {"openapi": "3.1.0", "info": {"title": "Proband annotate", "version": __version__}, "paths": paths}


def _in_path(path: str) -> list[dict[str, Any]]:
    names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    return [{"name": n, "in": "path", "required": True, "schema": PLACE if n in NUMBERS else TEXT} for n in names]


def _responses() -> dict[str, Any]:
    said = {"200": "a page, a file or JSON", "303": "onward", "400": "unreadable", "403": "not allowed"}
    said |= {"404": "no such page", "405": "no such method", "409": "not open for this person"}
    said |= {"413": "too large", "422": "something is missing", "429": "too many requests"}
    return {status: {"description": words} for status, words in said.items()}


async def openapi(request: Request) -> Response:
    return JSONResponse(described())
