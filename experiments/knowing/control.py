"""Knowing and using, frequency held fixed: analogies of which both facts are recalled beside those of which none is.

    proband study knowing --set models=MODELS -o results
    python experiments/knowing/control.py results

Items are compared within cells of one relation, one probe and one third of the frequency of their words (wordfreq), so
that neither the relation nor how common its words are can make the difference; cells with only one kind are left out.
The interval is a bootstrap over the pairs of words (400 draws). The last column is the same with the recalled facts
shuffled among the pairs of a relation (100 shuffles, their mean and their 95 % range): it must lie around 0.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from wordfreq import zipf_frequency

import proband
from proband.pipeline.frames import Results

DRAWS, SHUFFLES, BANDS = 400, 100, 3
Pair = frozenset[str]


class Analogies(NamedTuple):
    """Per item: right or not, its two pairs, relation and probe, mean frequency of its words."""

    right: NDArray[np.float64]
    pairs: list[tuple[Pair, ...]]
    kinds: list[tuple[str, str]]
    frequency: NDArray[np.float64]


def main(results: Path) -> None:
    runs = [proband.read(path.parent) for path in sorted(results.rglob("answers.jsonl"))]
    print("| model | analogies | both recalled, none | difference | same relation, probe, frequency | facts shuffled |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for facts in (run for run in runs if run.run.suite == "facts" and run.run.solver != "prior"):
        for uses in (run for run in runs if run.run.suite == "analogy" and run.run.model == facts.run.model):
            print(line(facts, uses))


def line(facts: Results, uses: Results) -> str:
    known, relation = recalled(facts)
    items = analogies(uses, known)
    rng = np.random.default_rng(0)
    plain = gap(items, known, cells=False, weights=np.ones(len(items.right)))
    held = gap(items, known, cells=True, weights=np.ones(len(items.right)))
    ends = [interval(items, known, cells, rng) for cells in (False, True)]
    shuffled = [gap(items, shuffle(known, relation, rng), True, np.ones(len(items.right))) for _ in range(SHUFFLES)]
    low, high = np.nanquantile(shuffled, (0.025, 0.975))
    share = share_known(items, known)
    counts = f"{int((share == 1).sum()):,}, {int((share == 0).sum()):,}"
    name = str(facts.run.model).removeprefix("hf:").removesuffix(".gguf")
    return (
        f"| {name} | {len(items.right):,} | {counts} | {points(plain, *ends[0])} | {points(held, *ends[1])} "
        f"| {points(float(np.nanmean(shuffled)), float(low), float(high))} |"
    )


def recalled(facts: Results) -> tuple[dict[Pair, bool], dict[Pair, str]]:
    metric, pairs = facts.set.suite.metric(), facts.set.suite.pairs
    assert pairs is not None
    known, relation = {}, {}
    for item, answer in facts.set.answers(0):
        (pair,) = (frozenset(map(str.casefold, each)) for each in pairs(item))
        known[pair] = metric.value(item, answer) > 0.5
        relation[pair] = str(item.tags["relation"])
    return known, relation


def analogies(uses: Results, known: Mapping[Pair, bool]) -> Analogies:
    metric, pairs = uses.set.suite.metric(), uses.set.suite.pairs
    assert pairs is not None
    right, rests, kinds, frequency = [], [], [], []
    for item, answer in uses.set.answers(0):
        own = tuple(frozenset(map(str.casefold, each)) for each in pairs(item))
        if len(own) == 2 and all(pair in known for pair in own):
            right.append(metric.value(item, answer))
            rests.append(own)
            kinds.append((str(item.tags["relation"]), str(item.tags["probe"])))
            frequency.append(np.mean([zipf_frequency(word, "en") for pair in own for word in pair]))
    return Analogies(np.array(right), rests, kinds, np.array(frequency))


def share_known(items: Analogies, known: Mapping[Pair, bool]) -> NDArray[np.float64]:
    return np.array([np.mean([known[pair] for pair in pairs]) for pairs in items.pairs])


def gap(items: Analogies, known: Mapping[Pair, bool], cells: bool, weights: NDArray[np.float64]) -> float:
    """Both recalled minus none recalled; within cells each counts by its smaller side."""
    share = share_known(items, known)
    bands = np.searchsorted(np.quantile(items.frequency, np.linspace(0, 1, BANDS + 1)[1:-1]), items.frequency)
    groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for at, (kind, band) in enumerate(zip(items.kinds, bands)):
        groups[(*kind, int(band)) if cells else ()].append(at)
    total = weight = 0.0
    for places in groups.values():
        own, scale, right = share[places], weights[places], items.right[places]
        sides = [scale * (own == value) for value in (1, 0)]
        size = min(side.sum() for side in sides)
        if size > 0:
            total += size * (sides[0] @ right / sides[0].sum() - sides[1] @ right / sides[1].sum())
            weight += size
    return total / weight if weight else float("nan")


def interval(
    items: Analogies, known: Mapping[Pair, bool], cells: bool, rng: np.random.Generator
) -> tuple[float, float]:
    """Pairs are drawn, and an item counts as often as its two pairs were drawn, times each other."""
    names = sorted({pair for pairs in items.pairs for pair in pairs}, key=sorted)
    place = {pair: at for at, pair in enumerate(names)}
    both = np.array([[place[pair] for pair in pairs] for pairs in items.pairs])
    values = []
    for _ in range(DRAWS):
        times = np.bincount(rng.integers(len(names), size=len(names)), minlength=len(names)).astype(float)
        values.append(gap(items, known, cells, times[both].prod(1)))
    low, high = np.nanquantile(values, (0.025, 0.975))
    return float(low), float(high)


def shuffle(known: Mapping[Pair, bool], relation: Mapping[Pair, str], rng: np.random.Generator) -> dict[Pair, bool]:
    result = {}
    for name in sorted(set(relation.values())):
        own = sorted((pair for pair in known if relation[pair] == name), key=sorted)
        result |= dict(zip(own, rng.permutation([known[pair] for pair in own]).tolist()))
    return result


def points(value: float, low: float, high: float) -> str:
    return f"{100 * value:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
