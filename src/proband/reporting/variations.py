"""Results of a run on variations: wrong flips, surviving accuracy, answers that follow a change, and the gap between
items and their twins.

The unit is the source item: of each, one number per variation (the mean over several of one kind). Intervals count
source items as the sample, and what these share (their clusters).

    flips          share of varied items on which the answer is another one than on the source, where it may not be
    before, after  the score on the source items and on what was made from them, paired
    surviving      right on the source and on all its variations that keep the answer
    follows        right on the source and on the changed item: the answer followed the change
    gap            score on the source items minus that on their twins: above 0 where the model has memorised the source
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from proband.core.files import figure, format_p
from proband.core.metrics import Metric, best_choices
from proband.core.suite import Results, Sheet, Table
from proband.core.types import LEFT_OUT, Answer, Item
from proband.reporting.numbers.formatting import is_baseline
from proband.reporting.numbers.study import ORIGINAL
from proband.stats import Clusters, Difference, Estimate, Scores, clusters_of, contrast, holm_where_tested
from proband.stats.ranking import best_threshold

THRESHOLD = (
    " Scores that only rank items are answers at the threshold that has most of all its items right, source items and "
    "variations together: one fitted to the source items alone would make them look better than their twins."
)
LEAST_TWINS = 20  # source items with a twin, for a comparison of two gaps
GAPS = (
    "A gap above 0 suggests contamination only if a model that cannot have seen the items has a smaller gap. Items "
    "that were selected because some model answered them are easier than their twins for every model: a simulated "
    "model that has seen none of them then has a gap of ten points (`experiments/variations/README.md`)."
)
Cell = str | float | int | None
Row = tuple[Cell, ...]


class VariationAnswer(NamedTuple):
    """A run's answer to one variation of an item."""

    right: float | None
    answer: str  # in words
    same_choices: bool
    clusters: tuple[str, ...] = ()  # what the varied item shares: twins of few tuples are no independent evidence


@dataclass
class Source:
    """A source item with a run's answers to it and to its variations."""

    clusters: tuple[str, ...]
    right: float
    answer: str  # in words
    choices: frozenset[str]
    varied: dict[str, list[VariationAnswer]] = field(default_factory=dict)

    def mean_of(self, name: str) -> float | None:
        """How right the answers to its variations of this name are; None without a number."""
        known = [reply.right for reply in self.varied.get(name, ()) if reply.right is not None]
        return float(np.mean(known)) if known else None


def effects_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The variations of a varied set by name, with their effect on the right answer; empty for other sets."""
    return {name: each["effect"] for name, each in manifest.get("variations", {}).items()}


def variation_sheets(results: Results, metric: Metric) -> list[Sheet]:
    """A table per question that variations answer, over the items of a varied set; none for other sets."""
    effects = effects_of(results.manifest)
    by_run = [collect(results.scored(run), metric) for run in range(len(results.labels))] if effects else []
    named = [(label, list(sources.values())) for label, sources in zip(results.labels, by_run)]
    lines = [_row(label, *each, sources) for label, sources in named for each in effects.items()]
    rows = _with_holm([line for line in lines if line is not None])
    overall = [line for label, sources in named if (line := _surviving(label, effects, sources))]
    sheets = []
    if rows:
        note = (
            "Each line compares source items with what was made from them, paired; the interval is of the difference. "
            "Flips: the answer is another one, though the right answer is the same. Follows: right before and after a "
            "change of the right answer. For twins the difference is the contamination gap, source minus twin. "
            "P-values are corrected by Holm over the table. Answers of a model that samples also change when the same "
            "item is asked again (`run --repeat 2`)." + (THRESHOLD if metric.over == "set" else "")
        )
        compared = ("source items", "before", "after", "difference", "95 %", "p (Holm)")
        changed = ("flips", "95 % of flips", "follows", "95 % of follows")
        header = ("model", "variation", "right answer", *compared, *changed)
        title = "The same items, varied"
        sheets.append(Sheet(name="variations", title=title, header=header, rows=rows, note=note))
    if overall:
        columns = ("model", "source items", "score", "surviving", "95 % of surviving", "of an item", "variations")
        note = (
            "Surviving: right on the item and on every variation of it that keeps the answer. The more variations an "
            "item has, the fewer survive by chance alone: only lines with as many of an item can be compared."
        )
        sheets.append(Sheet(name="surviving", title="What survives", header=columns, rows=tuple(overall), note=note))
    models = [
        (label, own) for label, own, run in zip(results.labels, by_run, results.runs) if not is_baseline(run.model)
    ]
    return sheets + _twin_sheets(models, [name for name, each in effects.items() if each == "twin"])


Tested = tuple[Row, float | None, Row]  # the cells before a p-value, the p-value, and those after it


def _with_holm(rows: Sequence[Tested]) -> tuple[Row, ...]:
    corrected = holm_where_tested([p for _, p, _ in rows])
    return tuple((*row, None if p is None else format_p(p), *rest) for (row, _, rest), p in zip(rows, corrected))


def _twin_sheets(models: Sequence[tuple[str, Mapping[str, Source]]], twins: Sequence[str]) -> list[Sheet]:
    """The gap between items and twins of one model next to that of another: where items are easier than their twins for
    everybody, a model that has never seen them has a gap too."""
    rows: list[Tested] = []
    for name in twins:
        for (one, a), (other, b) in combinations(models, 2):
            sides = [
                {key: (each.right, mean) for key, each in side.items() if (mean := each.mean_of(name)) is not None}
                for side in (a, b)
            ]
            both = [source for source in sides[0] if source in sides[1]]
            if len(both) < LEAST_TWINS:
                continue
            clusters = _clusters([a[source] for source in both], name)
            columns = [[side[source][part] for source in both] for side in sides for part in (0, 1)]
            scores = [Scores.of(each, clusters=clusters) for each in columns]
            found = contrast(scores, [1, -1, -1, 1])
            gaps = [figure(scores[at].value - scores[at + 1].value) for at in (0, 2)]
            if not found.few:
                rows.append(((one, other, name, len(both), *gaps, figure(found.value), _span(found)), found.p, ()))
    header = ("model", "other model", "variation", "items", "gap", "other gap", "difference", "95 %", "p (Holm)")
    title = "Contamination gap, compared with another model's"
    return [Sheet(name="gaps", title=title, header=header, rows=_with_holm(rows), note=GAPS)] if rows else []


def variation_table(metric: Metric, effects: Mapping[str, str]) -> Table:
    """The score by variation, the source items first: the figure that shows it at a glance."""
    return Table(
        name="by_variation",
        title="Source items and their variations",
        columns=("variation",),
        metric=metric.name,
        order={"variation": (ORIGINAL, *effects)},
    )


def collect(answers: Iterable[tuple[Item, Answer]], metric: Metric) -> dict[str, Source]:
    """Source items with their variations, by id; a variation without an answer to its source is left out."""
    given = [(item, answer) for item, answer in answers if answer.status not in LEFT_OUT and "source" in item.facts]
    sources: dict[str, Source] = {}
    ranked = answers_yes(given, metric.each) if metric.over == "set" and metric.each else [None] * len(given)
    for (item, answer), right, yes in zip(given, rightness(given, metric), ranked, strict=True):
        variation, source, words = str(item.tags.get("variation")), str(item.facts["source"]), in_words(item, answer)
        if yes is not None and not answer.status and len(item.choices) == 2:
            words = item.choices[0 if yes else 1]
        if variation == ORIGINAL:
            if right is not None:
                sources[source] = Source(clusters_of(item), right, words, frozenset(item.choices))
        elif source in sources:
            reply = VariationAnswer(right, words, frozenset(item.choices) == sources[source].choices, clusters_of(item))
            sources[source].varied.setdefault(variation, []).append(reply)
    return sources


def rightness(pairs: Sequence[tuple[Item, Answer]], metric: Metric) -> list[float | None]:
    """How right each answer is."""
    if metric.over == "item" or metric.each is None:
        return [metric.value(item, answer) for item, answer in pairs]
    decided = zip(pairs, answers_yes(pairs, metric.each), strict=True)
    return [None if yes is None or item.gold is None else float(yes == (item.gold == 0)) for (item, _), yes in decided]


def answers_yes(pairs: Sequence[tuple[Item, Answer]], each: Callable[[Item, Answer], Any]) -> list[bool | None]:
    """Scores that only rank items as answers, at the threshold that has most of them right, source items and variations
    together: where nothing differs between them, neither side has been fitted. Open items have an answer too."""
    records = [each(replace(item, gold=item.gold or 0), answer) for item, answer in pairs]
    known = [one for one, (item, _) in zip(records, pairs) if one is not None and item.gold is not None]
    threshold = best_threshold(*np.array(known, dtype=np.float64).T) if known else 0.0
    return [None if one is None else bool(one[0] >= threshold) for one in records]


def in_words(item: Item, answer: Answer) -> str:
    """The answer in words: the chosen one (in any order, where several tie), what fills the blanks, or the reply.

    >>> item = Item(id="a", suite="script", prompt="Drain the ___.")
    >>> in_words(item, Answer(item_id="a", blanks=({"guess": ["hot", "pasta"], "rank": 3}, {"guess": []})))
    'hot pasta, –'
    """
    if answer.scores and item.choices:
        return "|".join(sorted(item.choices[at] for at in best_choices(answer)))
    if answer.blanks:
        guesses = (blank.get("guess", ()) for blank in answer.blanks)
        return ", ".join(" ".join(map(str, guess)) or "–" for guess in guesses)
    return (answer.text or answer.status or "–").strip()


def _row(label: str, name: str, effect: str, sources: Sequence[Source]) -> Tested | None:
    there = [each for each in sources if each.varied.get(name)]
    if not there:
        return None
    known = [(each, mean) for each in there if (mean := each.mean_of(name)) is not None]
    clusters, p = _clusters([each for each, _ in known], name), None
    compared: Row = (figure(float(np.mean([each.right for each in there]))), None, None, None)
    if known:
        sides = zip(*((one.right, mean) for one, mean in known))
        before, after = (Scores.of(each, clusters=clusters) for each in sides)
        result = before.minus(after) if effect == "twin" else after.minus(before)
        compared, p = (figure(before.value), figure(after.value), figure(result.value), _span(result)), result.p
    flips, follows = [_flipped(each, name) for each in there], [each.right * mean for each, mean in known]
    changed = share_cells(flips, _clusters(there, name)) if effect in ("keeps", "open") else [None, None]
    changed += share_cells(follows, clusters) if effect == "changes" and known else [None, None]
    return (label, name, effect, len(there), *compared), p, tuple(changed)


def _flipped(source: Source, name: str) -> float:
    """The share of its variations on which the answer is another one. Where the choices are others, the answer is right
    or wrong as it was before, or has flipped."""
    flips = [
        reply.answer != source.answer if reply.same_choices else (reply.right or 0.0) != source.right
        for reply in source.varied[name]
    ]
    return float(np.mean(flips))


def _surviving(label: str, effects: Mapping[str, str], sources: Sequence[Source]) -> Row | None:
    keeping = [name for name, effect in effects.items() if effect == "keeps"]
    there = [each for each in sources if any(each.varied.get(name) for name in keeping)]
    if not there:
        return None
    replies = [[reply.right or 0.0 for name in keeping for reply in each.varied.get(name, ())] for each in there]
    alive = [min([each.right, *own]) for each, own in zip(there, replies)]
    score = float(np.mean([each.right for each in there]))
    cells = share_cells(alive, _clusters(there, *keeping))
    counted = f"{sum(map(len, replies)) / len(there):.3g}"
    return (label, len(there), figure(score), *cells, counted, ", ".join(keeping))


def share_cells(values: Sequence[float], clusters: Clusters) -> list[Cell]:
    """A mean over items and its interval, in words."""
    result = Scores.of(values, clusters=clusters).interval()
    return [figure(result.mean), _span(result)]


def _span(result: Estimate | Difference) -> str:
    return "too few" if result.few else f"[{figure(result.low)}, {figure(result.high)}]"


def _clusters(sources: Sequence[Source], *names: str) -> Clusters:
    """What source items share, or their variations do."""
    varied = ((own.clusters for name in names for own in each.varied.get(name, ())) for each in sources)
    return Clusters.of([list(dict.fromkeys(chain(each.clusters, *more))) for each, more in zip(sources, varied)])
