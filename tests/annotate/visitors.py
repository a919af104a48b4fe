"""What tests and benchmarks of the web app share: a PostgreSQL, a server, units, and people who fill in forms."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx

from proband.core.files import dumps


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def programs() -> Path | None:
    """The newest PostgreSQL of Debian, or the one on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    named = shutil.which("initdb")
    return found[-1].parent if found else Path(named).parent if named else None


class Postgres:
    """A PostgreSQL of our own, in a temporary folder, on a free port, run by an ordinary user."""

    def __init__(self, folder: Path) -> None:
        bin_folder = programs()
        assert bin_folder is not None
        self.bin, self.folder, self.port = bin_folder, folder, free_port()
        self.user = "nobody" if os.geteuid() == 0 else None
        folder.mkdir()
        if self.user:
            shutil.chown(folder, self.user)
            for parent in folder.parents:
                if parent.stat().st_uid == 0 and not parent.stat().st_mode & 0o001:
                    parent.chmod(parent.stat().st_mode | 0o001)
        self._do("initdb", "-D", str(folder / "data"), "-U", "proband", "-A", "trust", "--locale=C", "-E", "UTF8")
        self.start()

    def _do(self, program: str, *words: str) -> None:
        before = ["setpriv", f"--reuid={self.user}", "--regid=nogroup", "--clear-groups"] if self.user else []
        command = [*before, str(self.bin / program), *words]
        log = self.folder.parent / f"{self.folder.name}.{program}.log"
        with open(log, "ab") as out:
            subprocess.run(command, cwd="/", stdout=out, stderr=out, check=True, timeout=60)

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=40"
        options += " -c recovery_init_sync_method=syncfs"  # one call in place of a thousand files after a crash
        self._do(
            "pg_ctl", "-D", str(self.folder / "data"), "-w", "-o", options, "-l", str(self.folder / "log"), "start"
        )

    def stop(self, mode: str = "fast") -> None:
        self._do("pg_ctl", "-D", str(self.folder / "data"), "-m", mode, "stop")

    def database(self) -> str:
        """The address of a new, empty database."""
        import psycopg

        name = f"p{uuid.uuid4().hex[:12]}"
        with psycopg.connect(f"postgresql://proband@127.0.0.1:{self.port}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"postgresql://proband@127.0.0.1:{self.port}/{name}"


def questionnaires(count: int = 3, candidates: int = 4) -> list[dict[str, Any]]:
    relations = ("invaded", "shares a frontier with", "trades with", "is next to", "purple of the")
    names = ("Eritrea", "Kenya", "Sudan", "Somalia", "Djibouti")
    return [
        {
            "id": f"q{number}",
            "question": f"Which country borders land {number}?",
            "q_type": "country",
            "candidates": [
                {
                    "id": f"q{number}-{names[place % 5]}-{place}",
                    "text": f"[COUNTRY] {relations[place % 5]} land {number}.",
                    "answer": names[place % 5],
                }
                for place in range(candidates)
            ],
        }
        for number in range(count)
    ]


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


class Server:
    """The app behind uvicorn, in a thread."""

    def __init__(self, app: Any) -> None:
        import uvicorn

        self.port = free_port()
        settings = uvicorn.Config(app, host="127.0.0.1", port=self.port, log_level="error", lifespan="on")
        self.server = uvicorn.Server(settings)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        deadline = time.monotonic() + 20
        while not self.server.started:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.02)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(20)


class Person:
    """Somebody who follows a link and fills in forms."""

    def __init__(self, base: str, link: str, **query: str) -> None:
        self.client = httpx.Client(timeout=30, base_url=base, follow_redirects=True)
        self.page = self.client.get(f"/join/{link}", params=query)
        self.home = str(self.page.url)

    def begin(self) -> None:
        """Up to the first unit."""
        self.send("consent", agree="yes", signals="yes")
        self.send("understood")

    @property
    def html(self) -> str:
        return self.page.text

    def hidden(self) -> dict[str, str]:
        form = re.search(r"<form id=\"task\".*?</form>|<form.*?</form>", self.html, re.DOTALL)
        assert form, self.html
        return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form[0]))

    def send(self, where: str, **fields: str) -> httpx.Response:
        self.page = self.client.post(f"{self.home}/{where}", data={**self.hidden(), **fields})
        return self.page


def judged(label: str = "yes", count: int = 4) -> dict[str, str]:
    return {f"c{place}": label for place in range(count)}


# ---- in a browser ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium") or "/usr/bin/chromium", args=["--no-sandbox"]
        )
        yield browser
        browser.close()


class Browsing:
    """A page that is used by keyboard, and everything it complained of."""

    def __init__(self, browser: Any, *, width: int = 1280, scheme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.width = width
        self.trouble: list[str] = []
        self.expected: list[str] = []  # words of complaints that the test provokes
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.on("console", lambda message: self.trouble.append(message.text) if message.type == "error" else None)

    def __enter__(self) -> Browsing:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        self.context.close()
        if kind is None:
            expected = (*self.expected, "422", "ERR_INTERNET_DISCONNECTED", "net::ERR_FAILED")
            assert [t for t in self.trouble if not any(word in t for word in expected)] == []

    def _dialog(self, dialog: Any) -> None:
        self.trouble.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def go(self, address: str) -> None:
        self.page.goto(address)

    def says(self, words: str) -> None:
        self.page.get_by_text(words).first.wait_for()

    def fits(self) -> None:
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= self.width, f"{self.page.url} is {wide} pixels wide"

    def axe(self, state: str) -> None:
        """No serious finding of axe, by the rules of WCAG 2.2 A and AA."""
        from axe_playwright_python.sync_playwright import Axe

        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        found = Axe().run(self.page, options={"runOnly": tags}).response["violations"]
        serious = [
            f"{each['id']}: {node['html'][:160]}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]
        assert not serious, f"{state}: {serious}"

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)

    def focused(self, selector: str) -> bool:
        return bool(self.page.evaluate("s => document.activeElement.matches(s)", selector))

    def tab_to(self, selector: str, most: int = 120) -> None:
        """Press Tab until something has the focus."""
        for _ in range(most):
            if self.focused(selector):
                return
            self.press("Tab")
        raise AssertionError(f"the keyboard does not reach {selector}")

    def choose(self, name: str, value: str) -> None:
        """A radio button, by Tab, Space and the arrow keys."""
        self.tab_to(f"input[name={name}]")
        self.press("Space")
        for _ in range(40):
            if self.page.locator(f"input[name={name}]:checked").get_attribute("value") == value:
                return
            self.press("ArrowDown")
        raise AssertionError(f"the keyboard does not reach {name} = {value}")

    def submit(self, selector: str) -> None:
        """A plain form: its button, by keyboard, and the page that follows."""
        self.tab_to(selector)
        with self.page.expect_navigation():
            self.press("Enter")

    def press_send(self) -> None:
        self.tab_to("#task button[type=submit]")
        self.press("Enter")

    def send(self) -> None:
        before = self.page.locator("input[name=unit]").get_attribute("value")
        self.press_send()
        self.moved_on(before)

    def moved_on(self, before: str | None) -> None:
        self.until(
            "b => document.getElementById('code') || document.querySelector('input[name=unit]')?.value !== b", before
        )

    def until(self, script: str, value: Any = None, seconds: float = 20.0) -> None:
        """Wait until a script says so; it runs from outside the page, which allows no evaluation of its own."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(Exception):  # the page is being replaced
                if self.page.evaluate(script, value):
                    return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{self.page.url}: waited in vain for {script}")

    def filled(self) -> dict[str, str]:
        """What the form holds, without its tokens."""
        every = self.page.evaluate("Object.fromEntries(new FormData(document.getElementById('task')))")
        return {name: value for name, value in every.items() if name not in ("form", "unit")}

    def cut_connection(self) -> None:
        self.context.set_offline(True)

    def restore_connection(self) -> None:
        self.context.set_offline(False)


def answer_by_keyboard(kind: str, visit: Browsing) -> None:
    """Fill in the task on the page as a careful person would."""
    if kind == "judge":
        count = visit.page.locator("fieldset").count()
        visit.tab_to("input[name=c0]")
        for _ in range(count):
            visit.press("2")
    elif kind == "review":
        for place in range(visit.page.locator("section").count()):
            visit.choose(f"v{place}", "bad" if place == 1 else "good")
            if place == 1:
                visit.choose(f"r{place}", "facts")
    elif kind == "solve":
        visit.choose("choice", "5")
        visit.choose("difficulty", "4")
    elif kind == "simplify":
        visit.tab_to("#s0")
        visit.page.keyboard.type("Take a big pot and put it on the stove.")
        visit.press("Tab")
        visit.page.keyboard.type("Ask a grown-up to help.")
    else:
        facts = visit.page.locator(".facts li").all_inner_texts()
        visit.tab_to("#story")
        visit.page.keyboard.type(" ".join(fact.replace(" is the ", " is always the proud ") for fact in facts))
        visit.tab_to("input[name=sure]")
        if not visit.page.locator("input[name=sure]").is_checked():
            visit.press("Space")


# ---- without a browser -----------------------------------------------------------------------------------------------


def simulate(
    folder: Path, answer: Callable[[str, dict[str, Any]], dict[str, Any]], *, people: int, panel: str = "crowd"
) -> None:
    """People who take units and answer them until there are none: `answer(worker, unit)` gives the body. `unit` has its
    name in the file as `name`."""
    from sqlalchemy import select

    from proband.annotate import visit
    from proband.annotate.site.context import open_study
    from proband.annotate.site.tokens import worker_hash
    from proband.annotate.store import people as people_store
    from proband.annotate.store.schema import units

    study = open_study(folder)
    names = study.database.read(lambda c: {row.id: row.name for row in c.execute(select(units))})
    for number in range(people):
        worker = worker_hash(study.secret, "url", f"{panel} {number}")
        study.database.write(
            lambda c, w=worker: people_store.arrive(c, worker=w, source="url", panel=panel, signals=True)  # type: ignore[misc]
        )
        study.database.write(lambda c, w=worker: people_store.try_comprehension(c, w, right=True, attempts=2))  # type: ignore[misc]
    busy = True
    while busy:
        busy = False
        for number in range(people):
            worker = worker_hash(study.secret, "url", f"{panel} {number}")
            step = study.database.write(lambda c, w=worker: visit.advance(c, study.project, w))  # type: ignore[misc]
            if step.name != "unit":
                continue
            busy = True
            unit = {**step.unit, "name": names[step.unit["id"]]}
            body = {"choice": unit["body"]["answer"]} if unit["role"] == "attention" else answer(worker, unit)
            study.database.write(
                lambda c, w=worker, n=unit["id"], b=body: visit.submit(  # type: ignore[misc]
                    c,
                    study.project,
                    study.kind,
                    w,
                    answer_id=str(uuid.uuid4()),
                    unit_id=n,
                    body=b,
                    signals={"keys": 3.0},
                )
            )
    study.database.close()
