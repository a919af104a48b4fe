from __future__ import annotations

import csv
import dataclasses
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.metrics import Estimate, Metric
from proband.core.suite import Claim, Contrast, Sheet, Table
from proband.reporting import ItemSet, write_report


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def twice(make_set: Callable[..., ItemSet], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two reports of the same runs."""
    out = tmp_path_factory.mktemp("twice")
    for name in ("a", "b"):
        write_report([make_set(80, models=("embedded:mlm", "embedded:glove"))], out=out / name)
    return out / "a", out / "b"


def test_the_same_runs_are_the_same_bytes(twice: tuple[Path, Path]) -> None:
    first, second = map(bytes_of, twice)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.slow
def test_the_hash_seed_changes_nothing(make_set: Callable[..., ItemSet], tmp_path: Path, root: Path) -> None:
    """Another process with another hash seed writes the same page."""
    code = (
        "import importlib.util, sys; from pathlib import Path\n"
        "spec = importlib.util.spec_from_file_location('example', 'tests/reporting/conftest.py')\n"
        "example = importlib.util.module_from_spec(spec); spec.loader.exec_module(example)\n"
        "example.write_report([example.set_of(40)], out=Path(sys.argv[1]))"
    )
    env = {**os.environ, "PYTHONHASHSEED": "1"}
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "there")], check=True, cwd=root, env=env)
    write_report([make_set(40)], out=tmp_path / "here")
    assert bytes_of(tmp_path / "there") == bytes_of(tmp_path / "here")


def test_what_is_written(folder: Path) -> None:
    names = set(bytes_of(folder))
    for table in ("groups", "length", "relations", "headline"):
        assert {f"tables/analogy-{table}.{end}" for end in ("md", "tex", "csv")} <= names
        assert (f"figures/analogy-{table}.svg" in names) is (table != "relations")  # of many rows, cells are shaded
    assert {"index.html", "analogy.html", "analogy-2.html", "cloze.html"} <= names
    assert {"report.json", "tables/analogy-2-groups.md", "data/cloze-index.js"} <= names


def test_report_json_holds_estimates(folder: Path) -> None:
    summary = json.loads((folder / "report.json").read_text("utf-8"))
    fields = {*Estimate.__struct_fields__, "runs"} - {"shortcut", "apart", "mark"}
    first = summary["sets"][0]
    assert first["runs"][0]["label"] == "embedded:mlm"
    estimates = [each for table in first["tables"] for each in table["estimates"]]
    assert all(fields <= each.keys() and each["low"] <= each["mean"] <= each["high"] for each in estimates)
    assert {"not significant", "embedded:mlm is better"} <= {c["verdict"] for c in first["comparisons"]}
    cloze = summary["sets"][2]
    (overall, *_) = cloze["tables"]
    assert (overall["estimates"][0]["n"], overall["estimates"][0]["mean"]) == (24, pytest.approx(16 / 24))


def test_no_interval_is_printed_where_there_are_too_few_to_tell(
    make_set: Callable[..., ItemSet], tmp_path: Path
) -> None:
    """48 items: three of each group and probe."""
    write_report([make_set(48)], out=tmp_path)
    tables = tmp_path / "tables"
    with (tables / "analogy-groups.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == "ours"]
    few = [row for row in rows if row["group"]]
    assert len(few) == 64
    assert {(row["few"], row["low"], row["high"], row["n"]) for row in few} == {("True", "", "", "3")}
    markdown, latex = ((tables / f"analogy-groups.{end}").read_text(encoding="utf-8") for end in ("md", "tex"))
    assert markdown.count("(n = 3, too few to tell)") == len(few)
    ends = r"\[[\d.]+, [\d.]+\]"
    assert len(re.findall(ends, markdown)) == len(re.findall(ends, latex)) == len(rows) - len(few)  # twelve are enough


def test_differences_that_are_not_significant_are_pale(folder: Path) -> None:
    summary = json.loads((folder / "report.json").read_text("utf-8"))
    verdicts = [c["verdict"] for each in summary["sets"] for c in each["comparisons"]]
    page = "".join(path.read_text("utf-8") for path in sorted(folder.glob("*.html")))
    assert page.count('<tr class="noise">') == verdicts.count("not significant") > 0


class Links(HTMLParser):
    """Collects what a page refers to, and checks that it closes what it opens."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            if name == "id" and value is not None:
                self.ids.append(value)
        if tag not in ("meta", "link", "input", "br", "img", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)


def test_the_pages_are_sound_and_have_no_dead_links(folder: Path) -> None:
    pages = {path.name: Links() for path in folder.glob("*.html")}
    for name, parser in pages.items():
        parser.feed((folder / name).read_text("utf-8"))
        assert parser.open == []
        assert len(parser.ids) == len(set(parser.ids))
    for name, parser in pages.items():
        for link in parser.links:
            file, _, anchor = link.partition("#")
            if not link.startswith("data:"):
                assert (folder / (file or name)).is_file(), link
                assert not anchor or anchor in pages[file or name].ids, link


def test_a_smaller_report_leaves_no_files_of_a_larger_one(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    out, alone = tmp_path / "both", tmp_path / "alone"
    first, second = (make_set(count, models=("embedded:mlm",)) for count in (40, 30))
    write_report([first, second], out=out)
    assert (out / "analogy-2.html").exists()
    (out / "notes.html").write_text("mine")
    (out / "tables" / "mine.csv").write_text("mine")
    write_report([first], out=out)
    write_report([first], out=alone)
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert files == {str(p.relative_to(alone)) for p in alone.rglob("*") if p.is_file()} | {
        "notes.html",
        "tables/mine.csv",
    }
    summary = json.loads((out / "report.json").read_text())
    (out / "report.json").write_text(json.dumps(summary | {"files": ["../outside.html", "notes.txt", "/etc/hosts"]}))
    (tmp_path / "outside.html").write_text("mine")
    write_report([first], out=out, force=True)
    assert (tmp_path / "outside.html").exists()


def test_a_table_nobody_has_tags_for_is_left_out(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    loaded = make_set(40)
    table = dataclasses.replace(loaded.suite.tables[0], name="absent", title="By a tag nobody has", rows=("absent",))
    suite = dataclasses.replace(loaded.suite, tables=(*loaded.suite.tables, table))
    write_report([dataclasses.replace(loaded, suite=suite)], out=tmp_path)
    page = (tmp_path / "analogy.html").read_text("utf-8")
    assert loaded.suite.tables[0].title in page
    assert table.title not in page
    assert not list((tmp_path / "tables").glob("*absent*"))


def test_a_table_is_made_of_the_items_it_is_for(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    sheet = Sheet(name="controls", title="Controls", header=("run",), rows=(("a",),))
    controls = Table(name="controls", title="", of=lambda *_: [sheet], built_with={"control": "all"})
    loaded = make_set(20)
    for control, made in (("all", True), ("none", False)):
        suite = dataclasses.replace(loaded.suite, tables=(*loaded.suite.tables, controls))
        manifest = {**loaded.manifest, "options": {"control": control, "words": []}}
        write_report([dataclasses.replace(loaded, suite=suite, manifest=manifest)], out=tmp_path / control)
        assert (tmp_path / control / "tables" / "analogy-controls.md").exists() is made


def test_tables_are_asked_for_by_name(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    items = make_set(40)
    first, *rest = items.suite.tables
    words = Table(
        name="words",
        title="",
        always=False,
        of=lambda results, seed: [
            Sheet(
                name="words",
                title="Words <in> prompts",
                header=("run", "words"),
                rows=tuple(
                    (label, sum(len(item.prompt.split()) for item, _ in results.answers(at)))
                    for at, label in enumerate(results.labels)
                ),
            )
        ],
    )
    suite = dataclasses.replace(items.suite, tables=(dataclasses.replace(first, always=False), *rest, words))
    items = dataclasses.replace(items, suite=suite)
    write_report([items], out=tmp_path / "all")
    tables = {path.stem for path in (tmp_path / "all" / "tables").iterdir()}
    assert tables == {"analogy-headline", "analogy-length", "analogy-relations"}
    write_report([items], out=tmp_path / "one", tables=["groups", "words"])
    tables = {path.stem for path in (tmp_path / "one" / "tables").iterdir()}
    assert tables == {"analogy-headline", "analogy-groups", "analogy-words"}
    assert "| embedded:mlm | 320 |" in (tmp_path / "one" / "tables" / "analogy-words.md").read_text("utf-8")
    assert "Words &lt;in&gt; prompts" in (tmp_path / "one" / "analogy.html").read_text("utf-8")
    with pytest.raises(ProbandError, match="no table 'grops'; there are groups, length, relations, words"):
        write_report([items], out=tmp_path, tables=["grops"])


HYPHEN = re.compile(r"(?<![\w./-])-\.?\d")  # before a number, where a minus sign is meant


def visible(page: str) -> str:
    """What people read on a page or in a figure, tooltips among it."""
    text = re.sub(r"(?s)<(script|style|pre)\b.*?</\1>|<[^>]*>", " ", page)
    return text + " ".join(re.findall(r'data-tip="([^"]*)"', page))


def test_people_read_one_minus_sign_and_machines_a_hyphen(make_set: Callable[..., ItemSet], tmp_path: Path) -> None:
    loaded = make_set(60, models=("embedded:mlm", "embedded:glove"))
    log_score = Metric(name="log_score", of=lambda item, answer: answer.scores[item.gold or 0], unit="nats")
    own = Sheet(name="own", title="Own", header=("run", "change", "rho"), rows=(("a-1", "1.7 [-19.6, 16.2]", -0.25),))
    tables = (
        Table(name="by_k", title="By k", columns=("k",), metric="log_score"),
        Table(name="own", title="Own", of=lambda *_: [own]),
    )
    models: dict[str, Any] = {"above": {"run.model": "embedded:glove"}, "below": {"run.model": "embedded:mlm"}}
    contrast = Contrast(**models, pair="item", metric="log_score")
    claim = Claim(statement="glove is ahead", source="", contrasts=(contrast,), per=())
    suite = dataclasses.replace(loaded.suite, metrics=(log_score,), tables=tables, claims=(claim,))
    write_report([dataclasses.replace(loaded, suite=suite)], out=tmp_path, claims=True)
    for path in [*tmp_path.glob("*.html"), *tmp_path.glob("*/*.md"), *tmp_path.glob("*/*.svg")]:
        text = visible(path.read_text(encoding="utf-8"))
        assert "−" in text, path
        assert not HYPHEN.search(text), path
    for path in tmp_path.glob("*/*.csv"):
        assert "−" not in path.read_text(encoding="utf-8"), path
    tex, table = ((tmp_path / "tables" / f"analogy-own.{end}").read_text(encoding="utf-8") for end in ("tex", "csv"))
    assert "a-1 & 1.7 [$-$19.6, 16.2] & $-$0.25" in tex
    assert 'a-1,"1.7 [-19.6, 16.2]",-0.25' in table
    claims = visible((tmp_path / "claims.html").read_text(encoding="utf-8"))
    assert re.search(r"−[\d.]+\xa0nats", claims)  # no line break inside
    assert not re.search(r"\d (%|points|nats)", claims)
