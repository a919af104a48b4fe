"""Tests that are more than a contrast: is GAT near-perfect at k = 3, does it gain most from longer training stories,
and is it the only net that noise in training helps?

Stories that share a clause are neighbours, and the runs of a net differ by their training seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from proband.core.files import group_by_key
from proband.core.metrics import ACCURACY
from proband.core.suite import Outcome, Results, Sheet, Table
from proband.stats import ONE_SEED, Scores, contrast, on_common_items
from proband.suites.kinship.paper.tables import thesis_noise

GAT_PERFECT, GAT_GAINS = "gat-near-perfect", "gat-gains-most"
NEAR = 0.95
TEXT = ("bilstm-mean", "bilstm-attention", "relation-network", "rmc", "mac", "bert-lstm", "bert")  # of the thesis
GATS = [f"net:{trained}-gat" for trained in ("k23", "k234", "released-k23", "released-k234")]  # of figure 3.5
Gain = tuple[Scores, Scores]  # a net trained on k = 2, 3, 4, and on k = 2, 3


def comparisons(results: Results, seed: int) -> Sequence[Sheet]:
    """Accuracy of GAT at k = 3, and what every net gains from k = 2, 3 to k = 2, 3, 4."""
    nets = by_model(results)
    of_three = {name: scores.only(scores.tags["k"] == "3") for name, scores in nets.items() if name in GATS}
    gats = {name: scores for name, scores in of_three.items() if len(scores)}
    gains = dict(_gains(nets))
    others = [net for net in gains if net in TEXT and "gat" in gains]
    more = {f"gat / {net}": gains_more(gains["gat"], gains[net]) for net in others}
    at_three = Sheet(
        name="at_three",
        title="Accuracy on held-out clauses of length 3, in percent",
        header=("net", "test stories", "accuracy"),
        rows=tuple((name, len(gat), round(100 * gat.value, 1)) for name, gat in gats.items()),
        outcomes={GAT_PERFECT: {name: near_perfect(gat) for name, gat in gats.items()}},
    )
    gained = Sheet(
        name="gains",
        title="What training on k = 2, 3, 4 instead of k = 2, 3 gains, in points",
        header=("net", "test stories", "gain"),
        rows=tuple((net, *_gained(gain)) for net, gain in gains.items()),
        outcomes={GAT_GAINS: {runs: outcome for runs, outcome in more.items() if outcome}},
    )
    return [sheet for sheet in (at_three, gained) if sheet.rows]


def by_model(results: Results) -> dict[str, Scores]:
    """Accuracy on the test stories, with their length and kind of noise, by model."""
    nets: dict[str, Scores] = {}
    for model, runs in group_by_key((run.model, at) for at, run in enumerate(results.runs) if run.net).items():
        answers = (((item, answer) for item, answer in results.answers(at) if item.split == "test") for at in runs)
        scores = Scores.of_runs(list(answers), ACCURACY, tags=("k", "task"), trained=True)
        nets |= {model: scores} if scores is not None else {}
    return nets


def near_perfect(scores: Scores) -> Outcome:
    """Accuracy above NEAR."""
    found = scores.against(NEAR)
    what = f"accuracy at k = 3 minus {100 * NEAR:.0f} %, {_counted(scores)}"
    what += f"; {ONE_SEED}" if scores.seeds.unknown else ""
    return Outcome(difference=found.value, p=found.p, evidence=what, detectable=found.detectable)


def gains_more(one: Gain, other: Gain) -> Outcome | None:
    """What one net gains minus what the other does, on the stories that all have answered."""
    scores = on_common_items(*one, *other)
    if not len(scores[0]):
        return None
    found = contrast(scores, [1, -1, -1, 1])
    what = f"gain of GAT minus gain of the other net, {_counted(scores[0])}"
    if found.note:  # one of the four nets was trained once
        return Outcome(difference=found.value, p=None, evidence=f"{what}: {ONE_SEED}")
    return Outcome(difference=found.value, p=found.p, evidence=what, detectable=found.detectable)


def _counted(scores: Scores) -> str:
    few = ": too few to tell" if scores.summary.few else ""
    return f"{len(scores)} stories of {scores.summary.clusters} clauses{few}"


def _gains(nets: Mapping[str, Scores]) -> Iterator[tuple[str, Gain]]:
    for name, longer in nets.items():
        shorter = nets.get(name.replace("net:k234-", "net:k23-"))
        if name.startswith("net:k234-") and shorter is not None:
            yield name.removeprefix("net:k234-"), (longer, shorter)


def _gained(gain: Gain) -> tuple[int, float]:
    """The number of stories, and the gain in points."""
    longer, shorter = on_common_items(*gain)
    return len(longer), round(100 * (longer.value - shorter.value), 1) if len(longer) else 0.0


COMPARISONS = Table(name="gains", title="Near-perfect at k = 3; gains by longer stories", of=comparisons, always=False)


# ---- table 3.8 as the thesis prints it ---------------------------------------------------------------------------
#
# Nets trained on clean stories and tested on four kinds, nets trained and tested on one kind of noise, and the average
# of these seven; then the nets that noise in training helps. Noise helps a net if it answers more stories of a kind
# right when trained on that kind instead of on clean stories. The worst of the three kinds counts, with its p-value
# times three.

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
    """The comparisons under noise; none if no net was trained on clean stories, as named in a study of noise."""
    accuracies = by_model(results)
    kinds = {str(item.tags.get("task")) for item in results.items() if item.split == "test"}
    nets = [name.removeprefix("net:clean-") for name in accuracies if name.startswith("net:clean-")]
    if not nets or not kinds >= {"clean", *NOISE}:
        return ()
    rows = [(net, *_accuracies(net, accuracies)) for net in nets]
    gains = {net: _noise_gains(net, accuracies) for net in nets}
    header = ("net", *(f"{trained} → {kind}" for trained, kind in CELLS), "average")
    worst = {net: outcome for net in TEXT if (outcome := _worst(gains.get(net, {})))}
    return (
        Sheet(
            name="table3.8-printed",
            title="Table 3.8 as the thesis prints it: trained on → tested on, in percent",
            header=header,
            rows=(*rows, *(_thesis(THESIS[net]) for net in nets if net in THESIS)),
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
    """The result on the stories of a kind; None if there are none."""
    chosen = scores.only(scores.tags["task"] == kind) if scores is not None else None
    return chosen if chosen is not None and len(chosen) else None


def _accuracies(net: str, nets: Mapping[str, Scores]) -> list[float | None]:
    """The accuracies of the seven cells, and their mean if none is missing."""
    values: list[float | None] = []
    for trained, kind in CELLS:
        stories = _of_kind(nets.get(f"net:{trained}-{net}"), kind)
        values.append(round(100 * stories.value, 1) if stories is not None else None)
    known = [value for value in values if value is not None]
    return [*values, round(sum(known) / len(known), 1) if len(known) == len(CELLS) else None]


def _thesis(model: str) -> tuple[str | None, ...]:
    cells = [thesis_noise().get((model, *cell)) for cell in (*CELLS, ("", ""))]
    return f"{model} (thesis)", *(f"{100 * cell[0]:.0f} ± {100 * cell[1]:.0f}" if cell else None for cell in cells)


def _noise_gains(net: str, nets: Mapping[str, Scores]) -> dict[str, Outcome]:
    """For each kind, on its stories: accuracy of the net trained on it minus that of the net trained on clean ones."""
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
    return [round(100 * (gains[kind].difference or 0.0), 1) if kind in gains else None for kind in NOISE]


def _worst(gains: Mapping[str, Outcome]) -> Outcome | None:
    """The kind with the smallest gain; the claim expects a loss there."""
    if not gains:
        return None
    least = min(gains.values(), key=lambda each: each.difference or 0.0)
    p = None if least.p is None else min(1.0, len(NOISE) * least.p)
    evidence = f"gains least with {least.evidence}"
    return replace(least, difference=-(least.difference or 0.0), p=p, evidence=evidence)


NOISE_TABLES = Table(name="noise", title="Table 3.8 with its average; the effect of noise", of=noise, always=False)
