"""The tables of every report, and those of the studies (figure 3.5, table 3.8); the answers of models where nothing
follows; and published figures.

Tables are over the stories that are scored (core/metrics.py); `by_split` has both splits. A published figure is shown
with ours on the release it was measured on: table 3.2 (people) and table 3.8 (networks under noise) of the thesis, and
by number of facts a later system (CTP, Minervini et al. 2020) and the GAT of its program, as R5 (Lu et al. 2022) prints
it. The networks of table 3.8 were trained on one kind of stories (k = 2, 3) and tested on another, so the training data
are part of the model's name. Two columns of its first block (RN and BERT trained on clean stories) are illegible in our
text of the paper and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from proband.core.files import data_rows
from proband.core.metrics import chosen_answer
from proband.core.suite import MeasuredOn, Published, Results, Sheet, Table
from proband.core.types import WRONG, Answer, Item, Tag
from proband.stats import Mean, Scores, clusters_of
from proband.stats.ranking import AUC, LARGEST_NUMBER
from proband.suites.kinship.generate.options import TASKS
from proband.suites.kinship.world.relations import UNDETERMINED

VERDICTS = ("entailed", "ambiguous", "false", "inconsistent")  # for rows of other authors
SLICES = ("clean", "long", "known-words", "plain", "one-fact", "noise")  # of a release's test, before the others
ORDER = {"task": TASKS, "split": ("train", "test")}
POWER = (
    "At k = 10 the two generalisation releases have about 120 stories each (38 at k = 2). Two systems at 97 and 99 % "
    "do not differ significantly there: a paired test on 120 stories has 80 % power to detect 5.4 points, and "
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
        columns=("task",),
        order=ORDER,
        published_note="Table 3.8 of the paper is trained and tested on k = 2, 3.",
    ),
    Table(name="by_target", title="Accuracy by relation asked for", rows=("target",), columns=("task",), order=ORDER),
    Table(
        name="by_verdict",
        title="Accuracy by the audit verdict on the label",
        rows=("verdict",),
        columns=("task",),
        order={**ORDER, "verdict": VERDICTS},
    ),
    Table(name="by_split", title="Training and held-out stories", rows=("split", "task"), columns=("k",), order=ORDER),
    Table(
        name="figure3.5",
        title="Figure 3.5: accuracy on test stories by number of facts",
        columns=("k",),
        where={"task": "clean"},
        published_note=POWER,
        always=False,
    ),
    Table(
        name="figure3.5-depth",
        title="Figure 3.5 over true depth: accuracy by length of the shortest proof",
        columns=("depth",),
        where={"task": "clean"},
        always=False,
    ),
    Table(
        name="figure3.5-verdict",
        title="Figure 3.5 on CLUTRR's releases, by the audit verdict on the label",
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
        columns=("task",),
        order=ORDER,
        note="A net is named by the kind of stories it was trained on. The releases give no relation for noise "
        "facts: a graph net sees them as untyped.",
        always=False,
    ),
)


# ---- published figures, and the releases of CLUTRR they were measured on ---------------------------------------------

# CLUTRR's releases, by the content of their rows. Those of stories of up to ten facts: people were given a sample.
K234 = "a6b8f6be76e5ef6246c75aff8e0aea8e432212a241a5480c2756b7e0eb075ec3"
K23 = "99cec1773ccd905819cd8042e96008ea6a702d220260333dd17875b07363717c"
NOISE_RELEASES: Final = {  # by what their nets are trained on
    "clean": ("data_7c5b0e70", "19b609000f53e7a43a37ef9e241a03eebdb439b010d30a04c5b5f8a5b633f949"),
    "supporting": ("data_06b8f2a1", "e9dc5783ab0cebde732e2e2d04821c79aa3e5794f45ced62ce98f10c0f79bb73"),
    "irrelevant": ("data_523348e6", "3b921da08151f7ec8adfb430d3a9b361dff90688f3cc5624c5bf22d40ce22180"),
    "disconnected": ("data_d83ecc3e", "ab639f926d14b12d0b6a7f2da0d804a44c5dd8ed57227e431ca9d5d8937d7528"),
}
RELEASES: Final = {
    "data_db9b8f04": ("CLUTRR, generalisation, trained on k = 2, 3, 4", K234),
    "data_089907f8": ("CLUTRR, generalisation, trained on k = 2, 3", K23),
    **{name: (f"CLUTRR, robustness, trained on {kind}", sha) for kind, (name, sha) in NOISE_RELEASES.items()},
}
IN_STORIES: Final[Mapping[str, Tag]] = {"form": "story"}
SOURCES: Final = {"ctp": "uclnlp/ctp, README: one run", "r5": "Lu et al. 2022 (R5), table 2"}


@cache
def published_values() -> Mapping[str, Mapping[int | None, float]]:
    """Tables 3.1 and 3.2, of people: figure -> k (None where it has none) -> value.

    >>> published_values()["paraphrases"], published_values()["jaccard_bigrams"]
    ({1: 1868, 2: 1890, 3: 2258}, {None: 0.0385})
    """
    values: dict[str, dict[int | None, float]] = {}
    for row in data_rows("kinship/people.csv"):
        k = int(row["k"]) if row["k"] else None
        values.setdefault(row["figure"], {})[k] = float(row["value"]) if "." in row["value"] else int(row["value"])
    return values


@cache
def published() -> Sequence[Published]:
    """
    >>> [p.value for p in published() if p.model == "people (time limited)"]
    [0.848, 0.773, 0.477, 0.424, 0.406]
    """
    both = frozenset({K23, K234})  # people read a sample of unknown size
    sample = MeasuredOn(data="CLUTRR, generalisation", fingerprints=both, conditions=IN_STORIES)
    figures = [
        _figure(f"people ({name})", "clean", k, value, "Sinha 2022, table 3.2", sample)
        for name, figure in (("time limited", "time_limited"), ("unlimited time", "unlimited"))
        for k, value in published_values()[figure].items()
    ]
    for row in data_rows("kinship/published.csv"):
        if row["release"]:  # we have no cell for an average
            data, fingerprint = RELEASES[row["release"]]
            later = SOURCES.get(row["table"])
            on = MeasuredOn(
                data=data,
                fingerprints=frozenset({fingerprint}),
                conditions={} if later else IN_STORIES,
                questions=int(row["questions"]),
            )
            k, source = int(row["k"]) if row["k"] else None, later or f"Sinha 2022, table {row['table']}"
            figures.append(_figure(row["model"], row["task"], k, float(row["value"]), source, on))
    return figures


def _figure(model: str, task: str, k: int | None, value: float, source: str, on: MeasuredOn) -> Published:
    group: dict[str, Tag] = {"task": task, **({"k": k} if k else {})}
    return Published(model=model, metric="accuracy", group=group, value=value, source=source, on=on)


@cache
def thesis_noise() -> Mapping[tuple[str, str, str], tuple[float, float]]:
    """Table 3.8: (model, kind of training stories, kind of test stories) -> accuracy and standard deviation over ten
    sets of stories; without kinds the average that it prints.

    >>> thesis_noise()["GAT", "clean", "supporting"], thesis_noise()["GAT", "", ""]
    ((0.24, 0.2), (0.77, 0.09))
    """
    cells = {}
    for row in data_rows("kinship/published.csv"):
        if row["table"].startswith("3.8"):
            model, _, trained = row["model"].removesuffix(")").partition(" (trained on ")
            cells[model, trained, row["task"]] = float(row["value"]), float(row["sd"])
    return cells


# ---- sets with items that cannot be determined (--open) --------------------------------------------------------------


HEADER = ("model", "right, %", "abstained wrongly, %", "abstained rightly, %", "guessed, %", "score", "95 % interval")


def outcome(item: Item, answer: Answer) -> str:
    """
    >>> item = Item(id="a", suite="kinship", prompt="?", choices=("aunt", "niece", "cannot be determined"), gold=0)
    >>> [outcome(item, Answer(item_id="a", scores=s)) for s in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), ())]
    ['right', 'wrong', 'abstained wrongly', 'wrong']
    >>> outcome(item, Answer(item_id="a", scores=(1.0, 1.0, 0.0)))  # a tie is no answer
    'wrong'
    """
    chosen = chosen_answer(item, answer)
    right = item.gold is not None and chosen == item.choices[item.gold]
    if item.gold is not None and item.choices[item.gold] == UNDETERMINED:
        return "abstained rightly" if right else "guessed"
    return "right" if right else "abstained wrongly" if chosen == UNDETERMINED else "wrong"


def preference_for_open(item: Item, answer: Answer) -> tuple[float, float] | None:
    """How much "cannot be determined" is preferred to the best relation, and whether it is right; None if it is not a
    choice.

    >>> item = Item(id="a", suite="kinship", prompt="?", choices=("aunt", "niece", "cannot be determined"), gold=2)
    >>> preference_for_open(item, Answer(item_id="a", scores=(-2.0, -1.0, -1.5)))
    (-0.5, 1.0)
    """
    if UNDETERMINED not in item.choices or item.gold is None:
        return None
    place = item.choices.index(UNDETERMINED)
    truth = float(item.gold == place)
    if answer.status in WRONG or not answer.scores:
        return (-LARGEST_NUMBER if truth else LARGEST_NUMBER), truth
    others = [score for at, score in enumerate(answer.scores) if at != place]
    return answer.scores[place] - max(others), truth


TELLING_OPEN_APART = replace(
    AUC,
    name="telling_open_apart",
    each=preference_for_open,
    title='area under the ROC curve of "cannot be determined": open against answerable stories',
)

VALUE = {"right": 1.0, "abstained rightly": 1.0, "abstained wrongly": 0.0, "wrong": -1.0, "guessed": -1.0}


def table(results: Results, seed: int) -> Sequence[Sheet]:
    """A row for every run on a set in which some items cannot be determined; empty without such items. The score is the
    mean over all questions of `VALUE`; a guess among all n choices scores (3 - n) / n if the answer follows and (2 - n)
    / n if it does not."""
    rows = []
    asked: list[Item] = []
    for run, label in enumerate(results.labels):
        pairs = [(item, answer) for item, answer in results.scored(run) if UNDETERMINED in item.choices]
        if pairs:
            asked = [item for item, _ in pairs]
            rows.append((label, *_figures(asked, [outcome(*pair) for pair in pairs])))
    if not rows:
        return ()
    guesses = [
        ((2 if item.choices[item.gold or 0] == UNDETERMINED else 3) - len(item.choices)) / len(item.choices)
        for item in asked
    ]
    rows.append(("*a guess*", None, None, None, None, round(sum(guesses) / len(guesses), 3), ""))
    return (
        Sheet(
            name="abstention",
            title="Where nothing follows: right, abstained, guessed",
            header=HEADER,
            rows=tuple(rows),
            note="right and abstained wrongly: of the questions whose answer follows; abstained rightly and guessed: "
            "of the open ones. Score: +1 for a right answer, 0 for abstaining wrongly, "
            "-1 for a wrong answer or a guess.",
        ),
    )  # fmt: skip


def _figures(items: Sequence[Item], outcomes: Sequence[str]) -> tuple[float | str | None, ...]:
    follows = [each for each in outcomes if each in ("right", "wrong", "abstained wrongly")]
    opens = [each for each in outcomes if each in ("abstained rightly", "guessed")]
    scores = Scores.of(
        [VALUE[each] for each in outcomes], clusters=[set(clusters_of(item)) for item in items], estimator=Mean()
    )
    found = scores.interval()
    span = "too few" if found.few else f"[{found.low:.3f}, {found.high:.3f}]"
    of = [(follows, "right"), (follows, "abstained wrongly"), (opens, "abstained rightly"), (opens, "guessed")]
    shares = [round(100 * own.count(name) / len(own), 1) if own else None for own, name in of]
    return *shares, round(found.mean, 3), span


ABSTENTION = Table(name="abstention", title="Right, abstained and guessed, where nothing follows", of=table)
