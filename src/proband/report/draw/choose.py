"""Which drawing suits a grid.

Numbers on the columns (k, layer) make lines; few rows make dots; many rows make a heat map. Each is a function of
the grid and a width, so that the page has a wide and a narrow drawing of the same figure.
"""

from __future__ import annotations

from collections.abc import Callable

from proband.report.draw.dots import dot_plot
from proband.report.draw.heat import heat_map
from proband.report.draw.lines import line_plot
from proband.report.draw.marks import Picture
from proband.report.numbers.grids import Grid

MANY_ROWS = 9


def drawing(grid: Grid) -> Callable[[Grid, float], Picture]:
    if grid.numeric and len(grid.columns) >= 3:
        return line_plot
    return heat_map if len(grid.rows) > MANY_ROWS else dot_plot
