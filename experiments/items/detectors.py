"""Can the answers of models find wrong labels? Detectors by responses, measured against labels that are proved.

    python experiments/items/detectors.py --data DATA --stepgame STEPGAME --verdicts audit/verdicts.jsonl

prints the tables of README.md: of the networks (committed answers of experiments/kinship), of the published models
(DATA: published_replies/reasoning_gym) and of systems made for StepGame (stepgame.py; `proband audit STEPGAME -o audit`).

An item is wrong if the audit proves its label false (or its premises inconsistent); items with an open label
(ambiguous, gender open) are left out. A detector gives every item a number from the answers alone, marked by the labels
as published. AUC: the chance that a wrong item stands above a right one; its interval draws clusters (clauses; for
reasoning-gym the items) with replacement, 1,000 times. *At the count*: precision (and recall) when as many items are taken
as are wrong. *Within*: the AUC among items of one task and level (of one k). *Shuffled*: the range of the AUC in 20
shuffles of each system's answers over the items (5 of StepGame). `flagged`: what `proband items` writes to suspects.jsonl.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from scipy.stats import rankdata
from stepgame import answers

from proband.pipeline.item_analysis import discrimination, fit, inverted, the_best_fail, thirds
from proband.stats.clusters import Clusters

HERE = Path(__file__).parent
REPLIES = HERE.parent / "replies"
KINSHIP = HERE.parent / "kinship"
WRONG = 128
BAD, OPEN = ("false", "inconsistent"), ("ambiguous", "gender open", "unread")
TASKS = ("aiw", "family_relationships", "knights_knaves", "propositional_logic", "syllogism", "zebra_puzzles")


def detectors(right: np.ndarray, clusters: Clusters) -> dict[str, np.ndarray]:
    """High: suspect."""
    known = fit(right)
    infit, outfit = known.misfit()
    best, worst = thirds(right)
    correlation = np.nan_to_num(discrimination(right, clusters), nan=0.0)
    return {
        "share wrong": 1 - right.mean(axis=0),
        "low discrimination": -correlation,
        "infit": infit,
        "outfit": outfit,
        "best third wrong": 1 - best,
        "best third below worst": worst - best,
        "best system wrong": 1 - right[np.argsort(right.mean(axis=1), kind="stable")[-1]],
    }


def auc(score: np.ndarray, wrong: np.ndarray) -> float:
    ranks, n = rankdata(score), wrong.sum()
    return float((ranks[wrong].sum() - n * (n + 1) / 2) / (n * (len(wrong) - n)))


def at_the_count(score: np.ndarray, wrong: np.ndarray) -> float:
    """Precision among as many items as are wrong; ties count by their share."""
    n = int(wrong.sum())
    limit = np.sort(score)[-n]
    above, tied = score > limit, score == limit
    return float((wrong[above].sum() + wrong[tied].mean() * (n - above.sum())) / n)


def within(score: np.ndarray, wrong: np.ndarray, part: np.ndarray) -> float:
    """The mean of the AUC of every part, weighted by its pairs of a wrong and a right item."""
    pairs = [(p, int(wrong[part == p].sum()) * int((~wrong[part == p]).sum())) for p in np.unique(part)]
    known = [(auc(score[part == p], wrong[part == p]), count) for p, count in pairs if count]
    return sum(value * count for value, count in known) / sum(count for _, count in known)


def measured(
    right: np.ndarray, wrong: np.ndarray, cluster: np.ndarray, part: np.ndarray, shuffles: int
) -> dict[str, tuple[float, ...]]:
    rng = np.random.default_rng(0)
    known = Clusters.named(cluster, len(cluster))
    scores = detectors(right, known)
    _, code = np.unique(cluster, return_inverse=True)
    members = np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code))[:-1])
    draws, null = defaultdict(list), defaultdict(list)
    for _ in range(1000):
        rows = np.concatenate([members[at] for at in rng.integers(0, len(members), len(members))])
        if wrong[rows].any() and not wrong[rows].all():
            for name, score in scores.items():
                draws[name].append(auc(score[rows], wrong[rows]))
    for _ in range(shuffles):
        for name, score in detectors(np.array([rng.permutation(line) for line in right]), known).items():
            null[name].append(auc(score, wrong))
    return {
        name: (auc(score, wrong), *np.quantile(draws[name], [0.025, 0.975]), at_the_count(score, wrong),
               within(score, wrong, part), min(null[name]), max(null[name]))
        for name, score in scores.items()
    }  # fmt: skip


def flagged(right: np.ndarray, wrong: np.ndarray, cluster: np.ndarray) -> str:
    """Precision and recall of the rule of `proband items`, and of its former one (all wrong, or good fail, bad pass)."""
    (best, worst), correlation = thirds(right), discrimination(right, Clusters.named(cluster, len(cluster)))
    former = (right.mean(axis=0) <= 0) | inverted(best, worst, correlation)
    found = []
    for chosen in (former | the_best_fail(best), former):
        hits = int((chosen & wrong).sum())
        found.append(
            f"{chosen.sum()} flagged, {hits} wrong: {hits / max(chosen.sum(), 1):.0%}, {hits / wrong.sum():.0%}"
        )
    return f"{found[0]} (former rule {found[1]})"


# ---- the sources -------------------------------------------------------------------------------------------------


def networks(test: str, chosen: Callable[[str], bool]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Nets (means of their seeds) x rows of a release; whether the label is wrong; clauses; k."""
    (row,) = pl.read_parquet(KINSHIP / "tests.parquet").filter(pl.col("test") == test).iter_rows(named=True)
    runs = defaultdict(list)
    for each in pl.read_parquet(KINSHIP / "answers.parquet").filter(pl.col("test") == test).iter_rows(named=True):
        if each["trained_on"] and chosen(each["model"]):
            runs[each["trained_on"], each["model"]].append(np.frombuffer(each["predictions"], np.uint8) < WRONG)
    right = np.array([np.mean(seeds, axis=0) for seeds in runs.values()])
    verdicts = np.array(row["verdicts"])
    keep = ~np.isin(verdicts, OPEN)
    return right[:, keep], np.isin(verdicts[keep], BAD), np.array(row["clauses"])[keep], np.array(row["k"])[keep]


def published(data: Path, task: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ten models (means of their completions) x items of both levels that all have; whether the label is wrong; the level."""
    verdicts = {}
    path = REPLIES / f"{task}.exclusions.jsonl"
    for line in path.read_text().splitlines() if path.exists() else ():
        each = json.loads(line)
        verdicts[each["level"], each["item"]] = each["verdict"]
    scores: dict[tuple[str, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with gzip.open(data / f"{task}.jsonl.gz", "rt") as lines:
        for line in lines:
            each = json.loads(line)
            scores[each["level"], each["item"]][each["model"]].append(float(each["score"] >= 0.99))
    parts = []
    for level in ("easy", "hard"):
        items = [item for item in scores if item[0] == level and verdicts.get(item, "entailed") not in OPEN]
        models = sorted(set.intersection(*(set(scores[item]) for item in items)))
        right = np.array([[np.mean(scores[item][model]) for item in items] for model in models])
        parts.append((right, np.array([verdicts.get(item, "entailed") in BAD for item in items]), models))
    common = sorted(set(parts[0][2]) & set(parts[1][2]))
    right = np.concatenate([part[0][[part[2].index(model) for model in common]] for part in parts], axis=1)
    wrong = np.concatenate([part[1] for part in parts])
    return right, wrong, np.repeat([f"{task} easy", f"{task} hard"], [len(part[1]) for part in parts])


def table(
    title: str, right: np.ndarray, wrong: np.ndarray, cluster: np.ndarray, part: np.ndarray, shuffles: int = 20
) -> None:
    print(f"\n**{title}**: {len(right)} systems, {len(wrong)} items, {wrong.sum()} wrong ({wrong.mean():.1%}), "
          f"{len(np.unique(cluster))} clusters; share right on wrong items {right[:, wrong].mean():.1%}, on right ones "
          f"{right[:, ~wrong].mean():.1%}; {flagged(right, wrong, cluster)}\n")  # fmt: skip
    print(
        "| detector | AUC | 95 % interval | at the count | within | shuffled |\n| --- | ---: | --- | ---: | ---: | --- |"
    )
    for name, (value, low, high, top, inside, least, most) in measured(right, wrong, cluster, part, shuffles).items():
        print(
            f"| {name} | {value:.3f} | [{low:.3f}, {high:.3f}] | {top:.1%} | {inside:.3f} | {least:.2f} to {most:.2f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--stepgame", type=Path)
    parser.add_argument("--verdicts", type=Path)
    given = parser.parse_args()
    for test in ("released-k234", "released-k23"):
        right, wrong, cluster, k = networks(test, lambda model: "no-genders" not in model)
        table(f"Networks on CLUTRR, {test}", right, wrong, cluster, k)
    if given.data:
        every = [(task, *published(given.data, task)) for task in TASKS]
        every = [each for each in every if each[2].any()]
        for task, right, wrong, level in every:
            table(f"Published models, reasoning-gym {task}", right, wrong, np.arange(len(wrong)), level)
        joint = np.concatenate([right for _, right, _, _ in every], axis=1)
        wrong, part = (np.concatenate([each[at] for each in every]) for at in (2, 3))
        table("Published models, the four tasks together", joint, wrong, np.arange(len(wrong)), part)
    if given.stepgame:
        answered, wrong, cause, steps = answers(given.stepgame, given.verdicts)
        for kind, right in answered.items():
            table(f"StepGame, {kind}", right, wrong, cause, steps, 5)
            false = wrong & ~np.char.startswith(cause, "the sentence")  # the others relate a thing to itself
            keep = ~wrong | false
            table(
                f"StepGame, {kind}, without sentences of one thing",
                right[:, keep],
                wrong[keep],
                cause[keep],
                steps[keep],
                5,
            )


if __name__ == "__main__":
    main()
