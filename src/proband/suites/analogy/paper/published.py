"""The paper's own figures (tables 1 and 2), to stand beside ours.

`mark` repeats the paper's: `many` (*, one/many-to-many, on the random probe) and `bidirectional` (†, on the reverse
probe). Two cells of table 2 (verb_inf : Ving, reverse and type) are unreadable in our text of the paper and left out.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from statistics import fmean

from msgspec import Struct, convert

from proband.core.suite import MeasuredOn, Published
from proband.core.types import Tag
from proband.suites.analogy.manifest import NEGATIVES

SOURCE = "Rezaee & Camacho-Collados 2022, table {}"
# of the lists as released, whatever the folder is called
BATS = frozenset({"0b70be7868b9eab753d0dff0ce83a7c291ceeedc16cddcfb4bc70684d29bfde4"})
PER_RELATION_AND_PROBE = 1200  # questions
SECTION_4 = {"random": 68.5, "reverse": 98.2, "type": 95.6}  # "excluding all one/many-to-many and bidirectional"


class Figure(Struct, frozen=True):
    """One published cell; `value` in percent, as printed."""

    table: str
    model: str
    setting: str
    group: str
    relation: str
    probe: str
    value: float
    mark: str


@cache
def figures() -> tuple[Figure, ...]:
    """
    >>> [f.value for f in figures() if f.relation == "country : capital"]
    [77.85, 99.15, 90.85]
    """
    text = (resources.files("proband") / "data" / "analogy" / "published.csv").read_text(encoding="utf-8")
    return convert(list(csv.DictReader(text.splitlines())), tuple[Figure, ...], strict=False)


@cache
def marked(mark: str = "") -> frozenset[str]:
    """The relations the paper marks as `many`, as `bidirectional`, or (by default) as either."""
    return frozenset(f.relation for f in figures() if f.mark and mark in ("", f.mark))


def published() -> Sequence[Published]:
    """The same as the report wants them: a tag per row and column, values between 0 and 1."""
    cells = [(f.model, _cell(f), f.value, SOURCE.format(f.table)) for f in figures()]
    return [
        Published(
            model=model,
            metric="accuracy",
            group=group,
            value=round(value / 100, 6),
            source=source,
            on=_measured(group),
        )
        for model, group, value, source in (*cells, *_averages())
    ]


def _measured(group: Mapping[str, Tag]) -> MeasuredOn:
    """Section 2.3: all 40 relations of BATS, n (n - 1) = 600 positives in each half of the 50 tuples. Supervised, one
    half trains (600 true and 600 false sentences) and the other is asked; zero-shot, both halves are asked.

    >>> on = _measured({"setting": "supervised", "paper_probe": "random", "group": "ES"})
    >>> on.questions, on.conditions["training items per relation and probe"]
    (12000, 1200)
    """
    kept = [f.relation for f in figures() if f.table == "2" and f.probe == "random"]
    if "marked" in group:
        kept = [relation for relation in kept if (relation in marked()) is (group["marked"] == "marked")]
    semantic = {f.relation for f in figures() if f.group in ("ES", "LS")}
    if "kind" in group:
        kept = [relation for relation in kept if relation in semantic]
    relations = 1 if "relation" in group else 10 if "group" in group else len(kept)
    conditions: dict[str, Tag] = {
        "negatives": NEGATIVES["paper"],
        "choice of negatives": "uniform",
        "options": 2,
        "halves share no": "tuple",
    }
    if "relation" not in group:
        conditions["relations"] = 40
    if group["setting"] == "supervised":
        conditions["training items per relation and probe"] = 1200
    return MeasuredOn(
        data="BATS 3.0", fingerprints=BATS, conditions=conditions, questions=PER_RELATION_AND_PROBE * relations
    )


def _cell(figure: Figure) -> dict[str, Tag]:
    finer = {"group": figure.group.replace("All", ""), "relation": figure.relation}
    return {"setting": figure.setting, "paper_probe": figure.probe, **{name: tag for name, tag in finer.items() if tag}}


def _averages() -> Iterator[tuple[str, dict[str, Tag], float, str]]:
    """Means over relations: of table 2's rows by mark, and those that section 4 prints."""
    for probe, printed in SECTION_4.items():
        cell: dict[str, Tag] = {"setting": "supervised", "paper_probe": probe}
        rows = [f for f in figures() if f.table == "2" and f.probe == probe]
        for name, kept in (("marked", True), ("unmarked", False)):
            value = fmean(f.value for f in rows if (f.relation in marked()) is kept)
            yield "RoB-Large", {**cell, "marked": name}, value, SOURCE.format("2 (mean of its rows)")
        semantic = {**cell, "kind": "semantic", "marked": "unmarked"}
        yield "RoB-Large", semantic, printed, "Rezaee & Camacho-Collados 2022, section 4"
