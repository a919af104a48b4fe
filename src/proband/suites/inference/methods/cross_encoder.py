"""Cross-encoders trained for natural-language inference: log p(entailment) - log p(anything else)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import ClassifiesPairs
from proband.core.suite import Solver
from proband.core.types import Answer, Item
from proband.suites.inference.items import asked, sentence
from proband.suites.inference.methods.combination import RuleOptions, combined

NAMES = ("entailment", "entailed", "yes")


def entailment_label(labels: Sequence[str]) -> int:
    """
    >>> entailment_label(["CONTRADICTION", "Entailment", "neutral"])
    1
    """
    found = [n for n, label in enumerate(labels) if label.lower() in NAMES]
    if len(found) != 1:
        raise ProbandError(f"this classifier has the labels {', '.join(labels)}, none of which is entailment")
    return found[0]


def solve(items: Sequence[Item], model: ClassifiesPairs, *, seed: int, options: RuleOptions) -> list[Answer]:
    at = entailment_label(model.labels)
    pairs = [(sentence(asked(item).premise), sentence(asked(item).hypothesis)) for item in items]
    log = np.asarray(model.classify(pairs), dtype=np.float64)
    rest = np.delete(log, at, axis=1)
    top = rest.max(axis=1)
    scores = log[:, at] - top - np.log(np.exp(rest - top[:, None]).sum(axis=1))
    return combined(items, [float(each) for each in scores], options)


NLI = Solver(
    name="nli",
    help="classifiers of natural-language inference: the log-odds of entailment",
    needs=ClassifiesPairs,
    solve=solve,
    options=RuleOptions,
)
