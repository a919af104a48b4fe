"""A model that is asked the same thing by several runs of a study answers once.

Runs of a grid (norms of one score, classifiers over one embedding) send the same texts in the same chunks. Whole calls
are remembered, not texts: the batches, and so the bytes of every answer, are those of a run by itself.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

MOST = 2**26  # numbers kept, a quarter of a gigabyte
CALLS = ("score", "embed")


def remembering(model: Any) -> Any:
    """The model, whose scores and embeddings are kept as far as they fit."""
    for name in CALLS:
        if callable(call := getattr(model, name, None)):
            setattr(model, name, remembered(call))
    return model


def remembered(call: Callable[..., Any], most: int = MOST) -> Callable[..., Any]:
    """
    >>> asked = []
    >>> twice = remembered(lambda texts, *, times: asked.append(texts) or [times * text for text in texts])
    >>> twice(["a"], times=2), twice(["a"], times=2), twice(["a"], times=3), len(asked)
    (['aa'], ['aa'], ['aaa'], 2)
    """
    known: OrderedDict[bytes, tuple[Any, int]] = OrderedDict()

    @wraps(call)
    def answered(*given: Any, **how: Any) -> Any:
        key = hashlib.blake2b(pickle.dumps((given, sorted(how.items())))).digest()
        if key in known:
            known.move_to_end(key)
            return known[key][0]
        result = call(*given, **how)
        known[key] = (result, result.size if isinstance(result, np.ndarray) else len(result))
        while sum(size for _, size in known.values()) > most and known:
            known.popitem(last=False)
        return result

    return answered
