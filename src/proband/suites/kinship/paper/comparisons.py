"""Tests that are more than a contrast: is GAT near-perfect at k = 3, and does it gain most by longer training stories?

Stories that share a clause are neighbours, and the runs of a net differ by their training seed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proband.core.metrics import accuracy_of
from proband.core.statistics.clusters import Clusters, clusters_of
from proband.core.statistics.spread import ONE_SEED
from proband.core.suite import Analysis, Outcome, Results, Sheet
from proband.stats import Scores, contrast

GAT_PERFECT, GAT_GAINS = "gat-near-perfect", "gat-gains-most"
NEAR = 0.95
TEXT = ("bilstm-mean", "bilstm-attention", "relation-network", "rmc", "mac", "bert-lstm", "bert")  # of the thesis
GATS = [f"net:{trained}-gat" for trained in ("k23", "k234", "released-k23", "released-k234")]  # of figure 3.5


@dataclass(frozen=True)
class Stories:
    """The accuracy of a net on each test story (by id), in each of its runs, and the clauses of the stories."""

    runs: tuple[Mapping[str, float], ...]
    clauses: Mapping[str, tuple[str, ...]]

    @property
    def ids(self) -> frozenset[str]:
        """The stories that every run answered."""
        return frozenset.intersection(*(frozenset(run) for run in self.runs))

    def scores(self, ids: Sequence[str]) -> Scores:
        return Scores.of(
            [[run[story] for story in ids] for run in self.runs],
            items=ids,
            clusters=Clusters.of([self.clauses[story] for story in ids]),
            share=True,
            trained=True,
        )


Gain = tuple[Stories, Stories]  # a net trained on k = 2, 3, 4, and on k = 2, 3


def comparisons(results: Results, seed: int) -> Sequence[Sheet]:
    """Accuracy of GAT at k = 3, and what every net gains from k = 2, 3 to k = 2, 3, 4."""
    nets, of_three = by_model(results)
    gats = {name: (nets[name], ids) for name in nets if name in GATS and (ids := sorted(nets[name].ids & of_three))}
    gains = dict(_gains(nets))
    others = [net for net in gains if net in TEXT and "gat" in gains]
    more = {f"gat / {net}": gains_more(gains["gat"], gains[net]) for net in others}
    at_three = Sheet(
        name="at_three",
        title="Accuracy on held-out clauses of length 3, in percent",
        header=("net", "test stories", "accuracy"),
        rows=tuple((name, len(ids), round(100 * gat.scores(ids).value, 1)) for name, (gat, ids) in gats.items()),
        outcomes={GAT_PERFECT: {name: near_perfect(gat, ids) for name, (gat, ids) in gats.items()}},
    )
    gained = Sheet(
        name="gains",
        title="What training on k = 2, 3, 4 instead of k = 2, 3 gains, in points",
        header=("net", "test stories", "gain"),
        rows=tuple((net, *_gained(gain)) for net, gain in gains.items()),
        outcomes={GAT_GAINS: {runs: outcome for runs, outcome in more.items() if outcome}},
    )
    return [sheet for sheet in (at_three, gained) if sheet.rows]


def by_model(results: Results) -> tuple[dict[str, Stories], frozenset[str]]:
    """Accuracy on every test story, by model; and the stories of k = 3."""
    runs: dict[str, list[dict[str, float]]] = defaultdict(list)
    clauses: dict[str, tuple[str, ...]] = {}
    at_three = set()
    for at, run in enumerate(results.runs):
        mine: dict[str, float] = {}
        for item, answer in results.answers(at) if run.net else ():
            score = accuracy_of(item, answer)
            if item.split == "test" and score is not None:
                mine[item.id] = score
                clauses[item.id] = clusters_of(item)
                if str(item.tags.get("k")) == "3":
                    at_three.add(item.id)
        if mine:
            runs[run.model].append(mine)
    return {model: Stories(tuple(each), clauses) for model, each in runs.items()}, frozenset(at_three)


def near_perfect(stories: Stories, ids: Sequence[str]) -> Outcome:
    """Accuracy above NEAR."""
    scores = stories.scores(ids)
    found = scores.against(NEAR)
    what = f"accuracy at k = 3 minus {NEAR:.0%}, {_counted(scores)}"
    what += f"; {ONE_SEED}" if scores.seeds.unknown else ""
    return Outcome(difference=found.value, p=None if found.few else found.p, evidence=what, detectable=found.detectable)


def gains_more(one: Gain, other: Gain) -> Outcome | None:
    """What one net gains minus what the other does, on the stories that all have answered."""
    ids = sorted(frozenset.intersection(*(each.ids for each in (*one, *other))))
    if not ids:
        return None
    scores = [each.scores(ids) for each in (*one, *other)]
    found = contrast(scores, [1, -1, -1, 1])
    what = f"gain of GAT minus gain of the other net, {_counted(scores[0])}"
    if found.note:  # one of the four nets was trained once
        return Outcome(difference=found.value, p=None, evidence=f"{what}: {ONE_SEED}")
    return Outcome(difference=found.value, p=None if found.few else found.p, evidence=what, detectable=found.detectable)


def _counted(scores: Scores) -> str:
    few = ": too few to tell" if scores.dependence.few else ""
    return f"{len(scores)} stories of {scores.dependence.clusters} clauses{few}"


def _gains(nets: Mapping[str, Stories]) -> Iterator[tuple[str, Gain]]:
    for name, longer in nets.items():
        shorter = nets.get(name.replace("net:k234-", "net:k23-"))
        if name.startswith("net:k234-") and shorter is not None:
            yield name.removeprefix("net:k234-"), (longer, shorter)


def _gained(gain: Gain) -> tuple[int, float]:
    """On how many stories, and how many points."""
    longer, shorter = gain
    ids = sorted(longer.ids & shorter.ids)
    if not ids:
        return 0, 0.0
    return len(ids), round(100 * (longer.scores(ids).value - shorter.scores(ids).value), 1)


COMPARISONS = Analysis(name="gains", help="Near-perfect at k = 3, and gains by longer stories", of=comparisons)
