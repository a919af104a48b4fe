"""The batched classifiers against autograd, against themselves alone, and on data one can see through."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from proband.suites.analogy.solvers.classifier import LINEAR, MLP, Recipe, Task, _Nets, fit_and_ask


def rings(n: int, seed: int) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float32]], Task]:
    """Points inside and outside a circle: an MLP can tell them apart, a line cannot."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2)).astype(np.float32)
    inside = ((x**2).sum(1) < 1.2).astype(np.float32)
    half = np.arange(n // 2)
    return x, Task(train=half, labels=inside[half], ask=half + n // 2)


def accuracy(x: np.ndarray[tuple[int, int], np.dtype[np.float32]], task: Task, recipe: Recipe) -> float:
    (logits,) = fit_and_ask(x, [task], recipe, seed=0)
    gold = (x[task.ask] ** 2).sum(1) < 1.2
    return float(((logits > 0) == gold).mean())


def test_an_mlp_learns_a_circle_and_a_line_does_not() -> None:
    x, task = rings(2000, 0)
    assert accuracy(x, task, Recipe(steps=600)) > 0.95
    assert accuracy(x, task, Recipe(hidden=0, steps=600)) < 0.7


@pytest.mark.parametrize("recipe", [MLP, LINEAR])
def test_gradients_and_adam_agree_with_torch(recipe: Recipe) -> None:
    """Ten steps by hand and by autograd with torch.optim.AdamW, on two classifiers of which one has fewer rows."""
    rng = torch.Generator().manual_seed(1)
    x = torch.randn(2, 30, 5, generator=rng)
    label = (torch.rand(2, 30, generator=rng) < 0.5).float()
    weight = torch.ones(2, 30)
    weight[1, 20:] = 0
    nets = _Nets(2, 5, recipe, seed=3, device="cpu")
    theirs = [p.clone().requires_grad_() for p in nets.parameters]
    adam = torch.optim.AdamW(theirs, lr=recipe.rate, weight_decay=recipe.decay)
    for _ in range(10):
        nets.step(x, label, weight)
        hidden = (
            (x @ theirs[0] + theirs[1]).relu() @ theirs[2] + theirs[3] if recipe.hidden else x @ theirs[0] + theirs[1]
        )
        each = torch.nn.functional.binary_cross_entropy_with_logits(hidden[..., 0], label, reduction="none")
        loss = ((each * weight).sum(1) / weight.sum(1)).sum()
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
    for ours, other in zip(nets.parameters, theirs, strict=True):
        assert torch.allclose(ours, other, atol=1e-5)


def test_a_classifier_is_the_same_beside_others_and_alone() -> None:
    x, one = rings(200, 1)
    other = Task(train=one.ask, labels=1 - one.labels, ask=one.train)
    short = Recipe(steps=40)
    together = fit_and_ask(x, [one, other], short, seed=5)
    alone = [fit_and_ask(x, [task], short, seed=5)[0] for task in (one, other)]
    for a, b in zip(together, alone, strict=True):
        assert np.allclose(a, b, atol=1e-3)
    again = fit_and_ask(x, [one, other], short, seed=5)
    assert all((a == b).all() for a, b in zip(together, again, strict=True))
