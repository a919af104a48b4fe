"""Cells: a metric over the items with certain tags, per system, with its interval and its chance level.

A Study answers for one item set; asked twice for the same cell it counts once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from proband.core.files import dumps
from proband.core.metrics import Metric, scored_splits, splits_in_words
from proband.core.suite import Where
from proband.core.types import Estimate, Tag
from proband.reporting.numbers.formatting import System, asked_in_words, systems
from proband.reporting.numbers.item_sets import Arrays, ItemSet, collect
from proband.stats import Difference, Ints, Macro, Scores, estimator_of, macro_mean, on_common_items

Mask = NDArray[np.bool_]
VARIATION, ORIGINAL = "variation", "original"  # the tag of items in a varied set, and its value for their sources


class Study:
    """The cells of one item set. `key` names its files and its anchor in the page. Without `pool`, each run is a
    separate system. `split`: the items that are scored (default: chosen by `core.metrics`). `shared`: compare two
    systems on the items that both have answered."""

    def __init__(
        self,
        items: ItemSet,
        metrics: Sequence[Metric] = (),
        *,
        key: str = "",
        seed: int = 0,
        pool: bool = True,
        split: str = "",
        shared: bool = False,
    ) -> None:
        self.items, self.key, self.seed = items, key or items.suite.name, seed
        self.name = self.key  # as pages and tables call it (`names` in item_sets.py)
        self.main = items.suite.metric()
        self.metrics = {metric.name: metric for metric in (self.main, *metrics)}
        self.arrays: Arrays = collect(items, list(self.metrics.values()))
        self.systems: tuple[System, ...] = systems(items.runs, pool=pool)
        self.splits = self._scored(split, least=2 if shared else 1)
        self.hues: tuple[int, ...] = tuple(range(len(self.systems)))  # the number of each system's colour
        self.known: dict[Any, Scores] = {}  # what was counted once
        self.kept: dict[Any, dict[int, Scores]] = {}
        self.cells: dict[Any, tuple[Estimate | None, ...]] = {}

    @cached_property
    def how_asked(self) -> str:
        """How each model was asked, in words."""
        return asked_in_words(self.labels, [self.items.runs[system.runs[0]] for system in self.systems])

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(system.label for system in self.systems)

    @property
    def scope(self) -> str:
        """The items that are scored, in words."""
        return splits_in_words(self.splits, "source items" if self.varied else "items")

    @property
    def varied(self) -> bool:
        """Whether the set holds items and variations of them: then a score is one of the items that they were made of,
        since several forms of one question are no further questions."""
        tag = self.arrays.tags.get(VARIATION)
        return "variations" in self.items.manifest and tag is not None and ORIGINAL in tag.values

    @property
    def asked_count(self) -> int:
        """How many items some run has an answer to."""
        return len(np.unique(np.concatenate([run.answered for run in self.arrays.runs])))

    def answered_by(self) -> Ints:
        """The number of systems with a value for each item."""
        count = np.zeros(self.arrays.count, dtype=np.int64)
        for system in self.systems:
            rows = [self.arrays.runs[run].values(metric)[0] for metric in self.metrics for run in system.runs]
            count[np.unique(np.concatenate(rows))] += 1
        return count

    def _scored(self, split: str, *, least: int) -> tuple[str, ...]:
        """Of the splits of the items that so many systems have numbers for, those that are scored."""
        codes, answered = self.arrays.split.codes, self.answered_by() >= least
        there = np.unique(codes[answered] if answered.any() and not split else codes)
        return scored_splits({str(self.arrays.split.values[at]) for at in there}, split)

    def rank(self) -> None:
        """Put the systems in the order of the main metric, the best first; before cells are counted."""
        known, sign = self.scores(self.main, {}), -1 if self.main.better == "high" else 1
        places = range(len(self.systems))
        order = sorted(places, key=lambda at: (sign * known[at].value if at in known else np.inf, at))
        self.systems = tuple(self.systems[at] for at in order)
        self.kept.clear()  # it goes by the places of systems

    def mask(self, where: Where) -> Mask:
        """The items with these tags, of the splits that are scored unless the tags name others, and of a varied set the
        source items unless the tags name variations; tags of runs are not asked."""
        chosen = np.ones(self.arrays.count, dtype=bool)
        sources: Where = {VARIATION: ORIGINAL} if self.varied else {}
        for name, wanted in {"split": self.splits, **sources, **where}.items():
            if name.startswith("run."):
                continue
            tag = self.arrays.split if name == "split" else self.arrays.tags.get(name)
            if tag is None:
                return np.zeros(self.arrays.count, dtype=bool)
            codes = [i for i, value in enumerate(tag.values) if matches(value, wanted)]
            chosen &= tag.codes == codes[0] if len(codes) == 1 else np.isin(tag.codes, codes)
        return chosen

    def selected(self, where: Where) -> list[int]:
        """The systems with these tags of runs."""
        of_runs = {name: wanted for name, wanted in where.items() if name.startswith("run.")}
        return [
            at
            for at, system in enumerate(self.systems)
            if all(name in system.tags and matches(system.tags[name], wanted) for name, wanted in of_runs.items())
        ]

    def scores_of(self, system: int, metric: Metric, mask: Mask) -> Scores:
        """A system's scores within a mask."""
        whole = self.whole(self.systems[system], metric)
        return whole.only(mask[whole.items], within=True)

    def whole(self, system: System, metric: Metric) -> Scores:
        """A system's scores on every item. Runs that have numbers for different items meet on those of all."""
        key = (metric.name, system.runs)
        if key not in self.known:
            clusters, estimator = self.arrays.clusters, estimator_of(metric)
            values = [self.arrays.runs[run].values(metric.name) for run in system.runs]
            runs = on_common_items(
                *(
                    Scores(numbers=n[None], items=at, clusters=clusters, places=at, estimator=estimator)
                    for at, n in values
                )
            )
            numbers = runs[0].numbers if len(runs) == 1 else np.concatenate([each.numbers for each in runs])
            self.known[key] = replace(
                runs[0], numbers=numbers, places=runs[0].items, clusters=self.arrays.clusters,
                trained=bool(system.tags["run.net"]),
            )  # fmt: skip
        return self.known[key]

    def cell(self, metric: Metric, where: Where, *, macro: str = "") -> tuple[Estimate | None, ...]:
        """One cell per system; None where it has no number there."""
        key = (metric.name, dumps(where), macro)
        if key not in self.cells:
            cells: list[Estimate | None] = [None] * len(self.systems)
            levels: dict[int, tuple[float | None, float | None]] = {}  # the same for systems with the same items
            for at, own in self.scores(metric, where, macro=macro).items():
                if id(own.items) not in levels:
                    levels[id(own.items)] = self.chance(metric, own), None if macro else self.shortcut(metric, own)
                chance, shortcut = levels[id(own.items)]
                cells[at] = self._cell(at, own, where, chance, None if at in self.shortcuts else shortcut)
            self.cells[key] = tuple(cells)
        return self.cells[key]

    def _cell(
        self, system: int, scores: Scores, where: Where, chance: float | None, shortcut: float | None
    ) -> Estimate:
        """Of one system. Of the items that were left out, the most of all its runs."""
        mask, runs = self.mask(where), [self.arrays.runs[run] for run in self.systems[system].runs]
        group = {name: "|".join(map(str, v)) if isinstance(v, tuple) else v for name, v in where.items()}
        cell = msgspec.structs.replace(
            scores.interval(),
            group=group,
            chance=chance,
            shortcut=shortcut,
            sd=float(np.std(scores.values, ddof=1)) if len(scores.values) > 1 else None,
            unread=self.unread(system, scores.items),
            skipped=max(int(mask[run.of_status("skipped")].sum()) for run in runs),
            uncovered=max(int(mask[run.of_status("not covered")].sum()) for run in runs),
        )
        p_level = None if cell.level is None else scores.against(cell.level).p
        return msgspec.structs.replace(cell, p_level=p_level)

    def unread(self, system: int, rows: Ints) -> float:
        """The share of these items (an item may be in several rows) whose reply is unread, over all runs."""
        runs = [self.arrays.runs[run].of_status("unread") for run in self.systems[system].runs]
        return sum(int(np.isin(rows, each).sum()) for each in runs) / len(rows) / len(runs)

    def scores(self, metric: Metric, where: Where, *, macro: str = "") -> dict[int, Scores]:
        """The scores there of every system that has some, by its number. Large cells are asked for again (by the
        comparisons) and kept; there are few of them."""
        key = (metric.name, dumps(where), macro)
        if key in self.kept:
            return self.kept[key]
        mask = self.mask(where)
        items: dict[bytes, Ints] = {}  # once for all systems that have the same
        results = {}
        for at in self.selected(where):
            own = self.scores_of(at, metric, mask)
            if len(own):
                own = replace(own, items=items.setdefault(own.items.tobytes(), own.items))
                if macro:
                    tag = self.arrays.tags.get(macro)  # items without it are one value
                    codes = tag.codes[own.items] if tag is not None else np.zeros(len(own), dtype=np.int32)
                    weighed = Macro(name=metric.name, by=macro, of=own.estimator)
                    own = replace(own, estimator=weighed, tags={macro: codes})
                results[at] = own
        if 20 * mask.sum() >= len(mask):
            self.kept[key] = results
        return results

    def chance(self, metric: Metric, scores: Scores) -> float | None:
        """What is reached on these items without knowledge: of a set metric what it says itself (`Metric.chance`), of
        accuracy that of guessing; None for other metrics and where items have no choices."""
        macro, levels = scores.estimator.by, self.arrays.chance[scores.items]
        if metric.chance is not None:
            parts = scores.by(macro).values() if macro else [scores]
            return float(np.mean([metric.chance(part.numbers[0]) for part in parts]))
        if metric.name != "accuracy" or not len(levels) or not (levels > 0).all():
            return None
        return (
            macro_mean(levels, np.unique(scores.tags[macro], return_inverse=True)[1]) if macro else float(levels.mean())
        )

    @cached_property
    def shortcuts(self) -> list[int]:
        """The systems that are the suite's own baselines."""
        names = {f"baseline:{name}" for name in self.items.suite.baselines}
        return [at for at, system in enumerate(self.systems) if system.tags["run.model"] in names]

    def shortcut(self, metric: Metric, scores: Scores) -> float | None:
        """The accuracy of the best of them on these items; None where none has answered all of them."""
        if metric.name != "accuracy" or not self.shortcuts:
            return None
        mask = np.zeros(self.arrays.count, dtype=bool)
        mask[scores.items] = True
        own = [self.scores_of(system, metric, mask) for system in self.shortcuts]
        return max((each.value for each in own if len(each) == len(scores)), default=None)

    def pairs(
        self, metric: Metric, where: Where, *, only: Collection[tuple[int, int]] | None = None
    ) -> list[Comparison]:
        """Every pair of systems (or only some), on the items that both have a number for."""
        scores = self.scores(metric, where)
        pairs = []
        for a, b in combinations(sorted(scores), 2):
            one, other = on_common_items(scores[a], scores[b])
            if len(one) and (only is None or (a, b) in only):
                pairs.append(compared(metric, one, other, group=where, labels=(self.labels[a], self.labels[b])))
        return pairs


def matches(value: Tag, wanted: Tag | tuple[Tag, ...]) -> bool:
    """Whether a value is (one of) those that are wanted; a boolean is no number.

    >>> matches(2, (2, 3)), matches(True, 1), matches("a", "a")
    (True, False, True)
    """
    several = wanted if isinstance(wanted, tuple) else (wanted,)
    return any(value == each and isinstance(value, bool) == isinstance(each, bool) for each in several)


ALPHA = 0.05


@dataclass(frozen=True, kw_only=True)
class Comparison(Difference):
    """System a minus system b on the items of `group` that both answered."""

    group: Where = field(default_factory=dict)
    a: str = ""
    b: str = ""
    better: str = ""  # a or b, or empty where there is no difference at all
    p_holm: float | None  # corrected for the other comparisons of a and b
    tests: int = 1  # that are corrected together
    once: int = 0  # how many of the two are nets that were trained once

    @classmethod
    def of(cls, result: Difference, **own: Any) -> Comparison:
        """A difference that is not corrected for others."""
        return cls(**{each.name: getattr(result, each.name) for each in fields(result)}, p_holm=result.p, **own)

    @property
    def detectable(self) -> float | None:
        """The true difference that is found with a power of 80 %, after the same correction."""
        return self.detectable_among(self.tests)

    def record(self) -> dict[str, Any]:
        """Its numbers by name, with the verdict."""
        own = super().record()
        named = {"difference": own.pop("value"), "training": own.pop("note"), "verdict": self.verdict}
        return own | named | {"undecided": self.p is None}

    def turned(self) -> Comparison:
        """b minus a."""
        return replace(
            self, a=self.b, b=self.a, mean_a=self.mean_b, mean_b=self.mean_a,
            value=-self.value, low=-self.high, high=-self.low,
            changed=None if (c := self.changed) is None else (c[0], c[2], c[1], c[3]),
        )  # fmt: skip

    @property
    def clear(self) -> bool:
        """Significant: corrected p below 0.05 (then the interval leaves out zero)."""
        return self.p_holm is not None and self.p_holm < ALPHA

    @property
    def verdict(self) -> str:
        if self.p is None:
            return "too few to tell" if self.few else self.note
        result = f"{self.better} is better" if self.clear else "not significant"
        return f"{result} ({self.note})" if self.note else result


def compared(metric: Metric, a: Scores, b: Scores, *, group: Where, labels: tuple[str, str]) -> Comparison:
    """Two systems on the items that both have."""
    result = a.minus(b)
    ahead = labels[0] if metric.ahead(result.mean_a, result.mean_b) else labels[1]
    better, once = "" if result.mean_a == result.mean_b else ahead, sum(each.seeds.unknown for each in (a, b))
    return Comparison.of(result, group=group, a=labels[0], b=labels[1], better=better, once=once)
