r"""Many short continuations as one prefix tree, and texts with such trees behind them as rows of one forward pass.

Endings with a common beginning share its tokens:

    of [7], [7, 8], [7, 8, 9], [5, 6]     root - 7 - 8 - 9          nodes 7, 8 and 5 have something behind them and
                                               \ 5 - 6              are read; 9 and 6 are only to be predicted

A row is a text (the trunk) with the tree behind it. A node sees the trunk and its own ancestors, nothing else, and has
the position it would have alone:

    sees(q, k) = k is an ancestor of q, or q itself        position(q) = number of ancestors of q
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from proband.models.lm.batching import Ints

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Tree:
    """`tokens` and `parents` of the nodes that are read, parents first (-1: the root, which is no token). An edge is a
    token to be predicted behind a node: `sources` (0 is the root, i the node i - 1), rising, and `targets`. `paths`,
    endings x longest, holds each ending's edges, filled up with the number of edges."""

    tokens: Ints
    parents: Ints
    sources: Ints
    targets: Ints
    paths: Ints

    @cached_property
    def sees(self) -> Bools:
        """Nodes x nodes: whether the second is the first or stands before it.

        >>> grow([[7, 8, 9], [5, 6]]).sees.astype(int).tolist()
        [[1, 0, 0], [0, 1, 0], [1, 0, 1]]
        """
        seen = np.eye(len(self.tokens), dtype=bool)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                seen[node] |= seen[parent]
        return seen


def grow(endings: Sequence[Sequence[int]]) -> Tree:
    """The tree of some endings.

    >>> tree = grow([[7], [7, 8], [7, 8, 9], [5, 6]])
    >>> tree.tokens.tolist(), tree.parents.tolist()
    ([7, 5, 8], [-1, -1, 0])
    >>> list(zip(tree.sources.tolist(), tree.targets.tolist()))
    [(0, 7), (0, 5), (1, 8), (2, 6), (3, 9)]
    >>> tree.paths.tolist()
    [[0, 5, 5], [0, 2, 5], [0, 2, 4], [1, 3, 5]]
    """
    spelled = [tuple(ending) for ending in endings]
    longest = max(map(len, spelled))
    begun = [dict.fromkeys(e[:n] for e in spelled if len(e) > n) for n in range(longest)]  # () first: the root
    number = {beginning: i for i, beginning in enumerate(b for level in begun for b in level)}
    inner = list(number)[1:]
    wanted = dict.fromkeys(e[:n] for e in spelled for n in range(1, len(e) + 1))
    ordered = sorted(wanted, key=lambda beginning: number[beginning[:-1]])
    edge = {beginning: i for i, beginning in enumerate(ordered)}
    paths = np.full((len(spelled), longest), len(ordered), dtype=np.int64)
    for row, ending in zip(paths, spelled):
        row[: len(ending)] = [edge[ending[:n]] for n in range(1, len(ending) + 1)]
    return Tree(
        tokens=np.array([b[-1] for b in inner], dtype=np.int64),
        parents=np.array([number[b[:-1]] - 1 for b in inner], dtype=np.int64),
        sources=np.array([number[b[:-1]] for b in ordered], dtype=np.int64),
        targets=np.array([b[-1] for b in ordered], dtype=np.int64),
        paths=paths,
    )


def lay_out(texts: Sequence[Ints], tree: Tree) -> tuple[Ints, Ints, Bools]:
    """Token ids and positions, texts x width, and what sees what, texts x width x width; short rows are filled up.

    >>> ids, positions, sees = lay_out([np.array([1, 2]), np.array([3])], grow([[7, 8]]))
    >>> ids.tolist(), positions.tolist()
    ([[1, 2, 7], [3, 7, 0]], [[0, 1, 2], [0, 1, 0]])
    >>> sees.astype(int).tolist()
    [[[1, 0, 0], [1, 1, 0], [1, 1, 1]], [[1, 0, 0], [1, 1, 0], [0, 0, 1]]]
    """
    width = max(map(len, texts)) + len(tree.tokens)
    ids = np.zeros((len(texts), width), dtype=np.int64)
    positions = np.zeros((len(texts), width), dtype=np.int64)
    sees = np.repeat(np.eye(width, dtype=bool)[None], len(texts), 0)  # what fills up sees itself, so nothing is empty
    for i, text in enumerate(texts):
        trunk, end = len(text), len(text) + len(tree.tokens)
        ids[i, :end] = np.concatenate([text, tree.tokens])
        positions[i, :end] = np.concatenate([np.arange(trunk), trunk + tree.sees.sum(1) - 1])
        sees[i, :end, :trunk] = np.tri(end, trunk, dtype=bool)
        sees[i, trunk:end, trunk:end] = tree.sees
    return ids, positions, sees
