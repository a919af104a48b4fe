"""Checking labels: an auditor for anybody's data (`audit`), certificates of our own items (`verify`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband import suites
from proband.core import plugins
from proband.core.errors import ProbandError
from proband.core.files import items_path, parse, raw_lines, read_json, sha256_file, write_text
from proband.core.progress import Progress
from proband.core.suite import Audit, Suite
from proband.core.types import Item
from proband.pipeline.asking.items_and_answers import count_lines
from proband.pipeline.run import suite_of
from proband.web.templates import asset, render

STYLE = "proband.web.audit"


def audit(source: str | Path, *, out: str | Path, suite: str = "", seed: int = 0) -> Mapping[str, Any]:
    """Judge the labels of a data set with the auditor of `suite`, or of the one that reads such a source; writes
    OUT/index.html beside what the auditor writes. Returns the headlines."""
    chosen, folder = suites.suite(suite) if suite else suite_for(str(source)), Path(out)
    auditor = auditor_of(chosen)
    headlines = dict(auditor.run(str(source), out=folder, progress=Progress, seed=seed))
    page = headlines.pop("page", None)
    if page is not None:
        package, _, name = auditor.page.partition(":")
        write_text(folder / "index.html", render(package, name, style=asset(STYLE, "style.css"), **page))
        headlines["page"] = str(folder / "index.html")
    return headlines


def auditor_of(suite: Suite) -> Audit:
    if not suite.audit:
        raise ProbandError(f"{suite.name} has no auditor; {_those_that_audit()}")
    auditor: Audit = plugins.declared(suite.audit)
    return auditor


def suite_for(source: str) -> Suite:
    """The suite whose items these are, or the first whose auditor reads such a source."""
    path = Path(source)
    if path.is_dir() and items_path(path).is_file():
        return suite_of(path)
    for each in suites.importable():
        if each.audit and auditor_of(each).reads(source):
            return each
    if path.suffix == ".jsonl" and path.is_file():
        return suite_of(path)
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    raise ProbandError(f"no auditor reads this; {_those_that_audit()}", file=path)


def _those_that_audit() -> str:
    names = [each.name for each in suites.importable() if each.audit]
    return f"suites with an auditor (--suite): {', '.join(names) or 'none'}"


# ---- certificates, item by item, from the files alone ----------------------------------------------------------------


SHOWN = 20  # problems that are told in full


def verify(items: str | Path) -> Mapping[str, Any]:
    """How many items were checked and how; what is wrong, with file, line and item. The caller decides what to do
    about `failed`."""
    path = items_path(Path(items))
    suite = suite_of(items)
    if suite.verify is None:
        raise ProbandError(f"items of suite {suite.name!r} carry no certificates", file=path)
    how, problems = Counter[str](), list[str]()
    if changed := _changed(path):
        problems.append(changed)
    with Progress("verify", total=count_lines(path)) as bar:
        for number, raw in raw_lines(path):
            item = parse(Item, raw, file=path, line=number)
            if item.suite != suite.name:
                raise ProbandError(
                    f"'suite' is {item.suite!r}, the first item's {suite.name!r}", file=path, line=number
                )
            found = suite.verify(item)
            how[found.how] += 1
            if found.problem and len(problems) < SHOWN:
                problems.append(f"{path} line {number}, item {item.id!r}: {found.problem}")
            bar.advance(1)
    return {"items": how.total(), "checked": dict(how.most_common()), "failed": how["failed"], "problems": problems}


def _changed(path: Path) -> str | None:
    """Whether items.jsonl is not the file that its manifest describes."""
    manifest = path.parent / "manifest.json"
    if not manifest.is_file():
        return None
    recorded = read_json(manifest).get("sha256", {}).get(path.name)
    if recorded is not None and recorded != sha256_file(path):
        return f"{path}: not the file that manifest.json describes (sha256)"
    return None
