r"""Many short continuations as one prefix tree, and texts followed by such trees as rows of one forward pass.

Endings with a common beginning share its tokens:

    of [7], [7, 8], [7, 8, 9], [5, 6]     root - 7 - 8 - 9          nodes 7, 8 and 5 have successors and
                                               \ 5 - 6              are read; 9 and 6 are only predicted

A row is a text (the trunk), followed by a copy of the tree for each requested beginning of the text. A node attends
only to its beginning of the trunk and to its ancestors. Its position is the one that it would have alone:

    sees(q, k) = k is an ancestor of q, or q itself        position(q) = number of ancestors of q
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from proband.core.files import group_by_key
from proband.models.lm.network import Ints

Bools = NDArray[np.bool_]
PACKED = 256  # tokens up to which beginnings of one text share a row; attention grows with its square


@dataclass(frozen=True)
class PrefixTree:
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
        """Nodes x nodes: whether the second is the first or an ancestor of it.

        >>> grow([[7, 8, 9], [5, 6]]).sees.astype(int).tolist()
        [[1, 0, 0], [0, 1, 0], [1, 0, 1]]
        """
        seen = np.eye(len(self.tokens), dtype=bool)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                seen[node] |= seen[parent]
        return seen


def grow(endings: Sequence[Sequence[int]]) -> PrefixTree:
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
    return PrefixTree(
        tokens=np.array([b[-1] for b in inner], dtype=np.int64),
        parents=np.array([number[b[:-1]] - 1 for b in inner], dtype=np.int64),
        sources=np.array([number[b[:-1]] for b in ordered], dtype=np.int64),
        targets=np.array([b[-1] for b in ordered], dtype=np.int64),
        paths=paths,
    )


@dataclass(frozen=True)
class TreeRow:
    """A text and the lengths of its beginnings that are followed by a tree; `members` lists the given texts that equal
    each beginning."""

    trunk: Ints
    ends: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]
    tree: PrefixTree

    @property
    def size(self) -> int:
        return len(self.trunk) + len(self.ends) * len(self.tree.tokens)


def pack(lefts: Sequence[Ints], tree: PrefixTree) -> list[TreeRow]:
    """Pack texts into few rows: a text that is the beginning of another shares its row, as long as the row stays short.

    >>> lefts = [np.array(left) for left in ([1, 2], [1, 2, 3], [4], [1, 2, 3])]
    >>> [(row.trunk.tolist(), row.ends, row.members) for row in pack(lefts, grow([[7, 8]]))]
    [([1, 2, 3], (3, 2), ((1, 3), (0,))), ([4], (1,), ((2,),))]
    """
    nodes = len(tree.tokens)
    same = group_by_key((tuple(left.tolist()), i) for i, left in enumerate(lefts))
    groups: list[list[tuple[int, ...]]] = []
    for text in sorted(same, reverse=True):  # a beginning comes after all that begin with it
        trunk = groups[-1][0] if groups else ()
        size = len(trunk) + (len(groups[-1]) + 1) * nodes if groups else 0
        if trunk[: len(text)] == text and (nodes == 0 or size <= PACKED):
            groups[-1].append(text)
        else:
            groups.append([text])
    rows = [
        TreeRow(
            np.array(group[0], dtype=np.int64), tuple(map(len, group)), tuple(tuple(same[text]) for text in group), tree
        )
        for group in groups
    ]
    return sorted(rows, key=lambda row: -row.size)


def lay_out(rows: Sequence[TreeRow]) -> tuple[Ints, Ints, Bools, Ints, Ints]:
    """Token ids and positions, rows x width, and the attention mask, rows x width x width; short rows are padded. Then
    row and place of every node, the root (the last token of its beginning) first, beginning after beginning.

    >>> ids, positions, sees, row, place = lay_out([TreeRow(np.array([1, 2]), (2, 1), ((0,), (1,)), grow([[7, 8]]))])
    >>> ids.tolist(), positions.tolist()
    ([[1, 2, 7, 7]], [[0, 1, 2, 1]])
    >>> sees[0].astype(int).tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 1]]
    >>> row.tolist(), place.tolist()
    ([0, 0, 0, 0], [1, 2, 0, 3])
    """
    width = max(row.size for row in rows)
    ids = np.zeros((len(rows), width), dtype=np.int64)
    positions = np.zeros((len(rows), width), dtype=np.int64)
    sees = np.repeat(np.eye(width, dtype=bool)[None], len(rows), 0)  # padding attends to itself: no row is empty
    places: list[tuple[int, int]] = []
    for i, row in enumerate(rows):
        trunk, tree, nodes = len(row.trunk), row.tree, len(row.tree.tokens)
        ids[i, :trunk], positions[i, :trunk] = row.trunk, np.arange(trunk)
        sees[i, :trunk, :trunk] = np.tri(trunk, dtype=bool)
        for copy, end in enumerate(row.ends):
            here = slice(trunk + copy * nodes, trunk + (copy + 1) * nodes)
            ids[i, here], positions[i, here] = tree.tokens, end + tree.sees.sum(1) - 1
            sees[i, here, :end] = True
            sees[i, here, here] = tree.sees
            places += [(i, at) for at in (end - 1, *range(here.start, here.stop))]
    return ids, positions, sees, *np.array(places, dtype=np.int64).T.copy()
