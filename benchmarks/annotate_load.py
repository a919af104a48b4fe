"""100 people at once: how long pages take, and whether memory stays flat.

    python benchmarks/annotate_load.py --people 100 --minutes 10

Each person reads for two to six seconds, saves a draft, sends, and gets the next page. Times are those of whole pages,
measured by the client. The server is one process; the client another, on the same machine.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import time
import uuid
from typing import Any

import httpx
from annotate_crash import token
from annotate_parts import Process, database_server, load_average, study


async def person(base: str, link: str, number: int, until: float, pages: list[float], sent: list[float]) -> None:
    rng = random.Random(number)
    async with httpx.AsyncClient(timeout=60, follow_redirects=True) as client:

        async def timed(into: list[float], method: str, address: str, **more: Any) -> httpx.Response:
            begin = time.perf_counter()
            reply = await client.request(method, address, **more)
            into.append(time.perf_counter() - begin)
            assert reply.status_code < 400, (reply.status_code, address)
            return reply

        life = 0
        while time.monotonic() < until:
            life += 1
            await asyncio.sleep(rng.uniform(0, 4))
            page = await timed(pages, "GET", f"{base}/join/{link}?participant=p{number}-{life}")
            home = str(page.url)
            form = {"form": token(page)}
            await timed(pages, "POST", f"{home}/consent", data={**form, "agree": "yes"})
            page = await timed(pages, "POST", f"{home}/understood", data=form)
            for _ in range(30):
                unit = re.search(r'name="unit" value="(\d+)"', page.text)
                if unit is None or time.monotonic() > until:
                    break
                await asyncio.sleep(rng.uniform(1, 3))
                labels = {f"c{place}": rng.choice(["yes", "no"]) for place in range(page.text.count("<fieldset"))}
                data = {**form, "unit": unit[1], **labels}
                json = {"Accept": "application/json"}
                await timed(sent, "POST", f"{home}/draft", data=data, headers=json)
                await asyncio.sleep(rng.uniform(1, 3))
                await timed(sent, "POST", f"{home}/answer", data={**data, "id": str(uuid.uuid4())}, headers=json)
                page = await timed(pages, "GET", home)


async def load(given: Any, process: Process, link: str) -> dict[str, Any]:
    pages: list[float] = []
    sent: list[float] = []
    memory: list[float] = []
    until = time.monotonic() + given.minutes * 60
    people = [
        asyncio.create_task(person(process.url, link, number, until, pages, sent)) for number in range(given.people)
    ]
    while time.monotonic() < until:
        await asyncio.sleep(min(5.0, given.minutes * 6))
        memory.append(process.memory())
    await asyncio.gather(*people)
    return {"pages": sorted(pages), "sent": sorted(sent), "memory": memory}


def quantile(values: list[float], share: float) -> float:
    return 1000 * values[int(share * (len(values) - 1))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=10.0)
    given = parser.parse_args()
    from proband.annotate.project import secret_of
    from proband.annotate.site.tokens import new_link

    settings = {"people": {"overlap": 20}}
    units = max(50, int(given.people * given.minutes * 60 / 4 / 20) + 50)
    with (
        database_server(given.database) as server,
        study(server, units=units, candidates=20, settings=settings) as folder,
    ):
        process = Process(folder)
        process.start()
        found = asyncio.run(load(given, process, new_link(secret_of(folder), "crowd")))
        process.stop()
    half = found["memory"][len(found["memory"]) // 2]
    print(
        f"{given.database}, {given.people} people, {given.minutes:g} minutes: {len(found['pages']):,} pages, median "
        f"{quantile(found['pages'], 0.5):.0f} ms, p95 {quantile(found['pages'], 0.95):.0f} ms; "
        f"{len(found['sent']):,} drafts and answers, p95 {quantile(found['sent'], 0.95):.0f} ms; memory "
        f"{found['memory'][0]:.0f} MB at first, {half:.0f} MB half way, {found['memory'][-1]:.0f} MB at the end "
        f"({load_average()})"
    )
    assert len(found["pages"]) >= given.people * given.minutes * 4, "too little was done"


if __name__ == "__main__":
    main()
