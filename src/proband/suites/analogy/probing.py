"""Beyond the paper's one classifier: linear against MLP, a control task, and a sweep over the layers.

Control task (Hewitt & Liang 2019): every word that stands in the third place gets a random label, which a classifier
can only learn by heart. Both tasks are learnt from four fifths of the training half's positives with their negatives
and asked on the rest, so that the words have been seen but not the sentences; selectivity is the real task's accuracy
minus the control's. A probe with high accuracy and low selectivity tells more of the classifier than of the model.

A relation's sentences are embedded once, all layers in one pass, and every classifier is fitted on that table.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from proband.core.protocols import EmbedsWords, Floats
from proband.core.types import Item
from proband.suites.analogy.classifier import LINEAR, MLP, Probe, Settings, fit_and_ask
from proband.suites.analogy.supervised import Features, Sentence, by_relation, tasks_of
from proband.suites.analogy.templates import DEFAULT, fill_spans

CLASSIFIERS = {"mlp": MLP, "linear": LINEAR}


@dataclass(frozen=True)
class Finding:
    """Mean accuracies over relations, of one probe, classifier and layer (-1: the last, or no layers at all)."""

    probe: str
    classifier: str
    layer: int
    test: float  # on the unseen half, as in the paper
    seen: float  # real task, new sentences of seen words
    control: float  # control task, the same sentences

    @property
    def selectivity(self) -> float:
        return self.seen - self.control


def probe_features(items: Sequence[Item], features: Features, *, seed: int) -> list[Finding]:
    """MLP and linear probe over fixed features (relation embeddings, vector differences)."""
    found: dict[tuple[str, str, int], list[tuple[float, float, float]]] = defaultdict(list)
    for own in by_relation(items):
        sentences, _ = tasks_of(own)
        _fit(found, own, features(sentences), layer=-1, seed=seed)
    return _summary(found)


def probe_layers(
    items: Sequence[Item], model: EmbedsWords, *, seed: int, layers: Sequence[int], template: str = DEFAULT
) -> list[Finding]:
    """The same for each of `layers`, from one pass over the sentences."""
    found: dict[tuple[str, str, int], list[tuple[float, float, float]]] = defaultdict(list)
    for own in by_relation(items):
        sentences, _ = tasks_of(own)
        filled = [fill_spans(template, query, option) for query, option in sentences]
        table = model.embed([text for text, _ in filled], [spans for _, spans in filled], layers=layers)
        for at, layer in enumerate(layers):
            _fit(found, own, table[:, :, at].reshape(len(sentences), -1), layer=layer, seed=seed)
    return _summary(found)


def _fit(
    found: dict[tuple[str, str, int], list[tuple[float, float, float]]],
    items: Sequence[Item],
    table: Floats,
    *,
    layer: int,
    seed: int,
) -> None:
    sentences, tasks = tasks_of(items)
    split = [
        held_out(task, sentences, seed=f"{seed} {items[0].tags['relation']} {at}") for at, (_, task) in enumerate(tasks)
    ]
    for name, settings in CLASSIFIERS.items():
        test = _accuracies(table, [(t, _gold(asked)) for asked, t in tasks], settings, seed)
        seen = _accuracies(table, [real for real, _ in split], settings, seed)
        control = _accuracies(table, [fake for _, fake in split], settings, seed)
        for at, (asked, _) in enumerate(tasks):
            found[str(asked[0].tags["paper_probe"]), name, layer].append((test[at], seen[at], control[at]))


def _gold(items: Sequence[Item]) -> Floats:
    return np.array([item.gold == 0 for item in items], dtype=np.float32)


def held_out(
    task: Probe, sentences: Sequence[Sentence], *, seed: str
) -> tuple[tuple[Probe, Floats], tuple[Probe, Floats]]:
    """The real and the control task on the same four fifths and fifth of a task's training sentences."""
    rng = random.Random(f"held out {seed}")
    # a positive and its negative stand side by side; one of them learnt and the other asked would mislead
    order = list(range(0, len(task.train), 2))
    rng.shuffle(order)
    cut = max(1, len(order) // 5)
    ask, learn = (np.array([at + k for at in part for k in (0, 1)]) for part in (order[:cut], order[cut:]))
    words = sorted({sentences[row][1][0] for row in task.train})
    coin = {word: float(rng.random() < 0.5) for word in words}
    fake = np.array([coin[sentences[row][1][0]] for row in task.train], dtype=np.float32)

    def with_labels(labels: Floats) -> tuple[Probe, Floats]:
        return Probe(train=task.train[learn], labels=labels[learn], ask=task.train[ask]), labels[ask]

    return with_labels(task.labels), with_labels(fake)


def _accuracies(table: Floats, tasks: Sequence[tuple[Probe, Floats]], settings: Settings, seed: int) -> list[float]:
    logits = fit_and_ask(table, [task for task, _ in tasks], settings, seed=seed)
    return [float(((row > 0) == (gold > 0.5)).mean()) for row, (_, gold) in zip(logits, tasks, strict=True)]


def _summary(found: dict[tuple[str, str, int], list[tuple[float, float, float]]]) -> list[Finding]:
    return [Finding(*key, *(fmean(row[k] for row in rows) for k in range(3))) for key, rows in sorted(found.items())]


def markdown(findings: Sequence[Finding]) -> str:
    rows = [
        "| probe | classifier | layer | test half | seen words | control | selectivity |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for f in findings:
        numbers = " | ".join(f"{100 * x:.1f}" for x in (f.test, f.seen, f.control, f.selectivity))
        rows.append(f"| {f.probe} | {f.classifier} | {f.layer} | {numbers} |")
    return "\n".join(rows) + "\n"
