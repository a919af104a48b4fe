"""Tables of CLUTRR with given cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from proband.suites.kinship.clutrr.items import HEADER, csv_line


def write_cells(rows: Iterable[Mapping[str, str]], path: Path) -> None:
    path.write_text(HEADER + "".join(map(csv_line, rows)), encoding="utf-8")
