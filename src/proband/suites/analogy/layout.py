"""Tables 1 and 2 in the paper's own layout, ours beside the published figures, as Markdown, LaTeX and CSV.

Table 1: groups x models x settings x probes. Table 2: one line per relation, the semantic ones left and the
morphological ones right, with the paper's marks (* one/many-to-many on random, † bidirectional on reverse), and the
averages with and without the marked relations.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from proband.suites.analogy.probes import PAPER_PROBES
from proband.suites.analogy.published import figures, marked
from proband.suites.analogy.relations import GROUP_NAMES, GROUPS, Relation
from proband.suites.analogy.results import ROWS, Cell, in_group, macro, pooled

SETTINGS = ("supervised", "zero-shot")
COLUMNS = [(setting, probe) for setting in SETTINGS for probe in PAPER_PROBES]
NOTHING = "–"


@dataclass(frozen=True)
class Line:
    """One line of table 1: percent per column, with the interval where it is ours."""

    group: str
    model: str
    ours: bool
    values: tuple[float | None, ...]
    intervals: tuple[tuple[float, float] | None, ...]


def table_1(cells: Sequence[Cell], models: Sequence[str], *, seed: int) -> list[Line]:
    lines = []
    for group in ROWS:
        for model in dict.fromkeys(f.model for f in figures() if f.table == "1"):
            known = {
                (f.setting, f.probe): f.value for f in figures() if (f.table, f.group, f.model) == ("1", group, model)
            }
            lines.append(Line(group, model, False, tuple(known.get(c) for c in COLUMNS), (None,) * len(COLUMNS)))
        for model in models:
            own = [
                pooled(
                    (c for c in in_group(cells, group) if (c.model, c.setting, c.probe) == (model, *column)), seed=seed
                )
                for column in COLUMNS
            ]
            values = tuple(None if e is None else 100 * e.mean for e in own)
            intervals = tuple(None if e is None else (100 * e.low, 100 * e.high) for e in own)
            lines.append(Line(group, model, True, values, intervals))
    return lines


def percent(value: float | None) -> str:
    """
    >>> percent(61.957), percent(None)
    ('61.96', '–')
    """
    return NOTHING if value is None else f"{value:.2f}"


def table_1_markdown(lines: Sequence[Line]) -> str:
    head = "| Type | Model | " + " | ".join(f"{setting} {probe}" for setting, probe in COLUMNS) + " |"
    rows = [head, "|---|---|" + "---:|" * len(COLUMNS)]
    for line in lines:
        shown = [
            percent(v) + (f" [{i[0]:.1f}, {i[1]:.1f}]" if i else "")
            for v, i in zip(line.values, line.intervals, strict=True)
        ]
        name = f"**{line.model}**" if line.ours else line.model
        rows.append(f"| {line.group} | {name} | " + " | ".join(shown) + " |")
    return "\n".join(rows) + "\n"


def table_1_latex(lines: Sequence[Line]) -> str:
    rows = [
        r"\begin{tabular}{llrrrrrr}",
        r"\hline",
        r" & & \multicolumn{3}{c}{supervised} & \multicolumn{3}{c}{unsupervised} \\",
        "Type & Model & " + " & ".join(probe for _, probe in COLUMNS) + r" \\",
    ]
    for at, line in enumerate(lines):
        first = not at or lines[at - 1].group != line.group
        name = rf"\textbf{{{tex(line.model)}}}" if line.ours else tex(line.model)
        shown = [percent(v).replace(NOTHING, "--") for v in line.values]
        rows += [r"\hline"] * first
        rows.append(f"{line.group if first else ''} & {name} & " + " & ".join(shown) + r" \\")
    return "\n".join([*rows, r"\hline", r"\end{tabular}"]) + "\n"


def table_1_csv(lines: Sequence[Line]) -> str:
    return table(
        ("group", "model", "source", "setting", "probe", "accuracy", "low", "high"),
        [
            (line.group, line.model, "ours" if line.ours else "published", *column, percent(v), *_bounds(i))
            for line in lines
            for column, v, i in zip(COLUMNS, line.values, line.intervals, strict=True)
            if v is not None
        ],
    )


def _bounds(interval: tuple[float, float] | None) -> tuple[str, str]:
    return (percent(interval[0]), percent(interval[1])) if interval else ("", "")


# ---- table 2 -------------------------------------------------------------------------------------------------------


def mark(relation: str, probe: str) -> str:
    """The paper's mark of a relation: * on random, † on reverse.

    >>> mark("synonyms : exact", "random"), mark("synonyms : exact", "reverse"), mark("synonyms : exact", "type")
    ('*', '†', '')
    """
    marks = {(f.relation, f.probe): f.mark for f in figures() if f.mark}
    return {"many": "*", "bidirectional": "†"}.get(marks.get((relation, probe), ""), "")


def table_2_markdown(cells: Sequence[Cell], relations: Sequence[Relation], *, model: str, setting: str) -> str:
    """Ours, and in brackets the published RoBERTa-large."""
    mine = {(c.relation, c.probe): 100 * c.mean for c in cells if (c.model, c.setting) == (model, setting)}
    theirs = {(f.relation, f.probe): f.value for f in figures() if f.table == "2"}

    def shown(relation: Relation) -> list[str]:
        found = [relation.name]
        for probe in PAPER_PROBES:
            published = theirs.get((relation.name, probe))
            beside = f" ({published:.2f})" if published is not None and setting == "supervised" else ""
            found.append(percent(mine.get((relation.name, probe))) + mark(relation.name, probe) + beside)
        return found

    rows = [
        "| | Semantic | random | reverse | type | | Morphological | random | reverse | type |",
        "|---|---|---:|---:|---:|---|---|---:|---:|---:|",
    ]
    for left, right in (("ES", "DM"), ("LS", "IM")):
        sides = [[r for r in relations if r.group == group] for group in (left, right)]
        for at in range(max(map(len, sides))):
            line = []
            for side, group in zip(sides, (left, right), strict=True):
                line.append(GROUP_NAMES[group] if not at else "")
                line += shown(side[at]) if at < len(side) else [""] * 4
            rows.append("| " + " | ".join(line) + " |")
    return "\n".join(rows) + "\n"


def table_2_latex(cells: Sequence[Cell], relations: Sequence[Relation], *, model: str, setting: str) -> str:
    mine = {(c.relation, c.probe): 100 * c.mean for c in cells if (c.model, c.setting) == (model, setting)}
    rows = [r"\begin{tabular}{llrrr}", r"\hline", r" & Relation & random & reverse & type \\"]
    for group in GROUPS:
        rows.append(r"\hline")
        for at, relation in enumerate([r for r in relations if r.group == group]):
            shown = [
                percent(mine.get((relation.name, p))).replace(NOTHING, "--")
                + {"*": "$^*$", "†": r"$^\dagger$", "": ""}[mark(relation.name, p)]
                for p in PAPER_PROBES
            ]
            rows.append(f"{group if not at else ''} & {tex(relation.name)} & " + " & ".join(shown) + r" \\")
    return "\n".join([*rows, r"\hline", r"\end{tabular}"]) + "\n"


def table_2_csv(cells: Sequence[Cell], relations: Sequence[Relation], *, seed: int) -> str:
    """Every relation, model, setting and probe, with interval, marks, and what was detected of the relation."""
    about = {r.name: r for r in relations}
    theirs = {(f.relation, f.setting, f.probe): f.value for f in figures() if f.table == "2"}
    rows = []
    for cell in cells:
        told = pooled([cell], seed=seed)
        assert told is not None
        published = theirs.get((cell.relation, cell.setting, cell.probe))
        relation = about[cell.relation]
        beside = "" if published is None else percent(published)
        detected = (relation.cardinality, str(relation.symmetric).lower())
        what = (cell.group, cell.relation, cell.model, cell.setting, cell.probe)
        numbers = (*(percent(100 * x) for x in (told.mean, told.low, told.high)), str(told.n), str(told.clusters))
        rows.append((*what, *numbers, mark(cell.relation, cell.probe), *detected, beside))
    header = "group,relation,model,setting,probe,accuracy,low,high,items,tuples,mark,cardinality,symmetric,published"
    return table(tuple(header.split(",")), rows)


# ---- averages ------------------------------------------------------------------------------------------------------

Keep = Callable[[Relation], bool]
AVERAGES: dict[str, Keep] = {
    "all relations": lambda r: True,
    "without the relations the paper marks": lambda r: r.name not in marked(),
    "semantic, without the relations the paper marks": lambda r: r.name not in marked() and r.group in ("ES", "LS"),
    "without those detected as to-many or symmetric": lambda r: not (r.cardinality.endswith("to-many") or r.symmetric),
}


def averages(cells: Sequence[Cell], relations: Sequence[Relation], models: Sequence[str]) -> list[tuple[str, ...]]:
    """(which, model, setting, random, reverse, type): means over relations, in percent, published ones included."""
    about = {r.name: r for r in relations}
    rows: list[tuple[str, ...]] = []
    for which, keep in AVERAGES.items():
        known = [f for f in figures() if f.table == "2" and f.relation in about and keep(about[f.relation])]
        if known:
            means = [[f.value for f in known if f.probe == probe] for probe in PAPER_PROBES]
            rows.append((which, "RoB-Large (published)", "supervised", *(percent(sum(m) / len(m)) for m in means)))
        for model in models:
            for setting in SETTINGS:
                kept = [c for c in cells if (c.model, c.setting) == (model, setting) and keep(about[c.relation])]
                own = [macro(c for c in kept if c.probe == probe) for probe in PAPER_PROBES]
                if any(value is not None for value in own):
                    rows.append((which, model, setting, *(percent(None if v is None else 100 * v) for v in own)))
    return rows


def averages_markdown(rows: Sequence[tuple[str, ...]]) -> str:
    lines = ["| average over | model | setting | random | reverse | type |", "|---|---|---|---:|---:|---:|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """CSV text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def tex(text: str) -> str:
    """
    >>> tex("verb_inf : Ving")
    'verb\\\\_inf : Ving'
    """
    for sign in r"&%$#_{}":
        text = text.replace(sign, "\\" + sign)
    return text
