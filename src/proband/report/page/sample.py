"""Which items the browser shows of a large set: a sample from every combination of tags and outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proband.core.statistics.clusters import Ints
from proband.report.numbers.cells import Study


def sample(study: Study, values: Sequence[Any], *, most: int) -> Ints:
    """At most `most` places of items, in their order: all, or some of each stratum. A stratum is a combination of the
    tags of the suite's first table and of the outcomes of all runs (`values`: the main metric of each run per item)."""
    count = study.arrays.count
    if count <= most:
        return np.arange(count)
    table = next(iter(study.items.suite.tables), None)
    names = [name for name in ((*table.rows, *table.columns) if table else ()) if name in study.arrays.tags]
    lines = [study.arrays.tags[name].codes.astype(np.int64) for name in names]
    lines += [_outcome(each) for each in values]
    strata = np.unique(np.column_stack(lines), axis=0, return_inverse=True)[1] if lines else np.zeros(count, np.int64)
    return spread(strata, most=most, seed=study.seed)


def _outcome(values: Any) -> Ints:
    """0 wrong, 1 right, 2 in between or another number, 3 none."""
    outcome: Ints = np.where(np.isnan(values), 3, np.where(values <= 0, 0, np.where(values >= 1, 1, 2)))
    return outcome


def spread(strata: Ints, *, most: int, seed: int) -> Ints:
    """At most `most` places, drawn at random: the strata in turn give one each until they are exhausted, so that
    small strata are shown whole and large ones share what is left.

    >>> spread(np.array([0] * 97 + [1] * 3), most=10, seed=0)[-3:].tolist()
    [97, 98, 99]
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(strata))
    by_stratum = order[np.argsort(strata[order], kind="stable")]
    sorted_strata = strata[by_stratum]
    starts = np.searchsorted(sorted_strata, sorted_strata, side="left")
    turn = np.arange(len(strata)) - starts  # the how-manieth of its stratum
    chosen = by_stratum[np.lexsort((rng.random(len(strata)), turn))[:most]]
    return np.sort(chosen)
