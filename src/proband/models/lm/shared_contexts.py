"""Texts that go on from one context, such as a story and its twenty possible answers: the context is read once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from proband.models.lm.batching import Ints, padded
from proband.models.lm.forward import Network

# tokens that must be saved for a group to go its own way; a GPU reads many small texts faster than a few alone
WORTH = {"cpu": 64, "cuda": 8192}


def shared(
    keys: Sequence[Hashable], rows: Sequence[Ints], positions: Sequence[Ints], *, worth: int
) -> list[tuple[int, list[int]]]:
    """Groups (length of the common beginning, members) of rows with one key that are worth reading together.

    The common beginning ends before the token that predicts the first counted one.

    >>> rows = [np.array([5, 6, 7, 8, last]) for last in (1, 2, 3)]
    >>> shared(["k"] * 3, rows, [np.array([4])] * 3, worth=6)
    [(3, [0, 1, 2])]
    >>> shared(["k"] * 3, rows, [np.array([4])] * 3, worth=7)
    []
    """
    members: dict[Hashable, list[int]] = {}
    for i, key in enumerate(keys):
        members.setdefault(key, []).append(i)
    groups = []
    for group in members.values():
        length = min(int(positions[i][0]) - 1 for i in group)
        if length * (len(group) - 1) < worth:
            continue
        begun = np.stack([rows[i][:length] for i in group])
        differing = np.flatnonzero((begun != begun[0]).any(0))
        length = int(differing[0]) if len(differing) else length
        if length and length * (len(group) - 1) >= worth:
            groups.append((length, group))
    return groups


def continued(network: Network, length: int, rows: Sequence[Ints], positions: Sequence[Ints]) -> Ints:
    """Sums of log-probabilities for rows whose first `length` tokens are the same."""
    import torch

    rest = [row[length:] for row in rows]
    most = max(1, network.budget.tokens // (length + max(map(len, rest))))
    totals = []
    with torch.inference_mode():
        for first in range(0, len(rows), most):
            part, where = rest[first : first + most], positions[first : first + most]
            cache = network.model.base_model(network.tensor(rows[0][None, :length]), use_cache=True).past_key_values
            cache.batch_repeat_interleave(len(part))
            counts = [len(at) for at in where]
            values = network.logprobs(
                network.tensor(padded(part, 0)),
                None,
                network.tensor(np.repeat(np.arange(len(part)), counts)),
                network.tensor(np.concatenate(where) - length - 1),
                network.tensor(np.concatenate([row[at] for row, at in zip(rows[first : first + most], where)])),
                cache=cache,
            )
            ends = np.cumsum([0, *counts[:-1]])
            totals.append(np.add.reduceat(values.double().cpu().numpy(), ends))
    result: Any = np.concatenate(totals)
    return result  # type: ignore[no-any-return]
