"""A suite's auditor in; its tables and a page out. Suites hand over data and drawings, the page is written here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import write_text
from proband.core.progress import Progress
from proband.web.templates import asset, render

TEMPLATES = "proband.web.audit"


def audit(path: str | Path, *, out: str | Path, suite: str = "kinship", seed: int = 0) -> Mapping[str, Any]:
    """Judge the labels of a data set; writes OUT/index.html beside what the auditor writes. Returns the headlines."""
    found, folder = suites.suite(suite), Path(out)
    if found.audit is None:
        raise ProbandError(f"{suite} has no auditor")
    headlines = dict(found.audit(Path(path), out=folder, progress=Progress, seed=seed))
    page = headlines.pop("page", None)
    if page is not None:
        text = render(TEMPLATES, f"{suite}.html", style=asset(TEMPLATES, "style.css"), **page)
        write_text(folder / "index.html", text)
        headlines["page"] = str(folder / "index.html")
    return headlines
