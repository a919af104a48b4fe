"""Relation embeddings: pairs per CPU second and quality, beside gensim's skip-gram on the same co-occurrences.

    python benchmarks/relation_embeddings.py [PAIRS]
    python benchmarks/relation_embeddings.py layer      the same equation on the common training layer, beside ours

Relations of a hidden group share their arguments. Quality: the share of a relation's nearest neighbours that are of its
group (as many neighbours as the group has members). Both see the same pairs and as many epochs; gensim learns a pair as
a sentence of two words, and both directions of it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proband.suites.inference.methods.embeddings.skip_gram import SkipGram, SkipGramOptions
from proband.training.recipe import Recipe
from proband.training.task import Task

RELATIONS, GROUPS, ARGUMENTS, EPOCHS = 3000, 100, 8000, 10
Ints = NDArray[np.int64]


def cooccurrences(
    size: int, seed: int = 0, *, relations: int = RELATIONS, arguments: int = ARGUMENTS
) -> tuple[Ints, Ints, Ints]:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, GROUPS, relations)
    own = np.stack([rng.choice(arguments, 300, replace=False) for _ in range(GROUPS)])
    zipf = [1 / np.arange(1, n + 1) for n in (relations, arguments)]
    left = rng.choice(relations, size, p=zipf[0] / zipf[0].sum())
    right = own[group[left], (300 * rng.random(size) ** 2).astype(int)]
    noise = rng.random(size) < 0.3
    right[noise] = rng.choice(arguments, int(noise.sum()), p=zipf[1] / zipf[1].sum())
    return left.astype(np.int64), right.astype(np.int64), group


def quality(table: NDArray[np.float32], group: Ints, left: Ints) -> float:
    often = np.bincount(left, minlength=len(group))
    chosen = np.flatnonzero(often >= 20)
    rows = table[chosen] / np.maximum(np.linalg.norm(table[chosen], axis=1, keepdims=True), 1e-9)
    likeness = rows @ rows.T
    np.fill_diagonal(likeness, -2)
    same = group[chosen][:, None] == group[chosen]
    np.fill_diagonal(same, False)
    found = []
    for row, right in zip(likeness, same, strict=True):
        if right.any():
            found.append(right[np.argsort(-row)[: right.sum()]].mean())
    return float(np.mean(found))


def main(size: int) -> None:
    from gensim.models import Word2Vec

    left, right, group = cooccurrences(size)
    total = EPOCHS * size / 1e6
    began, wall = time.process_time(), time.time()
    counts = np.bincount(right, minlength=ARGUMENTS).astype(np.float64)
    ours = SkipGram(RELATIONS, counts, options=SkipGramOptions(epochs=EPOCHS), seed=0)
    ours.fit(left, right)
    cpu, wall = time.process_time() - began, time.time() - wall
    print(f"ours    {total / cpu:.2f} million pairs per CPU second, {total / wall:.2f} per second,", end=" ")
    print(f"quality {quality(ours.left, group, left):.3f}", flush=True)
    began, wall = time.process_time(), time.time()
    sentences = [[f"r{r}", f"a{a}"] for r, a in zip(left, right, strict=True)]
    theirs = Word2Vec(
        sentences, vector_size=100, window=1, min_count=1, sg=1, negative=5, epochs=EPOCHS, workers=2, sample=0, seed=0
    )
    cpu, wall = time.process_time() - began, time.time() - wall
    table = np.zeros((RELATIONS, 100), np.float32)
    for n in range(RELATIONS):
        if f"r{n}" in theirs.wv:
            table[n] = theirs.wv[f"r{n}"]
    print(f"gensim  {total / cpu:.2f} million pairs per CPU second, {total / wall:.2f} per second,", end=" ")
    print(f"quality {quality(table, group, left):.3f}")


# ---- the common training layer (dense gradients, AdamW) --------------------------------------------------------------


class OnLayer(Task):
    """The objective of `skip_gram.py`, by autograd."""

    device, recordable = "cpu", False

    def __init__(self, left: Ints, right: Ints, relations: int, arguments: int, options: SkipGramOptions) -> None:
        self.left, self.right, self.size, self.options = left, right, len(left), options
        self.rows = relations, arguments
        self.recipe = Recipe(epochs=options.epochs, batch=options.batch, rate=0.03, schedule="linear", clip=0.0)
        noise = np.bincount(right, minlength=arguments) ** 0.75
        self.noise, self.rng = np.cumsum(noise / noise.sum()), np.random.default_rng(0)

    def network(self) -> Any:
        import torch

        d = self.options.dimensions
        left, right = (torch.rand(self.rows[0], d) - 0.5) / d, torch.zeros(self.rows[1], d)
        return torch.nn.ParameterDict({"left": left, "right": right})

    def batch(self, indices: Sequence[int]) -> Any:
        import torch

        left, right = self.left[np.asarray(indices)], self.right[np.asarray(indices)]
        rows, place, counts = np.unique(left, return_inverse=True, return_counts=True)
        noise = np.searchsorted(self.noise, self.rng.random(2 * self.options.noise)).clip(max=self.rows[1] - 1)
        return tuple(map(torch.from_numpy, (rows, place, counts.astype(np.float32), right, noise)))

    def loss(self, net: Any, batch: Any) -> Any:
        from torch.nn.functional import embedding, logsigmoid

        rows, place, counts, right, noise = batch
        w, n = embedding(rows, net["left"]), embedding(noise, net["right"])
        pull = logsigmoid((w[place] * embedding(right, net["right"])).sum(-1)).sum()
        push = (logsigmoid(-(w @ n.T)).sum(1) * counts).sum() * (self.options.negatives / len(noise))
        return -(pull + push) / len(right)


def on_layer() -> None:
    import torch

    from proband.training.fit import fit

    torch.set_num_threads(1)
    for relations, arguments, epochs, seeds in ((RELATIONS, ARGUMENTS, EPOCHS, (0, 1, 2)), (100_000, 200_000, 1, (0,))):
        left, right, group = cooccurrences(600_000, relations=relations, arguments=arguments)
        counts, options = np.bincount(right, minlength=arguments).astype(np.float64), SkipGramOptions(epochs=epochs)
        total = epochs * len(left) / 1e6
        for seed in seeds:
            began = time.process_time()
            ours = SkipGram(relations, counts, options=options, seed=seed)
            ours.fit(left, right)
            middle = time.process_time()
            layer = fit(OnLayer(left, right, relations, arguments, options), seed=seed).net
            end = time.process_time()
            print(f"{relations:,} relations, seed {seed}: ours {total / (middle - began):.2f}", end=" ")
            print(f"and layer {total / (end - middle):.2f} million pairs per CPU second", end="")
            tables = ours.left, layer["left"].detach().numpy()
            print(
                ""
                if seeds == (0,)
                else "; quality {:.3f} and {:.3f}".format(*(quality(t, group, left) for t in tables))
            )


if __name__ == "__main__":
    if sys.argv[1:] == ["layer"]:
        on_layer()
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
