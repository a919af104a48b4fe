"""Asking each item with a few prompts drawn at random, beside asking it with all: how close the figures come.

    python benchmarks/prompt_sampling.py              by simulation
    python benchmarks/prompt_sampling.py grid RUNS    on the answers of a full grid (`proband run --prompt all -o RUNS`)

Simulation: 200 or 1,000 items, 13 prompts of a population of prompts, P(right) = logistic(m + item + prompt + rest).
The truth is the mean over the population, the percentiles those of the drawn prompts' true means.
"""

from __future__ import annotations

import sys

import numpy as np

from proband.reporting.prompts import QUANTILES, figures

SIZES, PROMPTS, REPEATS = (200, 1000), 13, 150
WORLDS = {"prompts alike": 0.05, "prompts differ": 0.5, "prompts differ much": 1.2}  # their spread, in logits
EACH = (1, 2, 4, 13)


def drawn(each: int, items: int, rng: np.random.Generator) -> np.ndarray:
    """Which prompts an item is asked with (pipeline/asking/items_and_answers.py)."""
    rank = rng.permutation(items)[:, None]
    return (np.arange(PROMPTS)[None] - rank * each - rank // PROMPTS) % PROMPTS < each


def simulate(spread: float, items: int, seed: int) -> dict[int, dict[str, float]]:
    rng = np.random.default_rng(seed)
    many = rng.normal(size=(20_000, 2)) * (1.0, spread)
    truth = float((1 / (1 + np.exp(-many.sum(axis=1) - 0.3))).mean())
    of: dict[int, list[tuple[float, ...]]] = {each: [] for each in EACH}
    for _ in range(REPEATS):
        a, b = rng.normal(size=items), rng.normal(size=PROMPTS) * spread
        p = 1 / (1 + np.exp(-(0.3 + a[:, None] + b[None] + 0.3 * rng.normal(size=(items, PROMPTS)))))
        x = (rng.random(p.shape) < p).astype(float)
        means = (1 / (1 + np.exp(-(0.3 + rng.normal(size=4000)[:, None] + b[None])))).mean(axis=0)
        for each in EACH:
            part = np.where(drawn(each, items, rng), x, np.nan) if each < PROMPTS else x
            found = figures(part, [(str(i),) for i in range(items)], share=True)
            errors = np.array(found.quantiles) - np.quantile(means, QUANTILES)
            of[each].append((found.mean - truth, found.low <= truth <= found.high, *errors))
    out = {}
    for each, lines in of.items():
        table = np.array(lines, dtype=float)
        rms = np.sqrt((table**2).mean(axis=0))
        out[each] = {"mean": rms[0], "coverage": table[:, 1].mean(), "5th": rms[2], "50th": rms[3], "95th": rms[4]}
    return out


def grid(folder: str) -> None:
    """The same on real answers: the figures of the whole grid, and those of parts of it, drawn 100 times."""
    from proband.pipeline.report import item_sets
    from proband.reporting.numbers.cells import Study
    from proband.reporting.prompts import _clusters, _groups, _values

    (items,) = item_sets([folder])
    metric = next(each for each in items.suite.metrics if each.over != "set")  # one with a number for each item
    study = Study(items, [metric], seed=0)
    study.main = metric
    (group,) = _groups(study).values()
    x = np.stack([_values(study, system) for system in group], axis=1)
    asked = ~np.isnan(x).all(axis=1)
    x, clusters = x[asked], [_clusters(study)[i] for i in np.flatnonzero(asked)]
    whole = figures(x, clusters, share=True)
    quantiles = " ".join(f"{100 * value:.1f}" for value in whole.quantiles)
    print(f"{metric.name}, {x.shape[0]} items, {x.shape[1]} prompts: mean {100 * whole.mean:.1f}, {quantiles}")
    rng = np.random.default_rng(0)
    for each in (1, 2, 4):
        parts = [
            figures(
                np.where(drawn(each, len(x), rng) if x.shape[1] == PROMPTS else np.nan, x, np.nan), clusters, share=True
            )
            for _ in range(100)
        ]
        errors = np.array([[part.mean - whole.mean, *np.subtract(part.quantiles, whole.quantiles)] for part in parts])
        print(each, "prompts an item:", *(f"{100 * value:.1f}" for value in np.sqrt((errors**2).mean(axis=0))))


def main() -> None:
    print(
        f"{'':22}{'items':>7}{'prompts each':>14}{'calls':>8}{'mean':>8}{'covered':>9}{'5th':>7}{'50th':>7}{'95th':>7}"
    )
    for number, (name, spread) in enumerate(WORLDS.items()):
        for items in SIZES:
            for each, row in simulate(spread, items, number).items():
                numbers = "".join(f"{100 * row[key]:7.1f}" for key in ("5th", "50th", "95th"))
                shown = f"{100 * row['mean']:8.1f}{100 * row['coverage']:9.1f}{numbers}"
                print(f"{name:22}{items:7}{each:14}{each * items:8}{shown}", flush=True)


if __name__ == "__main__":
    main() if sys.argv[1:2] != ["grid"] else grid(sys.argv[2])
