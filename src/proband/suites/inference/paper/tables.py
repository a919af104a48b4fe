"""How a report lays out inference: by data set and split, by control, without the pairs that share a lemma."""

from __future__ import annotations

from proband.core.suite import Table

ORDER = {"split": ("test", "valid", "train"), "lemma": ("none shared", "shared")}


def _table(name: str, title: str, metric: str, columns: tuple[str, ...] = ("split",), note: str = "") -> Table:
    return Table(
        name=name, title=title, rows=("source", "control"), columns=columns, metric=metric, order=ORDER, note=note
    )


CONTROL = (
    "A control keeps the labels and takes away what should decide: a score above the share of entailed pairs there is "
    "an artefact."
)
TABLES = (
    _table("average-precision", "Average precision", "average_precision", note=CONTROL),
    _table("recall-at-80", "Recall at 80 % precision", "recall_at_80"),
    _table("normalised-area", "Area above precision one half, normalised", "normalised_area"),
    _table("lemmas", "Average precision with and without pairs that share a lemma", "average_precision", ("lemma",)),
    _table(
        "directional", "Average precision of pairs that hold in one direction", "average_precision", ("directional",)
    ),
    _table("direction", "Average precision by direction", "average_precision", ("direction",)),
)
