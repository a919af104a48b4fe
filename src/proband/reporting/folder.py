"""The folder of a report: tables, figures, pages and data are written into it, and what an earlier report wrote there
and this one does not is removed.

report.json lists the files of a report (until it is written, .report.files does). Nothing else in the folder is ever
touched: a file of that name that no report wrote is an error, except with `force`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import read_json, write_json, write_text
from proband.core.suite import Sheet
from proband.reporting.draw.axes import WIDE
from proband.reporting.draw.charts import drawing
from proband.reporting.draw.lines import curve_plot
from proband.reporting.draw.marks import Picture, can_paint, paint, svg
from proband.reporting.numbers.grids import Grid
from proband.reporting.tables import comma_separated, latex, markdown, sheet_csv, sheet_latex, sheet_markdown

SUMMARY, BEGUN = "report.json", ".report.files"
OURS = re.compile(r"[^/\\]+\.html|claims\.json|(tables|figures|data)/[^/\\]+\.(md|tex|csv|svg|png|pdf|js)")


class Folder:
    """Writes the files of one report and remembers their names."""

    def __init__(self, out: Path, *, force: bool = False, paint: bool = True) -> None:
        self.out, self.files, self.force, self.paint = out, set[str](), force, paint and can_paint()
        self.before = _files_of(out / SUMMARY) | _files_begun(out / BEGUN)
        if not self.before:
            for name in (SUMMARY, "index.html"):
                self._claim(name)

    def _claim(self, name: str) -> None:
        """Take a name for a file of this report, unless somebody else's file has it."""
        if name in self.files:
            return
        if not self.force and name not in self.before and (self.out / name).exists():
            raise ProbandError("is there already and no report wrote it; name another folder, or give --force",
                               file=self.out / name)  # fmt: skip
        with in_folder(self.out):
            self.out.mkdir(parents=True, exist_ok=True)
            with open(self.out / BEGUN, "a", encoding="utf-8") as file:
                file.write(name + "\n")
        self.files.add(name)

    def text(self, name: str, text: str) -> None:
        self._claim(name)
        with in_folder(self.out):
            write_text(self.out / name, text)

    def json(self, name: str, value: Any) -> None:
        self._claim(name)
        with in_folder(self.out):
            write_json(self.out / name, value)

    def grid(self, grid: Grid) -> None:
        """The table in three formats, the figure in three (one without matplotlib)."""
        self._table(grid.name, md=markdown(grid), tex=latex(grid), csv=comma_separated(grid))
        if not grid.empty:
            self._picture(drawing(grid)(grid, WIDE), grid.name)

    def sheet(self, sheet: Sheet, name: str) -> None:
        self._table(name, md=sheet_markdown(sheet), tex=sheet_latex(sheet, name), csv=sheet_csv(sheet))
        if sheet.curves is not None:
            self._picture(curve_plot(sheet.curves, sheet.title, WIDE), name)

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write report.json, then remove what only an earlier report had."""
        with in_folder(self.out):
            write_json(self.out / SUMMARY, {**summary, "files": sorted(self.files - {SUMMARY})})
        for name in self.before - self.files - {SUMMARY}:
            (self.out / name).unlink(missing_ok=True)
        (self.out / BEGUN).unlink(missing_ok=True)

    def _table(self, name: str, **formats: str) -> None:
        for end, text in formats.items():
            self.text(f"tables/{name}.{end}", text)

    def _picture(self, picture: Picture, name: str) -> None:
        self.text(f"figures/{name}.svg", svg(picture))
        if self.paint:
            names = [f"figures/{name}.{end}" for end in ("png", "pdf")]
            for each in names:
                self._claim(each)
            with in_folder(self.out):
                paint(picture, [self.out / each for each in names])


@contextmanager
def in_folder(out: Path) -> Iterator[None]:
    """A file that cannot be written (a full disk) is told with the folder of the report."""
    try:
        yield
    except OSError as error:
        what = f"{Path(error.filename).name}: " if error.filename else ""
        raise ProbandError(f"the report cannot be written: {what}{error.strerror or error}", file=out) from None


def _files_begun(path: Path) -> set[str]:
    """The files that a report wrote which was interrupted."""
    try:
        return {name for name in path.read_text("utf-8").splitlines() if OURS.fullmatch(name) or name == SUMMARY}
    except OSError:
        return set()


def _files_of(summary: Path) -> set[str]:
    """The files that the report of a folder lists; reports of earlier versions list their item sets only."""
    try:
        earlier = read_json(summary) if summary.exists() else {}
    except ProbandError:
        return set()
    pages = [f"{each['key']}.html" for each in earlier.get("sets", ()) if isinstance(each, dict) and "key" in each]
    listed = earlier.get("files", [*pages, "claims.html"])
    return {name for name in listed if isinstance(name, str) and OURS.fullmatch(name) and not name.startswith(".")}
