"""Relation embeddings: pairs per CPU second and quality, beside gensim's skip-gram on the same co-occurrences.

    python benchmarks/relation_embeddings.py [PAIRS]

Relations of a hidden group share their arguments. Quality: the share of a relation's nearest neighbours that are of its
group (as many neighbours as the group has members). Both see the same pairs and as many epochs; gensim learns a pair as
a sentence of two words, and both directions of it.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from numpy.typing import NDArray

from proband.suites.inference.methods.embeddings.skip_gram import SkipGram, SkipGramOptions

RELATIONS, GROUPS, ARGUMENTS, EPOCHS = 3000, 100, 8000, 10
Ints = NDArray[np.int64]


def cooccurrences(size: int, seed: int = 0) -> tuple[Ints, Ints, Ints]:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, GROUPS, RELATIONS)
    own = np.stack([rng.choice(ARGUMENTS, 300, replace=False) for _ in range(GROUPS)])
    zipf = [1 / np.arange(1, n + 1) for n in (RELATIONS, ARGUMENTS)]
    left = rng.choice(RELATIONS, size, p=zipf[0] / zipf[0].sum())
    right = own[group[left], (300 * rng.random(size) ** 2).astype(int)]
    noise = rng.random(size) < 0.3
    right[noise] = rng.choice(ARGUMENTS, int(noise.sum()), p=zipf[1] / zipf[1].sum())
    return left.astype(np.int64), right.astype(np.int64), group


def quality(table: NDArray[np.float32], group: Ints, left: Ints) -> float:
    often = np.bincount(left, minlength=RELATIONS)
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


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
