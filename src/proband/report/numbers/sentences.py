"""What stands out in an item set: the few sentences one would say first."""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.metrics import Metric
from proband.report.numbers import words
from proband.report.numbers.cells import Cell, Study
from proband.report.numbers.comparisons import between
from proband.report.numbers.grids import Grid
from proband.report.numbers.pairs import Comparison

SENTENCES = 6


def sentences(study: Study, grid: Grid | None, compared: Sequence[Comparison]) -> list[str]:
    said = [_leader(study, compared)]
    if grid is not None:
        row = grid.rows[-1] if grid.rows else None
        cells = [
            (grid.labels[line], grid.heading(column), cell)
            for column in (grid.columns if len(grid.columns) > 1 else ())
            for line, cell in enumerate(grid.cells.get((row, column), ()))
            if cell is not None and not grid.labels[line].startswith("baseline:")  # what they do is known beforehand
        ]
        said += _against_chance(cells, grid.metric)
        said += _gap(cells, grid)
    return [each for each in said if each][:SENTENCES]


def _leader(study: Study, compared: Sequence[Comparison]) -> str:
    """The two best systems, and whether they differ."""
    metric, sign = study.main, -1 if study.main.better == "high" else 1
    overall = [(sign * cell.estimate.mean, at) for at, cell in enumerate(study.cell(metric, {})) if cell]
    if len(overall) < 2:
        return ""
    first, second = (study.labels[at] for _, at in sorted(overall)[:2])
    pair = next((c for c in between(compared, first, second) if not c.group), None)
    if pair is None:
        return ""
    name = f"{words.metric(metric)} on {study.scope}"
    low, high = (pair.low, pair.high) if metric.better == "high" else (-pair.high, -pair.low)
    gap = f"{words.distance(pair.difference, metric)} {words.interval(low, high, metric)}"
    if pair.difference == 0:
        return f"{first} and {second} have the same {name}, {words.value(pair.mean_a, metric)}."
    ahead = f"{pair.a} ({words.value(pair.mean_a, metric)}) and {pair.b} ({words.value(pair.mean_b, metric)})"
    if pair.few:
        return f"No model leads on {name}: {ahead} share {words.count(pair.clusters, 'cluster')}, {words.TOO_FEW}."
    if pair.undecided:
        return f"No model leads on {name}: {ahead} differ by {gap} ({pair.training})."
    p = f"Holm p {words.p_is(pair.p_holm)}" + (f"; {pair.training}" if pair.training else "")
    if pair.clear:
        best, way = ("highest", "above") if metric.better == "high" else ("lowest", "below")
        own = words.value(pair.mean_a, metric)
        return f"{pair.a} has the {best} {name}, {own}: {gap} {way} {pair.b} ({p})."
    return f"No model leads on {name}: {ahead} differ by {gap}, which is not significant ({p})."


def _against_chance(cells: Sequence[tuple[str, str, Cell]], metric: Metric) -> list[str]:
    """Farthest above chance, farthest below, and who does not leave it."""
    by_distance = sorted(
        ((cell.estimate.mean - cell.chance, label, column, cell) for label, column, cell in cells if cell.chance),
        key=lambda each: (-each[0], each[1], each[2]),
    )
    said = []
    means = [distance for distance, *_ in by_distance]
    for ends, way in ((by_distance[:1], "above"), (by_distance[::-1][:1], "below")):
        for distance, label, column, cell in ends:
            alone = means.count(distance) == 1  # otherwise none is furthest
            if alone and cell.against_chance == way and cell.chance is not None:
                gap = words.distance(distance, metric)
                low, high = sorted((cell.estimate.low - cell.chance, cell.estimate.high - cell.chance), key=abs)
                span = words.interval(abs(low), abs(high), metric)
                said.append(f"{label} is furthest {way} chance on {column}: by {gap} {span}.")
    level: dict[str, list[str]] = {}
    for _, label, column, cell in by_distance:
        if cell.against_chance == "at":
            level.setdefault(column, []).append(label)
    for column, labels in sorted(level.items(), key=lambda each: (-len(each[1]), each[0]))[:2]:
        verb = "is" if len(labels) == 1 else "are"
        said.append(f"On {column}, {_listed(sorted(labels))} {verb} not distinguishable from chance.")
    return said


def _gap(cells: Sequence[tuple[str, str, Cell]], grid: Grid) -> list[str]:
    """The widest gap inside one system whose two intervals do not meet: between its highest column and its lowest."""
    widest: tuple[float, str] = (0.0, "")
    metric = grid.metric
    for label in grid.labels:
        own = sorted(
            ((cell.estimate, column) for name, column, cell in cells if name == label and not cell.estimate.few),
            key=lambda e: e[0].mean,
        )
        if len(own) < 2:
            continue
        (bottom, lowest), (top, highest) = own[0], own[-1]
        if top.low > bottom.high and top.mean - bottom.mean > widest[0]:
            high, low = words.value(top.mean, metric), words.value(bottom.mean, metric)
            told = (
                f"{label} has its highest {words.metric(metric)} on {highest} ({high}), its lowest on {lowest} ({low})."
            )
            widest = (top.mean - bottom.mean, told)
    return [widest[1]] if widest[1] else []


def _listed(names: Sequence[str]) -> str:
    """
    >>> _listed(["a", "b", "c"]), _listed(["a"])
    ('a, b and c', 'a')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
