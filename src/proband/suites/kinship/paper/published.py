"""Published figures of the thesis and of later systems, and the releases of CLUTRR they were measured on.

Table 3.2 (people) and table 3.8 (networks under noise) of the thesis, and by number of facts a later system (CTP,
Minervini et al. 2020) and the GAT of its program, as R5 (Lu et al. 2022) prints it.

The networks of table 3.8 were trained on one kind of stories (k = 2, 3) and tested on another, so the training data
are part of the model's name. Two columns of its first block (RN and BERT trained on clean stories) are illegible in our
text of the paper and are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from proband.core.files import data_rows
from proband.core.suite import MeasuredOn, Published
from proband.core.types import Tag

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
        if row["release"]:  # an average is no cell of ours
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
