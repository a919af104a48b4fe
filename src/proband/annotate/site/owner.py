"""The owner's pages: figures, people, disputes, plan, links, exports; and what can be done there."""

from __future__ import annotations

import asyncio
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import delete, insert, select, update
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from proband.annotate.erasing import erase as erase_everywhere
from proband.annotate.erasing import workers_of
from proband.annotate.planning import plan
from proband.annotate.results.collected import Collected, disputed
from proband.annotate.results.export import FORMATS, export, part_text
from proband.annotate.results.figures import figure_lines, figures, people_figures
from proband.annotate.results.measured import guess_of
from proband.annotate.site.context import OpenProject, message, page
from proband.annotate.site.forms import bounded
from proband.annotate.site.links import links, personal_links
from proband.annotate.site.owner_session import acting, acting_as, home, owned, root_of
from proband.annotate.store import people as people_store
from proband.annotate.store.people import REASONS
from proband.annotate.store.schema import adjudications, bonuses, events, people, settings, units
from proband.annotate.store.slots import restore
from proband.annotate.texts import label_name
from proband.annotate.tokens import person_code
from proband.core.human_task import WHOLE

STATES = ("open", "paused", "closed")


@owned
async def dashboard(request: Request, study: OpenProject, session: str) -> Response:
    result = await study.collect()
    made = await study.compute(lambda: figures(result))
    paper = figure_lines(study.project.kind, made["paper"])
    return page(request, "dashboard.html", token=session, f=made, paper=paper, states=STATES, here="")


@owned
async def figures_json(request: Request, study: OpenProject, session: str) -> Response:
    result = await study.collect()
    return JSONResponse(await study.compute(lambda: figures(result)))


@owned
async def people_page(request: Request, study: OpenProject, session: str) -> Response:
    result = await study.collect()
    rows = await study.compute(lambda: people_figures(result))
    return page(request, "people.html", token=session, rows=rows, here="people")


@owned
async def person_page(request: Request, study: OpenProject, session: str) -> Response:
    number = bounded(request.path_params["person"])
    result = await study.collect()
    row = next((r for r in await study.compute(lambda: people_figures(result)) if r["id"] == number), None)
    if row is None:
        return message(request, "missing", status=404)
    query = select(events).where(events.c.person_id == number).order_by(events.c.id.desc()).limit(100)
    granted = select(bonuses).where(bonuses.c.person_id == number)
    log, bonus = await study.read(
        lambda c: ([dict(each._mapping) for each in c.execute(query)], c.execute(granted).one_or_none())
    )
    given = [each for each in result.given if each.person_id == number][:200]
    about: dict[str, Any] = {"row": row, "given": given, "log": log, "bonus": bonus, "reasons": REASONS}
    texts: dict[str, Any] = {"when": when, "unit_text": result.task.unit_text, "part_text": partial(part_text, result)}
    return page(request, "person.html", token=session, **about, **texts, here="people")


def when(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at))


@owned
async def disputes_page(request: Request, study: OpenProject, session: str) -> Response:
    result = await study.collect()
    rows = await study.compute(lambda: disputed(result, most=200))
    context = {row["part"]: part_context(result, row["unit"], row["part"]) for row in rows}
    label = partial(label_name, study.project.kind)
    about: dict[str, Any] = {"rows": rows, "context": context, "names": result.unit_numbers, "label_name": label}
    return page(request, "disputes.html", token=session, **about, here="disputes")


def part_context(collected: Collected, unit: str, part: str) -> dict[str, Any]:
    """What the owner reads to decide: the texts, and the labels there are."""
    body = collected.units[collected.unit_numbers[unit]]["body"]
    parts, labels = {each.id: each for each in collected.task.parts(body)}, list(collected.task.choices(body))
    if not parts:
        return {"title": unit, "text": collected.task.unit_text(body), "labels": labels, "part": WHOLE}
    return {"title": parts[part].title, "text": parts[part].text, "labels": labels, "part": part}


@owned
async def plan_page(request: Request, study: OpenProject, session: str) -> Response:
    text = request.query_params.get("precision", "0.05")
    try:
        half_width = min(0.5, max(0.001, float(text)))
    except ValueError:
        half_width = 0.05
    result = await study.collect()
    guess = await study.compute(lambda: guess_of(result))
    done = result.done.get("crowd", 0)
    made = plan(study.project, guess, half_width=half_width, units=len(result.units), done=done)
    return page(request, "plan.html", token=session, plan=made, here="plan")


@owned
async def links_page(request: Request, study: OpenProject, session: str) -> Response:
    return page(
        request,
        "links.html",
        token=session,
        found=links(study.project, study.secret, base(request)),
        made=[],
        here="links",
    )


def base(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}{root_of(request)}"


@owned
async def export_file(request: Request, study: OpenProject, session: str) -> Response:
    """GET /owner/export/FORMAT: one file; folders as a zip archive."""
    to = request.path_params["format"]
    if to not in FORMATS:
        return message(request, "missing", status=404)
    result = await study.collect()
    return await study.compute(lambda: _export(study, result, to))


def _export(study: OpenProject, collected: Collected, to: str) -> Response:
    import shutil

    from starlette.background import BackgroundTask

    folder = Path(tempfile.mkdtemp())
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    name = f"{study.project.kind}.{to}"
    if to in ("jsonl", "csv"):
        export(collected, to=to, out=folder / name, project_folder=study.folder)
        return FileResponse(folder / name, filename=name, background=gone)
    export(collected, to=to, out=folder / to, project_folder=study.folder)
    path = shutil.make_archive(str(folder / "made"), "zip", folder / to)
    return FileResponse(path, filename=f"{study.project.kind}-{to}.zip", background=gone)


# ---- actions --------------------------------------------------------------------------------------------------------


@acting
async def set_state(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    state = form.get("state", "")
    if state not in STATES:
        return message(request, "bad_form", status=400)

    def work(connection: Any) -> None:
        connection.execute(update(settings).where(settings.c.name == "state").values(value=state))
        people_store.note(connection, "state", None, state)

    await study.write(work)
    return home(request)


@acting_as("assistant")
async def decide(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """Approve, reject with a reason, or take it back."""
    number, decision = bounded(request.path_params["person"]), form.get("decision", "")
    reason = form.get("reason", "")
    words = " ".join(filter(None, (reason if decision == "rejected" else "", form.get("words", "").strip()[:1000])))
    if decision not in ("approved", "rejected", "") or (decision == "rejected" and reason not in REASONS):
        return message(request, "bad_form", status=400)

    def work(connection: Any) -> None:
        before = connection.scalar(select(people.c.decision).where(people.c.id == number))
        if before is not None:
            people_store.decide(connection, number, decision, words)
            if before == "rejected" != decision:
                restore(connection, number)

    await study.write(work)
    return home(request, f"/person/{number}")


@acting_as("assistant")
async def approve_all(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """Everybody who finished and is not decided on."""

    def work(connection: Any) -> None:
        query = select(people.c.id).where(people.c.outcome == "done", people.c.decision == "")
        for number in connection.execute(query).scalars().all():
            people_store.decide(connection, number, "approved", "")

    await study.write(work)
    return home(request, "/people")


@acting
async def erase(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    number = bounded(request.path_params["person"])
    if form.get("sure") != "yes":
        return message(request, "bad_form", status=400)
    worker = await study.read(lambda c: c.scalar(select(people.c.worker).where(people.c.id == number)))
    if worker is None:
        return message(request, "missing", status=404)
    made = await asyncio.to_thread(erase_everywhere, study.folder, study.database, worker)
    if made.left:
        return page(request, "message.html", name="not_erased", done=0, places=made.left)
    return home(request, "/people")


@acting_as("viewer")
async def find_person(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """POST /owner/find: to the page of somebody known by an id or a personal link."""
    hashes = [*workers_of(study.secret, form.get("who", "")), *await worker_by_code(study, form.get("who", ""))]
    number = await study.read(lambda c: c.scalar(select(people.c.id).where(people.c.worker.in_(hashes))))
    return message(request, "nobody", status=404) if number is None else home(request, f"/person/{number}")


async def worker_by_code(study: OpenProject, code: str) -> list[str]:
    """Who was given this completion code, where everybody has their own."""
    rows = await study.read(lambda c: c.execute(select(people.c.worker, people.c.outcome)).all())
    wanted = code.strip().upper()
    return [row.worker for row in rows if row.outcome and person_code(study.secret, row.worker, row.outcome) == wanted]


@acting_as("assistant")
async def adjudicate(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """The owner's label for a part of a unit; an empty one takes it back."""
    number, part, label = form.get("unit", ""), form.get("part", ""), form.get("label", "")
    if not number.isascii() or not number.isdigit() or len(number) > 8 or not part:
        return message(request, "bad_form", status=400)
    unit = int(number)
    known = await study.read(lambda c: c.scalar(select(units.c.name).where(units.c.id == unit)))
    if known is None:
        return message(request, "missing", status=404)
    try:
        context = part_context(await study.collect(), known, part)
    except KeyError:
        return message(request, "missing", status=404)
    if label not in (*context["labels"], ""):
        return message(request, "bad_form", status=400)

    def work(connection: Any) -> None:
        here = (adjudications.c.unit_id == unit) & (adjudications.c.part == part)
        connection.execute(delete(adjudications).where(here))
        if label:
            row = {
                "unit_id": unit,
                "part": part,
                "label": label,
                "reason": form.get("words", "")[:1000],
            }
            connection.execute(insert(adjudications).values(**row, at=time.time()))
        people_store.note(connection, "adjudicated", None, f"{part}: {label or 'open'}")

    await study.write(work)
    return home(request, "/disputes")


@acting
async def make_links(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    count, panel = form.get("count", ""), form.get("panel", "crowd")
    number = int(count) if count.isascii() and count.isdigit() and len(count) < 5 else 0
    if not 1 <= number <= 1000 or panel not in ("crowd", "expert"):
        return message(request, "bad_form", status=400)
    made = personal_links(study.project, study.secret, base(request), count=number, panel=panel)
    result = links(study.project, study.secret, base(request))
    session = request.cookies.get("proband_owner", "")
    return page(request, "links.html", token=session, found=result, made=made, here="links")
