"""Batches of rows of like length, cut to a token budget that is halved when memory runs out.

Rows come sorted, longest first. A batch is a run of neighbours whose padded size fits the budget; it stops where the
length changes as soon as it is a quarter full, so that almost every batch has rows of one length, needs no padding
and no attention mask.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.progress import advance

Ints = NDArray[np.int64]
T = TypeVar("T", bound=Hashable)
R = TypeVar("R")


class Budget:
    """How many tokens (and rows, if the user fixed that) go into one batch. Remembers that memory ran out."""

    def __init__(self, tokens: int, *, rows: int | None = None) -> None:
        self.tokens, self.rows = tokens, rows

    def halve(self, used: int) -> None:
        self.tokens = max(1, min(self.tokens, used) // 2)


def automatic(device: str, hidden: int) -> int:
    """The starting budget in tokens: on a GPU as many as keep it busy (32k at width 1024), on a CPU few enough that
    the activations stay in its caches.

    >>> automatic("cuda", 1024), automatic("cpu", 768)
    (32768, 1024)
    """
    return max(256, 2**25 // hidden) if device.startswith("cuda") else 1024


def cut(lengths: Ints, first: int, budget: Budget) -> int:
    """Where the batch that begins at row `first` ends.

    >>> cut(np.array([4, 4, 4, 3, 3]), 0, Budget(16)), cut(np.array([9, 4, 4, 3, 3]), 0, Budget(64))
    (3, 5)
    """
    longest = int(lengths[first])
    most = max(1, budget.tokens // max(1, longest))
    if budget.rows is not None:
        most = min(most, budget.rows)
    end = min(len(lengths), first + most)
    same = first + int(np.searchsorted(-lengths[first:end], -longest, side="right"))
    return same if (same - first) * longest * 4 >= budget.tokens else end


def in_batches(lengths: Ints, compute: Callable[[int, int], Any], budget: Budget) -> list[Any]:
    """`compute(first, end)` over consecutive batches of rows sorted by falling length; the results in order.

    A batch that does not fit into memory is tried again at half the size, down to single rows.
    """
    if np.any(np.diff(lengths) > 0):
        raise ValueError("rows must be sorted, longest first")
    results, first = [], 0
    while first < len(lengths):
        end = cut(lengths, first, budget)
        try:
            results.append(compute(first, end))
        except Exception as error:
            if not out_of_memory(error):
                raise
            if end - first == 1:
                raise ProbandError(f"out of memory on a single text of {int(lengths[first])} tokens") from None
            budget.halve((end - first) * int(lengths[first]))
            _free()
            continue
        advance((end - first) / len(lengths))
        first = end
    return results


def in_length_order(lengths: Sequence[int], compute: Callable[[Ints], Any], budget: Budget) -> Any:
    """`compute(rows)` for the numbers of some rows of like length gives a tensor with a line per row; all lines, in the
    order of the rows, as an array."""
    import torch

    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    parts = in_batches(np.asarray(lengths)[order], lambda first, end: compute(order[first:end]), budget)
    found = torch.cat(parts).cpu().numpy()
    result = np.empty_like(found)
    result[order] = found
    return result


def once(things: Sequence[T], compute: Callable[[list[T]], Iterable[R]]) -> list[R]:
    """`compute` for the distinct things; its results for all.

    >>> once([3, 1, 3], lambda distinct: [10 * x for x in distinct])
    [30, 10, 30]
    """
    distinct = list(dict.fromkeys(things))
    found = dict(zip(distinct, compute(distinct)))
    return [found[thing] for thing in things]


def out_of_memory(error: BaseException) -> bool:
    """CUDA and CPU allocators say it with different exceptions."""
    return type(error).__name__ == "OutOfMemoryError" or "not enough memory" in str(error)


def _free() -> None:
    import gc

    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def padded(rows: Sequence[Ints], pad: int) -> Ints:
    """One matrix, rows filled up on the right.

    >>> padded([np.array([1, 2]), np.array([3])], 0).tolist()
    [[1, 2], [3, 0]]
    """
    out = np.full((len(rows), max(map(len, rows))), pad, dtype=np.int64)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return out
