"""The best tree of a sentence from the scores of its arcs (Chu and Liu 1965, Edmonds 1967), with one root."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
NEVER = -1e9


def spanning_tree(scores: Array) -> Array:
    """`scores[d, h]`: of head h for word d; column 0 is the root, words count from 1 in columns and from 0 in rows.

    >>> spanning_tree(np.array([[1.0, 0.0, 9.0], [2.0, 9.0, 0.0]])).tolist()  # alone, each would choose the other
    [2, 0]
    """
    heads: Array = scores.argmax(1)
    if (heads == 0).sum() == 1 and _is_tree(heads):
        return heads
    count = len(scores)
    square = np.full((count + 1, count + 1), NEVER)
    square[1:] = scores
    square[1:, 0] -= 1e4  # so that as few words as possible are roots: one
    np.fill_diagonal(square, NEVER)
    return _arborescence(square)[1:]


def _is_tree(heads: Array) -> bool:
    """Whether every word reaches the root: after each step twice as many arcs are followed."""
    above = np.concatenate(([0], heads))
    for _ in range(len(heads).bit_length()):
        above = above[above]
    return not above.any()


def _arborescence(scores: Array) -> Array:
    heads = scores.argmax(1)
    heads[0] = 0
    cycle = _cycle(heads)
    if cycle is None:
        return heads
    rest = np.setdiff1d(np.arange(len(scores)), cycle)
    kept = scores[cycle, heads[cycle]]
    leave, enter = scores[np.ix_(rest, cycle)], scores[np.ix_(cycle, rest)] - kept[:, None]
    last = len(rest)  # the number of the whole cycle in the smaller graph
    smaller = np.full((last + 1, last + 1), NEVER)
    smaller[:last, :last] = scores[np.ix_(rest, rest)]
    smaller[:last, last], smaller[last, :last] = leave.max(1), enter.max(0)
    chosen = _arborescence(smaller)
    out = heads.copy()
    for at, word in enumerate(rest[1:], start=1):
        out[word] = cycle[leave[at].argmax()] if chosen[at] == last else rest[chosen[at]]
    broken = enter[:, chosen[last]].argmax()
    out[cycle[broken]] = rest[chosen[last]]
    return out


def _cycle(heads: Array) -> Array | None:
    state = np.zeros(len(heads), int)  # 0: not seen
    state[0] = -1
    for start in range(1, len(heads)):
        at = start
        while state[at] == 0:
            state[at] = start
            at = heads[at]
        if state[at] == start:  # met again on the same walk
            members, one = [at], heads[at]
            while one != at:
                members.append(one)
                one = heads[one]
            return np.array(sorted(members))
    return None
