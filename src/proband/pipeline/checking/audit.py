"""A suite's auditor in; its tables and a page out. Suites hand over data, drawings and a template; the page is written
here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband import suites
from proband.core import plugins
from proband.core.errors import ProbandError
from proband.core.files import items_path, write_text
from proband.core.progress import Progress
from proband.core.suite import Audit, Suite
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
