"""Aggregation by counting."""

from __future__ import annotations

import numpy as np

from proband.core.agreement.votes import Aggregate, Votes


def majority(votes: Votes) -> Aggregate:
    """The label that most people gave; no decision where two tie.

    >>> from proband.core.types import Judgment
    >>> said = {"a": "yes yes no", "b": "yes no"}
    >>> votes = Votes.of(Judgment(item_id=i, worker=str(n), value=v, seconds=1.0)
    ...                  for i, all in said.items() for n, v in enumerate(all.split()))
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
