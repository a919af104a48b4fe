"""Do kin words give it away whether an answer is determined? A linear detector that sees how often each kin word is
stated, and nothing else.

Ridge regression of the label (several answers are left: 1, one: 0) on the counts of the words, fitted on four fifths of
the stories and scored on the rest, five times (the two stories of a pair are always on the same side). Its figure is
the area under the ROC curve over all stories: 0.5 is a coin, 1 a word that decides.

>>> spotted = [(("uncle",), True, f"a{n}") for n in range(20)] + [(("son",), False, f"b{n}") for n in range(20)]
>>> kin_word_auc(spotted)
1.0
>>> matched = [(("uncle", "son"), bool(n % 2), f"pair {n // 2}") for n in range(40)]
>>> kin_word_auc(matched)
0.5
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from proband.core.files import group_by_key

FOLDS: Final = 5
RIDGE: Final = 1.0


def kin_word_auc(stories: Sequence[tuple[Sequence[str], bool, str]]) -> float:
    """Of (stated kin words, whether several answers are left, pair) for each story; 0.5 where there is nothing to
    learn."""
    import numpy as np
    from scipy.stats import rankdata

    labels = np.array([several for _, several, _ in stories], dtype=float)
    if len(set(labels.tolist())) < 2:
        return 0.5
    words = {word: place for place, word in enumerate(sorted({word for some, _, _ in stories for word in some}))}
    counts = np.zeros((len(stories), len(words) + 1))
    counts[:, -1] = 1.0
    for row, (some, _, _) in enumerate(stories):
        np.add.at(counts[row], [words[word] for word in some], 1.0)
    pairs = {pair: number for number, pair in enumerate(group_by_key((pair, pair) for _, _, pair in stories))}
    folds = np.array([pairs[pair] % FOLDS for _, _, pair in stories])
    scores = np.zeros(len(stories))
    for fold in range(FOLDS):
        train, test = folds != fold, folds == fold
        seen, wanted = counts[train], labels[train] - labels[train].mean() if train.any() else labels[train]
        weights = np.linalg.solve(seen.T @ seen + RIDGE * np.eye(seen.shape[1]), seen.T @ wanted)
        scores[test] = counts[test] @ weights
    ranks, positive = rankdata(np.round(scores, 9)), int(labels.sum())
    negative = len(labels) - positive
    return round(float((ranks[labels == 1].sum() - positive * (positive + 1) / 2) / (positive * negative)), 4)
