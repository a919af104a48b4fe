"""A model that embeds the same texts for several runs of a study embeds them once.

Scores are cached on disk (`asking/cached_model.py`); embeddings are not, since they are large: those of the last runs
are kept in memory. Runs of a grid (classifiers over one embedding) send the same texts in the same chunks. Whole calls
are kept, not texts: the batches, and so the bytes of every answer, are those of a run by itself.
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


def keeping_embeddings(model: Any) -> Any:
    """The model, whose embeddings are kept as far as they fit."""
    if callable(embed := getattr(model, "embed", None)):
        model.embed = kept(embed)
    return model


def kept(call: Callable[..., Any], most: int = MOST) -> Callable[..., Any]:
    """
    >>> asked = []
    >>> twice = kept(lambda texts, *, times: asked.append(texts) or [times * text for text in texts])
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
