"""Is contamination found, and not invented? The gap between test items and their twins, for SmolLM2 fine-tuned on half
of the items.

    python experiments/variations/contamination.py

contamination.npz holds the answers: for each model (`r10~0`: half of the items ten times among the training texts,
seed 0; `r0`: not among them; `untouched`: not fine-tuned) the choice on every item and on its twin; the right choice;
which items were exposed; and the clauses that items share. The items are those of

    proband build kinship --k 2,3 --per-k 308 --seed 27 -o items
    proband vary items -o varied --as twin --seed 27

The training texts are the 2,000 stories of `proband build kinship --k 2,3 --per-k 1000 --seed 28`, with their answers,
and the exposed items with theirs; one pass, AdamW, rate 1e-4, batches of 32, bfloat16 on one GPU (H200).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from proband.stats import Difference, Scores
from proband.stats.clusters import Clusters

DATA = Path(__file__).parent / "contamination.npz"


def gap(before: np.ndarray, after: np.ndarray, clusters: list[tuple[str, ...]]) -> Difference:
    """Items minus twins, as the report has it (reporting/variations.py)."""
    known = Clusters.of(clusters)
    one, other = (Scores.of(x, clusters=known) for x in (before, after))
    return one.minus(other)


def rejected_nulls(number: int = 4000, size: int = 308, seed: int = 0) -> float:
    """The share of null gaps that are called significant: a model as right on items as on twins, answers of a pair and
    of a clause correlated."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(number):
        clause = rng.integers(0, 90, size)
        skill = 0.8 * rng.normal(size=90)[clause] + rng.normal(size=size) - 0.6
        right = rng.random((2, size)) < 1 / (1 + np.exp(-skill))
        found += gap(right[0].astype(float), right[1].astype(float), [(str(c),) for c in clause]).p < 0.05
    return found / number


def filtered_gaps(number: int = 200, size: int = 300, seed: int = 1, filters: int = 1) -> tuple[float, float]:
    """Sets that keep what a filter model (or each of several) answered, and their twins, which nobody filtered: the
    mean gap of a clean model whose answers correlate with the filter's, and how often it is called significant."""
    rng, gaps, alarms = np.random.default_rng(seed), [], 0
    for _ in range(number):
        difficulty = rng.normal(size=6 * size)
        kept = (difficulty + rng.normal(size=(filters, 6 * size)) < 0).all(axis=0)
        filtered = np.flatnonzero(kept)[:size]
        item, twin = difficulty[filtered], rng.normal(size=size)
        before, after = ((each + rng.normal(size=size) < 0).astype(float) for each in (item, 0.5 * item + twin))
        found = gap(before, after, [(str(n),) for n in range(size)])
        gaps.append(found.value)
        alarms += found.p < 0.05
    return float(np.mean(gaps)), alarms / number


def main() -> None:
    data = np.load(DATA)
    gold, exposed = data["gold"], data["exposed"].astype(bool)
    clusters = [(str(each),) for each in data["clusters"]]
    print("| times seen | seed | half | items | twins | gap | 95 % | p |\n|---|---|---|---|---|---|---|---|")
    for name in sorted(
        data.files, key=lambda n: (n != "untouched~0", int("0" + n[1 : n.find("~")]) if n[0] == "r" else 0, n)
    ):
        if "~" not in name:
            continue
        right = (data[name] == gold).astype(float)
        for half, rows in (("exposed", exposed), ("not exposed", ~exposed)):
            found = gap(right[0][rows], right[1][rows], [c for c, keep in zip(clusters, rows) if keep])
            label, seed = name.split("~")
            means = " | ".join(f"{100 * line[rows].mean():.1f}" for line in right)
            span = f"{100 * found.low:.1f} to {100 * found.high:.1f}"
            times = label if label == "untouched" else label[1:]
            print(f"| {times} | {seed} | {half} | {means} | {100 * found.value:.1f} | {span} | {found.p:.3g} |")
    print(f"\nNull gaps called significant: {100 * rejected_nulls():.1f} % of 4,000 simulated ones.")
    mean, alarms = filtered_gaps()
    print(
        f"A clean model on filtered sets: a gap of {100 * mean:.1f} points, significant in {100 * alarms:.0f} % of 200."
    )


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    main()
