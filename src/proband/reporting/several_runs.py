"""Models that were asked the same items several times: with several prompts, or sampling (`run --repeat N`).

Prompts: an answer is one to an item under a prompt. Both are taken as samples: of the items that might have been asked,
and of the ways in which the question might have been put. The interval of the mean counts both (clusters of several
kinds, stats/clusters.py). Items need not have been asked with every prompt.

    same every time  share of items that got one and the same answer in all repeats
    pass^k           right in all k repeats
    by vote          score of the answer that most repeats gave (self-consistency); of equally many, the one given first

The unit of all intervals of repeats is the item, with what items share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from proband.core.files import dumps, figure, group_by_key
from proband.core.metrics import ACCURACY, Estimate
from proband.core.suite import Sheet
from proband.core.types import LEFT_OUT, Answer, Item
from proband.reporting.numbers import formatting
from proband.reporting.numbers.formatting import System, shared_labels, unique
from proband.reporting.numbers.study import Study
from proband.reporting.variations import Cell, in_words, share_cells
from proband.stats import Mean, Scores, Share
from proband.stats.clusters import Clusters, clusters_of

PROMPTS = (
    "The mean over prompts, with an interval that counts prompts and items as sampled; the lowest and the highest "
    "prompt, and the standard deviation of the prompts' means (which chance alone spreads too)."
)


def several_run_sheets(study: Study) -> list[Sheet]:
    """A line per model that was asked with several prompts, and one per model that was asked several times."""
    prompted = [each for each in study.systems if "run.prompt" in each.tags]
    alone = [system for system in study.systems if len(system.runs) == 1 and not system.tags.get("run.net")]
    by_prompt, repeated = _groups(study, prompted, "run.prompt"), _groups(study, alone, "run.seed")
    firsts = [[study.runs[group[0].runs[0]] for group in groups] for groups in (by_prompt, repeated)]
    labels = unique(shared_labels(firsts[0], without=["run.prompt"]), joint=" #")
    rows = [(label, *_prompts(study, group)) for label, group in zip(labels, by_prompt, strict=True)]
    header = ("model", "prompts", "mean", "95 %", "lowest", "highest", "standard deviation", "by prompt")
    title = f"Spread between prompts ({formatting.metric(study.main)})"
    sheets = [Sheet(name="prompts", title=title, header=header, rows=tuple(rows), note=PROMPTS)] if rows else []
    asked = shared_labels(firsts[1], without=["run.seed"])
    lines = [_repeats(label, study, [each.runs[0] for each in group]) for label, group in zip(asked, repeated)]
    shares = ("same every time", "95 %", "pass^k, k = repeats", "95 %", "by vote", "95 %")
    columns = ("model", "repeats", "items", "score", *shares)
    note = "pass^k: right every time. By vote: the answer that most repeats gave."
    repeats = Sheet(name="repeats", title="Asked several times", header=columns, rows=tuple(lines), note=note)
    return [*sheets, repeats] if lines else sheets


def _groups(study: Study, systems: Sequence[System], apart: str) -> list[list[System]]:
    """Systems of one configuration (tags, identity of the model) that differ in this tag, where there are several."""
    tags = ({name: value for name, value in system.tags.items() if name != apart} for system in systems)
    keys = [dumps([own, {**study.runs[system.runs[0]].identity, "seed": ""}]) for own, system in zip(tags, systems)]
    groups = group_by_key(zip(keys, systems)).values()
    return [each for each in groups if len({system.tags[apart] for system in each}) == len(each) > 1]


def _prompts(study: Study, group: Sequence[System]) -> tuple[Cell, ...]:
    metric, known = study.main, study.scores(study.main, {})
    scores = {
        str(system.tags["run.prompt"]): known[at] for system in group if (at := study.systems.index(system)) in known
    }
    means = sorted(((own.value, prompt) for prompt, own in scores.items()), key=lambda each: -each[0])
    listed = ", ".join(f"{prompt} {formatting.figure(mean, metric)}" for mean, prompt in means)
    values = np.array([mean for mean, _ in means])
    spread = [formatting.figure(float(each), metric) for each in (values.min(), values.max(), values.std(ddof=1))]
    if metric.over == "set":  # no number of a single item
        return len(group), formatting.figure(float(values.mean()), metric), None, *spread, listed
    mean = over_prompts(scores, share=metric.percent)
    span = "too few prompts" if mean.few else formatting.interval(mean.low, mean.high, metric)
    return len(group), formatting.figure(mean.mean, metric), span, *spread, listed


def over_prompts(scores: Mapping[str, Scores], *, share: bool) -> Estimate:
    """The mean of all answers, where prompts and what items share are both samples."""
    values: list[float] = []
    names: list[tuple[str, ...]] = []
    for prompt, own in scores.items():
        values += own.numbers.mean(0).tolist()
        places = own.items if own.places is None else own.places
        members = own.clusters.member[own.clusters.code[places]].tolist()
        names += [(f"prompt {prompt}", *(f"c{member}" for member in row if member >= 0)) for row in members]
    return Scores.of(values, clusters=Clusters.of(names), estimator=Share() if share else Mean()).interval()


def _repeats(label: str, study: Study, runs: Sequence[int]) -> tuple[Cell, ...]:
    given: dict[str, tuple[Item, list[Answer]]] = {}
    for run in runs:
        for item, answer in study.scored(run):
            if answer.status not in LEFT_OUT and item.gold is not None:
                given.setdefault(item.id, (item, []))[1].append(answer)
    whole = [(item, answers) for item, answers in given.values() if len(answers) == len(runs)]
    if not whole:
        return (label, len(runs), 0, *[None] * 7)
    clusters = Clusters.of([clusters_of(item) for item, _ in whole])
    right = [[ACCURACY.value(item, answer) or 0.0 for answer in answers] for item, answers in whole]
    words = [[in_words(item, answer) for answer in answers] for item, answers in whole]
    same = [float(len(set(each)) == 1) for each in words]
    always = [float(min(line) == 1) for line in right]
    vote = [line[each.index(Counter(each).most_common(1)[0][0])] for line, each in zip(right, words)]
    cells = [cell for values in (same, always, vote) for cell in share_cells(values, clusters)]
    return (label, len(runs), len(whole), figure(float(np.mean(right))), *cells)
