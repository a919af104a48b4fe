"""The batched classifiers against plain layers, against themselves alone, and on data one can see through."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from proband.suites.analogy.solvers.classifier import Classifiers, ProbeSplit, Settings, train_and_score


def rings(n: int, seed: int) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float32]], ProbeSplit]:
    """Points inside and outside a circle: an MLP can tell them apart, a line cannot."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2)).astype(np.float32)
    inside = ((x**2).sum(1) < 1.2).astype(np.float32)
    half = np.arange(n // 2)
    return x, ProbeSplit(train=half, labels=inside[half], test=half + n // 2)


def accuracy(x: np.ndarray[tuple[int, int], np.dtype[np.float32]], task: ProbeSplit, settings: Settings) -> float:
    (logits,) = train_and_score(x, [task], settings, seed=0)
    gold = (x[task.test] ** 2).sum(1) < 1.2
    return float(((logits > 0) == gold).mean())


def test_an_mlp_learns_a_circle_and_a_line_does_not() -> None:
    x, task = rings(2000, 0)
    assert accuracy(x, task, Settings(steps=600)) > 0.95
    assert accuracy(x, task, Settings(hidden=0, steps=600)) < 0.7


@pytest.mark.parametrize("settings", [Settings(), Settings(hidden=0)])
def test_a_probe_is_an_ordinary_net_trained_by_adamw(settings: Settings) -> None:
    """Thirty steps of two classifiers, one with fewer rows, against each as layers of its own with torch's AdamW."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 5)).astype(np.float32)
    probes = [
        ProbeSplit(train=np.arange(n), labels=(rng.random(n) < 0.5).astype(np.float32), test=np.arange(40, 60))
        for n in (40, 25)
    ]
    short = replace(settings, steps=30, batch=16)
    task = Classifiers(x, probes, short, seed=3, device="cpu")
    found = train_and_score(x, probes, short, seed=3, device="cpu")
    for m, probe in enumerate(probes):
        start = [p.detach()[m].double() for p in task.network()]
        layers = [torch.nn.Linear(w.shape[0], w.shape[1]).double() for w in start[::2]]
        for layer, w, b in zip(layers, start[::2], start[1::2], strict=True):
            layer.weight.data, layer.bias.data = w.T.clone(), b[0].clone()
        net = torch.nn.Sequential(layers[0], *(part for layer in layers[1:] for part in (torch.nn.ReLU(), layer)))
        adam = torch.optim.AdamW(net.parameters(), lr=short.rate, weight_decay=short.decay)
        own = torch.from_numpy(x[probe.train]).double()
        mean, spread = own.mean(0), own.std(0) + 1e-5
        orders, step = np.random.default_rng(3), 0
        while step < 30:
            order = orders.permutation(40)
            for at in range(0, 40, 16)[: 30 - step]:
                rows = [r for r in order[at : at + 16] if r < len(own)]
                logit = net((own[rows] - mean) / spread)[:, 0]
                label = torch.from_numpy(probe.labels[rows]).double()
                adam.zero_grad()
                torch.nn.functional.binary_cross_entropy_with_logits(logit, label).backward()  # type: ignore[no-untyped-call]
                adam.step()
                step += 1
        asked = net((torch.from_numpy(x[probe.test]).double() - mean) / spread)[:, 0]
        assert np.allclose(found[m], asked.detach().numpy(), atol=2e-4)


def test_a_classifier_is_the_same_beside_others_and_alone() -> None:
    x, one = rings(200, 1)
    other = ProbeSplit(train=one.test, labels=1 - one.labels, test=one.train)
    short = Settings(steps=40)
    together = train_and_score(x, [one, other], short, seed=5)
    alone = [train_and_score(x, [task], short, seed=5)[0] for task in (one, other)]
    for a, b in zip(together, alone, strict=True):
        assert np.allclose(a, b, atol=1e-3)
    again = train_and_score(x, [one, other], short, seed=5)
    assert all((a == b).all() for a, b in zip(together, again, strict=True))
