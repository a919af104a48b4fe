"""The owner's pages on what people remarked, on how far each two of them agree, and on what they are paid."""

from __future__ import annotations

import math
from typing import Any

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from proband.annotate.results.figures import SHARED, pairs
from proband.annotate.results.payments import HEADER, payments
from proband.annotate.site.context import OpenProject, message, page
from proband.annotate.site.forms import bounded
from proband.annotate.site.owner import when
from proband.annotate.site.owner_session import acting, acting_as, home, owned
from proband.annotate.store import remarks as remark_store
from proband.annotate.store.schema import bonuses, people
from proband.core.text import csv_lines

SHOWN = 200  # pairs of people


@owned
async def remarks_page(request: Request, study: OpenProject, session: str) -> Response:
    rows, units = await study.read(lambda c: (remark_store.all_of(c), remark_store.per_unit(c)))
    result = await study.collect()
    texts = {
        row.unit: result.task.unit_text(result.units[result.unit_numbers[row.unit]]["body"])
        for row in rows
        if row.unit in result.unit_numbers
    }
    return page(request, "remarks.html", token=session, rows=rows, units=units, texts=texts, when=when, here="remarks")


@acting_as("assistant")
async def settle_remark(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    number = form.get("remark", "")
    if not number.isascii() or not number.isdigit() or len(number) > 8:
        return message(request, "bad_form", status=400)
    settled = form.get("settled") == "yes"
    await study.write(lambda c: remark_store.settle(c, int(number), settled=settled))
    return home(request, "/remarks")


@owned
async def agreement_page(request: Request, study: OpenProject, session: str) -> Response:
    result = await study.collect()
    made = await study.compute(lambda: pairs(result))
    numbers = {person["worker"]: person["id"] for person in result.people}
    return page(
        request,
        "agreement.html",
        token=session,
        pairs=made[:SHOWN],
        count=len(made),
        least=SHARED,
        numbers=numbers,
        here="agreement",
    )


@owned
async def payments_file(request: Request, study: OpenProject, session: str) -> Response:
    """GET /owner/payments.csv: what everybody is paid, by number and completion code."""
    result = await study.collect()
    granted = await study.read(lambda c: {row.person_id: row for row in c.execute(select(bonuses))})
    rows = payments(result, granted, study.secret)
    headers = {"Content-Disposition": f'attachment; filename="{study.project.kind}-payments.csv"'}
    table = "".join(csv_lines([HEADER, *(row.values() for row in rows)]))
    return Response(table, media_type="text/csv", headers=headers)


@acting
async def bonus(request: Request, study: OpenProject, form: dict[str, str]) -> Response:
    """POST /owner/person/N/bonus: in place of the one before; 0 takes it back."""
    number = bounded(request.path_params["person"])
    try:
        amount = round(float(form.get("amount", "") or "0"), 2)
    except ValueError:
        amount = math.nan
    if not 0 <= amount <= 10_000:
        return message(request, "bad_form", status=400)

    def work(connection: Any) -> bool:
        known = connection.scalar(select(people.c.id).where(people.c.id == number)) is not None
        if known:
            remark_store.grant(connection, number, amount, form.get("words", "").strip()[:1000])
        return known

    if not await study.write(work):
        return message(request, "missing", status=404)
    return home(request, f"/person/{number}")
