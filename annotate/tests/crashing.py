"""The server is killed (kill -9) under many clients; every acknowledged answer must be there, once, as it was sent."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from annotate.tests.servers import Postgres, Process
else:
    from servers import Postgres, Process

LABELS = ("yes", "no", "nonsense")


class Client:
    """A person who is never discouraged: the same id is sent until it is acknowledged."""

    def __init__(self, base: str, link: str, number: int, acknowledged: dict[str, dict[str, str]]) -> None:
        self.base, self.link, self.rng = base, link, random.Random(number)
        self.http = httpx.AsyncClient(verify=False, timeout=10, follow_redirects=True)
        self.acknowledged, self.life = acknowledged, 0

    async def ask(self, method: str, address: str, **more: Any) -> httpx.Response:
        while True:
            try:
                reply = await self.http.request(method, address, **more)
                if reply.status_code < 500 and reply.status_code != 429:
                    return reply
            except httpx.HTTPError:
                pass
            await asyncio.sleep(0.1)

    async def work(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            self.life += 1
            name = f"{self.rng.random()}"
            page = await self.ask("GET", f"{self.base}/join/{self.link}?participant={name}")
            home = str(page.url)
            await self.ask("POST", f"{home}/consent", data={"form": token(page), "agree": "yes", "terms": terms(page)})
            await self.ask("POST", f"{home}/understood", data={"form": token(page)})
            for _ in range(25):  # then somebody else
                page = await self.ask("GET", home)
                if stop.is_set() or 'id="task"' not in page.text:
                    break
                await self.answer(home, page)
        await self.http.aclose()

    async def answer(self, home: str, page: httpx.Response) -> None:
        unit = re.search(r'name="unit" value="(\d+)"', page.text)
        assert unit is not None
        if 'name="choice"' in page.text:  # an attention check
            sent = {"choice": "0"}
        else:
            sent = {f"c{place}": self.rng.choice(LABELS) for place in range(page.text.count("<fieldset"))}
        made = str(uuid.uuid4())
        data = {"form": token(page), "unit": unit[1], "id": made, **sent}
        reply = await self.ask("POST", f"{home}/answer", data=data, headers={"Accept": "application/json"})
        if reply.status_code == 200 and reply.json()["saved"]:
            self.acknowledged[made] = {"unit": unit[1], **sent}


def token(page: httpx.Response) -> str:
    found = re.search(r'name="form" value="([0-9a-f]+)"', page.text)
    return found[1] if found else ""


def terms(page: httpx.Response) -> str:
    found = re.search(r'name="terms" value="(\d+)"', page.text)
    return found[1] if found else ""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """So many blows and clients, and at least so many answers; with a database server, every `every`-th blow is an
    immediate stop of it. `edits`: settings of project.toml, one after the other, changed before a start."""

    kills: int = 25
    clients: int = 32
    answers: int = 5000
    every: int = 4
    seed: int = 0
    edits: Sequence[Mapping[str, int]] = ()


EDITS = (  # more, fewer, experts and checks in between, and as many as at first
    {"overlap": 9},
    {"overlap": 4, "expert-overlap": 2},
    {"overlap": 6, "attention-every": 3},
    {"overlap": 8, "expert-overlap": 0, "attention-every": 0},
)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was acknowledged; the seconds from a blow to the first answer from the database, through the server."""

    acknowledged: dict[str, dict[str, str]]
    back: list[float]
    back_database: list[float]


async def crash(given: Plan, folder: Path, server: Postgres | None) -> Outcome:
    from proband_annotate.project import secret_of
    from proband_annotate.tokens import new_link

    process, found = Process(folder), Outcome(acknowledged={}, back=[], back_database=[])
    process.start()
    try:
        link, stop = new_link(secret_of(folder), "crowd"), asyncio.Event()
        clients = [Client(process.url, link, number, found.acknowledged) for number in range(given.clients)]
        tasks = [asyncio.create_task(client.work(stop)) for client in clients]
        rng = random.Random(given.seed)
        for blow in range(given.kills):
            while len(found.acknowledged) < given.answers * (blow + 1) // given.kills:
                await asyncio.sleep(0.01)
                for task in tasks:
                    if task.done():
                        task.result()
            await asyncio.sleep(rng.random() * 0.2)
            edits = given.edits[blow % len(given.edits)] if given.edits else {}
            stopped = server if blow % given.every == given.every - 1 else None
            await asyncio.to_thread(_strike, process, stopped, found, edits)
        stop.set()
        await asyncio.gather(*tasks)
    finally:
        process.stop()
    return found


def _strike(process: Process, server: Postgres | None, found: Outcome, edits: Mapping[str, int]) -> None:
    """Kill the server, or stop the database; wait until both answer again. A server starts with edited settings."""
    begin = time.monotonic()
    if server is None:
        process.kill()
        edit_settings(process.folder, edits)
        process.start()
        found.back.append(time.monotonic() - begin)
    else:
        server.stop("immediate")
        server.start()
        process.wait_healthy()
        found.back_database.append(time.monotonic() - begin)


def edit_settings(folder: Path, edits: Mapping[str, int]) -> None:
    """Change settings in project.toml, as an owner does."""
    path = folder / "project.toml"
    words = path.read_text("utf-8")
    for name, value in edits.items():
        words, count = re.subn(rf"^{name} = .*$", f"{name} = {value}", words, flags=re.MULTILINE)
        assert count == 1, name
    path.write_text(words, "utf-8")


def verify(folder: Path, acknowledged: dict[str, dict[str, str]]) -> dict[str, int]:
    """Everything that was acknowledged is there, once, as it was sent; no place was given twice; every unit has as many
    places as project.toml wants, or as are held; the file is whole."""
    from sqlalchemy import select

    from proband_annotate.site.context import open_project
    from proband_annotate.store.schema import answers, assignments, slots, units

    opened = open_project(folder)
    with opened.database.engine.connect() as connection:
        stored = {row.id: row for row in connection.execute(select(answers))}
        bodies = {row.id: json.loads(row.body) for row in connection.execute(select(units))}
        lost = [name for name in acknowledged if name not in stored]
        altered = 0
        for name, sent in acknowledged.items():
            if name in stored:
                body, kept = bodies[int(sent["unit"])], json.loads(stored[name].body)
                if "choice" in sent:
                    right = kept == {"choice": body["options"][int(sent["choice"])]}
                else:
                    right = kept["labels"] == {c["id"]: sent[f"c{n}"] for n, c in enumerate(body["candidates"])}
                altered += not (right and stored[name].unit_id == int(sent["unit"]))
        pairs = [(row.person_id, row.unit_id) for row in stored.values()]
        held = [(r.unit_id, r.panel, r.place) for r in connection.execute(select(assignments)) if r.place is not None]
        known = {(r.unit_id, r.panel, r.place) for r in connection.execute(select(slots))}
        overlap, main = opened.project.people.overlap, [n for n, body in bodies.items() if "candidates" in body]
        seats = Counter(unit for unit, panel, _ in known if panel == "crowd")
        taken = Counter(unit for unit, panel, _ in held if panel == "crowd")
        misplaced = sum(seats[unit] != max(overlap, taken[unit]) for unit in main)
        doubled = len(pairs) - len(set(pairs)) + len(held) - len(set(held)) + len(set(held) - known)
        if connection.dialect.name == "sqlite":
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
    opened.database.close()
    return {"stored": len(stored), "lost": len(lost), "altered": altered, "doubled": doubled, "misplaced": misplaced}
