"""Every method next to its controls."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import cast

from proband.core.files import read_items
from proband.core.suite import Results
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.pipeline.report import item_sets
from proband.suites.inference.curves import control_scores, figure, section3


def read(runs: list[Path]) -> Results:
    return cast(Results, item_sets(runs)[0])


def test_every_method_stands_beside_its_controls(tmp_path: Path) -> None:
    """The same pairs under every control, so that changes are paired; what says nothing without a premise is not 0."""
    build("inference", out=tmp_path / "items", control="all", pairs=120)
    ids = Counter(item.facts.get("source", item.id) for item in read_items(tmp_path / "items"))
    assert set(ids.values()) == {5}
    for name in ("lemma", "hypothesis-words"):
        run(tmp_path / "items", model=f"solver:{name}", out=tmp_path / name, split="valid,test")
    found = read([tmp_path / "lemma", tmp_path / "hypothesis-words"])
    (sheet,) = control_scores.control_tables(found, 0)
    cells = {str(row[1]): row for row in sheet.rows if row[0] == "lemma"}
    assert list(cells) == list(control_scores.ROWS)
    assert cells["hypothesis-only"][4] == "constant"
    assert cells["swapped-entities"][4] == cells["as they are"][4]  # lemma does not look at arguments
    assert cells["swapped-entities"][8] == 0
    assert cells["random-premise"][4] == "constant"  # it accepts nothing there
    assert float(cells["no shared lemma"][2] or 0) < float(cells["as they are"][2] or 0)
    trained = {str(row[1]): row for row in sheet.rows if row[0] == "solver:hypothesis-words"}
    assert trained["hypothesis-only"][4] == trained["random-premise"][4] == trained["as they are"][4]
    assert [analysis(found, 0) for analysis in (figure.figure, section3.section3)] == [()] * 2
