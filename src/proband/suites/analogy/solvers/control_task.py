"""Does a classifier read the model, or learn words by heart? The control task of Hewitt & Liang 2019.

Every word that stands in the third place gets a random label, which a classifier can only learn by heart. The real task
(`seen`) and the control task (`control`) are learnt from the same four fifths of the training half's positives with
their negatives, and asked on the rest, so that the words have been seen but not the sentences. Selectivity is the
accuracy on `seen` minus that on `control`: two runs. A probe with high accuracy and low selectivity tells more of the
classifier than of the model.

An item has one gold answer, which is not the control label. The scores of a control run are therefore signed: as the
classifier gave them where the control label is the gold one, with the opposite sign where it is not. So *accuracy
against gold* of a control run is accuracy against the control label.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from proband.core.errors import ProbandError
from proband.core.protocols import Floats
from proband.core.types import Item
from proband.suites.analogy.item_pairs import query_and_option
from proband.suites.analogy.solvers.classifier import Lesson


def held_out(items: Sequence[Item], task: Lesson, *, seed: str, control: bool) -> tuple[list[Item], Lesson, Floats]:
    """Of a task's training items: those held out, the task that asks about them, and the sign of each score."""
    rng = random.Random(f"held out {seed}")
    # a positive and its negative have one name; one of them learnt and the other asked would mislead
    pairs: dict[str, list[int]] = {}
    for at, item in enumerate(items):
        pairs.setdefault(item.id.rpartition(".")[0], []).append(at)
    if len(pairs) < 2:
        raise ProbandError(f"relation {items[0].tags['relation']!r} has too few training items to hold some out")
    order = list(pairs.values())
    rng.shuffle(order)
    cut = max(1, len(order) // 5)
    ask, learn = (np.array([at for pair in part for at in pair]) for part in (order[:cut], order[cut:]))
    labels = np.asarray(task.labels, dtype=np.float32)
    if control:  # a random label per item that depends on the option's first word alone
        words = [query_and_option(item)[1][0] for item in items]
        coin = {word: float(rng.random() < 0.5) for word in sorted(set(words))}
        labels = np.array([coin[word] for word in words], dtype=np.float32)
    signs: Floats = np.where(labels == task.labels, 1, -1).astype(np.float32)
    asked = Lesson(train=task.train[learn], labels=labels[learn], ask=task.train[ask])
    return [items[at] for at in ask], asked, signs[ask]
