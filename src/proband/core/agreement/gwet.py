r"""Gwet's AC1 (2008): agreement beyond chance, where chance is what raters share when they guess.

    pa  = mean over items with m_u > 1 judgments of  \sum_c n_uc (n_uc - 1) / (m_u (m_u - 1))
    pi_c = mean over items of n_uc / m_u,   pe = \sum_c pi_c (1 - pi_c) / (q - 1)
    AC1 = (pa - pe) / (1 - pe)

Unlike alpha it stays near the observed agreement when almost everything has one label.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from proband.core.agreement.alpha import Alpha, group_numbers
from proband.core.agreement.votes import Floats, Votes


def gwet_ac1(votes: Votes, *, seed: int = 0, draws: int = 2000, groups: Mapping[str, str] | None = None) -> Alpha:
    """AC1 with its 95 % interval over items, or over `groups` of them.

    >>> from proband.core.types import Judgment
    >>> said = {"a": "yes yes", "b": "yes yes", "c": "yes no"}
    >>> votes = Votes.of(Judgment(item_id=i, worker=str(n), value=v, seconds=1.0)
    ...                  for i, all in said.items() for n, v in enumerate(all.split()))
    >>> round(gwet_ac1(votes).value, 4)
    0.5385
    """
    count = votes.count.astype(np.float64)
    people = count.sum(axis=1)
    if not (people > 1).any():
        return Alpha(None, why="AC1 is not defined: no item was judged by two people.")
    if len(votes.labels) < 2:
        return Alpha(None, why="AC1 is not defined: there is one label only.")
    pairs = np.maximum(people * (people - 1), 1)
    agreed = np.where(people > 1, (count * (count - 1)).sum(axis=1) / pairs, 0.0)
    each = np.column_stack([agreed, people > 1, np.ones(len(people)), count / people[:, None]])
    numbers = group_numbers(votes.items, groups)
    sums = np.zeros((numbers.max() + 1, each.shape[1]))
    np.add.at(sums, numbers, each)
    value = float(ac1_of(sums.sum(axis=0)[None])[0])
    rng, equal = np.random.default_rng(seed), np.full(len(sums), 1 / len(sums))
    step = max(1, 400_000 // len(sums))  # a bound on memory
    sizes = [min(step, draws - begin) for begin in range(0, draws, step)]
    drawn = [ac1_of(rng.multinomial(len(sums), equal, size=size).astype(np.float64) @ sums) for size in sizes]
    low, high = np.nanquantile(np.concatenate(drawn), [0.025, 0.975])
    return Alpha(value, float(low), float(high))


def ac1_of(sums: Floats) -> Floats:
    """Of rows of sums over items: agreement, items with two judgments, items, share of each label."""
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = sums[:, 0] / sums[:, 1]
        share = sums[:, 3:] / sums[:, 2:3]
        chance = (share * (1 - share)).sum(axis=1) / (sums.shape[1] - 4)
        return np.asarray((observed - chance) / (1 - chance))
