"""Tests that are more than a contrast: is GAT near-perfect at k = 3, and does it gain most by longer training stories?

Stories that share a clause are neighbours, and the runs of a net differ by their training seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from proband.core.files import group_by_key
from proband.core.metrics import ACCURACY
from proband.core.suite import Analysis, Outcome, Results, Sheet
from proband.stats import ONE_SEED, Scores, contrast, on_common_items

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
    what = f"accuracy at k = 3 minus {NEAR:.0%}, {_counted(scores)}"
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
    few = ": too few to tell" if scores.known.few else ""
    return f"{len(scores)} stories of {scores.known.clusters} clauses{few}"


def _gains(nets: Mapping[str, Scores]) -> Iterator[tuple[str, Gain]]:
    for name, longer in nets.items():
        shorter = nets.get(name.replace("net:k234-", "net:k23-"))
        if name.startswith("net:k234-") and shorter is not None:
            yield name.removeprefix("net:k234-"), (longer, shorter)


def _gained(gain: Gain) -> tuple[int, float]:
    """On how many stories, and how many points."""
    longer, shorter = on_common_items(*gain)
    return len(longer), round(100 * (longer.value - shorter.value), 1) if len(longer) else 0.0


COMPARISONS = Analysis(name="gains", help="Near-perfect at k = 3, and gains by longer stories", of=comparisons)
