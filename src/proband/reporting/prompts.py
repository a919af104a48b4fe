"""How much of a score is the prompt: models that were asked the same items with several prompts.

An answer is one to an item under a prompt, x_ip. Both are taken as samples: of the items that might have been asked,
and of the ways in which the question might have been put. With item effects a_i, prompt effects b_p and a rest e_ip,

    x_ip = m + a_i + b_p + e_ip

The interval of the mean m counts both (clusters of several kinds, stats/clusters.py). The spread between
prompts is that of the b_p, less what the rest alone would give them; the percentiles are those of prompt means drawn
together by the same factor. Items need not have been asked with every prompt: then chance includes which items a
prompt was given, and is larger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from proband.core.files import dumps, group_by_key
from proband.core.metrics import Metric
from proband.core.suite import Sheet
from proband.reporting.numbers import words
from proband.reporting.numbers.cells import Study
from proband.reporting.numbers.item_sets import item_means
from proband.reporting.numbers.words import System, shared_labels, unique
from proband.stats import Mean, Scores, Share
from proband.stats.clusters import Clusters, Floats

QUANTILES = (0.05, 0.5, 0.95)
LEFT_OUT = ("run.prompt", "run.asked")


@dataclass(frozen=True)
class Figures:
    """What several prompts say of one model."""

    mean: float
    low: float
    high: float
    few: bool
    prompts: Floats  # the mean of each prompt
    sd_prompts: float  # between prompts, less chance
    sd_items: float
    quantiles: tuple[float, ...]  # over prompts


def figures(x: Floats, clusters: Sequence[Sequence[str]], *, share: bool) -> Figures:
    """Of the answers x (items x prompts, NaN where an item was not asked with a prompt) to items of these clusters."""
    items, prompts = np.nonzero(~np.isnan(x))
    values = x[items, prompts]
    names = [(f"prompt {p}", *clusters[i]) for i, p in zip(items.tolist(), prompts.tolist())]
    result = Scores.of(values, clusters=Clusters.of(names), estimator=Share() if share else Mean()).interval()
    mean = result.mean
    count = np.bincount(prompts, minlength=x.shape[1])
    sums = np.bincount(prompts, weights=values, minlength=x.shape[1])
    means = sums[count > 0] / count[count > 0]
    noise, of_items = _components(x, values)
    of_prompt = noise / float(count[count > 0].mean())
    seen = float(means.var(ddof=1)) if len(means) > 1 else 0.0
    kept = float(np.sqrt(max(0.0, 1.0 - of_prompt / seen))) if seen > 0 else 0.0
    return Figures(
        mean=mean,
        low=result.low,
        high=result.high,
        few=result.few,
        prompts=np.where(count > 0, sums / np.maximum(count, 1), np.nan),
        sd_prompts=float(np.sqrt(seen) * kept),
        sd_items=of_items,
        quantiles=tuple(float(each) for each in np.quantile(mean + kept * (means - mean), QUANTILES)),
    )


def _components(x: Floats, values: Floats) -> tuple[float, float]:
    """The variance that chance adds to an answer, seen from a prompt; the standard deviation between items (NaN where
    it cannot be determined). Where every item was asked with every prompt, items are the same for all prompts and add
    nothing; where not, they do."""
    items, prompts = x.shape
    if np.isnan(x).any() or min(x.shape) < 2:
        return float(values.var(ddof=1)) if len(values) > 1 else 0.0, float("nan")
    rest = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0, keepdims=True) + x.mean()
    noise = float((rest**2).sum()) / ((items - 1) * (prompts - 1))
    return noise, float(np.sqrt(max(0.0, float(x.mean(axis=1).var(ddof=1)) - noise / prompts)))


# ---- the report ----------------------------------------------------------------------------------------------------


def prompt_sheets(study: Study) -> list[Sheet]:
    """One line per model that was asked with several prompts, and one per pair of such models."""
    groups = {key: group for key, group in _groups(study).items() if len(group) > 1}
    if not groups or study.main.over == "set":
        return _means_alone(study, groups) if groups else []
    metric, clusters = study.main, _clusters(study)
    rows: list[tuple[str | int, ...]] = []
    of = dict[str, dict[str, float]]()  # model -> prompt -> mean
    for label, group in zip(_labels(study, groups), groups.values(), strict=True):
        x = np.stack([_values(study, system) for system in group], axis=1)
        answered = ~np.isnan(x).all(axis=1)
        result = figures(x[answered], [clusters[i] for i in np.flatnonzero(answered)], share=metric.percent)
        means = [(_prompt(system), mean) for system, mean in zip(group, result.prompts.tolist()) if mean == mean]
        by_prompt = _listed(sorted(means, key=lambda pair: -pair[1]), metric)
        rows.append((label, len(group), *_row(result, metric), by_prompt))
        of[label] = dict(means)
    figures_of = ("mean", "95 %, prompts and items sampled", "5th", "median", "95th", "sd of prompts", "sd of items")
    header = ("model", "prompts", *figures_of, "by prompt")
    note = (
        "The mean over prompts, with an interval that counts prompts and items as sampled; percentiles and standard "
        "deviation over prompts, less what chance alone would spread them."
    )
    title = f"Spread between prompts ({words.metric(metric)})"
    sheets = [Sheet(name="prompts", title=title, header=header, rows=tuple(rows), note=note)]
    return sheets + _order(of, metric)


def _prompt(system: System) -> str:
    return str(system.tags["run.prompt"])


def _labels(study: Study, groups: Mapping[str, Sequence[System]]) -> list[str]:
    """The names of the models, which differ in more than their prompts."""
    firsts = [study.items.runs[group[0].runs[0]] for group in groups.values()]
    return unique(shared_labels(firsts, without=["run.prompt"]), joint=" #")


def _row(results: Figures, metric: Metric) -> tuple[str, ...]:
    span = (
        "too few prompts"
        if results.few
        else f"{words.figure(results.low, metric)} to {words.figure(results.high, metric)}"
    )
    numbers = (*results.quantiles, results.sd_prompts, results.sd_items)
    return words.figure(results.mean, metric), span, *("–" if n != n else words.figure(n, metric) for n in numbers)


def _listed(means: Sequence[tuple[str, float]], metric: Metric) -> str:
    return ", ".join(f"{name} {words.figure(mean, metric)}" for name, mean in means)


def _order(of: Mapping[str, Mapping[str, float]], metric: Metric) -> list[Sheet]:
    """Which of two models is ahead, prompt by prompt: a conclusion that flips was one about the prompt."""
    rows: list[tuple[str | int, ...]] = []
    for (one, mine), (other, theirs) in combinations(of.items(), 2):
        shared = [name for name in mine if name in theirs]
        ahead = [metric.ahead(mine[name], theirs[name]) for name in shared]
        if len(shared) > 1:
            flips = "flips" if 0 < sum(ahead) < len(shared) else "the same for every prompt"
            rows.append((one, other, f"{sum(ahead)} of {len(shared)}", flips))
    header = ("model", "other model", "ahead with", "order")
    return (
        [Sheet(name="prompt_order", title="Who is ahead, by prompt", header=header, rows=tuple(rows))] if rows else []
    )


def _groups(study: Study) -> dict[str, list[System]]:
    """Systems that differ in nothing but their prompt."""
    return group_by_key(
        (dumps({name: value for name, value in system.tags.items() if name not in LEFT_OUT}), system)
        for system in study.systems
        if "run.prompt" in system.tags
    )


def _values(study: Study, system: System) -> Floats:
    """The main metric of each item that is scored."""
    runs = [item_means(study.arrays.metrics[study.main.name][run], study.arrays.count) for run in system.runs]
    mean: Floats = np.where(study.mask({}), np.mean(runs, axis=0), np.nan)
    return mean


def _clusters(study: Study) -> list[tuple[str, ...]]:
    """The clusters of each item, by number."""
    of = study.arrays.clusters
    named = [tuple(f"c{member}" for member in row if member >= 0) for row in of.member.tolist()]
    return [named[code] for code in of.code.tolist()]


def _means_alone(study: Study, groups: Mapping[str, list[System]]) -> list[Sheet]:
    """Of a metric that has no number for a single item: the values by prompt."""
    values = {s.label: c.estimate.mean for s, c in zip(study.systems, study.cell(study.main, {})) if c is not None}
    rows = []
    for label, group in zip(_labels(study, groups), groups.values(), strict=True):
        listed = [(_prompt(s), values[s.label]) for s in group if s.label in values]
        means = np.array([value for _, value in listed])
        ends = (means.min(), means.max(), means.std(ddof=1))
        rows.append((label, _listed(listed, study.main), *(words.figure(float(e), study.main) for e in ends)))
    header = ("model", "prompts", "lowest", "highest", "standard deviation")
    title = f"Spread between prompts ({words.metric(study.main)})"
    return [Sheet(name="prompts", title=title, header=header, rows=tuple(rows))]
