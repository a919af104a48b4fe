"""The server is stopped (SIGKILL, SIGTERM) under many clients, while its owner gives commands: every answer that was
acknowledged must be stored once, as it was sent, and paid; what was erased stays erased."""

from __future__ import annotations

import asyncio
import csv
import json
import random
import re
import signal
import sys
import tarfile
import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from annotate.tests.servers import Postgres, Process
else:
    from servers import Postgres, Process

LABELS = ("yes", "no", "nonsense")
COMMANDS = ("status", "backup", "payments", "export", "erase", "links")
PER_UNIT = 0.1  # pay
BOTH = (signal.SIGKILL, signal.SIGTERM)


@dataclass(kw_only=True)
class Outcome:
    """What was acknowledged and erased; the seconds from a blow to the first answer from the database, through the
    server."""

    acknowledged: dict[str, dict[str, str]] = field(default_factory=dict)  # id of an answer -> what was sent
    of_person: dict[str, list[str]] = field(default_factory=dict)  # participant -> ids of acknowledged answers
    erasing: set[str] = field(default_factory=set)  # participants
    erased: dict[str, int] = field(default_factory=dict)  # participant -> answers, as `erase` says
    commands: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)  # what a command said that cannot be
    back: list[float] = field(default_factory=list)
    back_database: list[float] = field(default_factory=list)


class Client:
    """A person who is never discouraged: the same id is sent until it is acknowledged."""

    def __init__(self, base: str, link: str, number: int, record: Outcome) -> None:
        self.base, self.link, self.rng = base, link, random.Random(number)
        self.http = httpx.AsyncClient(verify=False, timeout=10, follow_redirects=True)
        self.record, self.name = record, ""

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
            self.name = f"{self.rng.random()}"
            page = await self.ask("GET", f"{self.base}/join/{self.link}?participant={self.name}")
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
            self.record.acknowledged[made] = {"unit": unit[1], **sent}
            self.record.of_person.setdefault(self.name, []).append(made)


def token(page: httpx.Response) -> str:
    found = re.search(r'name="form" value="([0-9a-f]+)"', page.text)
    return found[1] if found else ""


def terms(page: httpx.Response) -> str:
    found = re.search(r'name="terms" value="(\d+)"', page.text)
    return found[1] if found else ""


class Commands:
    """An owner who gives commands at random moments, and looks at what they say."""

    def __init__(self, folder: Path, number: int, record: Outcome) -> None:
        self.folder, self.record, self.number = folder, record, number
        self.rng = random.Random(f"commands {number}")

    async def work(self, stop: asyncio.Event) -> None:
        pipe, script = asyncio.subprocess.PIPE, str(Path(__file__).with_name("command_runner.py"))
        runner = await asyncio.create_subprocess_exec(sys.executable, script, stdin=pipe, stdout=pipe)
        assert runner.stdin is not None
        assert runner.stdout is not None
        output = self.folder.parent / f"command-{self.number}.txt"
        turns: list[str] = []
        while not stop.is_set():
            turns = turns or self.rng.sample(COMMANDS, len(COMMANDS))
            name, out, who = turns.pop(), self.folder.parent / f"out-{self.number}", self.any_person()
            if name == "erase" and not who:  # later
                turns.insert(0, name)
                await asyncio.sleep(0.05)
                continue
            acknowledged, more = len(self.record.acknowledged), ["-o", str(out)]
            if name == "erase":
                self.record.erasing.add(who)
                more = ["--who", who, "--source", "url", "--yes", "--json"]
            elif name in ("status", "links"):
                more = ["--count", "3"] if name == "links" else []
            elif name == "export":
                more += ["--to", "jsonl"]
            out.unlink(missing_ok=True)
            words = {"words": ["annotate", name, str(self.folder), *more], "output": str(output)}
            runner.stdin.write(json.dumps(words).encode() + b"\n")
            code = int(await runner.stdout.readline())
            self.record.commands[name if code == 0 else f"{name} failed: {output.read_text()[-200:]}"] += 1
            if code == 0:
                self.compare(name, who, acknowledged, output.read_text(), out)
            elif not output.read_text().startswith("proband: "):
                self.record.wrong.append(f"{name}: {output.read_text()}")
            await asyncio.sleep(self.rng.random() * 0.1)
        runner.stdin.close()
        await runner.wait()

    def any_person(self) -> str:
        """A participant with an answer who is not being erased."""
        known = [name for name in self.record.of_person if name not in self.record.erasing]
        return self.rng.choice(known) if len(known) > 5 else ""

    def compare(self, name: str, who: str, acknowledged: int, said: str, out: Path) -> None:
        """What was acknowledged before the command began is in what it wrote."""
        left = acknowledged - sum(len(self.record.of_person[each]) for each in self.record.erasing)
        if name == "erase":
            self.record.erased[who] = json.loads(said)["answers"]
        elif name == "payments":
            with open(out, newline="") as file:
                paid = sum(float(row["total"]) for row in csv.DictReader(file))
            if paid < acknowledged * PER_UNIT - 1e-6:
                self.record.wrong.append(f"paid {paid:.2f} of {acknowledged * PER_UNIT:.2f}")
        elif name == "export":
            found = len(out.read_text().splitlines())
            if found < left:
                self.record.wrong.append(f"exported {found} of {left}")
        elif name == "backup":
            with tarfile.open(out) as tar:
                contents = tar.extractfile("backup.json")
                assert contents is not None
                rows = json.load(contents)["rows"]["answers"]
            if rows < left:
                self.record.wrong.append(f"backed up {rows} of {left}")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """So many blows and clients, and at least so many answers; with a database server, every `every`-th blow is an
    immediate stop of it. `owners`: so many give commands all the time, at least `commands` together. Blows are by
    `signals` in turn. `edits`: settings of project.toml, one after the other, changed before a start."""

    kills: int = 25
    clients: int = 32
    answers: int = 5000
    every: int = 4
    seed: int = 0
    owners: int = 0
    commands: int = 0
    signals: Sequence[signal.Signals] = (signal.SIGKILL,)
    edits: Sequence[Mapping[str, int]] = ()


EDITS = (  # more, fewer, experts and checks in between, and as many as at first
    {"overlap": 9},
    {"overlap": 4, "expert-overlap": 2},
    {"overlap": 6, "attention-every": 3},
    {"overlap": 8, "expert-overlap": 0, "attention-every": 0},
)


async def crash(given: Plan, folder: Path, server: Postgres | None) -> Outcome:
    from proband_annotate.project import secret_of
    from proband_annotate.tokens import new_link

    process, found = Process(folder), Outcome()
    process.start()
    try:
        link, stop = new_link(secret_of(folder), "crowd"), asyncio.Event()
        busy: list[Client | Commands] = [Client(process.url, link, number, found) for number in range(given.clients)]
        busy += [Commands(folder, number, found) for number in range(given.owners)]
        tasks = [asyncio.create_task(each.work(stop)) for each in busy]
        rng = random.Random(given.seed)
        for blow in range(given.kills):
            part = (blow + 1) / given.kills
            while len(found.acknowledged) < given.answers * part or found.commands.total() < given.commands * part:
                await asyncio.sleep(0.01)
                for task in tasks:
                    if task.done():
                        task.result()
            await asyncio.sleep(rng.random() * 0.2)
            edits = given.edits[blow % len(given.edits)] if given.edits else {}
            stopped = server if blow % given.every == given.every - 1 else None
            by = given.signals[blow % len(given.signals)]
            await asyncio.to_thread(_strike, process, stopped, found, edits, by)
        stop.set()
        await asyncio.gather(*tasks)
    finally:
        process.stop()
    return found


def _strike(
    process: Process, server: Postgres | None, found: Outcome, edits: Mapping[str, int], by: signal.Signals
) -> None:
    """Stop the server, or the database; wait until both answer again. A server starts with edited settings."""
    begin = time.monotonic()
    if server is None:
        process.strike(by)
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


def verify(folder: Path, found: Outcome) -> dict[str, int]:
    """Everything that was acknowledged is there, once, as it was sent, and paid; what was erased is gone and paid; no
    place was given twice; every unit has as many places as project.toml wants, or as are held; the file is whole."""
    from sqlalchemy import select

    from proband_annotate.project import read_project, secret_of
    from proband_annotate.results.collected import Collected
    from proband_annotate.results.payments import payments
    from proband_annotate.results.register import collect
    from proband_annotate.site.context import open_project
    from proband_annotate.store.schema import answers, assignments, erasures, slots, units
    from proband_annotate.tokens import worker_hash

    opened, gone = open_project(folder), {name for who in found.erased for name in found.of_person[who]}
    acknowledged = {name: sent for name, sent in found.acknowledged.items() if name not in gone}
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
        everything: Collected = collect(connection, read_project(folder))
        lines, secret = payments(everything, secret_of(folder)), secret_of(folder)
        hashes = {person["id"]: person["worker"] for person in everything.people}
        tasks = {hashes[line["person"]]: line["tasks"] for line in lines if line["person"] != ""}
        unpaid = sum(
            tasks.get(worker_hash(secret, "url", who), 0) != len(names)
            for who, names in found.of_person.items()
            if who not in found.erased
        )
        returned = len(gone & stored.keys()) + len({worker_hash(secret, "url", w) for w in found.erased} & tasks.keys())
        erased = sorted(row.answers for row in connection.execute(select(erasures)))
        unpaid += erased != sorted(found.erased.values())
        unpaid += any(found.erased[who] < len(found.of_person[who]) for who in found.erased)
    opened.database.close()
    counts = {"stored": len(stored), "lost": len(lost), "altered": altered, "doubled": doubled, "misplaced": misplaced}
    extra = len(stored.keys() - acknowledged.keys())
    return {**counts, "extra": extra, "unpaid": unpaid, "returned": returned}
