"""100 people at once: how long pages take, and whether memory stays flat.

    python benchmarks/annotate_load.py --people 100 --minutes 10

A person judges questionnaires of 20 sentences: opens the page, saves a draft twice on the way, sends, and gets the next
page; `--pace` is the mean number of seconds for all that (uniform, half to one and a half times). Ten seconds is many
times faster than anybody reads 20 sentences. After 30 units the next person takes the seat. Times are those of whole
pages, as the client sees them. The server is one process; the client is another, on the same cores, and has no more to
do than needed: one connection per person, kept open between requests that follow each other closely.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import time
import uuid
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from annotate_parts import load_average
from servers import Process, database_server
from visitors import judge_study

UNITS = 30  # by one person
IDLE = 4.0  # seconds after which a connection is opened anew: the server closes idle ones after five
TOKEN = re.compile(r'name="form" value="([0-9a-f]+)"')
UNIT = re.compile(r'name="unit" value="(\d+)"')


@dataclass
class Measured:
    """Seconds, in the order they came in: of pages, and of drafts and answers."""

    pages: list[float] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    server_seconds: float = 0.0


class Connection:
    """HTTP over one connection that stays open; redirections are followed."""

    def __init__(self, port: int) -> None:
        self.port, self.used = port, 0.0
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, path: str, form: dict[str, str] | None = None, *, script: bool = False) -> tuple[str, str]:
        """The path of the page it ends at, and the page."""
        if self.writer is None or time.monotonic() > self.used + IDLE:
            self.close()
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        body = urlencode(form).encode() if form is not None else b""
        head = f"{'GET' if form is None else 'POST'} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        if form is not None:
            head += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
        if script:
            head += "Accept: application/json\r\n"
        self.writer.write(head.encode() + b"\r\n" + body)
        raw = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in raw.split("\r\n"))
        }
        text = (await self.reader.readexactly(int(headers.get("content-length", "0")))).decode()
        status = int(raw.split(" ", 2)[1])
        assert status < 400, (status, path, text[:300])
        self.used = time.monotonic()
        return await self.ask(headers["location"]) if "location" in headers else (path, text)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()


async def person(port: int, link: str, number: int, *, pace: float, until: float, measured: Measured) -> None:
    rng, life = random.Random(number), 0

    async def timed(into: list[float], *words: Any, **more: Any) -> tuple[str, str]:
        begin = time.perf_counter()
        made = await connection.ask(*words, **more)
        into.append(time.perf_counter() - begin)
        return made

    await asyncio.sleep(rng.uniform(0, pace))  # people do not come all in the same second
    while time.monotonic() < until:
        life += 1
        connection = Connection(port)
        home, page = await timed(measured.pages, f"/join/{link}?participant=p{number}-{life}")
        found = TOKEN.search(page)
        assert found is not None, page
        form = {"form": found[1]}
        await timed(measured.pages, f"{home}/consent", {**form, "agree": "yes", "terms": "1"})
        _, page = await timed(measured.pages, f"{home}/understood", form)
        for _ in range(UNITS):
            unit = UNIT.search(page)
            if unit is None or time.monotonic() > until:
                break
            pause = rng.uniform(0.5, 1.5) * pace / 3
            labels = {f"c{place}": rng.choice(["yes", "no"]) for place in range(page.count("<fieldset"))}
            data = {**form, "unit": unit[1], **labels}
            for _ in range(2):
                await asyncio.sleep(pause)
                await timed(measured.sent, f"{home}/draft", data, script=True)
            await asyncio.sleep(pause)
            await timed(measured.sent, f"{home}/answer", {**data, "id": str(uuid.uuid4())}, script=True)
            _, page = await timed(measured.pages, home)
        connection.close()


async def load(given: Any, process: Process, link: str) -> Measured:
    measured = Measured()
    until = time.monotonic() + given.minutes * 60
    people = [
        asyncio.create_task(person(process.port, link, n, pace=given.pace, until=until, measured=measured))
        for n in range(given.people)
    ]
    before = process.cpu_seconds()
    while time.monotonic() < until:
        await asyncio.sleep(min(5.0, given.minutes * 6))
        measured.memory.append(process.memory())
    measured.server_seconds = process.cpu_seconds() - before
    await asyncio.gather(*people)
    return measured


def milliseconds(values: list[float]) -> str:
    ordered = sorted(values)
    median, p95, worst = (1000 * ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95, 1.0))
    return f"median {median:.0f} ms, p95 {p95:.0f} ms, longest {worst:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--pace", type=float, default=10.0, help="mean seconds for a unit")
    given = parser.parse_args()
    from proband_annotate.project import secret_of
    from proband_annotate.tokens import new_link

    settings = {"people": {"overlap": 20}}
    units = max(50, int(given.people * given.minutes * 60 / given.pace / 20 * 1.2) + 50)
    with (
        database_server(given.database) as server,
        judge_study(server and server.database(), units=units, candidates=20, settings=settings) as folder,
    ):
        process = Process(folder)
        process.start()
        try:
            found = asyncio.run(load(given, process, new_link(secret_of(folder), "crowd")))
        finally:
            process.stop()
    seconds = given.minutes * 60
    quarter = found.memory[len(found.memory) // 4]
    print(
        f"{given.database}, {given.people} people, {given.minutes:g} minutes, {given.pace:g} s for a unit "
        f"({(len(found.pages) + len(found.sent)) / seconds:.0f} requests a second): {len(found.pages):,} pages, "
        f"{milliseconds(found.pages)}; {len(found.sent):,} drafts and answers, {milliseconds(found.sent)}; "
        f"the server's processor {100 * found.server_seconds / seconds:.0f} % of a core; memory {quarter:.0f} MB after "
        f"a quarter, {found.memory[-1]:.0f} MB at the end, {max(found.memory):.0f} MB at most ({load_average()})"
    )
    assert len(found.pages) >= 0.7 * given.people * seconds / given.pace, "too little was done"


if __name__ == "__main__":
    main()
