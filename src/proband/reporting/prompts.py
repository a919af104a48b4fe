"""How much of a score is the prompt: models that were asked the same items with several prompts.

An answer is one to an item under a prompt. Both are taken as samples: of the items that might have been asked, and of
the ways in which the question might have been put. The interval of the mean counts both (clusters of several kinds,
stats/clusters.py). Items need not have been asked with every prompt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from proband.core.files import dumps, group_by_key
from proband.core.suite import Sheet
from proband.core.types import Estimate
from proband.reporting.numbers import formatting
from proband.reporting.numbers.cells import Study
from proband.reporting.numbers.formatting import System, shared_labels, unique
from proband.stats import Mean, Scores, Share
from proband.stats.clusters import Clusters

LEFT_OUT = ("run.prompt", "run.asked")
NOTE = (
    "The mean over prompts, with an interval that counts prompts and items as sampled; the lowest and the highest "
    "prompt, and the standard deviation of the prompts' means (which chance alone spreads too)."
)


def prompt_sheets(study: Study) -> list[Sheet]:
    """One line per model that was asked with several prompts."""
    groups = {key: group for key, group in _groups(study).items() if len(group) > 1}
    firsts = [study.items.runs[group[0].runs[0]] for group in groups.values()]
    labels = unique(shared_labels(firsts, without=["run.prompt"]), joint=" #")
    rows = [(label, *_row(study, group)) for label, group in zip(labels, groups.values(), strict=True)]
    header = ("model", "prompts", "mean", "95 %", "lowest", "highest", "standard deviation", "by prompt")
    title = f"Spread between prompts ({formatting.metric(study.main)})"
    return [Sheet(name="prompts", title=title, header=header, rows=tuple(rows), note=NOTE)] if rows else []


def _groups(study: Study) -> dict[str, list[System]]:
    """Systems that differ in nothing but their prompt."""
    return group_by_key(
        (dumps({name: value for name, value in system.tags.items() if name not in LEFT_OUT}), system)
        for system in study.systems
        if "run.prompt" in system.tags
    )


def _row(study: Study, group: Sequence[System]) -> tuple[str | int | None, ...]:
    metric, everything = study.main, study.mask({})
    scores = {
        str(system.tags["run.prompt"]): own
        for system in group
        if len(own := study.scores_of(study.systems.index(system), metric, everything))
    }
    means = {prompt: own.value for prompt, own in scores.items()}
    listed = ", ".join(
        f"{name} {formatting.figure(mean, metric)}" for name, mean in sorted(means.items(), key=_by_mean)
    )
    values = np.array(list(means.values()))
    spread = [formatting.figure(float(each), metric) for each in (values.min(), values.max(), values.std(ddof=1))]
    if metric.over == "set":  # no number of a single item
        return len(group), formatting.figure(float(values.mean()), metric), None, *spread, listed
    mean = over_prompts(scores, share=metric.percent)
    span = "too few prompts" if mean.few else formatting.interval(mean.low, mean.high, metric)
    return len(group), formatting.figure(mean.mean, metric), span, *spread, listed


def _by_mean(prompt: tuple[str, float]) -> float:
    return -prompt[1]


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
