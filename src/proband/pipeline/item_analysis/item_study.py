"""Item analysis: the tables and the page of `proband items`.

The arithmetic is in the files next to this one: item_response.py (one scale for items and systems, what makes items
hard), group_differences.py, generalisability.py, short_tests.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.files import figure, p_value
from proband.core.suite import Sheet
from proband.pipeline.item_analysis.generalisability import reliability
from proband.pipeline.item_analysis.group_differences import group_differences
from proband.pipeline.item_analysis.item_response import (
    Effect,
    Fit,
    discrimination,
    fit,
    inverted,
    the_best_fail,
    thirds,
)
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import VARIATION, Study
from proband.reporting.page.browse import outcomes
from proband.stats import Clusters, Floats, Ints, Scores, holm_where_tested

Mask = NDArray[np.bool_]
VALUES = 12  # of a tag that is a predictor, or whose items are compared between groups
LISTED = 30  # items in a table of the page
RELIABILITIES = (0.8, 0.9, 0.95)
TOO_FEW = "too few to tell"
ALL_RIGHT, ALL_WRONG, INVERTED, BEST_FAIL = "all right", "all wrong", "good fail, bad pass", "the best fail"


@dataclass(frozen=True, kw_only=True, eq=False)
class ItemStudy:
    """The answers of all systems to the items that all of them have (systems x items), and the model of these."""

    study: Study
    rows: Ints  # of the items in the item set
    right: Floats
    clusters: Clusters

    @classmethod
    def of(cls, study: Study) -> ItemStudy:
        if not study.main.percent:
            raise ProbandError(f"item analysis needs right or wrong answers: {study.main.name!r} is no share")
        runs = np.array(outcomes(study))
        rows = np.flatnonzero(study.mask({}) & ~np.isnan(runs).any(axis=0))
        right = np.array([runs[list(system.runs)][:, rows].mean(axis=0) for system in study.systems])
        return cls(study=study, rows=rows, right=right, clusters=study.arrays.clusters.only(rows))

    @cached_property
    def fit(self) -> Fit:
        return fit(self.right, influence=False)

    # ---- the table of items ----

    @cached_property
    def table(self) -> dict[str, np.ndarray]:
        """Of every item: its share right, difficulty with error, discrimination, misfit, the share right of the best
        and of the worst third of the systems, and what is to be seen at a glance."""
        share, told = self.right.mean(axis=0), discrimination(self.right, self.clusters)
        (good, bad), (infit, outfit) = thirds(self.right), self.fit.misfit()
        kinds = {ALL_WRONG: share <= 0, ALL_RIGHT: share >= 1, INVERTED: inverted(good, bad, told),
                 BEST_FAIL: the_best_fail(good)}  # fmt: skip
        seen = np.select(list(kinds.values()), list(kinds), "")
        return {"share": share, "difficulty": self.fit.difficulty, "error": self.fit.error, "discrimination": told,
                "infit": infit, "outfit": outfit, "best third": good, "worst third": bad, "seen": seen}  # fmt: skip

    def suspects(self) -> Ints:
        """Items for an audit: the best systems fail, or good ones fail and bad ones pass; those first that the best
        third has wrong most often (of what responses tell, the best sign of a wrong label: experiments/items)."""
        chosen = np.flatnonzero(np.isin(self.table["seen"], (ALL_WRONG, INVERTED, BEST_FAIL)))
        told = np.nan_to_num(self.table["discrimination"], nan=-2.0)
        return chosen[np.lexsort((told[chosen], self.table["best third"][chosen].round(6)))]

    def record(self, at: int) -> dict[str, float | str | None]:
        """A line of the table; no number where there is none (a discrimination of equal answers)."""
        values = {name: each[at].item() for name, each in self.table.items()}
        return {
            name: None if value != value else round(value, 4) if isinstance(value, float) else value
            for name, value in values.items()
        }

    # ---- what makes items hard ----

    def predictors(self, wanted: Sequence[str]) -> tuple[list[str], Floats, list[str]]:
        """Names and columns of what is known of the items (numbers as they are, other tags against their commonest
        value), and which tags could not be used. A column that follows from those before it is left out."""
        tags, names, columns, unused = self.study.arrays.tags, list[str](), list[Floats](), list[str]()
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
        known = fit(self.right, x)
        weights = known.weights(names, self.clusters) if names else []
        rows = tuple((each.name, *_cells(each, lambda value: f"{value:+.2f}")) for each in weights)
        explained = max(0.0, 1 - known.tau**2 / self.fit.tau**2)
        note = (
            f"Logits; above 0: harder. They explain {explained:.0%} of the variance of difficulties (standard "
            f"deviation {self.fit.tau:.2f}). p: Holm. Intervals are over clusters of items, for these systems."
        )
        note += f" Not used: {', '.join(unused)}." if unused else ""
        return Sheet(name="difficulty", title="What makes an item hard",
                     header=("known of the item", "weight", "95 % interval", "p"), rows=rows, note=note)  # fmt: skip

    # ---- groups ----

    def group_sheet(self, group: str) -> Sheet:
        """The systems that are named so against the others, on the items with each value of a tag."""
        labels = self.study.labels
        chosen = np.array([any(fnmatchcase(label, each) for each in group.split(",")) for label in labels])
        if not chosen.any() or chosen.all():
            raise ProbandError(f"--group {group}: {chosen.sum()} of the systems {', '.join(labels)} are named so")
        found = group_differences(self.fit, chosen, self._sets(), self.clusters)
        rows = tuple((each.name, *_cells(each, partial(figure, sign="+")), each.n) for each in found)
        note = (
            f"Points by which these {chosen.sum()} systems are better (+) or worse (-) than their ability explains; "
            f"over systems and clusters of items, Holm over {len(rows)} tests."
        )
        header = ("items", "points", "95 % interval", "p", "n")
        title = f"Difference by group: {group} against the others"
        return Sheet(name="groups", title=title, header=header, rows=rows, note=note)

    def _sets(self) -> dict[str, Mask]:
        """The items by each value of each tag that has a few."""
        sets: dict[str, Mask] = {}
        for tag, coded in self.study.arrays.tags.items():
            codes = coded.codes[self.rows]
            there = np.unique(codes)
            if tag not in ("split", VARIATION) and 1 < len(there) <= VALUES:
                new = {f"{tag} {_value(coded.values, code)}": codes == code for code in there}
                same = {chosen.tobytes() for chosen in sets.values()}  # k and depth may be one
                sets |= {name: chosen for name, chosen in new.items() if chosen.tobytes() not in same}
        if not sets:
            raise ProbandError("the items have no tag by which groups of systems could be compared")
        return sets

    # ---- ranking ----

    def ranking_sheet(self) -> Sheet:
        known = reliability(self.right, self.clusters)
        ranked = np.argsort(-self.right.mean(axis=1), kind="stable")
        scores = [Scores.of(self.right[at], clusters=self.clusters) for at in ranked]
        tests = [a.minus(b).p for a, b in pairwise(scores)]
        apart = sum(p is not None and p < 0.05 for p in holm_where_tested(tests))
        rows = (
            ("reliability of the ranking", *(f"{each:.3f}" for each in (known.value, known.low, known.high))),
            ("clusters", str(known.clusters), "", ""),
            *((f"clusters for a reliability of {r}", *map(_count, known.needed(r))) for r in RELIABILITIES),
            ("neighbours in the ranking that differ significantly", f"{apart} of {len(tests)}", "", ""),
        )
        few = " There are too few clusters to tell." if known.few else ""
        note = f"Reliability: the correlation of scores on two such sets of clusters.{few}"
        header = ("", "value", "low", "high")
        return Sheet(name="ranking", title="Can this set rank these systems?", header=header, rows=rows, note=note)

    def suspects_sheet(self, ids: Sequence[str]) -> Sheet:
        names = ("share", "discrimination", "infit", "best third", "worst third", "seen")
        lines = [(ids[at], self.record(at)) for at in self.suspects()]
        rows = tuple((name, *(line[each] for each in names)) for name, line in lines[:LISTED])
        counts = {name: int((self.table["seen"] == name).sum()) for name in (ALL_RIGHT, ALL_WRONG, INVERTED, BEST_FAIL)}
        negative = float(np.nanmean(np.nan_to_num(self.table["discrimination"], nan=0.0) < 0))
        note = ", ".join(f"{name}: {count:,}" for name, count in counts.items())
        note += f" of {len(self.rows):,} items; {negative:.0%} have a negative discrimination. All: suspects.jsonl."
        return Sheet(name="suspects", title="Items for an audit", header=("item", *names), rows=rows, note=note)


def _cells(effect: Effect, number: Callable[[float], str]) -> tuple[str, str, str]:
    """An effect, its interval and its p-value."""
    interval = TOO_FEW if effect.few else f"[{number(effect.low)}, {number(effect.high)}]"
    return number(effect.value), interval, "–" if effect.p_holm is None else p_value(effect.p_holm)


def _value(values: Sequence[Any], code: int) -> str:
    return formatting.tag(values[code]) if code >= 0 else "none"


def _number(value: Any) -> float | None:
    """A number, also one that a table has as text."""
    try:
        return None if isinstance(value, bool) else float(value)
    except ValueError:
        return None


def _count(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"


def shown_facts(items: ItemStudy) -> Mapping[int, Mapping[str, str]]:
    """What the browser says of each item, by its place in the item set."""
    return {
        int(row): {name: f"{value:.2f}" for name in ("share", "difficulty", "discrimination", "infit")
                   if (value := items.table[name][at]) == value}
        for at, row in enumerate(items.rows)
    }  # fmt: skip
