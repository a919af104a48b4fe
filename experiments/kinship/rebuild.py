"""Every table of the certified studies from the committed answers, in seconds on a processor:

    python experiments/kinship/rebuild.py            # writes tables/*.md
    python experiments/kinship/rebuild.py --check    # fails if a table is not what the answers give

answers.parquet has a row per run: what it was trained on, the seed of its stories, the net, the training seed, the test
stories, and the number of the answered relation for each of them (uint8, the order of `RELATIONS`). tests.parquet has the
labels of the test stories in the same order, their k and task, and the sha256 of the items.jsonl they come from: `proband
build kinship` with the options of the study and `--seed` gives that file.

A set of stories is one independent replication: other families, other held-out clauses and phrases, other training and
test stories. A mean is over sets, after the mean over the training seeds of each; its 95 % interval is Student's t over
the sets, so that stories, held-out material and training all count. Without an interval: fewer than three sets.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from scipy import stats

HERE = Path(__file__).parent
KS = tuple(range(2, 11))
KINDS = ("clean", "supporting", "irrelevant", "disconnected")
Values = dict[int, list[list[float]]]  # seed of the stories -> of each run, a value per column
Answers = dict[tuple[str, str, str], Values]  # test, trained on, model
TABLES = {
    "figure3.5-k234": ("Figure 3.5: trained on k = 2, 3, 4", [("k234", "k234", "")]),
    "figure3.5-k23": ("Figure 3.5: trained on k = 2, 3", [("k234", "k23", "")]),
    "reading": (
        "The same questions as stories, as plain sentences with facts from either side, and as plain sentences along the chain",
        [
            ("k234", "k234", "story, "),
            ("facts", "facts", "plain, "),
            ("facts-chain", "facts-chain", "plain along the chain, "),
        ],
    ),
    "sides": (
        "Facts from either side, and along the chain as in CLUTRR",
        [("k234", "k234", "either side, "), ("story-chain", "story-chain", "along the chain, ")],
    ),
    "structure": (
        "The same paraphrases in training and test, and held-out ones",
        [("same", "same", "same, "), ("k234", "k23", "held out, ")],
    ),
}


def main(arguments: Sequence[str]) -> int:
    answers = read()
    made = {name: by_k(answers, title, parts) for name, (title, parts) in TABLES.items()}
    made["table3.8"] = by_noise(answers)
    wrong = []
    for name, text in made.items():
        path = HERE / "tables" / f"{name}.md"
        if "--check" in arguments:
            wrong += [] if path.is_file() and path.read_text(encoding="utf-8") == text else [name]
        else:
            path.write_text(text, encoding="utf-8")
    if wrong:
        print(f"not what the answers give: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


def read() -> Answers:
    """The share of right answers per column of every run."""
    labels, columns = {}, {}
    for row in pl.read_parquet(HERE / "tests.parquet").iter_rows(named=True):
        key = row["test"], row["data_seed"]
        labels[key] = np.frombuffer(row["labels"], dtype=np.uint8)
        columns[key] = np.array(row["tasks"] if row["test"] == "noise-test" else row["k"])
    answers: Answers = defaultdict(lambda: defaultdict(list))
    for row in pl.read_parquet(HERE / "answers.parquet").iter_rows(named=True):
        key = row["test"], row["data_seed"]
        right = np.frombuffer(row["predictions"], dtype=np.uint8) == labels[key]
        order: Iterable[object] = KINDS if row["test"] == "noise-test" else KS
        shares = [100 * float(right[columns[key] == column].mean()) for column in order]
        answers[row["test"], row["trained_on"], row["model"]][row["data_seed"]].append(
            [*shares, float(np.mean(shares))]
        )
    return answers


def figure(values: Values, column: int) -> str:
    """Mean over the sets of stories, and half of its 95 % interval."""
    means = [float(np.mean([run[column] for run in runs])) for runs in values.values()]
    if len(means) < 3:
        return f"{np.mean(means):.1f}"
    half = float(stats.t.ppf(0.975, len(means) - 1) * np.std(means, ddof=1) / len(means) ** 0.5)
    return f"{np.mean(means):.1f} ± {half:.1f}"


def runs_of(values: Values) -> str:
    return f"{len(values)} × {'/'.join(str(n) for n in sorted({len(runs) for runs in values.values()}))}"


def lines(answers: Answers, parts: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, Values]]:
    """The models of some tests and trainings, the best first; shortcuts last."""
    for test, trained_on, before in parts:
        found = {model: values for (t, on, model), values in answers.items() if (t, on) == (test, trained_on)}
        for model in sorted(found, key=lambda m: (m.startswith("baseline:"), -_overall(found[m]))):
            yield before + model, found[model]


def _overall(values: Values) -> float:
    return float(np.mean([run[-1] for runs in values.values() for run in runs]))


def by_k(answers: Answers, title: str, parts: Iterable[tuple[str, str, str]]) -> str:
    rows = list(lines(answers, parts))
    shown = [_row(name, values, len(KS) + 1) for name, values in rows]
    own = [values for name, values in rows if "baseline:" in name]
    if own:
        best = [
            max(float(np.mean([np.mean([r[c] for r in runs]) for runs in v.values()])) for v in own)
            for c in range(len(KS) + 1)
        ]
        shown.append(f"| *best shortcut* | | {' | '.join(f'*{value:.1f}*' for value in best)} |")
    head = f"| model | sets × seeds | {' | '.join(f'k = {k}' for k in KS)} | all |"
    return "\n".join([f"**{title}** (accuracy, percent)", "", head, "|---|---|" + "---:|" * (len(KS) + 1), *shown, ""])


def by_noise(answers: Answers) -> str:
    """Table 3.8: four kinds of training stories (rows of a net) by four of test stories, with the average over them."""
    nets: Mapping[str, list[tuple[str, Values]]] = defaultdict(list)
    for (test, trained_on, model), values in answers.items():
        if test == "noise-test":
            nets[model].append(("clean" if trained_on == "k23" else trained_on, values))
    head = f"| model | trained on | sets × seeds | {' | '.join(KINDS)} | average |"
    shown = []
    for model in sorted(nets, key=lambda m: (m.startswith("baseline:"), m)):
        found = sorted(nets[model], key=lambda each: KINDS.index(each[0]))
        shown += [_row(f"{model} | {kind}", values, 5) for kind, values in found]
    title = "**Table 3.8 on certified stories** (k = 2, 3; accuracy, percent; noise of 2 supporting, 1 irrelevant or 1 disconnected fact)"
    return "\n".join([title, "", head, "|---|---|---|" + "---:|" * 5, *shown, ""])


def _row(name: str, values: Values, columns: int) -> str:
    return f"| {name} | {runs_of(values)} | {' | '.join(figure(values, column) for column in range(columns))} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
