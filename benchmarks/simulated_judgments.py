"""The middle of the pass in experiments/inference/pass.md: simulated people judge questionnaires.

    python benchmarks/simulated_judgments.py SHEETS LEVY_DAGAN.tsv [SEED]

Writes SHEETS/judgments.jsonl (five judgments of each candidate, by 30 people who are right in 75 to 98 % of cases) and
prints how well each rule recovers the truth behind them. The truth of a candidate is what Levy and Dagan's people said
of its pair of relations, up to inflection, where they judged one (the majority over their answers); otherwise it is
drawn: the paper's 23 % make no sense, and of the rest as many are answers as in their data.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from proband.core.agreement.coefficients import Votes
from proband.core.files import encode, read_records
from proband.lexicon.inflection import lemma
from proband.suites.inference.datasets.triples import read_levy_dagan
from proband.suites.inference.gold import ANSWERS, DOES_NOT, LABELS, NONSENSE, RULES, simulated_judgments
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
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
