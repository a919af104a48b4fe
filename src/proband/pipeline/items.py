"""`proband items`: item analysis: the answers of many systems to one set of items.

OUT has index.html, items.csv, suspects.jsonl (the items that an audit should see), tables/, figures/, report.json and,
with `short`, short/ with the items of a shorter test, which `proband run` takes; `estimate` is a run on them. The
methods are in item_analysis.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.files import figure, format_p, write_csv, write_jsonl
from proband.core.plugins import name_list
from proband.core.suite import Sheet
from proband.core.types import Item
from proband.pipeline import item_analysis
from proband.pipeline.build import write_manifest
from proband.pipeline.item_analysis import LEAST_SYSTEMS, Fit, ShortTest
from proband.pipeline.logs import one_set
from proband.pipeline.report import item_sets
from proband.reporting.numbers import formatting
from proband.reporting.numbers.study import VARIATION, Study, picked
from proband.reporting.page.page import items_page, outcomes, write_browser
from proband.reporting.tables import Folder
from proband.stats import Clusters, Difference, Floats, Ints, Scores, holm_where_tested

Mask = NDArray[np.bool_]
VALUES = 12  # of a tag that is a predictor, or whose items are compared between groups
LISTED = 30  # items in a table of the page
RELIABILITIES = (0.8, 0.9, 0.95)
ALL_RIGHT, ALL_WRONG, INVERTED, BEST_FAIL = "all right", "all wrong", "inverted", "missed by the best third"


def items(
    runs: Sequence[str | Path],
    *,
    out: str | Path,
    items: str | Path | None = None,
    by: str | Sequence[str] = "",
    group: str = "",
    short: int = 0,
    estimate: str | Path | None = None,
    cluster: str = "",
    split: str = "",
    seed: int = 0,
    force: bool = False,
) -> dict[str, Any]:
    """Item analysis: difficulty, discrimination, suspected label errors, reliability of the ranking.

    Example: proband items runs -o items

    :param runs: Run folders on one set of items, or logs of other tools.
    :param by: Tags that may explain difficulty, with commas (default: all).
    :param group: Systems to compare with the others: names with *, with commas.
    :param short: Write a short test of N items to OUT/short.
    :param estimate: A run on a short test: estimate its score on all items (use the same RUNS, --short N and --seed).
    """
    folders = [runs] if isinstance(runs, str | Path) else runs
    known, logs = one_set(list(map(Path, folders)), cluster=cluster, items=items)
    if len(known.answered) < LEAST_SYSTEMS:
        raise ProbandError(f"item analysis needs {LEAST_SYSTEMS} runs or logs; there are {len(known.answered)}")
    study = Study(known if logs else known.ordered(), seed=seed, split=split)
    study.rank()
    seen = Responses.of(study)
    if estimate is not None and not short:
        raise ProbandError("--estimate needs --short N, the size of the test that the run answered")
    test = ShortTest.draw(seen.right, short, seed=seed) if short else None
    groups = [seen.group_sheet(group)] if group else []
    sheets = [seen.ranking_sheet(), seen.difficulty_sheet(name_list(by)), *groups, seen.suspects_sheet()]
    result: dict[str, Any] = {
        "systems": len(study.systems),
        "items": len(seen.items),
        "suspects": len(seen.suspects()),
        "sheets": [{"title": s.title, "header": s.header, "rows": s.rows, "note": s.note} for s in sheets],
    }
    folder = Folder(Path(out), force=force)
    for sheet in sheets:
        folder.sheet(sheet)
    order = np.full(study.count, np.nan)
    order[seen.rows] = -seen.fit.difficulty
    browsed = write_browser(study, folder.add, order=order, facts=seen.facts())
    lede = f"{len(study.systems)} systems on {len(seen.items):,} items that all of them have answered ({study.name})."
    folder.add("index.html", items_page(study, sheets, browsed, lede=lede))
    lines = ((item.id, *seen.record(place).values()) for place, item in enumerate(seen.items))
    write_csv(folder.out / "items.csv", ("item", *seen.table), lines)
    write_jsonl(folder.out / "suspects.jsonl", (seen.items[place] for place in seen.suspects()))
    if test is not None:
        result["short"] = _short(seen, folder.out / "short", test, estimate=estimate)
    folder.finish(result)
    return {**result, "page": str(folder.out / "index.html")}


def _short(seen: Responses, folder: Path, test: ShortTest, *, estimate: str | Path | None) -> dict[str, str | float]:
    """A short test as a folder of items; the score over all items of a run that answered it."""
    if estimate is not None:
        sets = item_sets([estimate])
        if sum(len(each.answered) for each in sets) != 1:
            raise ProbandError("has several runs: name one of them", file=estimate)
        own, study = sets[0], Study(sets[0])
        answers = dict(zip((item.id for item in own.items()), outcomes(study)[0]))
        drawn = [seen.items[place].id for place in test.drawn]
        missing = [name for name in drawn if not np.isfinite(answers.get(name, np.nan))]
        if missing:
            raise ProbandError(f"has no answer to {len(missing)} items of the short test: {missing[0]}", file=estimate)
        whole = test.estimate(np.array([answers[name] for name in drawn]))
        ends = {"mean": whole.mean, "low": whole.low, "high": whole.high}
        return {"system": study.system_labels[0], **ends, "items": len(drawn)}
    rows = [seen.items[place] for place in sorted(test.drawn.tolist())]
    write_jsonl(folder / "items.jsonl", rows)
    of, splits = seen.study, Counter(row.split for row in rows)
    write_manifest(folder, splits, of.manifest, {"short test of": of.runs[0].items_sha})
    return {"folder": str(folder), "items": len(rows)}


@dataclass(frozen=True, kw_only=True, eq=False)
class Responses:
    """The answers of all systems to the items that all of them have (systems x items), and the model of these."""

    study: Study
    rows: Ints  # of the items in the item set
    right: Floats
    clusters: Clusters

    @classmethod
    def of(cls, study: Study) -> Responses:
        if not study.main.percent:
            raise ProbandError(f"item analysis needs right or wrong answers: {study.main.name!r} is not a share")
        runs = np.array(outcomes(study))
        rows = np.flatnonzero(study.mask({}) & ~np.isnan(runs).any(axis=0))
        right = np.array([runs[list(system.runs)][:, rows].mean(axis=0) for system in study.systems])
        return cls(study=study, rows=rows, right=right, clusters=study.clusters.only(rows))

    @cached_property
    def items(self) -> list[Item]:
        at = picked(self.study.items_from, Item, self.rows.tolist())
        return [at[row] for row in self.rows.tolist()]

    @cached_property
    def fit(self) -> Fit:
        return item_analysis.fit(self.right)

    # ---- the table of items ----

    @cached_property
    def table(self) -> dict[str, np.ndarray]:
        """Of every item: its share right, difficulty with error, discrimination, misfit, the share right of the best
        and of the worst third of the systems, and its kind (all wrong, inverted, ...)."""
        share, correlation = self.right.mean(axis=0), item_analysis.discrimination(self.right, self.clusters)
        (good, bad), (infit, outfit) = item_analysis.thirds(self.right), self.fit.misfit()
        kinds = {ALL_WRONG: share <= 0, ALL_RIGHT: share >= 1, INVERTED: item_analysis.inverted(good, bad, correlation),
                 BEST_FAIL: item_analysis.the_best_fail(good)}  # fmt: skip
        patterns = np.select(list(kinds.values()), list(kinds), "")
        estimates = {"difficulty": self.fit.difficulty, "error": self.fit.error, "discrimination": correlation}
        return {"share": share, **estimates, "infit": infit, "outfit": outfit, "best third": good, "worst third": bad,
                "pattern": patterns}  # fmt: skip

    def suspects(self) -> Ints:
        """Items for an audit: those that the best systems fail, or that good systems fail and bad ones pass, ordered by
        the errors of the best third (the best indicator of a wrong label in responses: experiments/items)."""
        chosen = np.flatnonzero(np.isin(self.table["pattern"], (ALL_WRONG, INVERTED, BEST_FAIL)))
        correlation = np.nan_to_num(self.table["discrimination"], nan=-2.0)
        return chosen[np.lexsort((correlation[chosen], self.table["best third"][chosen].round(6)))]

    def record(self, at: int) -> dict[str, float | str | None]:
        """A line of the table; no number where there is none (a discrimination of equal answers)."""
        values = {name: each[at].item() for name, each in self.table.items()}
        return {
            name: None if value != value else round(value, 4) if isinstance(value, float) else value
            for name, value in values.items()
        }

    def facts(self) -> Mapping[int, Mapping[str, str]]:
        """The facts that the browser shows for each item, by its place in the item set."""
        shown = ("share", "difficulty", "discrimination", "infit")
        lines = ({name: self.table[name][at] for name in shown} for at in range(len(self.rows)))
        numbers = ({name: f"{value:.2f}" for name, value in line.items() if value == value} for line in lines)
        return dict(zip(self.rows.tolist(), numbers))

    # ---- what makes items hard ----

    def predictors(self, wanted: Sequence[str]) -> tuple[list[str], Floats, list[str]]:
        """Names and columns of the predictors (numbers unchanged, other tags against their most frequent value), and
        the tags that cannot be used. A column that depends linearly on earlier ones is left out."""
        tags, names, columns, unused = self.study.tags, list[str](), list[Floats](), list[str]()
        if unknown := [name for name in wanted if name not in tags]:
            raise ProbandError(f"the items have no tag {unknown[0]!r}; there are {', '.join(sorted(tags)) or 'none'}")
        for tag in wanted or [name for name in tags if name not in ("split", VARIATION)]:
            codes, values = tags[tag].codes[self.rows], tags[tag].values
            each, counts = np.unique(codes, return_counts=True)
            there = each[np.lexsort((each, -counts))].tolist()
            numbers = [_number(values[code]) if code >= 0 else None for code in there]
            if len(there) > 1 and None not in numbers:
                of = dict(zip(there, numbers))
                new = [(tag, np.array([of[code] for code in codes], dtype=np.float64))]
            elif 1 < len(there) <= VALUES:
                against = _value(values, there[0])
                new = [(f"{tag} {_value(values, c)} (against {against})", (codes == c) * 1.0) for c in there[1:]]
            else:
                unused += [f"{tag} ({len(there)} {'value' if len(there) == 1 else 'values'})"]
                continue
            for name, column in new:
                centred = np.column_stack([*columns, column]) - np.mean([*columns, column], axis=1)
                if np.linalg.matrix_rank(centred) > len(columns):
                    names, columns = [*names, name], [*columns, column]
                else:
                    unused.append(f"{name} (follows from the others)")
        return names, np.column_stack(columns) if columns else np.zeros((len(self.rows), 0)), unused

    def difficulty_sheet(self, wanted: Sequence[str] = ()) -> Sheet:
        names, x, unused = self.predictors(wanted)
        known = item_analysis.fit(self.right, x)
        rows = _effects(dict(zip(names, known.weights(self.clusters))), "{:+.2f}".format)
        explained = max(0.0, 1 - known.tau**2 / self.fit.tau**2)
        note = (
            f"Logits; above 0: harder. They explain {100 * explained:.0f} % of the variance of difficulties (standard "
            f"deviation {self.fit.tau:.2f}). p: Holm. Intervals are over clusters of items, for these systems."
        )
        note += f" Not used: {', '.join(unused)}." if unused else ""
        return Sheet(name="difficulty", title="What makes an item hard",
                     header=("known of the item", "weight", "95 % interval", "p"), rows=rows, note=note)  # fmt: skip

    def group_sheet(self, group: str) -> Sheet:
        """The named systems against the others, on the items with each value of a tag."""
        labels = self.study.system_labels
        chosen = np.array([any(fnmatchcase(label, each) for each in group.split(",")) for label in labels])
        if not chosen.any() or chosen.all():
            raise ProbandError(f"--group {group} matches {chosen.sum()} of the systems {', '.join(labels)}")
        sets: dict[str, Mask] = {}  # the items by each value of each tag that has a few
        for tag, coded in self.study.tags.items():
            codes = coded.codes[self.rows]
            there = np.unique(codes)
            if tag not in ("split", VARIATION) and 1 < len(there) <= VALUES:
                new = {f"{tag} {_value(coded.values, code)}": codes == code for code in there}
                same = {each.tobytes() for each in sets.values()}  # k and depth may be one
                sets |= {name: each for name, each in new.items() if each.tobytes() not in same}
        if not sets:
            raise ProbandError("the items have no tag by which groups of systems could be compared")
        differences = item_analysis.group_differences(self.fit, chosen, sets, self.clusters)
        counts = (each.n for each in differences.values())
        rows = tuple((*row, n) for row, n in zip(_effects(differences, partial(figure, sign="+")), counts))
        note = (
            f"Points by which these {chosen.sum()} systems are better (+) or worse (-) than their ability explains; "
            f"over systems and clusters of items, Holm over {len(rows)} tests."
        )
        header = ("items", "points", "95 % interval", "p", "n")
        title = f"Difference by group: {group} against the others"
        return Sheet(name="groups", title=title, header=header, rows=rows, note=note)

    def ranking_sheet(self) -> Sheet:
        known = item_analysis.reliability(self.right, self.clusters)
        ranked = np.argsort(-self.right.mean(axis=1), kind="stable")
        scores = [Scores.of(self.right[at], clusters=self.clusters) for at in ranked]
        tests = [a.minus(b).p for a, b in pairwise(scores)]
        apart = sum(p is not None and p < 0.05 for p in holm_where_tested(tests))
        rows = (
            ("reliability of the ranking", *(f"{each:.3f}" for each in (known.value, known.low, known.high))),
            ("clusters", str(known.clusters), "", ""),
            *(
                (f"clusters for a reliability of {r}", *("–" if n is None else f"{n:,}" for n in known.needed(r)))
                for r in RELIABILITIES
            ),
            ("neighbours in the ranking that differ significantly", f"{apart} of {len(tests)}", "", ""),
        )
        few = " There are too few clusters to tell." if known.few else ""
        note = f"Reliability: the correlation of scores on two such sets of clusters.{few}"
        header = ("", "value", "low", "high")
        return Sheet(name="ranking", title="Can this set rank these systems?", header=header, rows=rows, note=note)

    def suspects_sheet(self) -> Sheet:
        names = ("share", "discrimination", "infit", "best third", "worst third", "pattern")
        lines = [(self.items[at].id, self.record(at)) for at in self.suspects()]
        rows = tuple((name, *(line[each] for each in names)) for name, line in lines[:LISTED])
        kinds, negative = Counter(self.table["pattern"].tolist()), 100 * (self.table["discrimination"] < 0).mean()
        counts = ", ".join(f"{name}: {kinds[name]:,}" for name in (ALL_RIGHT, ALL_WRONG, INVERTED, BEST_FAIL))
        whole = f"{len(self.rows):,} items; {negative:.0f} % have a negative discrimination. All: suspects.jsonl."
        header, note = ("item", *names), f"{counts} of {whole}"
        return Sheet(name="suspects", title="Items for an audit", header=header, rows=rows, note=note)


def _effects(effects: Mapping[str, Difference], number: Callable[[float], str]) -> tuple[tuple[str | int, ...], ...]:
    """Of each effect its name, value, interval and p-value; all tests are corrected together."""
    rows = list[tuple[str | int, ...]]()
    for (name, each), p in zip(effects.items(), holm_where_tested([each.p for each in effects.values()])):
        interval = formatting.TOO_FEW if each.few else f"[{number(each.low)}, {number(each.high)}]"
        rows.append((name, number(each.value), interval, "–" if p is None else format_p(p)))
    return tuple(rows)


def _value(values: Sequence[Any], code: int) -> str:
    return formatting.tag(values[code]) if code >= 0 else "none"


def _number(value: Any) -> float | None:
    """A number, also one that a table has as text."""
    try:
        return None if isinstance(value, bool) else float(value)
    except ValueError:
        return None
