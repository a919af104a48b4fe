r"""How far people agree: three coefficients, and the judgments (votes) they are computed from.

Krippendorff's alpha for nominal labels: 1 - (observed disagreement) / (disagreement expected by chance).

    o_ck = \sum_u n_uc (n_uk - [c = k]) / (m_u - 1)    over items u with m_u > 1 judgments
    alpha = 1 - (n - 1) \sum_{c != k} o_ck / \sum_{c != k} n_c n_k,   n_c = \sum_k o_ck,  n = \sum_c n_c

The coincidences o add up over items, so that the bootstrap over items is a weighted sum of them.

Gwet's AC1 (2008): agreement beyond chance, where chance is what raters share when they guess.

    pa  = mean over items with m_u > 1 judgments of  \sum_c n_uc (n_uc - 1) / (m_u (m_u - 1))
    pi_c = mean over items of n_uc / m_u,   pe = \sum_c pi_c (1 - pi_c) / (q - 1)
    AC1 = (pa - pe) / (1 - pe)

Unlike alpha it stays near the observed agreement when almost everything has one label.

How far each two people agree: the share of the items that both judged on which they gave the same label, and
Cohen's kappa,

    kappa = (po - pe) / (1 - pe),   pe = \sum_l p_a(l) p_b(l)

with the shares of labels that each gave on those items.

Judgments as arrays (item, worker and label of each by number), and aggregation by counting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from proband.core.errors import ProbandError
from proband.core.types import Judgment
from proband.stats.clusters import Floats, Ints


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
    >>> labels = {"a": "yes yes", "b": "no no", "c": "yes no"}
    >>> votes = Votes.of(Judgment(item_id=i, worker=str(n), value=v, seconds=1.0)
    ...                  for i, all in labels.items() for n, v in enumerate(all.split()))
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
    names = [name for name, n in zip(votes.items, people, strict=True) if n > 1]
    each = coincidences(shared)
    shape = each.shape[1:]
    return bootstrap(
        lambda sums: alpha_of(sums.reshape(-1, *shape)),
        each.reshape(len(each), -1),
        group_numbers(names, groups),
        seed=seed,
        draws=draws,
    )


def bootstrap(of: Callable[[Floats], Floats], each: Floats, groups: Ints, *, seed: int, draws: int) -> Alpha:
    """A coefficient `of` sums over items (a row of `each` per item); its interval draws groups with replacement. A
    single group has none."""
    sums = np.zeros((groups.max() + 1, each.shape[1]))
    np.add.at(sums, groups, each)
    value = float(of(sums.sum(axis=0)[None])[0])
    if len(sums) < 2:
        return Alpha(value)
    rng, equal = np.random.default_rng(seed), np.full(len(sums), 1 / len(sums))
    step = max(1, 100_000 // len(sums))  # a bound on memory
    sizes = [min(step, draws - begin) for begin in range(0, draws, step)]
    values = np.concatenate([of(rng.multinomial(len(sums), equal, size=size).astype(float) @ sums) for size in sizes])
    low, high = np.quantile(values[np.isfinite(values)], [0.025, 0.975])
    return Alpha(value, float(low), float(high))


def group_numbers(items: Sequence[str], groups: Mapping[str, str] | None) -> Ints:
    """The group of each item by number; an item without one is its own.

    >>> group_numbers(["a", "b", "c"], {"a": "q1", "c": "q1"}).tolist()
    [0, 1, 0]
    """
    known, places = groups or {}, dict[str, int]()
    return np.fromiter((places.setdefault(known.get(item, item), len(places)) for item in items), dtype=np.int64)


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


# ---- Gwet's AC1 ------------------------------------------------------------------------------------------------------


def gwet_ac1(votes: Votes, *, seed: int = 0, draws: int = 2000, groups: Mapping[str, str] | None = None) -> Alpha:
    """AC1 with its 95 % interval over items, or over `groups` of them.

    >>> from proband.core.types import Judgment
    >>> labels = {"a": "yes yes", "b": "yes yes", "c": "yes no"}
    >>> votes = Votes.of(Judgment(item_id=i, worker=str(n), value=v, seconds=1.0)
    ...                  for i, all in labels.items() for n, v in enumerate(all.split()))
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
    return bootstrap(ac1_of, each, group_numbers(votes.items, groups), seed=seed, draws=draws)


def ac1_of(sums: Floats) -> Floats:
    """Of rows of sums over items: agreement, items with two judgments, items, share of each label."""
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = sums[:, 0] / sums[:, 1]
        share = sums[:, 3:] / sums[:, 2:3]
        chance = (share * (1 - share)).sum(axis=1) / (sums.shape[1] - 4)
        return np.asarray((observed - chance) / (1 - chance))


# ---- each two people -------------------------------------------------------------------------------------------------


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
    >>> labels = {"a": "yes yes", "b": "yes no", "c": "no no", "d": "no no"}
    >>> votes = Votes.of(Judgment(item_id=i, worker=w, value=v, seconds=1.0)
    ...                  for i, both in labels.items() for w, v in zip(("ann", "ben"), both.split()))
    >>> [(p.one, p.other, p.shared, p.agreement, p.kappa) for p in pairwise(votes)]
    [('ann', 'ben', 4, 0.75, 0.5)]
    """
    people, size = len(votes.workers), len(votes.labels)
    order = np.lexsort((votes.worker, votes.item))
    item, worker, label = votes.item[order], votes.worker[order], votes.label[order]
    keys, cells = [], []
    most = int(np.bincount(item).max(initial=0))
    for step in range(1, most):  # judgments of an item are adjacent: each is paired with the one `step` places on
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


# ---- votes -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Votes:
    """N judgments: `item[n]`, `worker[n]` and `label[n]` index the three lists of names."""

    items: tuple[str, ...]
    workers: tuple[str, ...]
    labels: tuple[str, ...]
    item: Ints
    worker: Ints
    label: Ints

    @classmethod
    def of(cls, judgments: Iterable[Judgment], *, labels: Sequence[str] = ()) -> Votes:
        """In order of appearance; `labels` fixes which there are, and any other one is an error. A worker's last
        judgment of an item counts.

        >>> both = Votes.of([Judgment(item_id="a", worker="w", value=v, seconds=1.0) for v in ("yes", "no")])
        >>> both.labels, both.count.tolist()
        (('no',), [[1]])
        """
        last = {(each.item_id, each.worker): each.value for each in judgments}
        items = {name: n for n, name in enumerate(dict.fromkeys(item for item, _ in last))}
        workers = {name: n for n, name in enumerate(dict.fromkeys(worker for _, worker in last))}
        known = {name: n for n, name in enumerate(labels or sorted(set(last.values())))}
        for (item, worker), value in last.items():
            if value not in known:
                raise ProbandError(f"{worker} judged {item!r} {value!r}, not one of {', '.join(known)}")
        rows = [(items[item], workers[worker], known[value]) for (item, worker), value in last.items()]
        item_at, worker_at, label_at = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return cls(tuple(items), tuple(workers), tuple(known), item_at, worker_at, label_at)

    @cached_property
    def count(self) -> Ints:
        """How often each item got each label (items x labels)."""
        size = len(self.items) * len(self.labels)
        return np.bincount(self.item_label, minlength=size).reshape(len(self.labels), -1).T

    @cached_property
    def item_label(self) -> Ints:
        """The cell of every judgment in a table of items x labels, stored label after label: over the few labels of an
        item numpy is many times quicker that way."""
        return self.label * len(self.items) + self.item

    @cached_property
    def worker_label(self) -> Ints:
        """The cell of every judgment in a table of workers x labels."""
        return self.worker * len(self.labels) + self.label

    @cached_property
    def count_by_worker(self) -> Ints:
        """How often each worker gave each label (workers x labels)."""
        size = len(self.workers) * len(self.labels)
        return np.bincount(self.worker_label, minlength=size).reshape(-1, len(self.labels))

    def sum_by_item(self, weights: Floats) -> Floats:
        """Sums of a weight per judgment (items x labels)."""
        size = len(self.items) * len(self.labels)
        sums: Floats = np.bincount(self.item_label, weights, size).astype(np.float64)
        return sums.reshape(len(self.labels), -1).T

    def sum_by_worker(self, weights: Floats) -> Floats:
        """Sums of a weight per judgment (workers x labels)."""
        size = len(self.workers) * len(self.labels)
        sums: Floats = np.bincount(self.worker_label, weights, size).astype(np.float64)
        return sums.reshape(-1, len(self.labels))

    def named(self, chosen: Ints) -> Mapping[str, str | None]:
        """The label of each item by name; -1: none."""
        return {item: self.labels[at] if at >= 0 else None for item, at in zip(self.items, chosen, strict=True)}


@dataclass(frozen=True)
class Aggregate:
    """One label per item (None: no decision)."""

    labels: Mapping[str, str | None]

    @property
    def retained(self) -> float:
        """The share of items that got a label."""
        return sum(label is not None for label in self.labels.values()) / max(1, len(self.labels))


# ---- majority, and the rule of Levy & Dagan --------------------------------------------------------------------------


def majority(votes: Votes) -> Aggregate:
    """The label that most people gave; no decision where two tie.

    >>> from proband.core.types import Judgment
    >>> labels = {"a": "yes yes no", "b": "yes no"}
    >>> votes = Votes.of(Judgment(item_id=i, worker=str(n), value=v, seconds=1.0)
    ...                  for i, all in labels.items() for n, v in enumerate(all.split()))
    >>> majority(votes).labels
    {'a': 'yes', 'b': None}
    """
    best = votes.count.max(axis=1, keepdims=True)
    alone = (votes.count == best).sum(axis=1) == 1
    return Aggregate(votes.named(np.where(alone, votes.count.argmax(axis=1), -1)))


def all_but(votes: Votes, *, dissent: int = 1, least: int = 5) -> Aggregate:
    """Levy & Dagan's rule, "unanimous up to one": the label that all of an item's people gave except at most `dissent`
    (4 of 5); no decision where fewer than `least` judged the item."""
    people = votes.count.sum(axis=1)
    most = votes.count.max(axis=1)
    enough = (people >= least) & (most >= people - dissent) & (2 * most > people)
    return Aggregate(votes.named(np.where(enough, votes.count.argmax(axis=1), -1)))
