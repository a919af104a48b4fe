"""`proband annotate demo`: every kind of task with sample units, in one server."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route

from proband.core.files import environment
from proband_annotate.create import init
from proband_annotate.site.app import SecurityHeaders, application, lifespan, static
from proband_annotate.site.context import PACKAGE, OpenProject, open_project
from proband_annotate.tasks import names, task
from proband_annotate.texts import text
from proband_annotate.tokens import new_link, personal_name

SETTINGS: dict[str, Any] = {
    "people": {"units-per-person": 3},
    "quality": {
        "attention-every": 2,
        "comprehension": [{"question": "May you stop before the end?", "options": ["Yes, at any time", "No"]}],
    },
}


def demo_projects(folder: Path) -> dict[str, str]:
    """Make a project of every kind below `folder` once; returns the owners' passwords of new ones."""
    made = {}
    for kind in names():
        if not (folder / kind / "project.toml").is_file():
            package, _, sample = task(kind).sample.partition(":")
            with as_file(files(package).joinpath(sample)) as items:
                made[kind] = init(folder / kind, kind=kind, items=items, settings_given=SETTINGS)["password"]
    return made


def demo_app(folder: Path) -> Starlette:
    """One page with every kind; each click is a new person."""
    studies = {kind: open_project(folder / kind) for kind in names()}
    apps = {kind: application(study) for kind, study in studies.items()}

    @contextlib.asynccontextmanager
    async def all_of_them(app: Starlette) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            for each in apps.values():
                await stack.enter_async_context(lifespan(each))
            yield

    first = next(iter(studies.values()))
    routes = [
        Route("/", front),
        Route("/try/{kind}", try_out),
        Route("/static/{name}", static),
        *(Mount(f"/{kind}", app) for kind, app in apps.items()),
    ]
    app = Starlette(routes=routes, lifespan=all_of_them)
    app.state.study, app.state.studies = first, studies
    app.add_middleware(SecurityHeaders, frames="")
    return app


async def front(request: Request) -> Response:
    made = environment(PACKAGE).get_template("demo.html")
    return HTMLResponse(made.render(t=text, kinds=list(names()), root=""))


async def try_out(request: Request) -> Response:
    study: OpenProject | None = request.app.state.studies.get(request.path_params["kind"])
    if study is None:
        return RedirectResponse("/", status_code=303)
    link = new_link(study.secret, "crowd", name=personal_name())
    return RedirectResponse(f"/{study.project.kind}/join/{link}", status_code=303)
