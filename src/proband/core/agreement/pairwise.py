r"""How far each two people agree: the share of the items that both judged on which they gave the same label, and
Cohen's kappa,

    kappa = (po - pe) / (1 - pe),   pe = \sum_l p_a(l) p_b(l)

with the shares of labels that each gave on those items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proband.core.agreement.votes import Votes


@dataclass(frozen=True, kw_only=True, slots=True)
class Pair:
    """Two people; `kappa` is None where both gave one and the same label only."""

    one: str
    other: str
    shared: int
    agreement: float
    kappa: float | None


def pairwise(votes: Votes, *, least: int = 1) -> list[Pair]:
    """Every two people who judged at least `least` items both, those with the lowest kappa first.

    >>> from proband.core.types import Judgment
    >>> said = {"a": "yes yes", "b": "yes no", "c": "no no", "d": "no no"}
    >>> votes = Votes.of(Judgment(item_id=i, worker=w, value=v, seconds=1.0)
    ...                  for i, both in said.items() for w, v in zip(("ann", "ben"), both.split()))
    >>> [(p.one, p.other, p.shared, p.agreement, p.kappa) for p in pairwise(votes)]
    [('ann', 'ben', 4, 0.75, 0.5)]
    """
    people, size = len(votes.workers), len(votes.labels)
    order = np.lexsort((votes.worker, votes.item))
    item, worker, label = votes.item[order], votes.worker[order], votes.label[order]
    keys, cells = [], []
    most = int(np.bincount(item).max(initial=0))
    for step in range(1, most):  # judgments of an item stand together: each with the one `step` places on
        both = item[step:] == item[:-step]
        keys.append((worker[:-step] * people + worker[step:])[both])
        cells.append((label[:-step] * size + label[step:])[both])
    if not keys:
        return []
    pairs, place = np.unique(np.concatenate(keys), return_inverse=True)
    flat = np.bincount(place * size**2 + np.concatenate(cells), minlength=len(pairs) * size**2)
    table = flat.reshape(len(pairs), size, size)
    shared = table.sum(axis=(1, 2))
    same = np.trace(table, axis1=1, axis2=2) / shared
    chance = (table.sum(axis=2) * table.sum(axis=1)).sum(axis=1) / shared**2
    made = [
        Pair(
            one=votes.workers[pair // people],
            other=votes.workers[pair % people],
            shared=int(shared[n]),
            agreement=float(same[n]),
            kappa=float((same[n] - chance[n]) / (1 - chance[n])) if chance[n] < 1 else None,
        )
        for n, pair in enumerate(pairs.tolist())
        if shared[n] >= least
    ]
    return sorted(made, key=lambda pair: (pair.kappa is None, pair.kappa, pair.one, pair.other))
