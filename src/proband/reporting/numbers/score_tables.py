"""A table of the suite filled in: a row per value of its tags and model with the model's scores, published figures with
the same tags, and last rows over everything.

Rows and columns may be tags of items, tags the suite derives, or tags of runs (`run.template`): then the runs that
differ only in those tags share a line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, product
from typing import Any

import msgspec
import numpy as np

from proband.core.files import group_by_key
from proband.core.metrics import SPLITS, Estimate, Metric, splits_in_words
from proband.core.suite import Published, Sheet, Table, Where
from proband.core.types import Tag
from proband.reporting.numbers import formatting
from proband.reporting.numbers.formatting import shared_labels
from proband.reporting.numbers.study import SPLIT, VARIATION, Study, matches
from proband.stats import LEAST_FREEDOM, highest_hidden_failure_share

Key = tuple[Tag, ...]
Cell = Estimate | Published | str | None
Row = tuple[Key | None, str, *tuple[Cell, ...]]  # tags (None: over all), model, a cell per column, further cells
SIGN = {"at": "°", "below": "▼", "above": "", "": ""}
WRITTEN = (  # of an estimate of ours, in report.json
    *("metric", "group", "mean", "low", "high", "n", "clusters", "effective", "few", "seeds", "from_seeds", "note"),
    *("model", "label", "chance", "runs", "sd", "unread", "skipped", "uncovered", "differs", "items"),
)
CellWords = tuple[str, str, tuple[str, ...]]  # figure, sign against chance; interval, spread over seeds and the rest


@dataclass(frozen=True, kw_only=True)
class ScoreTable(Sheet):
    """A table of scores. Of rows with equal tags ours come first; those without a number are left out."""

    rows: tuple[Row, ...]
    layout: Table
    metric: Metric
    columns: tuple[Key, ...]
    labels: tuple[str, ...]  # of our models
    models: tuple[str, ...] = ()  # of each label: KIND:NAME, for files
    hues: Sequence[int]  # of each label: the number of its colour
    differs: Mapping[tuple[Key | None, str], Sequence[str]] = field(default_factory=dict)  # ours from published rows
    by_system: bool = True  # its labels are the systems of the item set, in their order
    scope: str = ""  # the items that are counted, in words; empty where its headings name their splits
    how_asked: str = ""  # how each model was asked, in words

    @cached_property
    def groups(self) -> list[list[Row]]:
        """The rows with equal tags."""
        return [list(group) for _, group in groupby(self.rows, key=lambda row: row[0])]

    @property
    def published(self) -> list[Published]:
        return [cell for row in self.rows for cell in row if isinstance(cell, Published)]

    @property
    def numeric(self) -> bool:
        """Whether the columns are points on an axis."""
        return len(self.layout.columns) == 1 and all(
            isinstance(c[0], (int, float)) and not isinstance(c[0], bool) for c in self.columns
        )

    @property
    def differing_tags(self) -> tuple[str, ...]:
        """The column tags that differ between columns; the others hold for the whole table."""
        differ = [n for i, n in enumerate(self.layout.columns) if len({(type(c[i]), c[i]) for c in self.columns}) > 1]
        return tuple(differ) or self.layout.columns[-1:]

    @cached_property
    def filled(self) -> list[Estimate]:
        """Every cell that has a number."""
        return [cell for row in self.rows for cell in row if isinstance(cell, Estimate)]

    @property
    def has_chance(self) -> bool:
        return any(cell.chance is not None for cell in self.filled)

    @property
    def level(self) -> str:
        """What a score has to beat, in words."""
        shortcut = any(formatting.level_name(cell) != "chance" for cell in self.filled)
        return "the best shortcut that was run (where it is higher than chance)" if shortcut else "chance"

    @property
    def at_level(self) -> str:
        """What ° means; against a shortcut the difference on the same items is tested."""
        return "the interval includes chance" if self.level == "chance" else f"not distinguishable from {self.level}"

    @cached_property
    def value_range(self) -> tuple[float, float]:
        """Wide enough for every interval, chance level and published figure, and rounded outward."""
        ends = [(cell.mean,) if cell.few else (cell.low, cell.high) for cell in self.filled]
        values = [end for each in ends for end in each]
        values += [level for cell in self.filled for level in (cell.chance, cell.shortcut) if level is not None]
        values += [figure.value for figure in self.published]
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        step = 0.1 if self.metric.percent else 10 ** math.floor(math.log10(max(high - low, abs(high), 1e-6))) / 2
        low, high = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
        return (low, high) if high > low else (low - step, high + step)

    def heading(self, column: Key) -> str:
        """The words above a column."""
        own = [(n, v) for n, v in zip(self.layout.columns, column) if n in self.differing_tags]
        return formatting.key([n for n, _ in own], [v for _, v in own], everything=formatting.with_arrow(self.metric))

    def row_heading(self, row: Key | None) -> str:
        return formatting.key(self.layout.rows, row) if self.layout.rows else ""

    @property
    def unit(self) -> str:
        """Metric, direction, unit, and what holds for the whole table."""
        first = self.columns[0] if self.columns else ()
        fixed = [
            f"{formatting.name(n)}: {formatting.tag(v)}"
            for n, v in zip(self.layout.columns, first)
            if n not in self.differing_tags
        ]
        macro = f"mean over the values of {formatting.name(self.layout.macro)}" if self.layout.macro else ""
        unit = formatting.UNITS[self.metric.unit][0]
        parts = formatting.with_arrow(self.metric), unit, self.scope, macro, "95 % intervals"
        return ", ".join(part for part in (*parts, *fixed) if part)

    def words(self, cell: Cell) -> CellWords:
        """A cell in words; published figures have no interval."""
        if isinstance(cell, Published):
            return formatting.figure(cell.value, self.metric), "", ()
        if not isinstance(cell, Estimate):
            return cell or "–", "", ()
        spread = formatting.spread(cell.sd, cell.seeds, self.metric)
        unread = f"{100 * cell.unread:.1f} % unread" if cell.unread >= 0.0005 else ""
        uncovered = f"{cell.uncovered:,} not covered" if cell.uncovered else ""
        more = (formatting.span(cell, self.metric), spread, unread, uncovered, cell.note)
        return formatting.figure(cell.mean, self.metric), cell.mark or SIGN[cell.against_level], (*filter(None, more),)

    @property
    def signs(self) -> list[str]:
        """What the signs in a table mean: those that it has."""
        out = ["Intervals account for items that share material."]
        if any(cell.few for cell in self.filled):
            few = formatting.TOO_FEW.capitalize()
            out.append(f"{few}: fewer than {LEAST_FREEDOM:g} degrees of freedom (of clusters).")
        if self.has_chance:
            out.append(f"° {self.at_level}; ▼ below {'it' if self.level != 'chance' else 'chance'}.")
        if several := [cell.seeds for cell in self.filled if cell.sd is not None]:
            out.append("± standard deviation over training seeds, which the intervals take into account.")
            hidden = f"{100 * highest_hidden_failure_share(min(several)):.0f} %"
            out.append(f"With {min(several)} seeds, a rate of failed trainings of up to {hidden} may not show.")
        if any(cell.unread for cell in self.filled):
            out.append("Unread: replies from which no answer could be read; they count as wrong.")
        if any(cell.uncovered for cell in self.filled):
            out.append("Not covered: items that the model knows nothing of; they do not count.")
        return out

    @property
    def notes(self) -> list[str]:
        """What the suite says of the table, and in what our lines differ from the published ones."""
        texts = [self.layout.note, self.layout.published_note if self.published else ""]
        return [*filter(None, texts), *differing((label, each) for (_, label), each in self.differs.items())]

    def in_words(self) -> Iterator[tuple[str, ...]]:
        """The rows as papers print them."""
        for key, label, *cells in self.rows:
            first = [self.row_heading(key)] if self.layout.rows else []
            name = f"{label} (published)" if is_published(cells) else label
            texts = (
                " ".join([figure, *(more[:1] and [more[0] + sign]), *more[1:]])
                for figure, sign, more in map(self.words, cells)
            )
            yield *first, name, *texts

    def with_caption(self) -> ScoreTable:
        """The same with its headings, and a note: how models were asked, what the signs mean, and where the published
        figures come from."""
        head = [" · ".join(map(formatting.name, self.layout.rows))] if self.layout.rows else []
        sources = "; ".join(dict.fromkeys(f"{f.model}: {f.source}" for f in self.published))
        note = [self.how_asked, *self.signs, f"Published figures: {sources}." if sources else "", *self.notes]
        return replace(
            self,
            title=f"{self.layout.title} ({self.unit})",
            header=(*head, "model", *map(self.heading, self.columns)),
            note=" ".join(filter(None, note)),
        )

    def records(self) -> Iterator[dict[str, Any]]:
        """Every number with its tags, at full precision."""
        models = dict(zip(self.labels, self.models))
        for key, label, *cells in self.rows:
            for column, cell in zip(self.columns, cells):
                tags = dict(zip(self.layout.columns, column)) | dict(zip(self.layout.rows, key or ()))
                about = {"model": label, "label": label, "group": tags, "metric": self.metric.name}
                if isinstance(cell, Estimate):
                    differs = list(self.differs.get((key, label), ()))
                    known = msgspec.structs.asdict(cell) | about | {"model": models.get(label, label)}
                    known |= {"runs": cell.seeds, "differs": differs, "items": self.scope}
                    yield {"kind": "ours", **{name: known[name] for name in WRITTEN}}
                elif isinstance(cell, Published):
                    on = {"data": cell.on.data, "conditions": dict(cell.on.conditions), "questions": cell.on.questions}
                    yield {"kind": "published", **about, "mean": cell.value, "source": cell.source, "on": on}


def is_published(cells: Iterable[Cell]) -> bool:
    """Whether these are the cells of a published row."""
    return any(isinstance(cell, Published) for cell in cells)


def tip(table: ScoreTable, row: Row, column: int) -> str:
    """The words of a tooltip; the place (`ES · reverse`) names only what the table splits by."""
    metric, heading = table.metric, table.columns[column]
    key, label, *cells = row
    place = " · ".join(filter(None, [table.row_heading(key), table.heading(heading) if heading else ""]))
    cell = cells[column]
    if isinstance(cell, Published):
        value = formatting.figure(cell.value, metric)
        return "\n".join(filter(None, [f"{label} (published)", place, value, cell.source]))
    assert isinstance(cell, Estimate)
    lines = [
        label,
        place,
        formatting.estimate(cell, metric),
        formatting.spread(cell.sd, cell.seeds, metric),
        "" if cell.from_seeds is None else f"{100 * cell.from_seeds:.0f} % of the variance from training seeds",
        f"{formatting.count(cell.n, 'answer')} in {formatting.count(cell.clusters, 'cluster')}",
        cell.note,
        f"{100 * cell.unread:.1f} % of the replies unread (counted as wrong)" if cell.unread else "",
        f"{formatting.count(cell.skipped, 'item')} skipped (not counted)" if cell.skipped else "",
        f"{formatting.count(cell.uncovered, 'item')} not covered (not counted)" if cell.uncovered else "",
    ]
    levels = (("chance", cell.chance), ("best shortcut that was run", cell.shortcut))
    lines += [f"{name} {formatting.figure(level, metric)}" for name, level in levels if level is not None]
    if cell.against_level:
        lines[-1] += f": {cell.against_level} {formatting.level_name(cell)}"
    return "\n".join(filter(None, lines))


def fill(study: Study, table: Table) -> ScoreTable:
    """Count every cell of a table."""
    metric = study.suite.metric(table.metric)
    rows, columns = keys_of(study, table, table.rows), keys_of(study, table, table.columns)
    of_runs = any(name.startswith("run.") for name in table.rows)  # all templates together mean nothing
    of_runs = of_runs or SPLIT in table.rows  # and so do training and test items
    keys: list[Key | None] = [*rows, None] if table.rows and len(rows) > 1 and not of_runs else list(rows)
    labels, members = _labels(study, table)
    data = study.manifest.get("fingerprint")  # figures that were measured on the same, known by its content
    every = [f for f in study.suite.published() if f.metric == table.metric and data in f.on.fingerprints]
    counted: Where = {SPLIT: study.splits, **table.where}
    cells: dict[tuple[Key | None, Key], Sequence[Estimate | None]] = {}
    published: dict[tuple[Key | None, Key], Mapping[str, Published]] = {}
    for row, column in product(keys, columns):
        own = dict(zip(table.columns, column)) | (dict(zip(table.rows, row)) if row is not None else {})
        cells[row, column] = study.cell(metric, {**table.where, **own}, macro=table.macro)
        published[row, column] = {f.model: f for f in every if _belongs(f, own, counted)}
    columns = [c for c in columns if any(any(cells[row, c]) or published[row, c] for row in keys)] or columns[:1]
    filled: list[Row] = []
    differs: dict[tuple[Key | None, str], list[str]] = {}
    for row in keys:
        for label, systems in zip(labels, members):
            estimates = tuple(
                next((cell for at in systems if (cell := cells[row, column][at])), None) for column in columns
            )
            compared = [
                (figure, cell.n)
                for column, cell in zip(columns, estimates)
                if cell
                for figure in published[row, column].values()
            ]
            if any(estimates):
                filled.append((row, label, *estimates))
                differs[row, label] = differences(compared, study.manifest, study.systems[systems[0]].tags)
        theirs = dict.fromkeys(model for column in columns for model in published[row, column])
        filled += [(row, model, *(published[row, column].get(model) for column in columns)) for model in theirs]
    own_labels = labels == study.system_labels
    return ScoreTable(
        name=f"{study.key}-{table.name}",
        title=table.title,
        rows=tuple(filled),
        layout=table,
        metric=metric,
        columns=tuple(columns),
        labels=labels,
        models=tuple(str(study.systems[systems[0]].tags["run.model"]) for systems in members),
        hues=study.hues if own_labels else range(len(labels)),
        differs=differs,
        by_system=own_labels,
        how_asked=study.how_asked if own_labels else "",
        scope="" if SPLIT in (*table.rows, *table.columns) else splits_in_words(_several(counted[SPLIT])),
    ).with_caption()


def _several(value: Tag | tuple[Tag, ...]) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def _labels(study: Study, table: Table) -> tuple[tuple[str, ...], list[list[int]]]:
    """The labels of a table's lines, and the systems that share each."""
    used = [name for name in (*table.rows, *table.columns) if name.startswith("run.")]
    if not used:
        return study.system_labels, [[at] for at in range(len(study.systems))]
    runs = [study.runs[system.runs[0]] for system in study.systems]
    pooled = [system.tags["run.model"] != run.model for system, run in zip(study.systems, runs, strict=True)]
    names = shared_labels(runs, pooled=pooled, without=used)
    labels = tuple(dict.fromkeys(names))
    return labels, [[at for at, name in enumerate(names) if name == label] for label in labels]


def _belongs(figure: Published, own: Mapping[str, Tag], where: Where) -> bool:
    """A published figure is in the cell with exactly its tags; tags that hold for the whole table may be named. No
    figure of a paper is of training items."""
    known = {**where, **own}
    if "train" in _several(known[SPLIT]):
        return False
    return own.keys() <= figure.group.keys() <= known.keys() and all(
        matches(value, known[name]) for name, value in figure.group.items()
    )


def keys_of(study: Study, table: Table, names: Sequence[str]) -> list[Key]:
    """The combinations of these tags that occur, in the table's order."""
    if not names:
        return [()]
    of_items = [name for name in names if not name.startswith("run.")]
    of_runs = [name for name in names if name.startswith("run.")]
    runs = [study.systems[at].tags for at in study.selected(table.where)]
    run_keys = dict.fromkeys(tuple(tags[n] for n in of_runs) for tags in runs if all(n in tags for n in of_runs))
    keys = [
        tuple({**dict(zip(of_items, one)), **dict(zip(of_runs, other))}[name] for name in names)
        for one, other in product(_item_keys(study, table, of_items), run_keys)
    ]
    return sorted(keys, key=lambda key: [_place(table, name, value) for name, value in zip(names, key)])


def _item_keys(study: Study, table: Table, names: Sequence[str]) -> list[Key]:
    tags = study.tags
    every = [name for name in (*table.rows, *table.columns) if not name.startswith("run.")]
    if any(name not in tags for name in every):
        return []
    if not names:
        return [()]
    free: Where = {SPLIT: SPLITS, VARIATION: tuple(tags[VARIATION].values) if VARIATION in tags else ()}
    mask = study.mask({**table.where, **{name: free[name] for name in free if name in every}})
    for name in every:
        mask &= tags[name].codes >= 0
    codes = np.unique(np.column_stack([tags[name].codes[mask] for name in names]), axis=0)
    return [tuple(tags[name].values[code] for name, code in zip(names, line)) for line in codes]


def _place(table: Table, name: str, value: Tag) -> tuple[int, float, str]:
    """First the values the table orders, then numbers by size, then words by alphabet."""
    for at, known in enumerate(table.order.get(name, ())):
        if matches(known, value):
            return (0, at, "")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (1, float(value), "")
    return (2, 0.0, str(value))


# ---- several tables in one ------------------------------------------------------------------------------------------


def combined_table(study: Study, combined: Table) -> list[Sheet]:
    """The means of several tables: a line per model and column of the tables, over all their rows, a column per table;
    intervals and tests are in these tables."""
    named = {table.name: table for table in study.suite.tables}
    tables = {head: fill(study, named[name]) for head, name in combined.adjacent.items()}
    lines: dict[tuple[str, Key], dict[str, float | int]] = {}
    differs: dict[str, dict[str, None]] = {}
    last = [(head, table, row) for head, table in tables.items() if table.rows for row in table.groups[-1]]
    for head, table, (key, label, *cells) in sorted(last, key=lambda each: not is_published(each[2][2:])):
        for column, cell in zip(table.columns, cells):
            if isinstance(cell, (Estimate, Published)):
                ours = isinstance(cell, Estimate)
                own = lines.setdefault((label if ours else f"published: {label}", column), {})
                mean = cell.mean if isinstance(cell, Estimate) else cell.value
                own[head] = round(100 * mean, 2) if table.metric.percent else round(mean, 3)
                own |= {"runs": cell.seeds} if isinstance(cell, Estimate) else {}
        if not is_published(cells):
            differs.setdefault(label, {}).update(dict.fromkeys(table.differs[key, label]))
    tags = next((table.layout.columns for table in tables.values()), ())
    header = ("model", *map(formatting.name, tags), *combined.adjacent, "runs")
    rows = tuple((name, *column, *map(line.get, header[1 + len(tags) :])) for (name, column), line in lines.items())
    note = " ".join(filter(None, [combined.note, *differing((name, list(each)) for name, each in differs.items())]))
    return [Sheet(name=combined.name, title=combined.title, header=header, rows=rows, note=note)]


# ---- like next to like: which published figures may be shown next to ours, and in what our lines differ --------------


NEARLY = 0.98  # of the published number of questions: a few items without a negative are no other measurement


def differences(
    cells: Iterable[tuple[Published, int]], manifest: Mapping[str, Any], tags: Mapping[str, Tag]
) -> list[str]:
    """The differences of our line from the published figures: (figure, our questions in the cell)."""
    conditions: dict[str, None] = {}
    shares: list[float] = []
    for figure, questions in cells:
        conditions.update(dict.fromkeys(_conditions(figure, manifest, tags)))
        if figure.on.questions:
            shares.append(questions / figure.on.questions)
    fewer, more = min(shares, default=1.0), max(shares, default=1.0)
    sizes = [f"{100 * fewer:.3g} % of the questions of the published rows"] if fewer < NEARLY else []
    if more > 1 / NEARLY:
        sizes.append(f"{more:.3g} times the questions of the published rows: others are among them")
    return [*conditions, *sizes]


def _conditions(figure: Published, manifest: Mapping[str, Any], tags: Mapping[str, Tag]) -> Iterator[str]:
    """
    >>> from proband.core.suite import MeasuredOn
    >>> on = MeasuredOn(data="D", fingerprints=frozenset(), conditions={"options": 2, "run.hidden": 128, "k": 3})
    >>> figure = Published(model="m", metric="accuracy", group={}, value=0.5, source="p", on=on)
    >>> list(_conditions(figure, {"conditions": {"options": 4, "k": 3}}, {"run.hidden": 256}))
    ['options: 4, published 2', 'hidden: 256, published 128']
    """
    ours = manifest.get("conditions", {})
    of_runs = {name for name in figure.on.conditions if name.startswith("run.")}
    for name, value in figure.on.conditions.items():
        of_run = name in of_runs
        if of_run and not of_runs <= tags.keys():
            continue  # of another kind of system
        here = tags[name] if of_run else ours.get(name, "not known")
        if here != value:
            yield f"{name.removeprefix('run.')}: {here}, published {value}"


def differing(notes: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """A sentence per note, with the lines that it is about.

    >>> differing([("a", ["few"]), ("b", ["few", "other"])])
    ['a, b differ from the published figures: few.', 'b differs from the published figures: other.']
    """
    lines = group_by_key((note, label) for label, each in notes for note in each)
    return [
        f"{', '.join(dict.fromkeys(labels))} {'differ' if len(set(labels)) > 1 else 'differs'} from the published "
        f"figures: {note}."
        for note, labels in lines.items()
    ]
