"""Aggregation recovers what simulated annotators were given."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from proband.stats.agreement.aggregation import dawid_skene, mace
from proband.stats.agreement.coefficients import Aggregate, Votes, all_but, majority
from proband.stats.estimators.share import wilson

if TYPE_CHECKING:
    from benchmarks.simulated_judgments import Simulated, confusions, simulate
else:
    sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
    from simulated_judgments import Simulated, confusions, simulate

LABELS = ("answers", "does not", "makes no sense")


def crowd(
    *, items: int = 600, workers: int = 25, accuracy: tuple[float, float] = (0.6, 0.95), seed: int = 0
) -> Simulated:
    rng = np.random.default_rng(seed)
    truth = [LABELS[n] for n in rng.choice(3, size=items, p=[0.2, 0.6, 0.2])]
    skill = confusions(rng, workers=workers, labels=3, accuracy=accuracy)
    return simulate(truth, labels=LABELS, confusion=skill, seed=seed)


def right(found: Aggregate, truth: dict[str, str]) -> float:
    """The share of right labels; an item without one is wrong."""
    return sum(found.labels[name] == truth[name] for name in truth) / len(truth)


def test_models_of_workers_recover_the_truth_better_than_a_majority() -> None:
    made = crowd(accuracy=(0.45, 0.95))
    votes = Votes.of(made.judgments, labels=LABELS)
    plain = right(majority(votes), made.truth)
    assert right(dawid_skene(votes), made.truth) > plain
    assert right(mace(votes), made.truth) > plain
    strict = all_but(votes)
    assert strict.retained < 0.8
    assert right(strict, made.truth) / strict.retained > plain  # fewer items, safer labels


# labels (by number) that crowd-kit 1.4.2 gives the crowd of the test below: DawidSkene(n_iter=300, tol=1e-10)
CROWD_KIT = (
    "2121021010101112101102210111011012111111211211202110122111100111212021121101001201120111101111111110"
    "1112011111211110121122222111111110111001112211011112210220120101211012112111111110221202112121111111"
    "1101211111022202211110101221111211002201201111111111111200022112112121222111011201100221112101011111"
)


def test_dawid_skene_gives_the_labels_of_crowd_kit() -> None:
    votes = Votes.of(crowd(items=300, accuracy=(0.45, 0.95), seed=3).judgments, labels=LABELS)
    found = dawid_skene(votes).labels
    assert [found[name] for name in votes.items] == [LABELS[int(n)] for n in CROWD_KIT]


def test_dawid_skene_recovers_error_rates_and_shares() -> None:
    made = crowd(items=3000, accuracy=(0.7, 0.95), seed=1)
    votes = Votes.of(made.judgments, labels=LABELS)
    found = dawid_skene(votes)
    assert found.confusion is not None
    assert found.share is not None
    order = [int(name.split("-")[1]) for name in votes.workers]
    assert np.abs(found.confusion - made.confusion[order]).mean() < 0.02
    counted = Counter(made.truth.values())
    for label, share in zip(votes.labels, found.share, strict=True):
        low, high = wilson(np.array(counted[label] / 3000), np.array(3000.0), np.inf)
        assert low - 0.01 < share < high + 0.01


def test_the_share_of_positives_lies_in_its_interval_in_nearly_all_simulations() -> None:
    inside = 0
    for seed in range(20):
        made = crowd(items=400, accuracy=(0.75, 0.95), seed=100 + seed)
        labels = dawid_skene(Votes.of(made.judgments, labels=LABELS)).labels
        share = np.mean([label == "answers" for label in labels.values()])
        low, high = wilson(np.array(share), np.array(400.0), np.inf)
        inside += bool(low <= 0.2 <= high)
    assert inside >= 17


def test_mace_tells_spammers_from_workers() -> None:
    rng = np.random.default_rng(3)
    skill = confusions(rng, workers=12, labels=3, accuracy=(0.85, 0.95))
    skill[:3] = [0.1, 0.8, 0.1]  # three say "does not" whatever they read
    truth = [LABELS[n] for n in rng.integers(0, 3, 400)]
    made = simulate(truth, labels=LABELS, confusion=skill, seed=3)
    votes = Votes.of(made.judgments, labels=LABELS)
    competence = dict(zip(votes.workers, np.asarray(mace(votes).competence), strict=True))
    spam = [competence[f"worker-{n}"] for n in range(3)]
    assert max(spam) < 0.3 < 0.7 < min(value for name, value in competence.items() if int(name[7:]) > 2)
    accuracy = dict(zip(votes.workers, dawid_skene(votes).accuracy(), strict=True))
    assert accuracy["worker-0"] < accuracy["worker-5"]
