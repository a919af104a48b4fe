"""200 hostile strings in every field, on every page, in the report and in the exports, in a real Chromium: none runs.

python benchmarks/annotate_hostile.py --strings 200
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from annotate_parts import ROOT, load_average
from attacking import Watch, attack
from hostile_strings import hostile
from playwright.sync_api import sync_playwright

KINDS = ("write", "review", "judge", "simplify", "solve")


def proband(*words: object) -> None:
    from proband.cli import main

    with contextlib.redirect_stdout(io.StringIO()):
        assert main([*map(str, words), "--json"]) == 0, words


def reports(page: Any, folder: Path, kind: str, suite: Path) -> Watch:
    """What people gave as a report: explanations as cloze items that are run, puzzles as lines of people."""
    out = folder / f"{kind}-report"
    if kind == "simplify":
        pairs, corpus = suite / "pairs.jsonl", ROOT / "src" / "proband" / "data" / "script" / "corpus-cooking.tsv"
        with open(pairs, "a", encoding="utf-8") as file, open(corpus, newline="") as rows:
            for row in csv.DictReader(rows, delimiter="\t"):
                file.write(json.dumps({key: row[key] for key in ("abstract", "concrete")} | {"split": "test"}) + "\n")
        proband("build", "script", "--data", pairs, "-o", folder / "items")
        proband("run", folder / "items", "-m", "solver:chance", "-o", folder / "run")
        proband("report", folder / "run", "-o", out)
    else:
        proband("report", suite / "runs", "-o", out)
    watch = Watch(page, "file:")
    for path in sorted(out.glob("*.html")):
        watch.look(path.as_uri(), own_scripts=True)
    for table in out.rglob("*.tex"):
        assert not re.search(r"\\\\(input|write18|immediate)\\b", table.read_text("utf-8")), table
    watch.close()
    return watch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strings", type=int, default=200)
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    strings, pages, begin = hostile(given.strings), 0, time.monotonic()
    ran: list[str] = []
    with tempfile.TemporaryDirectory() as name, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        for kind in given.kinds.split(","):
            watch, suite = attack(page, Path(name), kind, strings)
            watches = [watch, reports(page, Path(name), kind, suite)] if kind in ("simplify", "solve") else [watch]
            pages += sum(each.pages for each in watches)
            ran += [words for each in watches for words in each.ran]
            print(f"{kind}: {pages} pages so far, {time.monotonic() - begin:.0f} s", file=sys.stderr)
    print(f"{len(strings)} hostile strings, {pages:,} pages opened, {len(ran)} strings ran ({load_average()})")
    assert not ran, ran[:5]
    assert pages >= 2 * given.strings, "too few pages were opened"


if __name__ == "__main__":
    main()
