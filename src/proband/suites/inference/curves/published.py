"""The figures of section 3 beside these items, and later results on Levy/Holt beside our runs, measure by measure."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from importlib.resources import files
from io import StringIO
from typing import Any

import numpy as np

from proband.core.metrics import AVERAGE_PRECISION
from proband.core.suite import Analysis, Results, Sheet
from proband.suites.inference.curves.decisions import decided, measures
from proband.suites.inference.curves.measures import AREA, AUC_NORM, HOSSEINI
from proband.suites.inference.curves.scored import PLAIN, Cells, control_of, scores_of, systems_of

TEST, DIRECTIONAL = "Levy/Holt test", "Levy/Holt directional test"
MEASURES = {  # as in published.csv, in the order of the table -> the metric of ours that is the same
    "Hosseini's AUC": HOSSEINI,
    "AUC (Schmitt and Schuetze)": None,
    "average precision": AVERAGE_PRECISION,
    "AUC_norm": AUC_NORM,
    "F1": None,
    "precision": None,
    "area, precision at least 0.5 (steps, ours)": AREA,
}
REVERSE = (
    "the score subtracts the reverse direction: on this set it is told that exactly one direction of a pair holds, "
    "which the other lines are not"
)


def published() -> list[tuple[str, str, str, float, str, str]]:
    """Measured on, measure, model, value, source, remark.

    >>> published()[0][:4]
    ('Levy/Holt test', "Hosseini's AUC", 'EGT2', 0.356)
    """
    text = files("proband").joinpath("data/inference/published.csv").read_text(encoding="utf-8")
    return [
        (row["set"], row["measure"], row["model"], float(row["value"]), row["source"], row["remark"])
        for row in csv.DictReader(StringIO(text))
    ]


def anchors(results: Results, seed: int) -> Sequence[Sheet]:
    """Only beside Levy/Holt items."""
    first = next(iter(results.items()), None)
    if first is None or first.tags["source"] != "levy-holt" or control_of(results) != PLAIN:
        return ()
    lines: list[Cells] = list(published())
    for system in systems_of(results):
        runs = list(scores_of(results, system))
        for on in (TEST, DIRECTIONAL):
            tested = [
                [(item, record) for item, record in rows if item.split == "test" and asked_on(on, item.tags)]
                for rows in runs
            ]
            if not tested[0]:
                continue
            compares = system.method.how == "both" or system.method.base == "solver:frequency"
            remark = REVERSE if on == DIRECTIONAL and compares else ""
            for measure, metric in MEASURES.items():
                value = None
                if metric is not None:
                    tables = [np.array([record for _, record in rows]) for rows in tested]
                    value = float(np.mean([metric.of(table, np.ones(len(table))) for table in tables]))
                elif measure == "F1" and all(cuts := [decided(rows) for rows in runs]):
                    at = [cut[0] for cut in cuts if cut is not None]
                    value = float(np.mean([measures(rows, cut)[2] for rows, cut in zip(tested, at, strict=True)]))
                if value is not None:
                    source = f"this report, {len(tested[0]):,} pairs"
                    lines.append((on, measure, system.method.name, round(value, 4), source, remark))
    lines.sort(key=lambda line: ((TEST, DIRECTIONAL).index(str(line[0])), list(MEASURES).index(str(line[1]))))
    return (
        Sheet(
            name="anchors",
            title="Levy/Holt: results of others beside ours, measure by measure",
            header=("measured on", "measure", "model", "value", "source", "remark"),
            rows=tuple(lines),
            note="Only figures under one measure and one set can be compared. Hosseini's AUC joins the points with "
            "precision at least one half by straight lines; on the directional set, where half of the pairs are "
            "entailed, any score has nearly 0.5. F1 of ours is at the threshold learnt on valid. Trained models are "
            "known to profit from artefacts of this set: read them beside hypothesis-words and direction, which see "
            "no premise.",
        ),
    )


def asked_on(on: str, tags: Mapping[str, Any]) -> bool:
    return on == TEST or bool(tags["directional"])


ANCHORS = Analysis(name="anchors", help="results of others on Levy/Holt", of=anchors, always=True)


# ---- section 3 -------------------------------------------------------------------------------------------------------

PAPER: Mapping[str, int | float] = {
    "questions": 573,
    "questionnaires": 1500,
    "pairs judged": 30703,
    "pairs kept": 16371,
    "share kept": round(16371 / 30703, 4),
    "share that makes no sense": 0.23,
    "entailed": 3147,
    "not entailed": 13224,
    "pairs an expert judged": 594,
    "precision against the expert": 0.913,
    "recall against the expert": 0.862,
}


def counted(manifest: Mapping[str, Any]) -> dict[str, int | float | None]:
    """The same figures of these items; those of judgments where the items come from judgments."""
    labels, said = manifest.get("labels", {}), manifest.get("judgments", {})
    kept, audit = said.get("retained", {}), said.get("audit", {})
    pairs = said.get("pairs_judged")
    return {
        "questions": manifest.get("questions"),
        "questionnaires": said.get("questionnaires"),
        "pairs judged": pairs,
        "pairs kept": sum(labels.values()) if not said else kept["pairs"],
        "share kept": kept.get("share"),
        "share that makes no sense": round(kept["dropped_as_nonsense"] / pairs, 4) if pairs else None,
        "entailed": labels.get("entailed"),
        "not entailed": labels.get("not entailed"),
        "pairs an expert judged": audit.get("items"),
        "precision against the expert": audit.get("precision"),
        "recall against the expert": audit.get("recall"),
        "Krippendorff's alpha": said.get("alpha", {}).get("value"),
    }


def section3(results: Results, seed: int) -> Sequence[Sheet]:
    if control_of(results) != PLAIN:
        return ()
    ours = counted(results.manifest)
    rows = [
        (name, PAPER.get(name), ours[name]) for name in ours if PAPER.get(name) is not None or ours[name] is not None
    ]
    return (
        Sheet(
            name="section3",
            title="The data: section 3 beside these items",
            header=("figure", "Levy and Dagan 2016", "these items"),
            rows=tuple(rows),
            note="The released file has the pairs that were kept, and 564 of the 573 questions; judgments were not "
            "released, so that figures of them stand only beside items made from judgments.",
        ),
    )


SECTION3 = Analysis(name="section3", help="pairs collected, judged and kept (section 3)", of=section3)
