"""The folder of a report: tables, figures, pages and data are written into it, and what an earlier report wrote there
and this one does not is removed.

report.json lists the files of a report. Nothing else in the folder is ever touched: a file of that name that no report
wrote is an error, except with `force`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import read_json, write_json, write_text
from proband.core.suite import Sheet
from proband.reporting.draw.charts import dot_plot, figure_of
from proband.reporting.draw.marks import WIDE, svg
from proband.reporting.profile import Profile
from proband.reporting.profile_texts import as_json, as_table
from proband.reporting.tables import comma_separated, latex, markdown

SUMMARY = "report.json"
OURS = re.compile(r"[^/\\.][^/\\]*\.html|(claims|profile)\.json|(tables|figures|data)/[^/\\]+\.(md|tex|csv|svg|js)")


def check_folder(out: Path, *, force: bool = False) -> None:
    """Whether a report may be written into a folder, asked before there is anything to report."""
    for name, what in (("items.jsonl", "items"), ("run.json", "a run"), ("net.json", "a network")):
        if (out / name).exists():
            raise ProbandError(f"is a folder of {what}; name another one for the report", file=out)
    if out.exists() and not out.is_dir():
        raise ProbandError("is a file; name a folder", file=out)
    if not force and not _files_of(out / SUMMARY):
        _check_free(out, (SUMMARY, "index.html"))


def _check_free(out: Path, names: Iterable[str]) -> None:
    for name in names:
        if (out / name).exists():
            raise ProbandError(
                "is there already and no report wrote it; name another folder, or give --force", file=out / name
            )


class Folder:
    """Collects the files of one report and writes them together."""

    def __init__(self, out: Path, *, force: bool = False) -> None:
        self.out, self.force, self.contents = out, force, dict[str, Any]()
        check_folder(out, force=force)

    def add(self, name: str, content: Any) -> None:
        """A text, or what is written as JSON."""
        self.contents[name] = content

    def sheet(self, sheet: Sheet) -> None:
        """A table in three formats, and its figure."""
        formats = {"md": markdown(sheet), "tex": latex(sheet), "csv": comma_separated(sheet)}
        for end, text in formats.items():
            self.add(f"tables/{sheet.name}.{end}", text)
        if draw := figure_of(sheet):
            self.add(f"figures/{sheet.name}.svg", svg(draw(WIDE)))

    def profile(self, profile: Profile) -> None:
        self.add("profile.json", as_json(profile))
        table = as_table(profile)
        self.sheet(table)
        self.add("figures/profile.svg", svg(dot_plot(table, WIDE)))

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write report.json, which lists the files, and the files; remove what only an earlier report had."""
        before = _files_of(self.out / SUMMARY)
        if not self.force:
            _check_free(self.out, [name for name in self.contents if name not in before])
        try:
            self.out.mkdir(parents=True, exist_ok=True)
            write_json(self.out / SUMMARY, {**summary, "files": sorted(self.contents)})
            for name in before - self.contents.keys():
                (self.out / name).unlink(missing_ok=True)
            for name, content in self.contents.items():
                (write_text if isinstance(content, str) else write_json)(self.out / name, content)
        except OSError as error:  # a full disk
            what = f"{Path(error.filename).name}: " if error.filename else ""
            reason = f"the report cannot be written: {what}{error.strerror or error}"
            raise ProbandError(reason, file=self.out) from None


def _files_of(summary: Path) -> set[str]:
    """The files that the report of a folder lists."""
    try:
        earlier = read_json(summary) if summary.exists() else {}
    except ProbandError:
        return set()
    return {name for name in earlier.get("files", ()) if isinstance(name, str) and OURS.fullmatch(name)}
