"""Hostile strings in every field of a project, its units, drafts and answers; a real browser opens every page.

A string runs if it opens a dialog, sets `window.hit`, changes the title, loads anything from elsewhere, or becomes an
element of the page. Pages of units are opened with one string in all their fields at a time, the texts of the project
included; the owner's pages list all of them.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import msgspec

from proband_annotate import visit as steps
from proband_annotate.create import init
from proband_annotate.project import ComprehensionQuestion
from proband_annotate.site.app import application
from proband_annotate.site.context import Limit, OpenProject, open_project
from proband_annotate.store import people as people_store
from proband_annotate.tokens import form_token, new_link, worker_hash

if TYPE_CHECKING:
    from annotate.tests.servers import Server
    from annotate.tests.visitors import write_lines
else:
    from servers import Server
    from visitors import write_lines

SAMPLES = Path(__file__).resolve().parents[1] / "src" / "proband_annotate" / "samples"
ELEMENTS = "iframe, object, embed, base, math, [onerror], [onload], [onfocus], [onmouseover], [ontoggle]"
LOOK = f"""() => [window.hit, document.title === 'hit',
    document.querySelectorAll("{ELEMENTS}, script:not([src])").length]"""


class Watch:
    """A page, and what a string managed to do in it."""

    def __init__(self, page: Any, base: str) -> None:
        self.page, self.base, self.pages = page, base, 0
        self.ran: list[str] = []
        self.page.on("dialog", self._dialog)
        self.page.on("request", self._asked)

    def close(self) -> None:
        """Leave the page as it was, for the next one who uses it."""
        self.page.goto("about:blank")
        self.page.context.clear_cookies()
        self.page.remove_listener("dialog", self._dialog)
        self.page.remove_listener("request", self._asked)

    def _dialog(self, dialog: Any) -> None:
        self.ran.append(f"dialog on {self.page.url}")
        dialog.dismiss()

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:", "file:", "about:", "blob:")):
            self.ran.append(f"asked for {request.url}")

    def look(self, address: str, *, own_scripts: bool = False) -> None:
        self.page.goto(address)
        self.check(own_scripts=own_scripts)

    def check(self, *, own_scripts: bool = False) -> None:
        """`own_scripts`: a report has scripts of its own, which its policy names by hash."""
        self.pages += 1
        self.page.mouse.move(100, 300)
        hit, title, elements = self.page.evaluate(LOOK)
        if hit or title or (elements and not own_scripts):
            self.ran.append(f"{self.page.url}: {hit} {title} {elements}")


def project(folder: Path, kind: str, strings: list[str]) -> dict[str, Any]:
    """A project with a hostile string in every field of its units."""
    rows: list[dict[str, Any]]
    if kind == "simplify":
        rows = [{"id": f"c{n} {text}", "caption": text, "category": text} for n, text in enumerate(strings)]
    elif kind == "judge":
        fields = ("id", "text", "answer", "subject", "relation", "object")
        candidates = [{key: f"{text} {key} {n}" for key in fields} for n, text in enumerate(strings)]
        groups = [candidates[at : at + 20] for at in range(0, len(candidates), 20)]
        rows = [
            {"id": f"q{n}", "question": strings[n], "q_type": strings[-1 - n], "candidates": group}
            for n, group in enumerate(groups)
        ]
    elif kind == "review":
        first = json.loads((SAMPLES / "stories.jsonl").read_text().splitlines()[0])
        rows = [
            {**first, "id": f"s{n} {text}", "author": text, "text": text, "facts": [text, text], "implied_fact": text}
            for n, text in enumerate(strings)
        ]
    elif kind == "solve":
        first = json.loads((SAMPLES / "solve.jsonl").read_text().splitlines()[0])
        rows = [
            {**first, "id": f"i{n} {text}", "prompt": f"{text}\n{text}", "choices": [text, "b"], "gold": 0}
            for n, text in enumerate(strings)
        ]
    else:
        first = json.loads((SAMPLES / "write.jsonl").read_text().splitlines()[0])
        rows = []
        for n, text in enumerate(strings):
            names = [f"{name} {text}" for name in first["facts"]["names"]]
            rows.append({**first, "id": f"w{n} {text}", "facts": {**first["facts"], "names": names}})
    items = write_lines(folder / f"{kind}.jsonl", rows)
    people = {"overlap": 2, "units-per-person": 0}
    return init(folder / kind, kind=kind, items=items, settings_given={"people": people})


def set_texts(study: OpenProject, text: str) -> None:
    """A hostile string in every text of project.toml."""
    texts = msgspec.structs.replace(study.project.texts, contact=text, consent=text, instructions=text)
    asked = ComprehensionQuestion(question=text, options=(text, f"{text} "))
    quality = msgspec.structs.replace(study.project.quality, comprehension=(asked,))
    made = msgspec.structs.replace(study.project, title=text[:200], licence=text, texts=texts, quality=quality)
    object.__setattr__(study, "project", made)


def body_of(kind: str, unit: dict[str, Any], text: str, *, second: bool) -> dict[str, Any]:
    """An answer; the second person disagrees with the first."""
    body = unit["body"]
    if kind == "write":
        return {"story": text, "sure": True}
    if kind == "simplify":
        return {"steps": [text] * 5}
    if kind == "judge":
        return {"labels": {c["id"]: "no" if second else "yes" for c in body["candidates"]}}
    if kind == "review":
        said = {"verdict": "bad", "reason": "facts"} if second else {"verdict": "good", "reason": ""}
        return {"verdicts": [{"story": s["id"], **said} for s in body["stories"]]}
    return {"choice": body["choices"][second], "difficulty": 1, "overtime": False}


def attack(page: Any, folder: Path, kind: str, strings: list[str]) -> tuple[Watch, Path]:
    """Every page of a project of this kind; gives what ran and the folder of its exports."""
    made = project(folder, kind, strings)
    study = open_project(folder / kind)
    object.__setattr__(study, "visits", Limit(burst=1e9, per_second=1e9))
    server = Server(application(study))
    watch = Watch(page, server.url)
    try:
        _visit(watch, study, server.url, kind, strings)
        _second_person(study, kind, strings)
        exports = _dashboard(watch, study, server.url, made["password"], strings, folder / f"{kind}-exports")
    finally:
        watch.close()
        server.stop()
    return watch, exports


def _visit(watch: Watch, study: OpenProject, base: str, kind: str, strings: list[str]) -> None:
    """Consent and instructions with every string; then unit after unit, with a draft, refused, sent, to be changed."""
    name = strings[0]  # of a person, as a platform might pass it
    watch.look(f"{base}/join/{new_link(study.secret, 'crowd', name=name)}")
    home, worker = watch.page.url, worker_hash(study.secret, "link", name)
    token = form_token(study.secret, home.rpartition("/")[2])
    for text in strings if kind == "judge" else strings[:1]:
        set_texts(study, text)
        watch.look(home)
    with httpx.Client(verify=False, timeout=30) as client:
        client.post(f"{home}/consent", data={"form": token, "agree": "yes", "terms": "1", "signals": "yes"})
        for text in strings if kind == "judge" else strings[:1]:
            set_texts(study, text)
            watch.look(home)
        study.database.write(lambda c: people_store.try_comprehension(c, worker, right=True, attempts=2))
        for text in strings:
            set_texts(study, text)
            step = study.database.write(lambda c: steps.advance(c, study.project, worker))
            if step.name != "unit":
                break
            draft = {"form": token, "unit": str(step.unit["id"]), "story": text, **{f"s{n}": text for n in range(5)}}
            client.post(f"{home}/draft", data=draft)
            client.post(f"{home}/checks", data=draft)
            watch.look(home)
            if kind == "write":  # refused, and shown again without a script
                with watch.page.expect_navigation():
                    watch.page.evaluate("() => HTMLFormElement.prototype.submit.call(document.getElementById('task'))")
                watch.check()
            _submit(study, worker, step.unit, body_of(kind, step.unit, text, second=False))
            watch.look(f"{home}/change")
    watch.look(home)


def _submit(study: OpenProject, worker: str, unit: dict[str, Any], body: dict[str, Any]) -> None:
    sent = {"answer_id": f"{worker}-{unit['id']}", "unit_id": unit["id"], "body": body, "signals": {}}
    study.database.write(lambda c: steps.submit(c, study.project, study.task, worker, **sent))


def _second_person(study: OpenProject, kind: str, strings: list[str]) -> None:
    """Somebody who disagrees, so that there are disputes."""
    worker = "second"
    study.database.write(lambda c: people_store.arrive(c, worker=worker, source="url", panel="crowd", signals=False))
    study.database.write(lambda c: people_store.try_comprehension(c, worker, right=True, attempts=2))
    for text in strings:
        step = study.database.write(lambda c: steps.advance(c, study.project, worker))
        if step.name == "unit":
            _submit(study, worker, step.unit, body_of(kind, step.unit, text, second=True))


def _dashboard(watch: Watch, study: OpenProject, base: str, password: str, strings: list[str], out: Path) -> Path:
    """The owner's pages and exports; decisions with every string as their reason."""
    for text in strings:
        study.database.write(lambda c, t=text: people_store.decide(c, 1, "approved", t))  # type: ignore[misc]
    watch.page.goto(f"{base}/owner/login")
    watch.page.fill("#password", password)
    watch.page.keyboard.press("Enter")
    watch.page.wait_for_selector("dl.figures")
    for where in ("", "/people", "/person/1", "/person/2", "/disputes", "/plan", "/links"):
        watch.look(f"{base}/owner{where}")
    cookies = {each["name"]: each["value"] for each in watch.page.context.cookies()}
    with httpx.Client(verify=False, cookies=cookies, timeout=60) as client:
        table = client.get(f"{base}/owner/export/csv").text
        rows = list(csv.reader(io.StringIO(table)))
        assert len(rows) > len(strings) / 3
        for row in rows:
            assert not any(re.match(r"\s*[=+@|%]|\s*-\D", cell) for cell in row), row
        lines = client.get(f"{base}/owner/export/jsonl").text.splitlines()
        assert len([json.loads(line) for line in lines]) == len(lines) > 0
        for to in ("suite", "hf"):
            packed = client.get(f"{base}/owner/export/{to}").content
            assert packed[:2] == b"PK", packed[:3000]
            with zipfile.ZipFile(io.BytesIO(packed)) as archive:
                archive.extractall(out / to)
    look_at_card(watch, out / "hf" / "README.md", study)
    return out / "suite"


def look_at_card(watch: Watch, path: Path, study: OpenProject) -> None:
    """The data card as a hub shows it: its head as YAML, the rest as Markdown."""
    import yaml
    from markdown_it import MarkdownIt

    _, head, rest = path.read_text("utf-8").split("---\n", 2)
    assert yaml.safe_load(head)["pretty_name"] == study.project.title
    page = path.with_suffix(".html")
    page.write_text(f"<!doctype html><meta charset='utf-8'>{MarkdownIt().render(rest)}", "utf-8")
    watch.look(page.as_uri())
