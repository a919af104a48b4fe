"""The network in numpy: an encoder of word pieces, and scores of tags, sentence starts, heads and labels.

It is the first layers of a BERT and biaffine scores (Dozat and Manning 2017), as recipe/train.py trains them:

    arc(d, h)      = [f(d); 1]' A g(h)                 f, g: a linear layer and GELU each
    label(d, h, l) = [u(d); 1]' B_l [v(h); 1]          u, v: likewise

Windows of different lengths stand one after the other, without padding; only attention looks at each by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from proband_english.pieces import Pieces, shape

Array = np.ndarray[Any, Any]
HEADS = 12
LONGEST = 250  # pieces of a window
CHUNK = 512  # words whose labels are scored at once
FIRST, LAST = 101, 102  # the pieces [CLS] and [SEP]


class Network:
    def __init__(self, folder: Path) -> None:
        with np.load(folder / "weights.npz") as stored:
            weights = {name: stored[name] for name in stored.files}
        self.word, self.scale = weights.pop("encoder.word"), weights.pop("encoder.scale")
        self.tags, self.fine, self.labels = (weights.pop(f"names_{kind}").tolist() for kind in ("tag", "fine", "label"))
        self.weights = {name: value.astype(np.float32) for name, value in weights.items()}
        self.layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layers."))
        self.pieces = Pieces((folder / "pieces.txt").read_text(encoding="utf-8").split("\n"))
        self.label_table = self.weights["label"].reshape(len(self.weights["label"]), -1)

    def _linear(self, x: Array, name: str) -> Array:
        y: Array = x @ self.weights[f"{name}.weight"].T
        y += self.weights[f"{name}.bias"]
        return y

    def _norm(self, x: Array, name: str) -> Array:
        x -= x.mean(1, keepdims=True)
        x /= np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / x.shape[1] + 1e-12)
        x *= self.weights[f"{name}.weight"]
        x += self.weights[f"{name}.bias"]
        return x

    # ---- encoder ---------------------------------------------------------------------------------------------------

    def states(self, windows: Sequence[Sequence[str]]) -> Array:
        """One vector a word, the mean of its pieces, for the words of all windows in order."""
        ids, shapes, positions, bounds = [], [], [], [0]
        starts, sizes = [], []
        for window in windows:
            ids.append(FIRST)
            shapes.append(0)
            for word in window:
                some = self.pieces(word)
                starts.append(len(ids))
                sizes.append(len(some))
                ids += some
                shapes += [shape(word)] * len(some)
            ids.append(LAST)
            shapes.append(0)
            positions.append(np.arange(len(ids) - bounds[-1]))
            bounds.append(len(ids))
        x = self.word[ids].astype(np.float32) * self.scale[ids, None]
        x += self.weights["encoder.case.weight"][shapes]
        x += self.weights["encoder.position"][np.concatenate(positions)]
        x = self._norm(x, "encoder.norm")
        for at in range(self.layers):
            x = self._layer(x, bounds, f"encoder.layers.{at}")
        return _word_means(x, np.array(starts), np.array(sizes))

    def _layer(self, x: Array, bounds: list[int], name: str) -> Array:
        qkv = self._linear(x, f"{name}.qkv")
        mixed = np.empty_like(x)
        for start, end in pairwise(bounds):
            mixed[start:end] = _attention(qkv[start:end])
        x = self._norm(x + self._linear(mixed, f"{name}.out"), f"{name}.norm1")
        return self._norm(x + self._linear(gelu(self._linear(x, f"{name}.up")), f"{name}.down"), f"{name}.norm2")

    # ---- scores ----------------------------------------------------------------------------------------------------

    def tag_numbers(self, states: Array) -> tuple[Array, Array]:
        return self._linear(states, "tag").argmax(1), self._linear(states, "fine").argmax(1)

    def start_scores(self, states: Array) -> Array:
        """Positive where a word begins a sentence."""
        return self._linear(states, "start")[:, 0]

    def arc_parts(self, states: Array) -> tuple[Array, Array, Array]:
        """What `arc_scores` needs, for all words at once: dependents, heads, and the root as a head."""
        dependents = _with_one(gelu(self._linear(states, "arc_dep"))) @ self.weights["arc"]
        return dependents, gelu(self._linear(states, "arc_head")), gelu(self._linear(self._root, "arc_head"))

    @property
    def _root(self) -> Array:
        return self.weights["root"][None]

    def label_numbers(self, states: Array, heads: Array) -> Array:
        """The best label of each word; `heads` are rows of `states`, -1 the root. Only the root is called `root`."""
        dependents = _with_one(gelu(self._linear(states, "label_dep")))
        above = _with_one(gelu(self._linear(np.concatenate([states, self._root]), "label_head")))
        out, root = np.empty(len(states), int), self.labels.index("root")
        for at in range(0, len(states), CHUNK):
            some = slice(at, at + CHUNK)
            table = (dependents[some] @ self.label_table).reshape(-1, len(self.labels), above.shape[1])
            scores = np.matmul(table, above[heads[some]][:, :, None])[:, :, 0]
            scores[:, root] = np.where(heads[some] < 0, np.inf, -np.inf)
            out[some] = scores.argmax(1)
        return out


def gelu(x: Array) -> Array:
    """GELU(x) = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))."""
    y = x * x
    y *= 0.044715 * math.sqrt(2 / math.pi)
    y += math.sqrt(2 / math.pi)
    y *= x
    np.tanh(y, out=y)
    y += 1
    y *= x
    y *= 0.5
    return y


def _attention(qkv: Array) -> Array:
    count = len(qkv)
    query, key, value = qkv.reshape(count, 3, HEADS, -1).transpose(1, 2, 0, 3)
    scores = np.matmul(query, key.transpose(0, 2, 1))
    scores *= 1 / math.sqrt(query.shape[-1])
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    return np.matmul(scores, value).transpose(1, 0, 2).reshape(count, -1)


def _word_means(x: Array, starts: Array, sizes: Array) -> Array:
    """Pieces between words, [CLS] and [SEP], are left out."""
    out = x[starts]
    for more in range(1, int(sizes.max(initial=1))):
        longer = sizes > more
        out[longer] += x[starts[longer] + more]
    out /= sizes[:, None]
    return out


def _with_one(x: Array) -> Array:
    return np.concatenate([x, np.ones_like(x[:, :1])], 1)
