"""Skip-gram: one step against the gradient by hand, and the same seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from proband.suites.inference.methods.embeddings.relations import columns, triples_to_pairs
from proband.suites.inference.methods.embeddings.skip_gram import SkipGram, SkipGramOptions


def test_the_same_seed_gives_the_same_vectors(assertions: Path) -> None:
    pairs = triples_to_pairs(columns(assertions), least=5)
    counts = np.bincount(pairs.right).astype(float)
    options = SkipGramOptions(epochs=1, batch=512)
    made = []
    for seed in (0, 0, 1):
        net = SkipGram(len(pairs.left_names), counts, options=options, seed=seed)
        net.fit(pairs.left, pairs.right)
        made.append(net.left)
    assert (made[0] == made[1]).all()
    assert not (made[0] == made[2]).all()


def test_one_step_is_the_gradient_by_hand() -> None:
    """Two pairs of one relation, one of another, and two noise items, without the batch's shortcuts."""
    options = SkipGramOptions(dimensions=4, noise=2, negatives=3.0)
    net = SkipGram(2, np.ones(3), options=options, seed=0)
    rng = np.random.default_rng(1)
    net.left, net.right = rng.normal(size=(2, 4)).astype(np.float32), rng.normal(size=(3, 4)).astype(np.float32)
    left, right, noise = np.array([0, 1, 0]), np.array([2, 1, 1]), np.array([0, 2])
    (rows, of_left), (columns, of_right), (names, of_noise) = net.gradients(left, right, noise)
    w, c = net.left.astype(float), net.right.astype(float)
    expected_w, expected_c = np.zeros((2, 4)), np.zeros((3, 4))
    for r, a in zip(left, right, strict=True):
        g = 1 / (1 + np.exp(w[r] @ c[a]))
        expected_w[r] += g * c[a]
        expected_c[a] += g * w[r]
        for n in noise:
            h = 3.0 / 2 / (1 + np.exp(-w[r] @ c[n]))
            expected_w[r] -= h * c[n]
            expected_c[n] -= h * w[r]
    got = np.zeros((3, 4))
    got[columns] += of_right
    got[names] += of_noise
    assert rows.tolist() == [0, 1]
    assert np.allclose(of_left, expected_w, atol=1e-5)
    assert np.allclose(got, expected_c, atol=1e-5)
