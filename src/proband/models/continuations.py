"""Log-probabilities of many short continuations behind many texts, each text read once."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from proband.core.protocols import Floats
from proband.models.batching import Ints, falling, in_batches
from proband.models.forward import Network


def continuation_logprobs(network: Network, lefts: Sequence[Ints], endings: Sequence[Sequence[int]]) -> Floats:
    r"""Lefts x endings: \sum_i log P(e_i | left, e_<i).

    Lefts of one length run together. The distribution behind them gives every ending's first token; for longer
    endings the kept keys and values are repeated over the distinct beginnings e_<n, one batch per length.
    """
    result = np.empty((len(lefts), len(endings)), dtype=np.float32)
    order = falling([len(left) for left in lefts])
    for length in sorted({len(left) for left in lefts}, reverse=True):
        same = np.array([i for i in order if len(lefts[i]) == length])
        rows = np.stack([lefts[i] for i in same])

        def compute(first: int, end: int, rows: Ints = rows) -> Floats:
            return _of_batch(network, rows[first:end], endings)

        # one left costs as many tokens as it has, and at least its row of scores over the vocabulary
        sizes = np.full(len(same), max(length, 16), dtype=np.int64)
        result[same] = np.concatenate(in_batches(sizes, compute, network.budget))
    return result


def _of_batch(network: Network, rows: Ints, endings: Sequence[Sequence[int]]) -> Floats:
    import torch

    longer = sorted({len(ending) for ending in endings} - {1})
    with torch.inference_mode():
        last, cache = _read(network, network.tensor(rows), cache=None, keep=bool(longer))
        first = network.tensor(np.array([ending[0] for ending in endings], dtype=np.int64))
        result: Floats = last[:, -1].index_select(1, first).cpu().numpy()
        for length in longer:
            chosen = [i for i, ending in enumerate(endings) if len(ending) == length]
            begun = list(dict.fromkeys(tuple(endings[i][:-1]) for i in chosen))
            result[:, chosen] += _rest(network, cache, len(rows), begun, [endings[i] for i in chosen])
    return result


def _rest(
    network: Network, cache: Any, lefts: int, begun: list[tuple[int, ...]], endings: list[Sequence[int]]
) -> Floats:
    r"""\sum_{i>1} log P(e_i | left, e_<i) for endings of one length that begin as one of `begun`."""
    width = len(begun[0])
    most = max(1, network.budget.tokens // (lefts * max(width, 16)))
    number = {beginning: i for i, beginning in enumerate(begun)}
    of_ending = np.array([number[tuple(ending[:-1])] for ending in endings])
    out = np.empty((lefts, len(endings)), dtype=np.float32)
    for at in range(0, len(begun), most):
        part = np.array(begun[at : at + most], dtype=np.int64)
        mine = np.flatnonzero((of_ending >= at) & (of_ending < at + len(part)))
        repeated = copy.deepcopy(cache)  # a forward pass appends to the cache it is given
        repeated.batch_repeat_interleave(len(part))
        logprobs, _ = _read(network, network.tensor(np.tile(part, (lefts, 1))), cache=repeated, keep=True)
        logprobs = logprobs.view(lefts, len(part), width, -1)
        row = network.tensor(of_ending[mine] - at)
        total: Any = 0.0
        for i in range(width):
            following = network.tensor(np.array([endings[j][i + 1] for j in mine], dtype=np.int64))
            total = total + logprobs[:, row, i, following]
        out[:, mine] = total.cpu().numpy()
    return out


def _read(network: Network, ids: Any, *, cache: Any, keep: bool) -> tuple[Any, Any]:
    """Log-probabilities behind every token of a continuation, or behind the last one of a beginning."""
    keep_all = cache is not None
    output = network.model(ids, past_key_values=cache, use_cache=keep, **({} if keep_all else {"logits_to_keep": 1}))
    return output.logits.float().log_softmax(-1), output.past_key_values
