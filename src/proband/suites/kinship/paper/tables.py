"""How results are laid out: the tables of every report, those of the studies (figure 3.5, table 3.8), and table 3.1,
the paraphrases that stories are told with; and samples of stories (tables 3.3 to 3.7).

Tables are over the stories that are scored (core/metrics.py); `by_split` has both splits. A published
figure is shown with ours on the release it was measured on (baselines.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from proband.core.suite import Analysis, Results, Sheet, Table
from proband.core.types import Item
from proband.suites.kinship.generate.options import TASKS
from proband.suites.kinship.paper.published import published_values
from proband.suites.kinship.telling.bank import load_bank
from proband.suites.kinship.telling.bank_statistics import statistics
from proband.suites.kinship.world.rules import question_of, story_of

SAMPLED, SAMPLES_SHOWN = range(2, 7), 3  # lengths of tables 3.3 to 3.7, and puzzles in each
VERDICTS = ("entailed", "ambiguous", "false", "inconsistent")  # of other people's rows
SLICES = ("clean", "supporting", "irrelevant", "disconnected", "known-phrases", "plain")  # of a release's test
ORDER = {"task": TASKS, "split": ("train", "test")}
RELEASES = (
    "At k = 10 the two generalisation releases hold about 120 stories each (38 at k = 2). Two systems at 97 and 99 % "
    "cannot be told apart there: a paired test on 120 stories has 80 % power to detect 5.4 points, and "
    "needs 790 stories for 2 points. The certified test has any size (`test-per-k`)."
)

TABLES = (
    Table(name="by_k", title="Accuracy by task and number of facts", rows=("task",), columns=("k",), order=ORDER),
    Table(
        name="by_depth",
        title="Accuracy by length of the shortest proof",
        rows=("task",),
        columns=("depth",),
        order=ORDER,
    ),
    Table(
        name="by_task",
        title="Accuracy by task",
        rows=(),
        columns=("task",),
        order=ORDER,
        published_note="Table 3.8 of the paper is trained and tested on k = 2, 3.",
    ),
    Table(name="by_target", title="Accuracy by relation asked for", rows=("target",), columns=("task",), order=ORDER),
    Table(
        name="by_verdict",
        title="Accuracy by what the audit says of the label",
        rows=("verdict",),
        columns=("task",),
        order={**ORDER, "verdict": VERDICTS},
    ),
    Table(name="by_split", title="Training and held-out stories", rows=("split", "task"), columns=("k",), order=ORDER),
    Table(
        name="figure3.5",
        title="Figure 3.5: accuracy on test stories by number of facts",
        rows=(),
        columns=("k",),
        where={"task": "clean"},
        published_note=RELEASES,
        always=False,
    ),
    Table(
        name="figure3.5-depth",
        title="Figure 3.5 over true depth: accuracy by length of the shortest proof",
        rows=(),
        columns=("depth",),
        where={"task": "clean"},
        always=False,
    ),
    Table(
        name="figure3.5-verdict",
        title="Figure 3.5 on CLUTRR's releases, by what the audit says of the label",
        rows=("verdict",),
        columns=("k",),
        where={"task": "clean"},
        order={"verdict": VERDICTS},
        always=False,
    ),
    Table(
        name="release",
        title="A release: accuracy by slice and number of facts",
        rows=("slice",),
        columns=("k",),
        order={"slice": SLICES},
        always=False,
    ),
    Table(
        name="table3.8",
        title="Table 3.8: accuracy on test stories by kind of noise",
        rows=(),
        columns=("task",),
        order=ORDER,
        note="A net is named by the kind of stories it was trained on. The releases give no relation for noise "
        "facts: a graph net sees them as untyped.",
        always=False,
    ),
)


def table(results: Results, seed: int) -> Sequence[Sheet]:
    """Of the bank that ships with Proband; items of CLUTRR's own rows have none."""
    if "data" not in results.manifest.get("options", {}) or results.manifest["options"]["data"] is not None:
        return ()
    bank = statistics(load_bank(), seed=seed)
    paper = published_values()
    counts = [
        (f"{kind}, k = {k}", paper[kind][k], own[k])
        for kind, own in (("paraphrases", bank.paraphrases), ("clauses", bank.clauses))
        for k in sorted(own)
    ]
    words = ("unique words", paper["unique_words"][None], bank.vocabulary)
    overlaps = [
        (f"Jaccard overlap, {kind}", paper[f"jaccard_{kind}"][None], round(own, 4))
        for kind, own in (("unigrams", bank.unigrams), ("bigrams", bank.bigrams))
    ]
    return (
        Sheet(
            name="table3.1",
            title="Table 3.1: the paraphrases",
            header=("what", "published (Sinha 2022, crowd)", "Proband's bank"),
            rows=(*counts, words, *overlaps),
            note="A paraphrase of ours serves every casting of its clause, so that few of them tell many clauses.",
        ),
    )


PARAPHRASES = Analysis(name="table3.1", help="Table 3.1: the paraphrases", of=table)


def samples(results: Results, seed: int) -> Sequence[Sheet]:
    """Tables 3.3 to 3.7 of the thesis with our own stories: the first clean ones of each length that are scored, with
    different answers."""
    by_length: dict[int, dict[str, Item]] = {k: {} for k in SAMPLED}
    for item in results.items():
        k, target = item.tags.get("k"), str(item.facts.get("target"))
        taken = by_length.get(k) if isinstance(k, int) and item.split == "test" and item.facts.get("genders") else None
        if taken is not None and len(taken) < SAMPLES_SHOWN and item.tags.get("task") == "clean":
            taken.setdefault(target, item)
    return tuple(
        Sheet(
            name=f"table3.{k + 1}",
            title=f"Table 3.{k + 1}: puzzles for k = {k}",
            header=("puzzle", "question", "gender", "answer"),
            rows=tuple(_puzzle(item, target) for target, item in taken.items()),
        )
        for k, taken in by_length.items()
        if taken
    )


def _puzzle(item: Item, target: str) -> tuple[str, str, str, str]:
    people = zip(item.facts["names"], item.facts["genders"], strict=True)
    return story_of(item), question_of(item), ", ".join(f"{name}: {gender}" for name, gender in people), target


SAMPLES = Analysis(name="samples", help="Tables 3.3 to 3.7: puzzles of two to six facts", of=samples)
