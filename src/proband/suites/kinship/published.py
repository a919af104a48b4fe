"""Published figures, as facts: table 3.2 (people) and table 3.8 (networks under noise) of the thesis, and by number of
facts a later system (CTP, Minervini et al. 2020) and the GAT of its program, as R5 (Lu et al. 2022) prints it.

The networks of table 3.8 were trained on one kind of stories (k = 2, 3) and tested on another, so the training data
are part of the model's name. Two columns of its first block (RN and BERT trained on clean stories) cannot be told
apart in our text of the paper and are left out.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from proband.core.suite import MeasuredOn, Published
from proband.core.types import Tag

# The releases, by the content of their rows: those with clean stories of up to ten facts, on a sample of which people
# were asked, and those of table 3.8, by the kind of their training stories.
K234 = "a6b8f6be76e5ef6246c75aff8e0aea8e432212a241a5480c2756b7e0eb075ec3"  # data_db9b8f04
K23 = "99cec1773ccd905819cd8042e96008ea6a702d220260333dd17875b07363717c"  # data_089907f8
GENERALISATION = frozenset({K23, K234})
ROBUSTNESS = {
    "clean": "19b609000f53e7a43a37ef9e241a03eebdb439b010d30a04c5b5f8a5b633f949",  # data_7c5b0e70
    "supporting": "e9dc5783ab0cebde732e2e2d04821c79aa3e5794f45ced62ce98f10c0f79bb73",  # data_06b8f2a1
    "irrelevant": "3b921da08151f7ec8adfb430d3a9b361dff90688f3cc5624c5bf22d40ce22180",  # data_523348e6
    "disconnected": "ab639f926d14b12d0b6a7f2da0d804a44c5dd8ed57227e431ca9d5d8937d7528",  # data_d83ecc3e
}
# test stories of each release by task
STORIES = {
    "clean": {"clean": 146, "supporting": 101, "irrelevant": 100, "disconnected": 100},
    "supporting": {"clean": 101, "supporting": 145, "irrelevant": 101, "disconnected": 100},
    "irrelevant": {"clean": 100, "supporting": 100, "irrelevant": 143, "disconnected": 101},
    "disconnected": {"clean": 100, "supporting": 100, "irrelevant": 101, "disconnected": 144},
}
# later systems: the k they were trained on, the release, and its test stories by number of facts
LATER = {
    "CTP": ("2, 3, 4", K234, dict(zip(range(2, 11), (38, 107, 77, 185, 105, 155, 135, 124, 122)))),
    "GAT (uclnlp/ctp)": ("2, 3", K23, dict(zip(range(4, 11), (190, 174, 107, 144, 150, 119, 119)))),
}
SOURCES = {"ctp": "uclnlp/ctp, README: one run", "r5": "Lu et al. 2022 (R5), table 2"}


def _measured(model: str, task: str, k: str = "") -> MeasuredOn:
    """People read a sample of unknown size; a network was trained and tested on one release.

    >>> _measured("GAT (trained on irrelevant)", "clean").questions
    100
    """
    told: dict[str, Tag] = {"form": "story"}
    if model.startswith("people"):
        return MeasuredOn(data="CLUTRR, generalisation", fingerprints=GENERALISATION, conditions=told)
    for name, (trained_on, release, stories) in LATER.items():
        if model.startswith(name):
            return MeasuredOn(
                data=f"CLUTRR, generalisation, trained on k = {trained_on}",
                fingerprints=frozenset({release}),
                conditions={},
                questions=stories[int(k)],
            )
    trained = model.partition("(trained on ")[2].removesuffix(")")
    return MeasuredOn(
        data=f"CLUTRR, robustness, trained on {trained}",
        fingerprints=frozenset({ROBUSTNESS[trained]}),
        conditions=told,
        questions=STORIES[trained][task],
    )


@cache
def published_values() -> Mapping[str, Mapping[int | None, float]]:
    """Tables 3.1 and 3.2, of people: figure -> k (None where it has none) -> value.

    >>> published_values()["paraphrases"], published_values()["jaccard_bigrams"]
    ({1: 1868, 2: 1890, 3: 2258}, {None: 0.0385})
    """
    values: dict[str, dict[int | None, float]] = {}
    for row in csv.DictReader(_lines("people.csv")):
        k = int(row["k"]) if row["k"] else None
        values.setdefault(row["figure"], {})[k] = float(row["value"]) if "." in row["value"] else int(row["value"])
    return values


def _lines(name: str) -> list[str]:
    return (files("proband") / "data" / "kinship" / name).read_text(encoding="utf-8").splitlines()


@cache
def published() -> Sequence[Published]:
    """
    >>> [p.value for p in published() if p.model == "people (time limited)"]
    [0.848, 0.773, 0.477, 0.424, 0.406]
    """
    found = [
        _row(f"people ({name})", "clean", str(k or ""), value, "Sinha 2022, table 3.2")
        for name, figure in (("time limited", "time_limited"), ("unlimited time", "unlimited"))
        for k, value in published_values()[figure].items()
    ]
    for row in csv.DictReader(_lines("published.csv")):
        if not row["task"]:
            continue  # an average, which no cell of ours is
        source = SOURCES.get(row["table"], f"Sinha 2022, table {row['table']}")
        found.append(_row(row["model"], row["task"], row["k"], float(row["value"]), source))
    return found


@cache
def thesis_noise() -> Mapping[tuple[str, str, str], tuple[float, float]]:
    """Table 3.8: (model, kind of training stories, kind of test stories) -> accuracy and standard deviation over ten
    sets of stories; without kinds the average that it prints.

    >>> thesis_noise()["GAT", "clean", "supporting"], thesis_noise()["GAT", "", ""]
    ((0.24, 0.2), (0.77, 0.09))
    """
    found = {}
    for row in csv.DictReader(_lines("published.csv")):
        if row["table"].startswith("3.8"):
            model, _, trained = row["model"].removesuffix(")").partition(" (trained on ")
            found[model, trained, row["task"]] = float(row["value"]), float(row["sd"])
    return found


def _row(model: str, task: str, k: str, value: float, source: str) -> Published:
    group: dict[str, Tag] = {"task": task, **({"k": int(k)} if k else {})}
    return Published(
        model=model, metric="accuracy", group=group, value=value, source=source, on=_measured(model, task, k)
    )
