"""The application: routes, response headers, and a task that frees inactive slots."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import sqlite3
import time
from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy.exc import DBAPIError
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from proband.core.errors import ProbandError
from proband.core.files import asset
from proband_annotate.site import api, entry, monitoring, owner, owner_session, preview
from proband_annotate.site import visit_pages as pages
from proband_annotate.site import visit_posts as posts
from proband_annotate.site.context import OpenProject, message
from proband_annotate.site.forms import Refused
from proband_annotate.store.database import reason_of
from proband_annotate.store.slots import return_expired

# ---- behind proxies of our own: who called, and by http or https ---------------------------------------------------
#
# Each proxy adds the address of its caller at the end of X-Forwarded-For. Entries before those of our own proxies
# were sent by the caller and may be anything, so entries are counted from the end.


def caller(header: str, hops: int) -> str:
    """The address that the first of `hops` proxies saw; empty if there are too few entries.

    >>> caller("6.6.6.6, 203.0.113.9", 1), caller("6.6.6.6, 203.0.113.9, 10.0.0.2", 2), caller("", 1)
    ('203.0.113.9', '203.0.113.9', '')
    """
    entries = [entry.strip() for entry in header.split(",") if entry.strip()]
    return entries[-hops] if len(entries) >= hops else ""


class Forwarded:
    """The app with the caller's own address and scheme, as reported by `hops` trusted proxies."""

    def __init__(self, app: Any, *, hops: int) -> None:
        self.app, self.hops = app, hops
        self.state = app.state

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            address = caller(",".join(headers.getlist("x-forwarded-for")), self.hops)
            schemes = [each.strip() for each in ",".join(headers.getlist("x-forwarded-proto")).split(",")]
            scheme = schemes[-min(self.hops, len(schemes))]
            scope = {
                **scope,
                **({"client": (address, 0)} if address else {}),
                **({"scheme": scheme} if scheme in ("http", "https") else {}),
            }
        await self.app(scope, receive, send)


# --------------------------------------------------------------------------------------------------------------------


SWEEP = 5.0  # seconds
STATIC = {
    "page.css": ("proband.web", "text/css"),
    "annotate.css": ("proband_annotate.web", "text/css"),
    "annotate.js": ("proband_annotate.web", "text/javascript"),
}


def application(study: OpenProject) -> Starlette:
    """The pages of one project."""
    app = Starlette(routes=routes(), lifespan=lifespan, exception_handlers=HANDLERS)
    app.state.study = study
    app.add_middleware(SecurityHeaders, frames=" ".join(study.project.platform.frames))
    return app


def routes() -> list[Route]:
    here = "/v/{visit}"
    return [
        Route("/static/{name}", static),
        Route("/health", health),
        Route("/metrics", monitoring.metrics),
        Route("/openapi.json", api.openapi, include_in_schema=False),
        Route("/join/{link}", entry.join),
        Route(here, pages.show),
        Route(f"{here}/consent", posts.consent, methods=["POST"]),
        Route(f"{here}/decline", posts.decline, methods=["POST"]),
        Route(f"{here}/understood", posts.understood, methods=["POST"]),
        Route(f"{here}/answer", posts.answer, methods=["POST"]),
        Route(f"{here}/draft", posts.draft, methods=["POST"]),
        Route(f"{here}/alive", posts.alive, methods=["POST"]),
        Route(f"{here}/checks", posts.live_checks, methods=["POST"]),
        Route(f"{here}/change", pages.revise),
        Route(f"{here}/media/{{unit:int}}", pages.media),
        Route(f"{here}/stop", posts.stop, methods=["POST"]),
        Route(f"{here}/withdraw", posts.withdraw, methods=["POST"]),
        Route(f"{here}/remark", posts.remark, methods=["POST"]),
        *owner_routes(),
    ]


def owner_routes() -> list[Route]:
    return [
        Route("/owner", owner.dashboard),
        Route("/owner/login", owner_session.login_page, methods=["GET"]),
        Route("/owner/login", owner_session.login, methods=["POST"]),
        Route("/owner/logout", owner_session.logout, methods=["POST"]),
        Route("/owner/figures.json", owner.figures_json),
        Route("/owner/people", owner.people_page),
        Route("/owner/people/approve", owner.approve_all, methods=["POST"]),
        Route("/owner/person/{person:int}", owner.person_page),
        Route("/owner/person/{person:int}/decide", owner.decide, methods=["POST"]),
        Route("/owner/person/{person:int}/returned", owner.returned, methods=["POST"]),
        Route("/owner/person/{person:int}/erase", owner.erase, methods=["POST"]),
        Route("/owner/units", owner.units_page),
        Route("/owner/unit/{unit:int}", owner.unit_answers),
        Route("/owner/preview", preview.contents),
        Route("/owner/preview/media/{unit:int}", preview.media),
        Route("/owner/preview/{step}", preview.step_page, methods=["GET"]),
        Route("/owner/preview/{step}", preview.sent, methods=["POST"]),
        Route("/owner/find", owner.find_person, methods=["POST"]),
        Route("/owner/person/{person:int}/bonus", owner.bonus, methods=["POST"]),
        Route("/owner/remarks", owner.remarks_page, methods=["GET"]),
        Route("/owner/remarks", owner.settle_remark, methods=["POST"]),
        Route("/owner/agreement", owner.agreement_page),
        Route("/owner/payments.csv", owner.payments_file),
        Route("/owner/disputes", owner.disputes_page),
        Route("/owner/adjudicate", owner.adjudicate, methods=["POST"]),
        Route("/owner/plan", owner.plan_page),
        Route("/owner/links", owner.links_page, methods=["GET"]),
        Route("/owner/links", owner.make_links, methods=["POST"]),
        Route("/owner/export/{format}", owner.export_file),
        Route("/owner/state", owner.set_state, methods=["POST"]),
    ]


@contextlib.asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    study: OpenProject = app.state.study

    async def sweep() -> None:
        await asyncio.sleep(SWEEP)
        with contextlib.suppress(Exception):  # the first page of a large study is then as fast as the next
            await study.collect()
        while True:
            await asyncio.sleep(SWEEP)
            with contextlib.suppress(Exception):  # the next request reports an unavailable database
                await study.write(lambda c: return_expired(c, now=time.time()))

    sweeper = asyncio.create_task(sweep())
    yield
    sweeper.cancel()
    study.dashboard_thread.shutdown()
    study.database.close()


async def static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        return message(request, "missing", status=404)
    package, kind = STATIC[name]
    return Response(asset(package, name), media_type=kind, headers={"Cache-Control": "max-age=300"})


async def health(request: Request) -> Response:
    """For a proxy: ok if a written row can be read by another connection, otherwise the problem."""
    study: OpenProject = request.app.state.study
    try:
        await study.read(lambda c: c.exec_driver_sql("SELECT 1").scalar())
        await asyncio.to_thread(study.database.probe)
    except (DBAPIError, sqlite3.Error) as error:
        return PlainTextResponse(f"the database fails: {reason_of(error)}\n", status_code=503)
    return PlainTextResponse("ok")


async def missing(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    made = message(request, "missing", status=status)
    for name, value in (getattr(error, "headers", None) or {}).items():
        made.headers[name] = value
    return made


async def refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return posts.refuse(request, error.status, error.name)


async def away(request: Request, error: Exception) -> Response:
    """The database failed: one line a minute in the log, a page for the person, a status for the script to retry."""
    return posts.refuse(request, 503, "broken")


async def broken(request: Request, error: Exception) -> Response:
    return message(request, "broken", status=500)


HANDLERS: dict[Any, Any] = {
    404: missing,
    405: missing,
    500: broken,
    Refused: refused,
    DBAPIError: away,
    sqlite3.Error: away,
}


class SecurityHeaders:
    """Headers of every response: a strict content security policy, no caching, no referrer, no sniffing."""

    def __init__(self, app: Any, *, frames: str) -> None:
        self.app, self.frames = app, frames

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        of_owner = "/owner" in scope["path"]
        ancestors = "'none'" if of_owner else f"'self' {self.frames}".strip()
        policy = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
            "connect-src 'self'; base-uri 'none'; form-action 'self' https://*.mturk.com; "
            f"frame-ancestors {ancestors}"
        )
        fixed = {
            "content-security-policy": policy,
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff",
            "permissions-policy": "camera=(), microphone=(), geolocation=()",
            "cross-origin-opener-policy": "same-origin",
        }

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if "content-security-policy" not in headers:  # a project inside the demonstration has its own
                    headers.update(fixed)
                    headers.setdefault("cache-control", "no-store")
            await send(message)

        await self.app(scope, receive, send_with_headers)


def check_port(host: str, port: int) -> None:
    """Fail with one line if the port is in use; uvicorn would print several."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            reason = "it is in use; --port N chooses another" if error.errno == errno.EADDRINUSE else error.strerror
            raise ProbandError(f"cannot listen on port {port} of {host}: {reason}") from None


def serve(app: Any, *, host: str, port: int, hops: int = 0, root: str = "") -> None:
    """Serve until stopped. `hops`: the number of our own proxies. `root`: the path below which they serve it, `/study`
    for https://example.org/study."""
    import uvicorn

    from proband_annotate.site.connections import WaitingProtocol

    check_port(host, port)
    uvicorn.run(
        Forwarded(app, hops=hops) if hops else app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        root_path=root,
        timeout_graceful_shutdown=5,
        http=WaitingProtocol,
    )
