from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from proband.core.metrics import Estimate
from proband.reporting import ItemSet
from proband.reporting.charts import COLOURS, MODELS, NARROW, WIDE, dot_plot, drawing, line_plot, svg
from proband.reporting.numbers.score_tables import ScoreTable, fill
from proband.reporting.numbers.study import Study


@pytest.fixture(scope="module")
def tables(make_set: Callable[..., ItemSet], hostile_text: str) -> list[ScoreTable]:
    loaded = make_set(320, models=("embedded:mlm", "embedded:glove", hostile_text))
    study = Study(loaded, seed=0)
    return [fill(study, table) for table in loaded.suite.tables]


def test_each_table_gets_the_drawing_that_suits_it(tables: list[ScoreTable]) -> None:
    assert [drawing(table) for table in tables] == [dot_plot, line_plot, None]  # cells of many rows are shaded


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("which", [0, 1])
def test_drawings_are_sound_xml_and_stay_inside(tables: list[ScoreTable], which: int, width: float) -> None:
    draw = drawing(tables[which])
    assert draw is not None
    picture = draw(tables[which], width)
    ElementTree.fromstring(svg(picture))
    ElementTree.fromstring(svg(picture, page=True))
    for mark in picture.marks:
        xs = (mark.at[0], mark.at[0] + mark.at[2]) if mark.kind == "rect" else mark.at[:1] if mark.kind == "dot" else ()
        assert all(-0.1 <= x <= width + 0.1 for x in xs), mark


def test_dots_stand_where_the_numbers_are(tables: list[ScoreTable]) -> None:
    """In one panel, the distance between dots is the distance between means."""
    table = tables[0]
    picture = dot_plot(table, NARROW)
    cells = [cells[0] for _, label, *cells in table.rows if label == table.labels[0]]
    dots = [mark for mark in picture.marks if mark.kind == "dot" and mark.model == 0][: len(cells)]
    means = [cell.mean for cell in cells if isinstance(cell, Estimate)]
    slopes = {round((a.at[0] - b.at[0]) / (x - y), 3) for a, b, x, y in zip(dots, dots[1:], means, means[1:]) if x != y}
    assert len(slopes) == 1
    assert slopes.pop() > 0


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_lines_are_named_below_the_panels(tables: list[ScoreTable], width: float) -> None:
    """A figure in a paper has no legend but its own."""
    picture = line_plot(tables[1], width)
    named = [mark for mark in picture.marks if mark.kind == "text" and mark.model is not None]
    assert [mark.model for mark in named] == list(range(len(tables[1].labels)))
    assert len(named) > 1
    assert all(label.startswith(mark.text.rstrip("…")) for label, mark in zip(tables[1].labels, named))
    assert all(mark.at[1] <= picture.height for mark in picture.marks if mark.kind in ("text", "dot"))


def test_every_number_has_a_tooltip(tables: list[ScoreTable]) -> None:
    for table, draw in ((tables[0], dot_plot), (tables[1], line_plot)):
        picture = draw(table, WIDE)
        tips = [mark.tip for mark in picture.marks if mark.tip]
        drawn = [row for row in table.rows if draw is dot_plot or row[0] is not None]
        numbers = sum(cell is not None for row in drawn for cell in row[2:])
        assert len(tips) == numbers


# ---- colours ---------------------------------------------------------------------------------------------------------


def test_figures_have_the_colours_of_the_page(root: Path) -> None:
    style = (root / "src" / "proband" / "web" / "page.css").read_text("utf-8")
    assert (COLOURS["paper"], COLOURS["m0"]) == ("#ffffff", "#0f6db3")
    assert {f"m{model}" for model in range(MODELS)} <= COLOURS.keys()
    dark = re.findall(r"\{\s*color-scheme: dark;(.*?)\}", style, flags=re.S)
    assert len(dark) == 2
    assert "".join(dark[0].split()) == "".join(dark[1].split())


def contrast(a: str, b: str) -> float:
    """Contrast ratio of WCAG 2."""

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(a), light(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_and_marks_can_be_told_from_the_ground(root: Path) -> None:
    style = (root / "src" / "proband" / "web" / "page.css").read_text("utf-8")
    for block in re.findall(r"\{\s*color-scheme: \w+;(.*?)\}", style, flags=re.S):
        colour = dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6})", block))
        for ground in ("paper", "ground", "band"):
            assert contrast(colour["ink"], colour[ground]) > 7
            assert contrast(colour["soft"], colour[ground]) > 4.5
        for name in (f"m{i}" for i in range(8)):
            assert contrast(colour[name], colour["paper"]) > 2.9
