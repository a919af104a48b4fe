r"""Log-probabilities of continuations: many short ones after many texts, and texts that share a long context.

    log P(e | left) = \sum_i log P(e_i | left, e_<i)

The continuations form one prefix tree, and a text followed by the tree is one row of one forward pass: every
beginning is read once per text, no keys or values are copied, and the scores over the vocabulary are reduced at once
to the requested columns. Tree rows need a model that obeys the given mask and positions; this is tested once. A
model that does not (or a text beyond its attention window) reads plain rows instead.

Texts that share one long context (a story and its twenty possible answers) form such a tree, too.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.files import group_by_key
from proband.core.protocols import Floats32
from proband.models.lm.network import Ints, Network, in_batches, in_length_order, padded
from proband.models.lm.prefix_trees import Bools, PrefixTree, TreeRow, grow, lay_out, pack

Doubles = NDArray[np.float64]


def continuation_logprobs(network: Network, lefts: Sequence[Ints], endings: Sequence[Sequence[int]]) -> Floats32:
    """Lefts x endings."""
    tree = grow(endings)
    deepest = max(map(len, lefts)) + tree.paths.shape[1]
    if len(tree.tokens) and not (deepest <= window(network) and obeys_trees(network)):
        return _of_plain_rows(network, lefts, tree)
    return _of_tree_rows(network, lefts, tree)


def window(network: Network) -> float:
    """How far every layer looks back; within it, sliding and chunked attention equal full attention."""
    config = network.model.config.get_text_config()
    named = (getattr(config, name, None) for name in ("sliding_window", "attention_chunk_size"))
    return min((size for size in named if isinstance(size, int) and size > 0), default=float("inf"))


def obeys_trees(network: Network) -> bool:
    """Do tree rows reproduce this model's scores? Tested once, on rows with copies far from their position."""
    if network.obeys_trees is None:
        tokens = [(11 * i + 7) % network.vocabulary for i in range(40)]
        tree = grow([[tokens[i % 10], tokens[i], tokens[-i]] for i in range(30)])
        lefts = [np.array(tokens[first : first + length]) for first, length in ((0, 3), (9, 5))]
        lefts = [left for left in lefts if len(left) + 3 <= window(network)]
        network.obeys_trees = bool(lefts) and _agree(network, lefts, tree)
    return network.obeys_trees


def _agree(network: Network, lefts: Sequence[Ints], tree: PrefixTree) -> bool:
    plain = _of_plain_rows(network, lefts, tree)
    try:
        trees = _of_tree_rows(network, lefts, tree)
    except ProbandError:  # not enough memory
        raise
    except Exception:  # third-party code rejects a mask or positions with many kinds of errors
        return False
    allowed = 1e-3 if network.dtype == "float32" else 0.1
    return bool(np.sqrt(np.mean((trees - plain) ** 2)) <= allowed * plain.std())


def _of_tree_rows(network: Network, lefts: Sequence[Ints], tree: PrefixTree) -> Floats32:
    """Each text followed by the tree; texts with a common beginning may share a row."""
    rows = pack(lefts, tree)
    result = np.empty((len(lefts), len(tree.paths)), dtype=np.float32)

    def compute(first: int, end: int) -> None:
        totals = _along_paths(network, _node_states(network, rows[first:end]), tree).cpu().numpy()
        members = [members for row in rows[first:end] for members in row.members]
        for texts, total in zip(members, totals):
            result[list(texts)] = total

    in_batches(np.array([row.size for row in rows], dtype=np.int64), compute, network.budget)
    return result


def _node_states(network: Network, rows: Sequence[TreeRow]) -> Any:
    """The states at every node that the head reads: beginning after beginning, the root first."""
    ids, positions, sees, row, where = lay_out(rows)
    given: dict[str, Any] = {}
    if any(len(row.tree.tokens) for row in rows):  # otherwise the rows are ordinary texts
        given = {"attention_mask": _additive(network, sees), "position_ids": network.tensor(positions)}
    return network.states(network.tensor(ids), network.tensor(row), network.tensor(where), **given)


def _additive(network: Network, sees: Bools) -> Any:
    """Zero where a token may attend and the least number elsewhere: rows x 1 x width x width."""
    import torch

    dtype = getattr(torch, network.dtype)
    seen = network.tensor(sees)[:, None]
    return torch.zeros(seen.shape, dtype=dtype, device=network.device).masked_fill_(~seen, torch.finfo(dtype).min)


def _of_plain_rows(network: Network, lefts: Sequence[Ints], tree: PrefixTree) -> Floats32:
    """A plain row for each text with each beginning of an ending, which any causal model can read."""
    begun: list[Ints] = [np.empty(0, dtype=np.int64)]
    for token, parent in zip(tree.tokens, tree.parents):
        begun.append(np.append(begun[parent + 1], token))
    sizes = [len(begun) * (len(left) + len(begun[-1])) for left in lefts]

    def compute(picks: Ints) -> Any:
        import torch

        rows = [np.concatenate([lefts[i], beginning]) for i in picks for beginning in begun]
        most = max(1, network.budget.tokens // (len(lefts[picks[0]]) + len(begun[-1])))
        parts = [_last_states(network, rows[at : at + most]) for at in range(0, len(rows), most)]
        return _along_paths(network, torch.cat(parts), tree)

    scores: Floats32 = in_length_order(sizes, compute, network.budget)
    return scores


def _last_states(network: Network, rows: Sequence[Ints]) -> Any:
    row, last = np.arange(len(rows)), np.array([len(row) - 1 for row in rows])
    return network.states(network.tensor(padded(rows, 0)), network.tensor(row), network.tensor(last))


def _along_paths(network: Network, states: Any, tree: PrefixTree) -> Any:
    """Sums of log-probabilities over each ending's edges; `states` has all nodes of one beginning, then the next."""
    import torch

    nodes, edges = len(tree.tokens) + 1, len(tree.sources)
    count = len(states) // nodes
    rows = (np.arange(count)[:, None] * nodes + tree.sources).reshape(-1)
    values = network.chosen(states, rows, network.tensor(np.tile(tree.targets, count))).view(count, edges)
    filled = torch.cat([values, values.new_zeros(count, 1)], 1)  # short paths are filled up with an edge of log 1
    return filled[:, network.tensor(tree.paths)].sum(-1)


# ---- texts that share a context ------------------------------------------------------------------------------------

WORTH_A_TREE = {"cpu": 16}  # least tokens saved for a group to be read as a tree: a GPU reads small texts faster
ALIKE = 4  # counted tokens that rows must share to be a tree without a context
LONGEST_ROW = 4096  # tokens of a tree row; attention grows with its square


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
    members = group_by_key((key, i) for i, key in enumerate(keys))
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


def begun_alike(rows: Sequence[Ints], positions: Sequence[Ints], among: Sequence[int]) -> list[tuple[int, list[int]]]:
    """Groups (length of what is not counted, members) of rows with the same first counted tokens: the answer comes
    first and several subjects follow it.

    >>> rows = [np.array([0, 5, *rest]) for rest in ([6, 7, 8, 9, 1], [6, 7, 8, 9, 2], [3, 3, 3, 3, 3])]
    >>> begun_alike(rows, [np.arange(1, 7)] * 3, range(3))
    [(1, [0, 1])]
    """
    members: dict[tuple[int, ...], list[int]] = {}
    for i in among:
        first = int(positions[i][0])
        members.setdefault((first, *rows[i][: first + ALIKE].tolist()), []).append(i)
    return [(first, group) for (first, *_), group in members.items() if len(group) > 1]


def text_logprobs(network: Network, keys: Sequence[str], rows: Sequence[Ints], positions: Sequence[Ints]) -> Doubles:
    """Sum of log P(ids[t] | ids[<t]) over each row's positions. Rows with a long context in common (one key) are read
    as a tree; the others run as they are."""
    totals = np.empty(len(rows))
    groups = shared(keys, rows, positions, worth=WORTH_A_TREE.get(network.device.type, 64))
    if network.device.type == "cpu":
        grouped = {i for _, group in groups for i in group}
        groups += begun_alike(rows, positions, [i for i in range(len(rows)) if i not in grouped])
    trees = [_tree_of(*group, rows, positions) for group in groups]
    trees = [row for row in trees if row.size <= LONGEST_ROW and _within(network, row)]
    _read_trees(network, trees, positions, totals)
    done = {i for row in trees for i in row.members[0]}
    if alone := [i for i in range(len(rows)) if i not in done]:
        totals[alone] = _totals(network, [rows[i] for i in alone], [positions[i] for i in alone])
    return totals


def _tree_of(length: int, group: Sequence[int], rows: Sequence[Ints], positions: Sequence[Ints]) -> TreeRow:
    """A common beginning with what follows it in each of some texts."""
    tree = grow([rows[i][length : positions[i][-1] + 1].tolist() for i in group])
    return TreeRow(rows[group[0]][:length], (length,), (tuple(group),), tree)


def _within(network: Network, row: TreeRow) -> bool:
    return row.ends[0] + row.tree.paths.shape[1] <= window(network) and obeys_trees(network)


def _read_trees(network: Network, rows: Sequence[TreeRow], positions: Sequence[Ints], totals: Doubles) -> None:
    """Set the totals of all members of some rows, each a context with its own tree."""
    rows = sorted(rows, key=lambda row: -row.size)

    def compute(first: int, end: int) -> None:
        some = rows[first:end]
        nodes = np.cumsum([0, *(len(row.tree.tokens) + 1 for row in some)])
        edges = np.cumsum([0, *(len(row.tree.targets) for row in some)])
        sources = np.concatenate([row.tree.sources + at for row, at in zip(some, nodes)])
        targets = network.tensor(np.concatenate([row.tree.targets for row in some]))
        values = network.chosen(_node_states(network, some), sources, targets).double().cpu().numpy()
        for row, at in zip(some, edges):
            for i, path in zip(row.members[0], row.tree.paths):
                totals[i] = values[at + path[positions[i] - row.ends[0]]].sum()

    in_batches(np.array([row.size for row in rows], dtype=np.int64), compute, network.budget)


def _totals(network: Network, rows: Sequence[Ints], positions: Sequence[Ints]) -> Doubles:
    """The same for single rows, padded on the right, to which a causal model does not attend, so no mask is needed."""
    order = np.argsort([-len(row) for row in rows], kind="stable")

    def compute(first: int, end: int) -> Any:
        picks = order[first:end]
        row = np.repeat(np.arange(end - first), [len(positions[i]) for i in picks])
        where = np.concatenate([positions[i] for i in picks]) - 1
        target = np.concatenate([rows[i][positions[i]] for i in picks])
        ids = network.tensor(padded([rows[i] for i in picks], 0))
        return network.logprobs(ids, None, *map(network.tensor, (row, where, target)))

    parts = in_batches(np.array([len(rows[i]) for i in order], dtype=np.int64), compute, network.budget)
    values = np.concatenate([part.double().cpu().numpy() for part in parts])
    totals = np.empty(len(rows))
    totals[order] = np.add.reduceat(values, np.cumsum([0, *(len(positions[i]) for i in order[:-1])]))
    return totals
