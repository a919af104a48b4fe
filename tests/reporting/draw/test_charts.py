from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from proband.reporting import ItemSet
from proband.reporting.draw.charts import dot_plot, drawing, line_plot
from proband.reporting.draw.marks import NARROW, WIDE, svg
from proband.reporting.numbers.cells import Study
from proband.reporting.numbers.score_tables import ScoreTable, fill


@pytest.fixture(scope="module")
def grids(make_set: Callable[..., ItemSet], hostile_text: str) -> list[ScoreTable]:
    loaded = make_set(320, models=("embedded:mlm", "embedded:glove", hostile_text))
    study = Study(loaded, seed=0)
    return [fill(study, table) for table in loaded.suite.tables]


def test_each_grid_gets_the_drawing_that_suits_it(grids: list[ScoreTable]) -> None:
    assert [drawing(grid) for grid in grids] == [dot_plot, line_plot, None]  # cells of many rows are shaded


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("which", [0, 1])
def test_drawings_are_sound_xml_and_stay_inside(grids: list[ScoreTable], which: int, width: float) -> None:
    draw = drawing(grids[which])
    assert draw is not None
    picture = draw(grids[which], width)
    ElementTree.fromstring(svg(picture))
    ElementTree.fromstring(svg(picture, page=True))
    for mark in picture.marks:
        xs = (mark.at[0], mark.at[0] + mark.at[2]) if mark.kind == "rect" else mark.at[:1] if mark.kind == "dot" else ()
        assert all(-0.1 <= x <= width + 0.1 for x in xs), mark


def test_dots_stand_where_the_numbers_are(grids: list[ScoreTable]) -> None:
    """In one panel, the distance between dots is the distance between means."""
    grid = grids[0]
    picture = dot_plot(grid, NARROW)
    cells = [line.cells[0] for line in grid.lines if line.run == 0]
    dots = [mark for mark in picture.marks if mark.kind == "dot" and mark.model == 0][: len(cells)]
    means = [cell.estimate.mean for cell in cells if cell]
    slopes = {round((a.at[0] - b.at[0]) / (x - y), 3) for a, b, x, y in zip(dots, dots[1:], means, means[1:]) if x != y}
    assert len(slopes) == 1
    assert slopes.pop() > 0


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_lines_are_named_below_the_panels(grids: list[ScoreTable], width: float) -> None:
    """A figure in a paper has no legend but its own."""
    picture = line_plot(grids[1], width)
    named = [mark for mark in picture.marks if mark.kind == "text" and mark.model is not None]
    assert [mark.model for mark in named] == list(range(len(grids[1].labels)))
    assert len(named) > 1
    assert all(label.startswith(mark.text.rstrip("…")) for label, mark in zip(grids[1].labels, named))
    assert all(mark.at[1] <= picture.height for mark in picture.marks if mark.kind in ("text", "dot"))


def test_every_number_has_a_tooltip(grids: list[ScoreTable]) -> None:
    for grid, draw in ((grids[0], dot_plot), (grids[1], line_plot)):
        picture = draw(grid, WIDE)
        tips = [mark.tip for mark in picture.marks if mark.tip]
        drawn = [line for line in grid.lines if draw is dot_plot or line.row is not None]
        numbers = sum(cell is not None for line in drawn for cell in (*line.cells, *line.figures))
        assert len(tips) == numbers
