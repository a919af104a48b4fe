"""The owner's login: a password (Argon2), a session in a same-site cookie, a token in every form."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from functools import partial

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from proband_annotate.site.context import OpenProject, page
from proband_annotate.site.forms import Refused, bounded, read_form
from proband_annotate.store import owners
from proband_annotate.store.owners import ROLES
from proband_annotate.store.people import note
from proband_annotate.tokens import form_token, new_session, session_id

COOKIE = "proband_owner"
HOURS = 12  # length of a session
Handler = Callable[[Request, OpenProject, str], Awaitable[Response]]
Action = Callable[[Request, OpenProject, dict[str, str]], Awaitable[Response]]


def root_of(request: Request) -> str:
    return str(request.scope.get("root_path", ""))


def home(request: Request, where: str = "") -> Response:
    return RedirectResponse(f"{root_of(request)}/owner{where}", status_code=303)


async def session_of(request: Request, study: OpenProject) -> str:
    """The cookie of a valid session, or empty. The request's state gets its `owner` and `role`."""
    token, now = request.cookies.get(COOKIE, ""), time.time()
    session = session_id(study.secret, token, now)
    if not session:
        return ""

    def work(connection: Connection) -> tuple[str, str]:
        name = owners.session_owner(connection, session, now)
        return name, owners.role_of(connection, name) if name else ""

    request.state.owner, request.state.role = await study.read(work)
    return token if request.state.role else ""


def owned(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A page for owners only."""

    async def handle(request: Request) -> Response:
        study: OpenProject = request.app.state.study
        session = await session_of(request, study)
        if not session:
            return home(request, "/login")
        return await handler(request, study, session)

    return handle


def acting(action: Action, role: str = "owner") -> Callable[[Request], Awaitable[Response]]:
    """An action for people of this role or above: a form with the session's token. The action is logged with its
    owner."""

    async def handle(request: Request) -> Response:
        study: OpenProject = request.app.state.study
        session = await session_of(request, study)
        form = await read_form(request)
        if not session or form.get("form") != form_token(study.secret, session):
            raise Refused(403, "bad_form")
        if ROLES.index(request.state.role) < ROLES.index(role):
            raise Refused(403, "not_allowed")
        answer = await action(request, study, form)
        if answer.status_code < 400 and role != "viewer":
            words = f"{request.state.owner}: {action.__name__}"
            person = request.path_params.get("person")
            known = bounded(person) if person is not None and action.__name__ != "erase" else None
            await study.write(lambda c: note(c, "dashboard", known, words))
        return answer

    return handle


def acting_as(role: str) -> Callable[[Action], Callable[[Request], Awaitable[Response]]]:
    return partial(acting, role=role)


async def login_page(request: Request) -> Response:
    return page(request, "login.html", token="login", problem=False)


async def login(request: Request) -> Response:
    """POST /owner/login"""
    from argon2 import PasswordHasher
    from argon2.exceptions import InvalidHashError, VerificationError

    study: OpenProject = request.app.state.study
    caller = request.client.host if request.client else ""
    if not study.logins.allows(caller, time.monotonic()):
        raise Refused(429, "busy")
    form = await read_form(request)
    if form.get("form") != form_token(study.secret, "login"):
        raise Refused(403, "bad_form")
    owner = form.get("username", "") or owners.FIRST
    nobodys = await asyncio.to_thread(owners.nobodys_hash)  # an unknown name takes as long as a wrong password
    hashed = await study.read(lambda c: owners.password_of(c, owner)) or nobodys
    try:
        await asyncio.to_thread(PasswordHasher().verify, hashed, form.get("password", ""))
    except (VerificationError, InvalidHashError):
        return page(request, "login.html", token="login", problem=True, status=403)
    now, name = time.time(), secrets.token_hex(16)
    await study.write(lambda c: owners.begin_session(c, name, owner=owner, until=now + HOURS * 3600, now=now))
    answer = home(request)
    answer.set_cookie(
        COOKIE,
        new_session(study.secret, name, now + HOURS * 3600),
        max_age=HOURS * 3600,
        path=f"{root_of(request)}/owner",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


@acting_as("viewer")
async def logout(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """End the session on the server too, so that a copy of its cookie is useless."""
    session = session_id(study.secret, request.cookies.get(COOKIE, ""), time.time())
    await study.write(lambda c: owners.end_session(c, session))
    answer = home(request, "/login")
    answer.delete_cookie(COOKIE, path=f"{root_of(request)}/owner")
    return answer
