"""The guide walked from nothing to a built data set: items, a project, a server, people who follow links and fill in
forms, a backup restored elsewhere, the export, the suite's own build of it."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from proband.cli import main
from proband.core.files import read_items
from proband_annotate.project import database_url, read_project
from proband_annotate.store.database import Database
from proband_annotate.store.schema import units
from proband_annotate.tasks import task

if TYPE_CHECKING:
    from annotate.tests.servers import Process
    from annotate.tests.visitors import Person, write_lines
else:
    from servers import Process
    from visitors import Person, write_lines

DATA = Path(__file__).resolve().parents[2] / "src" / "proband" / "data"
SAMPLES = Path(__file__).resolve().parents[1] / "src" / "proband_annotate" / "samples"
Answer = Callable[[str, dict[str, Any]], dict[str, Any]]


class Walk:
    """One folder, one kind of database, one address at which people reach the server."""

    def __init__(self, folder: Path, *, database: Callable[[], str], address: Callable[[Process], str] | None) -> None:
        self.folder, self.database, self.address = folder, database, address

    def proband(self, *words: object) -> Any:
        """A command's JSON."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            assert main([*map(str, words), "--json"]) == 0, words
        return json.loads(printed.getvalue())

    def study(self, kind: str, items: Path, answer: Answer, *, people: int, overlap: int = 1) -> Path:
        """Made, served, answered by people to the end, backed up while it runs; gives the restored project."""
        folder = self.folder / kind
        url = self.database()
        words = ["annotate", "init", folder, "--kind", kind, "--items", items, "--contact", "lab@example.org"]
        server = Process(folder)
        public = self.address(server) if self.address else ""
        more = ["--set", f"people.overlap={overlap}", *(["--set", f"platform.public-url={public}"] if public else [])]
        self.proband(*words, *more, *(["--database", url] if url else []))
        server.options = ["--proxy"] if public else []
        server.start()
        try:
            self._visit(folder, kind, answer, people=people, base=public or server.url)
            archive = self.folder / f"{kind}.tar.gz"
            self.proband("annotate", "backup", folder, "-o", archive)
        finally:
            server.stop()
        again = self.folder / f"{kind}-restored"
        self.proband("annotate", "restore", archive, again, *(["--database", self.database()] if url else []))
        progress = self.proband("annotate", "status", again)["progress"]
        assert progress["answers"] == progress["answers_wanted"] > 0, progress
        return again

    def _visit(self, folder: Path, kind: str, answer: Answer, *, people: int, base: str) -> None:
        """Everybody follows their link and works until there is nothing left."""
        known = self._units(folder)
        links = self.proband("annotate", "links", folder, "--count", people, "--base", base)["links"]
        assert all(link.startswith(f"{base}/join/") for link in links), links
        visitors = [Person(base, link.rpartition("/")[2]) for link in links]
        for someone in visitors:
            someone.begin()
        busy = True
        while busy:
            busy = False
            for someone in visitors:
                if 'id="task"' not in someone.html:
                    continue
                busy = True
                name, body = known[int(someone.hidden()["unit"])]
                fields = task(kind).fields(body, answer(name, body))
                reply = someone.send("answer", **{key: value for key, value in fields.items() if value})
                assert reply.status_code == 200, reply.text
        for someone in visitors:
            someone.page = someone.client.get(someone.home)  # who waited for others looks again
            assert 'id="code"' in someone.html, someone.html
            someone.client.close()

    def _units(self, folder: Path) -> dict[int, tuple[str, dict[str, Any]]]:
        opened = Database(database_url(folder, read_project(folder)))
        try:
            rows = opened.read(lambda c: c.execute(select(units)).all())
        finally:
            opened.close()
        return {row.id: (row.name, json.loads(row.body)) for row in rows}

    def built(self, study: Path) -> Path:
        """The suite's input, and what the command that the export prints makes of it."""
        made = self.proband("annotate", "export", study, "--to", "suite", "-o", self.folder / f"{study.name}-out")
        words = shlex.split(made["next"])[1:]
        target = self.folder / f"{study.name}-built"
        words[words.index("-o") + 1] = str(target)
        assert main(words) == 0, words
        return target


def all_kinds(walk: Walk) -> dict[str, int]:
    """Every kind; gives how many items (or lines of people) each of the built data sets has."""
    items = walk.folder / "items"
    profile = walk.folder / "chain.toml"
    profile.write_text("facts-along-chain = true\n")
    walk.proband("build", "kinship", "-o", items, "--k", "2", "--per-k", 6, "--seed", 2, "--profile", profile)
    texts = {item.id: item.prompt.rpartition("\n")[0] for item in read_items(items)}
    gold = {item.id: item.choices[item.gold] for item in read_items(items)}
    counts = {}
    written = walk.study("write", items, lambda name, _: {"story": texts[name], "sure": False}, people=2)
    good = {"verdict": "good", "reason": ""}
    reviewed = walk.study(
        "review", written, lambda _, body: {"verdicts": [{"story": s["id"], **good} for s in body["stories"]]}, people=2
    )
    counts["write, review"] = sum(1 for _ in read_items(walk.built(reviewed)))
    questions = SAMPLES / "questionnaires.jsonl"
    judged = walk.study(
        "judge",
        questions,
        lambda _, body: {"labels": {c["id"]: label(c) for c in body["candidates"]}},
        people=5,
        overlap=5,
    )
    counts["judge"] = sum(1 for _ in read_items(walk.built(judged)))
    explained = walk.study(
        "simplify", captions(walk.folder), lambda _, body: {"steps": SAID[body["caption"]]}, people=2
    )
    counts["simplify"] = sum(1 for _ in read_items(walk.built(explained)))
    solved = walk.study(
        "solve", items, lambda name, _: {"choice": gold[name], "difficulty": 2, "overtime": False}, people=1
    )
    report = walk.built(solved)
    counts["solve"] = (report / "tables" / "kinship-by_task.csv").read_text().count("people (time limited)")
    return counts


def label(candidate: dict[str, Any]) -> str:
    return ("yes", "no")[len(candidate["text"]) % 2]


SAID: dict[str, list[str]] = {}


def captions(folder: Path) -> Path:
    """Twelve captions of the cooking corpus, with what was said of each."""
    import csv

    with open(DATA / "script" / "corpus-cooking.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            steps = [f"{step.strip()}." for step in row["concrete"].split(".") if step.strip()][:5]
            if len(SAID) < 12:
                SAID.setdefault(row["abstract"], steps)
    rows: list[dict[str, Any]] = [{"id": f"c{n}", "caption": caption} for n, caption in enumerate(SAID)]
    return write_lines(folder / "captions.jsonl", rows)


@contextmanager
def nginx(config: str, folder: Path) -> Iterator[None]:
    """nginx with the site of a guide, in a folder of its own, until the block ends."""
    import shutil
    import subprocess

    program = shutil.which("nginx") or "/usr/sbin/nginx"
    temporary = "".join(
        f"{name}_temp_path {folder / name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main_file = folder / "main.conf"
    main_file.write_text(
        f"daemon off; pid {folder / 'pid'}; error_log {folder / 'error.log'};\n"
        f"events {{}}\nhttp {{ {temporary} {config} }}\n"
    )
    process = subprocess.Popen([program, "-c", str(main_file), "-p", str(folder)])
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)
