"""The state that every page of a project needs: project, secret, database, limits."""

from __future__ import annotations

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection
from starlette.responses import HTMLResponse, Response

from proband.core.errors import ProbandError
from proband.core.files import environment
from proband_annotate.apply_settings import apply_settings
from proband_annotate.human_task import HumanTask
from proband_annotate.project import Project, database_url, read_project, secret_of
from proband_annotate.results.collected import Collected
from proband_annotate.results.register import Register
from proband_annotate.site.quotas import read_groups
from proband_annotate.site.signed_ids import KeyFile
from proband_annotate.store.database import Database
from proband_annotate.store.migrate import open_existing
from proband_annotate.tasks import task
from proband_annotate.texts import number_of, paragraphs, text
from proband_annotate.tokens import form_token

# ---- rate limits in memory: a burst, then a number per second, for a limited number of callers --------------------


class Limit:
    """A leaky bucket per caller.

    >>> limit = Limit(burst=2, per_second=1.0)
    >>> [limit.allows("a", now) for now in (0.0, 0.0, 0.0, 1.0)], limit.allows("b", 0.0)
    ([True, True, False, True], True)
    """

    def __init__(self, *, burst: float, per_second: float, callers: int = 20_000) -> None:
        self.burst, self.per_second, self.callers = burst, per_second, callers
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, caller: str, now: float) -> bool:
        level, before = self._levels.pop(caller, (0.0, now))
        level = max(0.0, level - (now - before) * self.per_second)
        allowed = level + 1.0 <= self.burst
        self._levels[caller] = (level + 1.0 if allowed else level, now)
        if len(self._levels) > self.callers:
            self._levels.popitem(last=False)
        return allowed


# --------------------------------------------------------------------------------------------------------------------


T = TypeVar("T")
PACKAGE = "proband_annotate.web"


@dataclass(frozen=True, kw_only=True)
class OpenProject:
    """An open project."""

    folder: Path
    project: Project
    secret: bytes
    database: Database
    keys: KeyFile  # keys with which a platform signs ids
    groups: Mapping[str, str] = field(default_factory=dict)  # platform id -> group with a quota
    applied: Sequence[str] = ()  # changes at this start, after settings were edited
    dashboard_thread: ThreadPoolExecutor = field(default_factory=partial(ThreadPoolExecutor, 1, "dashboard"))
    register: Register = field(default_factory=Register)  # what the owner's pages have read so far
    visits: Limit = field(default_factory=partial(Limit, burst=120, per_second=4.0))  # per person
    entries: Limit = field(default_factory=partial(Limit, burst=300, per_second=10.0))  # per address
    logins: Limit = field(default_factory=partial(Limit, burst=5, per_second=0.1))  # per address

    @property
    def task(self) -> HumanTask:
        return task(self.project.kind)

    async def compute(self, work: Callable[[], T]) -> T:
        """Run one computation at a time in a separate thread, because figures of a large study need memory."""
        return await asyncio.wrap_future(self.dashboard_thread.submit(work))

    async def collect(self) -> Collected:
        """Collect everything that people did, reading only what is new."""

        def work() -> Collected:
            return self.database.read(lambda connection: self.register.collect(connection, self.project))

        return await self.compute(work)

    async def collect_with(self, work: Callable[[Collected], T]) -> tuple[Collected, T]:
        """The same, with a value computed from it."""
        collected = await self.collect()
        return collected, await self.compute(lambda: work(collected))

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.wrap_future(self.database.submit_read(work))

    async def write(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.wrap_future(self.database.submit_write(work))


def open_project(folder: Path) -> OpenProject:
    """Open a project's folder, with its database at the newest schema and in line with project.toml."""
    project, secret = read_project(folder), secret_of(folder)
    about: dict[str, Any] = {"keys": KeyFile(folder, project), "groups": read_groups(folder, project)}
    database = open_existing(database_url(folder, project))
    try:
        applied = database.write(lambda connection: apply_settings(connection, project, secret))
        return OpenProject(folder=folder, project=project, secret=secret, database=database, applied=applied, **about)
    except ProbandError:
        database.close()
        raise


def page(
    request: Any, template: str, /, *, status: int = 200, token: str = "", preview: str = "", **values: Any
) -> Response:
    """A page from a template; `token` is the visit or session of its forms. `preview` is the step that an owner views:
    its forms go elsewhere."""
    study: OpenProject = request.app.state.study
    root = request.scope.get("root_path", "")
    made = environment(PACKAGE, study.task.page.partition(":")[0]).get_template(template)
    html = made.render(
        t=text,
        fresh_id=uuid.uuid4,  # the id of an answer sent without the script
        paragraphs=paragraphs,
        number_of=number_of,
        project=study.project,
        guide=study.task.guide,
        root=root,
        preview=preview,
        address=f"{root}/owner/preview" if preview else f"{root}/v/{token}",
        form_token=form_token(study.secret, token) if token else "",
        **values,
    )
    return HTMLResponse(html, status_code=status)


def message(request: Any, name: str, *, status: int = 200, token: str = "", done: int = 0) -> Response:
    """A page with one message of the texts."""
    return page(request, "message.html", status=status, token=token, name=name, done=done)
