"""Table 3.8 as the thesis prints it: nets trained on clean stories and tested on four kinds, nets trained and tested on
one kind of noise, and the average of these seven; and whom noise in training helps.

A net helped by it answers more stories of a kind right if it was trained on that kind instead of on clean stories. Of
the three kinds the worst counts, with its p-value times three.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from proband.core.suite import Analysis, Outcome, Results, Sheet
from proband.stats import Scores
from proband.suites.kinship.paper.comparisons import TEXT, by_model
from proband.suites.kinship.paper.published import thesis_noise

ONLY_GAT: Final = "only-gat-improves"
NOISE: Final = ("supporting", "irrelevant", "disconnected")
CELLS: Final = (*(("clean", kind) for kind in ("clean", *NOISE)), *((kind, kind) for kind in NOISE))
THESIS: Final = {  # our name -> that of the table
    "bilstm-attention": "BiLSTM-Attention",
    "bilstm-mean": "BiLSTM-Mean",
    "relation-network": "RN",
    "mac": "MAC",
    "bert": "BERT",
    "bert-lstm": "BERT-LSTM",
    "gat": "GAT",
}


def noise(results: Results, seed: int) -> Sequence[Sheet]:
    """Nothing where no net was trained on clean stories, as a study of noise names it."""
    accuracies = by_model(results)
    kinds = {str(item.tags.get("task")) for item in results.items() if item.split == "test"}
    nets = [name.removeprefix("net:clean-") for name in accuracies if name.startswith("net:clean-")]
    if not nets or not kinds >= {"clean", *NOISE}:
        return ()
    rows = [(net, *_accuracies(net, accuracies)) for net in nets]
    gains = {net: _gains(net, accuracies) for net in nets}
    header = ("net", *(f"{trained} → {kind}" for trained, kind in CELLS), "average")
    worst = {net: outcome for net in TEXT if (outcome := _worst(gains.get(net, {})))}
    return (
        Sheet(
            name="table3.8-printed",
            title="Table 3.8 as the thesis prints it: trained on → tested on, in percent",
            header=header,
            rows=(*rows, *(row for net in nets if net in THESIS for row in _thesis(THESIS[net]))),
            note="The average is over the seven columns. In the thesis ± is the standard deviation over ten sets of "
            "stories; RN and BERT trained on clean stories are not readable in our copy of it.",
        ),
        Sheet(
            name="noise",
            title="What training on a kind of noise instead of clean stories gains on that kind, in points",
            header=("net", *NOISE),
            rows=tuple((net, *_points(gains[net])) for net in nets),
            outcomes={ONLY_GAT: worst},
        ),
    )


def _of_kind(scores: Scores | None, kind: str) -> Scores | None:
    """On the stories of a kind; None where there are none."""
    chosen = scores.only(scores.tags["task"] == kind) if scores is not None else None
    return chosen if chosen is not None and len(chosen) else None


def _accuracies(net: str, nets: Mapping[str, Scores]) -> list[float | None]:
    """Of the seven cells, and their mean where all are there."""
    values: list[float | None] = []
    for trained, kind in CELLS:
        stories = _of_kind(nets.get(f"net:{trained}-{net}"), kind)
        values.append(round(100 * stories.value, 1) if stories is not None else None)
    known = [value for value in values if value is not None]
    return [*values, round(sum(known) / len(known), 1) if len(known) == len(CELLS) else None]


def _thesis(model: str) -> list[tuple[str | None, ...]]:
    printed = thesis_noise()
    cells = [printed.get((model, *cell)) for cell in (*CELLS, ("", ""))]
    shown = [None if cell is None else f"{100 * cell[0]:.0f} ± {100 * cell[1]:.0f}" for cell in cells]
    return [(f"{model} (thesis)", *shown)]


def _gains(net: str, nets: Mapping[str, Scores]) -> dict[str, Outcome]:
    """Of each kind, on its stories: accuracy of the net trained on it minus that of the net trained on clean ones."""
    gains = {}
    for kind in NOISE:
        noisy, clean = (_of_kind(nets.get(f"net:{trained}-{net}"), kind) for trained in (kind, "clean"))
        if noisy is None or clean is None or not np.isin(noisy.items, clean.items).any():
            continue
        test = noisy.minus(clean)
        evidence = f"{kind}, {test.n} stories" + (f"; {test.note}" if test.note else "")
        gains[kind] = Outcome(difference=test.value, p=test.p, evidence=evidence, detectable=test.detectable)
    return gains


def _points(gains: Mapping[str, Outcome]) -> list[float | None]:
    values = [gains[kind].difference if kind in gains else None for kind in NOISE]
    return [None if value is None else round(100 * value, 1) for value in values]


def _worst(gains: Mapping[str, Outcome]) -> Outcome | None:
    """The kind where it gains least; the claim expects a loss there."""
    if not gains:
        return None
    least = min(gains.values(), key=lambda each: each.difference or 0.0)
    p = None if least.p is None else min(1.0, len(NOISE) * least.p)
    return Outcome(
        difference=-(least.difference or 0.0),
        p=p,
        evidence=f"gains least with {least.evidence}",
        detectable=least.detectable,
    )


NOISE_TABLES = Analysis(name="noise", help="Table 3.8 with its average, and the effect of noise in training", of=noise)
