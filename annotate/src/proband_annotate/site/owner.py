"""The owner's pages (figures, people, disputes, remarks, agreement, pay, plan, links, exports) and their actions."""

from __future__ import annotations

import asyncio
import math
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import delete, insert, select, update
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from proband.core.errors import ProbandError
from proband.core.files import csv_lines
from proband_annotate.erasing import erase as erase_everywhere
from proband_annotate.erasing import workers_of
from proband_annotate.human_task import WHOLE
from proband_annotate.results.collected import Collected, disputed
from proband_annotate.results.export import FORMATS, export, part_text, why_not
from proband_annotate.results.figures import SHARED, figure_lines, figures, pairs, people_figures, unit_figures
from proband_annotate.results.payments import HEADER, payments
from proband_annotate.results.planning import plan
from proband_annotate.site.context import OpenProject, page
from proband_annotate.site.forms import Refused, bounded, number_in
from proband_annotate.site.owner_session import COOKIE, acting, acting_as, home, owned, root_of
from proband_annotate.store import people as people_store
from proband_annotate.store import remarks as remark_store
from proband_annotate.store.people import REASONS
from proband_annotate.store.schema import adjudications, bonuses, events, people, settings, units
from proband_annotate.store.slots import restore
from proband_annotate.texts import label_name, text
from proband_annotate.tokens import links, person_code, personal_links

STATES = ("open", "paused", "closed")
SHOWN = 200  # pairs of people shown
UNITS_SHOWN = 500
PEOPLE_COLUMNS = {  # name -> whether it is a number
    "outcome": False,
    "decision": False,
    "flags": False,
    "answers": True,
    "median_seconds": True,
    "checks_share": True,
    "agreement": True,
    "competence": True,
    "pay": True,
    "source": False,
    "panel": False,
}


@owned
async def dashboard(request: Request, study: OpenProject, session: str) -> Response:
    _, made = await study.collect_with(figures)
    paper = figure_lines(study.project.kind, made["paper"])
    return page(request, "dashboard.html", token=session, f=made, paper=paper, states=STATES, here="")


@owned
async def figures_json(request: Request, study: OpenProject, session: str) -> Response:
    return JSONResponse((await study.collect_with(figures))[1])


@owned
async def people_page(request: Request, study: OpenProject, session: str) -> Response:
    _, rows = await study.collect_with(people_figures)
    wanted = request.query_params.get("sort", "")
    about: dict[str, Any] = {"rows": sort_people(rows, wanted), "columns": PEOPLE_COLUMNS, "sort": wanted}
    return page(request, "people.html", token=session, **about, currency=study.project.pay.currency, here="people")


def sort_people(rows: Sequence[Mapping[str, Any]], wanted: str) -> list[Mapping[str, Any]]:
    """Sort by a column, with `-` before its name for descending order; people without a value come last.

    >>> [row["id"] for row in sort_people([{"id": 1, "pay": None}, {"id": 2, "pay": 3}, {"id": 3, "pay": 9}], "-pay")]
    [3, 2, 1]
    """
    name = wanted.removeprefix("-")
    known = [row for row in rows if row.get(name) is not None]
    unknown = [row for row in rows if row.get(name) is None]
    if not known:
        return list(rows)

    def value(row: Mapping[str, Any]) -> Any:
        return len(row[name]) if isinstance(row[name], list) else row[name]

    return [*sorted(known, key=value, reverse=wanted.startswith("-")), *unknown]


@owned
async def units_page(request: Request, study: OpenProject, session: str) -> Response:
    """GET /owner/units: every unit with counts of its answers, those with most disagreement first."""
    _, rows = await study.collect_with(unit_figures)
    shown = [row for row in rows if row["answers"]][:UNITS_SHOWN]
    about: dict[str, Any] = {"rows": shown, "count": len(rows), "label_name": partial(label_name, study.project.kind)}
    return page(request, "units.html", token=session, **about, here="units")


@owned
async def unit_answers(request: Request, study: OpenProject, session: str) -> Response:
    """GET /owner/unit/N: all answers to it."""
    number = bounded(request.path_params["unit"])
    collected = await study.collect()
    if number not in collected.units:
        raise Refused(404, "missing")
    unit = collected.units[number]
    given = [each for each in collected.answers if each.unit_id == number]
    about: dict[str, Any] = {"name": unit["name"], "text": collected.task.unit_text(unit["body"]), "given": given}
    about |= {"when": when, "part_text": partial(part_text, collected), "why_not": partial(why_not, collected)}
    return page(request, "unit_answers.html", token=session, **about, here="units")


@owned
async def person_page(request: Request, study: OpenProject, session: str) -> Response:
    number = bounded(request.path_params["person"])
    collected, rows = await study.collect_with(people_figures)
    row = next((row for row in rows if row["id"] == number), None)
    if row is None:
        raise Refused(404, "missing")
    query = select(events).where(events.c.person_id == number).order_by(events.c.id.desc()).limit(100)
    granted = select(bonuses).where(bonuses.c.person_id == number)
    log, bonus = await study.read(
        lambda c: ([dict(each._mapping) for each in c.execute(query)], c.execute(granted).one_or_none())
    )
    given = [each for each in collected.answers if each.person_id == number][:200]
    about: dict[str, Any] = {"row": row, "given": given, "log": log, "bonus": bonus, "reasons": REASONS}
    person = collected.by_id[number]
    agreed = [(n, at) for n, at, _ in collected.terms if n == person["agreement_id"]]
    about["agreed"] = text("owner.terms_version", number=agreed[0][0], date=when(agreed[0][1])) if agreed else "–"
    about["currency"] = collected.terms_of(person).currency
    about |= {"when": when, "unit_text": collected.task.unit_text, "part_text": partial(part_text, collected)}
    return page(request, "person.html", token=session, **about, here="people")


def when(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at))


@owned
async def disputes_page(request: Request, study: OpenProject, session: str) -> Response:
    collected, rows = await study.collect_with(partial(disputed, most=200))
    context = {row["part"]: part_context(collected, row["unit"], row["part"]) for row in rows}
    label = partial(label_name, study.project.kind)
    about: dict[str, Any] = {"rows": rows, "context": context, "names": collected.unit_numbers, "label_name": label}
    return page(request, "disputes.html", token=session, **about, here="disputes")


def part_context(collected: Collected, unit: str, part: str) -> dict[str, Any]:
    """What the owner reads to decide: the texts and the labels."""
    body = collected.body(unit)
    parts, labels = {each.id: each for each in collected.task.parts(body)}, list(collected.task.choices(body))
    if not parts:
        return {"title": unit, "text": collected.task.unit_text(body), "labels": labels, "part": WHOLE}
    return {"title": parts[part].title, "text": parts[part].text, "labels": labels, "part": part}


@owned
async def plan_page(request: Request, study: OpenProject, session: str) -> Response:
    try:
        half_width = min(0.5, max(0.001, float(request.query_params.get("precision", "0.05"))))
    except ValueError:
        half_width = 0.05
    _, made = await study.collect_with(partial(plan, half_width=half_width))
    return page(request, "plan.html", token=session, plan=made, here="plan")


@owned
async def links_page(request: Request, study: OpenProject, session: str) -> Response:
    return show_links(request, study, session)


def show_links(request: Request, study: OpenProject, session: str, made: Sequence[str] = ()) -> Response:
    known = links(study.project, study.secret, base(request))
    return page(request, "links.html", token=session, links=known, made=made, here="links")


def base(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}{root_of(request)}"


@owned
async def export_file(request: Request, study: OpenProject, session: str) -> Response:
    """GET /owner/export/FORMAT: one file; folders as a zip archive."""
    to = request.path_params["format"]
    if to not in FORMATS:
        raise Refused(404, "missing")
    try:
        return (await study.collect_with(lambda collected: _export(study, collected, to)))[1]
    except ProbandError as error:
        return page(request, "message.html", status=409, name="not_exported", done=0, places=[str(error)])


def _export(study: OpenProject, collected: Collected, to: str) -> Response:
    folder = Path(tempfile.mkdtemp())
    gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    name = f"{study.project.kind}.{to}"
    if to in ("jsonl", "csv"):
        export(collected, to=to, out=folder / name, project_folder=study.folder)
        return FileResponse(folder / name, filename=name, background=gone)
    export(collected, to=to, out=folder / to, project_folder=study.folder)
    path = shutil.make_archive(str(folder / "made"), "zip", folder / to)
    return FileResponse(path, filename=f"{study.project.kind}-{to}.zip", background=gone)


@owned
async def remarks_page(request: Request, study: OpenProject, session: str) -> Response:
    rows, units = await study.read(lambda c: (remark_store.all_of(c), remark_store.per_unit(c)))
    collected = await study.collect()
    named = {row.unit for row in rows if row.unit in collected.unit_numbers}
    texts = {name: collected.task.unit_text(collected.body(name)) for name in named}
    return page(request, "remarks.html", token=session, rows=rows, units=units, texts=texts, when=when, here="remarks")


@owned
async def agreement_page(request: Request, study: OpenProject, session: str) -> Response:
    collected, made = await study.collect_with(pairs)
    numbers = {person["worker"]: person["id"] for person in collected.people}
    about: dict[str, Any] = {"pairs": made[:SHOWN], "count": len(made), "least": SHARED, "numbers": numbers}
    return page(request, "agreement.html", token=session, **about, here="agreement")


@owned
async def payments_file(request: Request, study: OpenProject, session: str) -> Response:
    """GET /owner/payments.csv: payments by person's number and completion code."""
    collected = await study.collect()
    rows = payments(collected, study.secret)
    headers = {"Content-Disposition": f'attachment; filename="{study.project.kind}-payments.csv"'}
    table = "".join(csv_lines([HEADER, *(row.values() for row in rows)]))
    return Response(table, media_type="text/csv", headers=headers)


# ---- actions --------------------------------------------------------------------------------------------------------


@acting
async def set_state(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    state = form.get("state", "")
    if state not in STATES:
        raise Refused(400, "bad_form")

    def work(connection: Any) -> None:
        connection.execute(update(settings).where(settings.c.name == "state").values(value=state))
        if state == "closed":
            people_store.end_visits(connection)
        people_store.note(connection, "state", None, state)

    await study.write(work)
    return home(request)


@acting_as("assistant")
async def decide(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """Approve a person, reject them with a reason, or undo either."""
    number, decision = bounded(request.path_params["person"]), form.get("decision", "")
    reason = form.get("reason", "")
    words = " ".join(filter(None, (reason if decision == "rejected" else "", form.get("words", "").strip()[:1000])))
    if decision not in ("approved", "rejected", ""):
        raise Refused(400, "bad_form")
    if decision == "rejected" and reason not in REASONS:
        raise Refused(422, "no_reason")

    def work(connection: Any) -> None:
        person = connection.execute(select(people).where(people.c.id == number)).one_or_none()
        if person is None:
            return
        people_store.decide(connection, number, decision, words)
        failed = person.outcome == "failed_checks" and not study.project.quality.count_failed
        if decision == "approved" or (person.decision == "rejected" != decision and not failed):
            restore(connection, number)  # an approval means that the answers count
        elif failed and not decision:
            people_store.uncount(connection, number)

    await study.write(work)
    return home(request, f"/person/{number}")


@acting_as("assistant")
async def returned(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """POST /owner/person/N/returned: the person returned the task on the platform; what they sent is paid."""
    number = bounded(request.path_params["person"])
    await study.write(lambda c: people_store.finish(c, number, "returned"))
    return home(request, f"/person/{number}")


@acting_as("assistant")
async def approve_all(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """Approve everybody who finished and is undecided."""

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
        raise Refused(400, "bad_form")
    worker = await study.read(lambda c: c.scalar(select(people.c.worker).where(people.c.id == number)))
    if worker is None:
        raise Refused(404, "missing")
    made = await asyncio.to_thread(erase_everywhere, study.folder, study.database, worker)
    if made.left:
        return page(request, "message.html", name="not_erased", done=0, places=made.left)
    return home(request, "/people")


@acting_as("viewer")
async def find_person(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """POST /owner/find: redirect to the page of a person, by id, personal link or code."""
    hashes = [*workers_of(study.secret, form.get("who", "")), *await worker_by_code(study, form.get("who", ""))]
    number = await study.read(lambda c: c.scalar(select(people.c.id).where(people.c.worker.in_(hashes))))
    if number is None:
        raise Refused(404, "nobody")
    return home(request, f"/person/{number}")


async def worker_by_code(study: OpenProject, code: str) -> list[str]:
    """The person with this completion code, if codes are personal."""
    rows = await study.read(lambda c: c.execute(select(people.c.worker, people.c.outcome)).all())
    wanted = code.strip().upper()
    return [row.worker for row in rows if row.outcome and person_code(study.secret, row.worker, row.outcome) == wanted]


@acting_as("assistant")
async def adjudicate(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """Set the owner's label for a part of a unit; an empty label removes it."""
    unit, part, label = number_in(form, "unit"), form.get("part", ""), form.get("label", "")
    if unit < 0 or not part:
        raise Refused(400, "bad_form")
    known = await study.read(lambda c: c.scalar(select(units.c.name).where(units.c.id == unit)))
    if known is None:
        raise Refused(404, "missing")
    try:
        context = part_context(await study.collect(), known, part)
    except KeyError:
        raise Refused(404, "missing") from None
    if label not in (*context["labels"], ""):
        raise Refused(400, "bad_form")

    def work(connection: Any) -> None:
        here = (adjudications.c.unit_id == unit) & (adjudications.c.part == part)
        connection.execute(delete(adjudications).where(here))
        if label:
            row = {"unit_id": unit, "part": part, "label": label, "reason": form.get("words", "")[:1000]}
            connection.execute(insert(adjudications).values(**row, at=time.time()))
        people_store.note(connection, "adjudicated", None, f"{part}: {label or 'open'}")

    await study.write(work)
    return home(request, "/disputes")


@acting
async def make_links(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    number, panel = number_in(form, "count"), form.get("panel", "crowd")
    if not 1 <= number <= 1000 or panel not in ("crowd", "expert"):
        raise Refused(400, "bad_form")
    made = personal_links(study.project, study.secret, base(request), count=number, panel=panel)
    return show_links(request, study, request.cookies.get(COOKIE, ""), made)


@acting_as("assistant")
async def settle_remark(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    number, settled = number_in(form, "remark"), form.get("settled") == "yes"
    if number < 0:
        raise Refused(400, "bad_form")
    await study.write(lambda c: remark_store.settle(c, number, settled=settled))
    return home(request, "/remarks")


@acting
async def bonus(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """POST /owner/person/N/bonus: replace the bonus; 0 removes it."""
    number = bounded(request.path_params["person"])
    try:
        amount = round(float(form.get("amount", "") or "0"), 2)
    except ValueError:
        amount = math.nan
    if not 0 <= amount <= 10_000:
        raise Refused(400, "bad_form")

    def work(connection: Any) -> bool:
        known = connection.scalar(select(people.c.id).where(people.c.id == number)) is not None
        if known:
            remark_store.grant(connection, number, amount, form.get("words", "").strip()[:1000])
        return known

    if not await study.write(work):
        raise Refused(404, "missing")
    return home(request, f"/person/{number}")
