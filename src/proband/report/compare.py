"""Which model is better, and what stands out: paired differences with Holm's correction, and sentences.

The family that Holm corrects over is all comparisons of one item set: every pair of runs, overall and in each column
of the first table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proband.core import stats
from proband.core.types import Tag
from proband.report import words
from proband.report.cells import Cell, Study
from proband.report.grids import Grid

MOST_PAIRS = 45  # ten runs; beyond, only the neighbours in rank are compared
SENTENCES = 6


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Run a minus run b, a the better one, on the items of `group` that both answered."""

    group: Mapping[str, Tag]
    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    holm: float
    n: int
    clusters: int

    @property
    def clear(self) -> bool:
        """Real enough to say so: corrected p below 0.05 and an interval that leaves out zero."""
        return self.holm < 0.05 and (self.low > 0 or self.high < 0)

    @property
    def verdict(self) -> str:
        return "beyond the noise" if self.clear else "inside the noise"


def comparisons(study: Study, grid: Grid | None) -> list[Comparison]:
    """Every pair of runs, overall and per column of `grid`; corrected together."""
    main, labels = study.joined.main, study.joined.labels
    scopes: list[Mapping[str, Tag]] = [{}]
    if grid is not None and grid.table.metric == main and len(grid.columns) > 1:
        scopes += [{**grid.table.where, **dict(zip(grid.table.columns, column))} for column in grid.columns]
    if len(labels) * (len(labels) - 1) // 2 > MOST_PAIRS:
        scopes = scopes[:1]
    found = [(scope, pair) for scope in scopes for pair in study.pairs(main, scope)]
    corrected = stats.holm([pair.p for _, pair in found])
    out = []
    for (scope, pair), holm in zip(found, corrected):
        turned = pair.difference < 0
        a, b = (pair.b, pair.a) if turned else (pair.a, pair.b)
        low, high = (-pair.high, -pair.low) if turned else (pair.low, pair.high)
        out.append(
            Comparison(
                group=scope,
                a=labels[a],
                b=labels[b],
                difference=abs(pair.difference),
                low=low,
                high=high,
                p=pair.p,
                holm=holm,
                n=pair.n,
                clusters=pair.clusters,
            )
        )
    return out


# ---- what stands out -----------------------------------------------------------------------------------------------


def contrasts(study: Study, grid: Grid | None, compared: Sequence[Comparison]) -> list[str]:
    """The few sentences one would say first."""
    percent = study.percent(study.joined.main)
    said = [_leader(study, compared, percent)]
    if grid is not None:
        row = grid.rows[-1] if grid.rows else None
        cells = [
            (grid.labels[run], grid.heading(column), cell)
            for column in (grid.columns if len(grid.columns) > 1 else ())
            for run, cell in enumerate(grid.cells.get((row, column), ()))
            if cell is not None and not grid.labels[run].startswith("baseline:")  # what they do is known beforehand
        ]
        said += _against_chance(cells, grid.percent)
        said += _gap(cells, grid)
    return [each for each in said if each][:SENTENCES]


def _leader(study: Study, compared: Sequence[Comparison], percent: bool) -> str:
    """The two highest runs, and whether they differ."""
    joined = study.joined
    metric = words.metric(joined.main)
    overall = [(cell.estimate.mean, run) for run, cell in enumerate(study.cell(joined.main, {})) if cell]
    if len(overall) < 2:
        return ""
    first, second = (joined.labels[run] for _, run in sorted(overall, key=lambda each: (-each[0], each[1]))[:2])
    pair = next((c for c in compared if not c.group and {c.a, c.b} == {first, second}), None)
    if pair is None:
        return ""
    gap = f"{words.points(pair.difference, percent=percent)} {words.interval(pair.low, pair.high, percent=percent)}"
    if pair.difference == 0:
        top = words.figure(max(overall)[0], percent=percent)
        return f"{first} and {second} are level on {metric}, at {top}."
    if pair.clear:
        return f"{pair.a} has the highest {metric}, {gap} above {pair.b} (Holm p {_p(pair.holm)})."
    why = "" if pair.low <= 0 else f" once all comparisons are counted (Holm p {_p(pair.holm)})"
    return f"{pair.a} and {pair.b} lead on {metric}; the {gap} between them are inside the noise{why}."


def _p(p: float) -> str:
    text = words.p_value(p)
    return text if text.startswith("<") else f"= {text}"


def _against_chance(cells: Sequence[tuple[str, str, Cell]], percent: bool) -> list[str]:
    """Farthest above chance, farthest below, and who does not leave it."""
    by_distance = sorted(
        ((cell.estimate.mean - cell.chance, label, column, cell) for label, column, cell in cells if cell.chance),
        key=lambda each: (-each[0], each[1], each[2]),
    )
    said = []
    for ends, way in ((by_distance[:1], "above"), (by_distance[::-1][:1], "below")):
        for distance, label, column, cell in ends:
            if cell.against_chance == way and cell.chance is not None:
                gap = words.points(distance, percent=percent)
                low, high = sorted((cell.estimate.low - cell.chance, cell.estimate.high - cell.chance), key=abs)
                span = words.interval(abs(low), abs(high), percent=percent)
                said.append(f"{label} is {way} chance on {column} by {gap} {span}.")
    level: dict[str, list[str]] = {}
    for _, label, column, cell in by_distance:
        if cell.against_chance == "at":
            level.setdefault(column, []).append(label)
    for column, labels in sorted(level.items(), key=lambda each: (-len(each[1]), each[0]))[:2]:
        verb = "is" if len(labels) == 1 else "are"
        said.append(f"On {column}, {_listed(sorted(labels))} {verb} not distinguishable from chance.")
    return said


def _gap(cells: Sequence[tuple[str, str, Cell]], grid: Grid) -> list[str]:
    """The widest gap inside one model whose two intervals do not meet."""
    widest: tuple[float, str] = (0.0, "")
    for label in grid.labels:
        own = [(cell.estimate, column) for name, column, cell in cells if name == label]
        if len(own) < 2:
            continue
        (top, best), (bottom, worst) = (pick(own, key=lambda each: each[0].mean) for pick in (max, min))
        if top.low > bottom.high and top.mean - bottom.mean > widest[0]:
            high, low = (words.figure(e.mean, percent=grid.percent) for e in (top, bottom))
            widest = (top.mean - bottom.mean, f"{label} falls from {high} on {best} to {low} on {worst}.")
    return [widest[1]] if widest[1] else []


def _listed(names: Sequence[str]) -> str:
    """
    >>> _listed(["a", "b", "c"]), _listed(["a"])
    ('a, b and c', 'a')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
