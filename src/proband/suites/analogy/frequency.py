"""Does word frequency explain the errors? (section 4, "Word Frequency")

The frequency of an output tuple is the harmonic mean of its two words' frequencies. For each relation, items answered
rightly and wrongly are compared by a two-sample Kolmogorov-Smirnov test, as in the paper; forty tests at once are
corrected by Holm's method, and an effect size is given: Cliff's delta, P(right > wrong) - P(right < wrong).

Items made of one tuple are not independent, so that test sees effects where there are none. Beside it stands one that
takes the tuple as its unit: Spearman's correlation of a tuple's frequency with the share of its items answered rightly,
its p-value by permuting tuples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proband.core.distributions import ks_2samp
from proband.core.errors import ProbandError
from proband.core.stats import holm
from proband.core.types import Answer, Item, accuracy
from proband.suites.analogy.relations import Pair, fold
from proband.suites.analogy.sources.bats import decode

Frequency = Callable[[str], float]


def from_wordfreq() -> Frequency:
    """wordfreq's estimate for English (the share of all words)."""
    try:
        from wordfreq import word_frequency
    except ImportError:
        raise ProbandError(
            "the frequency analysis needs wordfreq (pip install 'proband[words]') or a frequency file"
        ) from None
    return lambda word: float(word_frequency(word, "en"))


def from_file(path: Path) -> Frequency:
    """Lines `word count`, by space or tab."""
    counts: dict[str, float] = {}
    for number, line in enumerate(decode(path).splitlines(), start=1):
        if line.strip():
            word, _, count = line.strip().rpartition("\t" if "\t" in line else " ")
            try:
                counts[fold(word)] = counts.get(fold(word), 0.0) + float(count)
            except ValueError:
                raise ProbandError("must be a word and its count", file=path, line=number) from None
    if not counts:
        raise ProbandError("holds no words", file=path)
    return lambda word: counts.get(fold(word), 0.0)


def harmonic(pair: Pair, frequency: Frequency) -> float:
    """2 f(h) f(t) / (f(h) + f(t))

    >>> harmonic(("a", "b"), {"a": 1.0, "b": 3.0}.__getitem__)
    1.5
    """
    h, t = frequency(pair[0]), frequency(pair[1])
    return 2 * h * t / (h + t) if h > 0 and t > 0 else 0.0


def output_pair(item: Item) -> Pair:
    """The tuple a model has to judge: the option of a true/false item, the right option of a choice."""
    facts = item.facts
    pair = facts["option"] if "option" in facts else facts["options"][item.gold or 0]
    return pair[0], pair[1]


@dataclass(frozen=True)
class Effect:
    """One relation's tests; a p-value is None where one side is empty."""

    relation: str
    right: int
    wrong: int
    gap: float | None  # the Kolmogorov-Smirnov statistic
    p: float | None
    p_holm: float | None
    delta: float | None  # Cliff's
    tuples: int
    rho: float | None  # Spearman's, over tuples
    p_tuples: float | None
    p_tuples_holm: float | None


def analyse(
    items: Sequence[Item], answers: Sequence[Answer], frequency: Frequency, *, seed: int, probe: str = "random"
) -> list[Effect]:
    by_relation: dict[str, list[tuple[float, float, Pair]]] = defaultdict(list)
    known: dict[Pair, float] = {}
    for item, answer in zip(items, answers, strict=True):
        value = accuracy(item, answer)
        if value is not None and item.tags["paper_probe"] == probe:
            pair = output_pair(item)
            if pair not in known:
                known[pair] = harmonic(pair, frequency)
            by_relation[str(item.tags["relation"])].append((value, known[pair], pair))
    raw = [_effect(relation, rows, seed=seed) for relation, rows in by_relation.items()]
    return _corrected(raw)


def _effect(relation: str, rows: Sequence[tuple[float, float, Pair]], *, seed: int) -> Effect:
    right = np.array([f for value, f, _ in rows if value > 0.5])
    wrong = np.array([f for value, f, _ in rows if value <= 0.5])
    gap = p = delta = None
    if len(right) and len(wrong):
        gap, p = ks_2samp(right, wrong)
        delta = cliffs_delta(right, wrong)
    share: dict[Pair, list[float]] = defaultdict(list)
    often: dict[Pair, float] = {}
    for value, f, pair in rows:
        share[pair].append(value)
        often[pair] = f
    rho, p_tuples = spearman([often[t] for t in share], [float(np.mean(v)) for v in share.values()], seed=seed)
    return Effect(relation, len(right), len(wrong), gap, p, None, delta, len(share), rho, p_tuples, None)


def _corrected(effects: Sequence[Effect]) -> list[Effect]:
    found = list(effects)
    for name in ("p", "p_tuples"):
        tested = [at for at, effect in enumerate(found) if getattr(effect, name) is not None]
        for at, p in zip(tested, holm([getattr(found[at], name) for at in tested]), strict=True):
            found[at] = replace(found[at], p_holm=p) if name == "p" else replace(found[at], p_tuples_holm=p)
    return found


def cliffs_delta(a: ArrayLike, b: ArrayLike) -> float:
    """P(a > b) - P(a < b)

    >>> cliffs_delta([3, 4], [1, 3])
    0.75
    """
    x, y = np.asarray(a), np.sort(np.asarray(b))
    below = np.searchsorted(y, x, side="left").sum()
    above = (len(y) - np.searchsorted(y, x, side="right")).sum()
    return float((below - above) / (len(x) * len(y)))


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Ranks from 1, ties sharing their mean.

    >>> ranks([10, 30, 10]).tolist()
    [1.5, 3.0, 1.5]
    """
    x = np.asarray(values, dtype=np.float64)
    ordered = np.sort(x)
    shared: NDArray[np.float64] = (
        np.searchsorted(ordered, x, side="left") + np.searchsorted(ordered, x, side="right") + 1
    ) / 2
    return shared


def spearman(a: ArrayLike, b: ArrayLike, *, seed: int, draws: int = 2000) -> tuple[float | None, float | None]:
    """Rank correlation and its two-sided permutation p-value; none where one side does not vary."""
    x, y = ranks(a), ranks(b)
    if len(x) < 4 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None, None
    x, y = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    rho = float(x @ y / len(x))
    rng = np.random.default_rng(seed)
    shuffled = rng.permuted(np.tile(y, (draws, 1)), axis=1) @ x / len(x)
    return rho, float((np.sum(np.abs(shuffled) >= abs(rho) - 1e-12) + 1) / (draws + 1))


def markdown(effects: Iterable[Effect]) -> str:
    def shown(value: float | None) -> str:
        return "–" if value is None else f"{value:.3f}"

    head = "| relation | right | wrong | KS | p | p (Holm) | delta | tuples | rho | p | p (Holm) |"
    rows = [head, "|---|" + "---:|" * 10]
    for e in effects:
        numbers = [shown(v) for v in (e.gap, e.p, e.p_holm, e.delta)]
        last = [shown(v) for v in (e.rho, e.p_tuples, e.p_tuples_holm)]
        rows.append(f"| {e.relation} | {e.right} | {e.wrong} | " + " | ".join([*numbers, str(e.tuples), *last]) + " |")
    return "\n".join(rows) + "\n"
