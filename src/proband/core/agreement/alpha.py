r"""Krippendorff's alpha for nominal labels: 1 - (observed disagreement) / (disagreement expected by chance).

    o_ck = \sum_u n_uc (n_uk - [c = k]) / (m_u - 1)    over items u with m_u > 1 judgments
    alpha = 1 - (n - 1) \sum_{c != k} o_ck / \sum_{c != k} n_c n_k,   n_c = \sum_k o_ck,  n = \sum_c n_c

The coincidences o add up over items, so that the bootstrap over items is a weighted sum of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from proband.core.agreement.votes import Floats, Ints, Votes


@dataclass(frozen=True)
class Alpha:
    """`value` is None where alpha is not defined, and `why` says so in a sentence."""

    value: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""


def krippendorff_alpha(
    votes: Votes, *, seed: int = 0, draws: int = 2000, groups: Mapping[str, str] | None = None
) -> Alpha:
    """Alpha with its 95 % interval over items, or over `groups` of them (the items that one person judges together).

    >>> from proband.core.types import Judgment
    >>> said = {"a": "yes yes", "b": "no no", "c": "yes no"}
    >>> votes = Votes.of(Judgment(item_id=i, worker=str(n), value=v, seconds=1.0)
    ...                  for i, all in said.items() for n, v in enumerate(all.split()))
    >>> round(krippendorff_alpha(votes).value, 4)
    0.4444
    """
    people = votes.count.sum(axis=1)
    shared = votes.count[people > 1].astype(np.float64)
    if not len(shared):
        return Alpha(None, why="Alpha is not defined: no item was judged by two people.")
    if (shared.sum(axis=0) > 0).sum() < 2:
        return Alpha(
            None, why="Alpha is not defined: all judgments are the same label, so no disagreement is expected."
        )
    each = coincidences(shared)
    if groups is not None:
        numbers = group_numbers([name for name, n in zip(votes.items, people, strict=True) if n > 1], groups)
        sums = np.zeros((numbers.max() + 1, *each.shape[1:]))
        np.add.at(sums, numbers, each)
        each = sums
    value = float(alpha_of(each.sum(axis=0)[None])[0])
    rng = np.random.default_rng(seed)
    found: list[Floats] = []
    step = max(1, 400_000 // len(each))
    for begin in range(0, draws, step):
        size = min(step, draws - begin)
        weights = rng.multinomial(len(each), np.full(len(each), 1 / len(each)), size=size)
        sums = weights @ each.reshape(len(each), -1)
        found.append(alpha_of(sums.reshape(size, *each.shape[1:])))
    values = np.concatenate(found)
    values = values[np.isfinite(values)]
    low, high = np.quantile(values, [0.025, 0.975])
    return Alpha(value, float(low), float(high))


def group_numbers(items: Sequence[str], groups: Mapping[str, str] | None) -> Ints:
    """The group of each item by number; an item without one is its own.

    >>> group_numbers(["a", "b", "c"], {"a": "q1", "c": "q1"}).tolist()
    [0, 1, 0]
    """
    names = [groups.get(item, item) for item in items] if groups is not None else list(items)
    places = {name: n for n, name in enumerate(dict.fromkeys(names))}
    return np.array([places[name] for name in names], dtype=np.int64)


def coincidences(count: Floats) -> Floats:
    """Of every item (items x labels x labels)."""
    people = count.sum(axis=1)[:, None, None]
    both = count[:, :, None] * count[:, None, :] - count[:, :, None] * np.eye(count.shape[1])
    return np.asarray(both / (people - 1))


def alpha_of(sums: Floats) -> Floats:
    """Of several matrices of coincidences; NaN where a draw has one label only."""
    margin = sums.sum(axis=2)
    total = margin.sum(axis=1)
    observed = total - np.trace(sums, axis1=1, axis2=2)
    expected = total**2 - (margin**2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1 - (total - 1) * observed / expected)
