"""Simulated annotators for any questionnaires: judgments with known error rates, a questionnaire to the same people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from proband.core.agreement.simulator import Simulated, confusions, simulate
from proband.suites.inference.gold.judged import LABELS
from proband.suites.inference.questionnaire import Questionnaire


def simulated_judgments(
    questionnaires: Sequence[Questionnaire],
    truth: Mapping[str, str],
    *,
    seed: int,
    workers: int = 30,
    accuracy: tuple[float, float] = (0.75, 0.98),
    per_item: int = 5,
) -> Simulated:
    """Five of the `workers` judge each questionnaire; each is right with a probability of its own between bounds."""
    names = [candidate.id for each in questionnaires for candidate in each.candidates]
    groups = np.repeat(np.arange(len(questionnaires)), [len(each.candidates) for each in questionnaires])
    skill = confusions(np.random.default_rng([seed, 7]), workers=workers, labels=len(LABELS), accuracy=accuracy)
    return simulate(
        [truth[name] for name in names],
        labels=LABELS,
        confusion=skill,
        per_item=per_item,
        seed=seed,
        names=names,
        groups=groups,
    )
