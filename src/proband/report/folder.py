"""The folder of a report: tables, figures, pages and data are written into it, and what an earlier report wrote there
and this one does not is removed.

report.json lists the files of a report. Nothing else in the folder is ever touched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import read_json, write_json, write_text
from proband.core.suite import Sheet
from proband.report.draw.axes import WIDE
from proband.report.draw.choose import drawing
from proband.report.draw.curves import curve_plot
from proband.report.draw.marks import Picture, can_paint, paint, svg
from proband.report.numbers.grids import Grid
from proband.report.tables.comma_separated import comma_separated
from proband.report.tables.latex import latex
from proband.report.tables.markdown import markdown
from proband.report.tables.sheets import sheet_csv, sheet_latex, sheet_markdown

SUMMARY = "report.json"
OURS = re.compile(r"[^/\\]+\.html|claims\.json|(tables|figures|data)/[^/\\]+\.(md|tex|csv|svg|png|pdf|js)")


class Folder:
    """Writes the files of one report and remembers their names."""

    def __init__(self, out: Path) -> None:
        self.out, self.files = out, set[str]()
        self.before = _files_of(out / SUMMARY)

    def text(self, name: str, text: str) -> None:
        write_text(self.out / name, text)
        self.files.add(name)

    def json(self, name: str, value: Any) -> None:
        write_json(self.out / name, value)
        self.files.add(name)

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
        write_json(self.out / SUMMARY, {**summary, "files": sorted(self.files)})
        for name in self.before - self.files:
            (self.out / name).unlink(missing_ok=True)

    def _table(self, name: str, **formats: str) -> None:
        for end, text in formats.items():
            self.text(f"tables/{name}.{end}", text)

    def _picture(self, picture: Picture, name: str) -> None:
        self.text(f"figures/{name}.svg", svg(picture))
        if can_paint():
            names = [f"figures/{name}.{end}" for end in ("png", "pdf")]
            paint(picture, [self.out / each for each in names])
            self.files.update(names)


def _files_of(summary: Path) -> set[str]:
    """The files that the report of a folder lists; reports of earlier versions list their item sets only."""
    try:
        found = read_json(summary)
    except ProbandError:
        return set()
    pages = [f"{each['key']}.html" for each in found.get("sets", ()) if isinstance(each, dict) and "key" in each]
    listed = found.get("files", [*pages, "claims.html"])
    return {name for name in listed if isinstance(name, str) and OURS.fullmatch(name) and not name.startswith(".")}
