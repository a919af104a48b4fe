"""The middle of the pass in experiments/inference/pass.md: simulated people judge questionnaires.

    python benchmarks/simulated_judgments.py SHEETS LEVY_DAGAN.tsv [SEED]

Writes SHEETS/judgments.jsonl (five judgments of each candidate, by 30 people who are right in 75 to 98 % of cases) and
prints how well each rule recovers the truth behind them. The truth of a candidate is what Levy and Dagan's people said
of its pair of relations, up to inflection, where they judged one (the majority over their answers); otherwise it is
drawn: the paper's 23 % make no sense, and of the rest as many are answers as in their data.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from proband.core.files import encode, read_records
from proband.core.types import Judgment
from proband.lexicon.inflection import lemma
from proband.stats.agreement.coefficients import Votes
from proband.stats.clusters import Floats, Ints
from proband.suites.inference.datasets.triples import read_levy_dagan
from proband.suites.inference.gold import ANSWERS, DOES_NOT, LABELS, NONSENSE, RULES
from proband.suites.inference.questionnaire import Questionnaire

MAKES_NO_SENSE = 0.23
Pair = tuple[str, str, bool]  # relation of the question, of the assertion, whether both have the answer as subject


def pair(asked: str, said: str, *, straight: bool) -> Pair:
    one, other = (" ".join(map(lemma, each.lower().split())) for each in (asked, said))
    return one, other, straight


def known_pairs(path: Path) -> tuple[dict[Pair, str], float]:
    """What people said of pairs of relations, and the share of answers."""
    said: dict[Pair, Counter[bool]] = defaultdict(Counter)
    for one in read_levy_dagan(path):
        said[pair(one.hypothesis.relation, one.premise.relation, straight=one.straight)][bool(one.entailed)] += 1
    labels = {each: ANSWERS if votes[True] * 2 > votes.total() else DOES_NOT for each, votes in said.items()}
    total: Counter[bool] = sum(said.values(), Counter())
    return labels, total[True] / total.total()


def truth(sheets: list[Questionnaire], known: dict[Pair, str], share: float, seed: int) -> tuple[dict[str, str], int]:
    rng = np.random.default_rng(seed)
    rates = ((1 - MAKES_NO_SENSE) * share, (1 - MAKES_NO_SENSE) * (1 - share), MAKES_NO_SENSE)
    found, judged = {}, 0
    for sheet in sheets:
        for one in sheet.candidates:
            drawn = str(rng.choice((ANSWERS, DOES_NOT, NONSENSE), p=rates))
            label = known.get(pair(sheet.q_rel, one.relation, straight=one.side == "subject"))
            judged += label is not None
            found[one.id] = label or drawn
    return found, judged


# ---- annotators with known error rates: what aggregation must recover ------------------------------------------------


@dataclass(frozen=True)
class Simulated:
    """Judgments and the truth behind them."""

    judgments: tuple[Judgment, ...]
    truth: dict[str, str]
    confusion: Floats  # workers x true label x given label


def confusions(rng: np.random.Generator, *, workers: int, labels: int, accuracy: tuple[float, float]) -> Floats:
    """Workers whose accuracy is uniform between two bounds, their errors spread over the other labels at random."""
    right = rng.uniform(*accuracy, size=(workers, labels))
    wrong = rng.dirichlet(np.ones(labels - 1), size=(workers, labels))
    matrix = np.zeros((workers, labels, labels))
    for k in range(labels):
        others = [l for l in range(labels) if l != k]
        matrix[:, k, others] = (1 - right[:, k])[:, None] * wrong[:, k]
        matrix[:, k, k] = right[:, k]
    return matrix


def simulate(
    truth: Sequence[str],
    *,
    labels: Sequence[str],
    confusion: Floats,
    per_item: int = 5,
    seed: int = 0,
    names: Sequence[str] = (),
    groups: Ints | None = None,
) -> Simulated:
    """`per_item` different workers judge every item, the same ones all items of a group (a questionnaire)."""
    rng, at = np.random.default_rng(seed), {label: n for n, label in enumerate(labels)}
    names = names or [f"item-{n}" for n in range(len(truth))]
    groups = np.arange(len(truth)) if groups is None else groups
    people = {int(group): rng.permutation(len(confusion))[:per_item] for group in np.unique(groups)}
    worker = np.concatenate([people[int(group)] for group in groups])
    item = np.repeat(np.arange(len(truth)), [len(people[int(group)]) for group in groups])
    true = np.array([at[label] for label in truth])[item]
    reached = np.cumsum(confusion[worker, true], axis=1)
    given = (rng.random(len(worker))[:, None] > reached[:, :-1]).sum(axis=1)
    seconds = np.round(rng.lognormal(1.5, 0.5, len(worker)), 2)
    judgments = tuple(
        Judgment(item_id=names[int(i)], worker=f"worker-{w}", value=labels[int(l)], seconds=float(s))
        for i, w, l, s in zip(item, worker, given, seconds, strict=True)
    )
    return Simulated(judgments, dict(zip(names, truth, strict=True)), confusion)


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


def main(folder: Path, data: Path, seed: int) -> None:
    sheets = list(read_records(folder / "questionnaires.jsonl", Questionnaire, key="id"))
    known, share = known_pairs(data)
    right, judged = truth(sheets, known, share, seed)
    made = simulated_judgments(sheets, right, seed=seed)
    (folder / "judgments.jsonl").write_bytes(b"".join(encode(each) + b"\n" for each in made.judgments))
    print(
        f"{len(made.judgments):,} judgments of {len(right):,} candidates; the truth of {judged:,} is Levy and Dagan's"
    )
    print(", ".join(f"{label} {count:,}" for label, count in Counter(right.values()).most_common()))
    votes = Votes.of(made.judgments, labels=LABELS)
    for name, rule in RULES.items():
        labels = rule(votes).labels
        kept = {item: label for item, label in labels.items() if label is not None}
        correct = sum(right[item] == label for item, label in kept.items()) / len(kept)
        print(f"{name:12} keeps {len(kept) / len(right):6.1%}, of which right {correct:6.1%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheets", type=Path)
    parser.add_argument("levy_dagan", type=Path)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    given = parser.parse_args()
    main(given.sheets, given.levy_dagan, given.seed)
