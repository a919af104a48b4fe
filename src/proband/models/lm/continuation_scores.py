r"""Log-probabilities of continuations: many short ones behind many texts, and texts that share a long context.

    log P(e | left) = \sum_i log P(e_i | left, e_<i)

The continuations are one prefix tree, and a text with the tree behind it is one row of one forward pass: every
beginning is read once per text, no keys or values are copied, and the scores over the vocabulary are reduced at once
to the columns that are asked for. Tree rows need a model that obeys a mask of its own and given positions; whether it
does is tried once, and a model that does not (or a text beyond its attention window) reads plain rows instead.

Texts with one long context in common (a story and its twenty possible answers) go on from it: it is read once.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from proband.core.protocols import Floats
from proband.models.lm.batching import Ints, falling, in_batches, out_of_memory, padded
from proband.models.lm.forward import Network
from proband.models.lm.prefix_trees import Bools, Row, Tree, grow, lay_out, pack, places


def continuation_logprobs(network: Network, lefts: Sequence[Ints], endings: Sequence[Sequence[int]]) -> Floats:
    """Lefts x endings."""
    tree = grow(endings)
    deepest = max(map(len, lefts)) + tree.paths.shape[1]
    if len(tree.tokens) and not (deepest <= window(network) and obeys_trees(network)):
        return _of_plain_rows(network, lefts, tree)
    rows = pack(lefts, tree)
    sizes = np.array([row.size(tree) for row in rows], dtype=np.int64)
    result = np.empty((len(lefts), len(endings)), dtype=np.float32)

    def compute(first: int, end: int) -> None:
        totals = iter(_of_trees(network, rows[first:end], tree))
        for row in rows[first:end]:
            for members in row.members:
                result[list(members)] = next(totals)

    in_batches(sizes, compute, network.budget)
    return result


def window(network: Network) -> float:
    """How far every layer looks back: within it, sliding and chunked attention are plain attention."""
    config = network.model.config.get_text_config()
    named = (getattr(config, name, None) for name in ("sliding_window", "attention_chunk_size"))
    return min((size for size in named if isinstance(size, int) and size > 0), default=float("inf"))


def obeys_trees(network: Network) -> bool:
    """Whether tree rows give this model's own scores, tried once on rows whose copies are far from their place."""
    if network.obeys_trees is None:
        tokens = [(11 * i + 7) % network.vocabulary for i in range(40)]
        tree = grow([[tokens[i % 10], tokens[i], tokens[-i]] for i in range(30)])
        lefts = [np.array(tokens[first : first + length]) for first, length in ((0, 3), (9, 5))]
        lefts = [left for left in lefts if len(left) + 3 <= window(network)]
        network.obeys_trees = bool(lefts) and _agree(network, lefts, tree)
    return network.obeys_trees


def _agree(network: Network, lefts: Sequence[Ints], tree: Tree) -> bool:
    plain = _of_plain_rows(network, lefts, tree)
    try:
        found = np.concatenate([_of_trees(network, [row], tree) for row in pack(lefts, tree)])
    except Exception as error:  # foreign code refuses a mask or positions in many ways
        if out_of_memory(error):
            raise
        return False
    order = [i for row in pack(lefts, tree) for members in row.members for i in members]
    allowed = 1e-3 if network.dtype == "float32" else 0.1
    return bool(np.sqrt(np.mean((found - plain[order]) ** 2)) <= allowed * plain.std())


def _of_trees(network: Network, rows: Sequence[Row], tree: Tree) -> Floats:
    """Beginnings x endings, the beginnings of one row after those of another."""
    ids, positions, sees = lay_out(rows, tree)
    given: dict[str, Any] = {}
    if len(tree.tokens):  # otherwise the rows are ordinary texts
        given = {"attention_mask": _additive(network, sees), "position_ids": network.tensor(positions)}
    row, where = map(network.tensor, places(rows, tree))
    return _along_paths(network, network.states(network.tensor(ids), row, where, **given), tree)


def _additive(network: Network, sees: Bools) -> Any:
    """Zero where a token may look and the least number where not: rows x 1 x width x width."""
    import torch

    dtype = getattr(torch, network.dtype)
    seen = network.tensor(sees)[:, None]
    return torch.zeros(seen.shape, dtype=dtype, device=network.device).masked_fill_(~seen, torch.finfo(dtype).min)


def _of_plain_rows(network: Network, lefts: Sequence[Ints], tree: Tree) -> Floats:
    """Each text with each beginning of an ending behind it as a row of its own, which any causal model reads."""
    begun: list[Ints] = [np.empty(0, dtype=np.int64)]
    for token, parent in zip(tree.tokens, tree.parents):
        begun.append(np.append(begun[parent + 1], token))
    order = falling([len(left) for left in lefts])
    sizes = np.array([len(begun) * (len(lefts[i]) + len(begun[-1])) for i in order], dtype=np.int64)

    def compute(first: int, end: int) -> Floats:
        import torch

        rows = [np.concatenate([lefts[i], beginning]) for i in order[first:end] for beginning in begun]
        most = max(1, network.budget.tokens // (len(lefts[order[first]]) + len(begun[-1])))
        parts = [_last_states(network, rows[at : at + most]) for at in range(0, len(rows), most)]
        return _along_paths(network, torch.cat(parts), tree)

    result = np.empty((len(lefts), len(tree.paths)), dtype=np.float32)
    result[order] = np.concatenate(in_batches(sizes, compute, network.budget))
    return result


def _last_states(network: Network, rows: Sequence[Ints]) -> Any:
    row, last = np.arange(len(rows)), np.array([len(row) - 1 for row in rows])
    return network.states(network.tensor(padded(rows, 0)), network.tensor(row), network.tensor(last))


def _along_paths(network: Network, states: Any, tree: Tree) -> Floats:
    """Sums of log-probabilities over each ending's edges; `states` has all nodes of one beginning, then the next."""
    import torch

    nodes, edges = len(tree.tokens) + 1, len(tree.sources)
    count = len(states) // nodes
    rows = (np.arange(count)[:, None] * nodes + tree.sources).reshape(-1)
    values = network.chosen(states, rows, network.tensor(np.tile(tree.targets, count))).view(count, edges)
    filled = torch.cat([values, values.new_zeros(count, 1)], 1)  # short paths are filled up with an edge of log 1
    found: Floats = filled[:, network.tensor(tree.paths)].sum(-1).cpu().numpy()
    return found


# ---- texts that share a context ------------------------------------------------------------------------------------

# tokens that must be saved before a group is read together; a GPU reads many small texts faster than a few alone
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
