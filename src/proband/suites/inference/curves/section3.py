"""The counts of section 3 of the paper and of the items: pairs collected, judged, kept, and audited by an expert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proband.core.suite import Results, Sheet, Table
from proband.suites.inference.curves.measures import control_of
from proband.suites.inference.items import PLAIN

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
    "recall of all that the expert calls positive": 0.862,
}


def counts_of(manifest: Mapping[str, Any]) -> dict[str, int | float | None]:
    """The same counts for these items; counts of judgments only if the items come from judgments."""
    labels, judged = manifest.get("labels", {}), manifest.get("judgments", {})
    kept, audit = judged.get("retained", {}), judged.get("audit", {})
    pairs = judged.get("pairs_judged")
    return {
        "questions": manifest.get("questions"),
        "questionnaires": judged.get("questionnaires"),
        "pairs judged": pairs,
        "pairs kept": kept["pairs"] if judged else sum(labels.values()),
        "share kept": kept.get("share"),
        "share that makes no sense": round(kept["dropped_as_nonsense"] / pairs, 4) if pairs else None,
        "entailed": labels.get("entailed"),
        "not entailed": labels.get("not entailed"),
        "pairs an expert judged": audit.get("items"),
        "precision against the expert": audit.get("precision"),
        "recall of all that the expert calls positive": audit.get("recall_of_all"),
        "recall of those on which the crowd agreed": audit.get("recall_of_agreed"),
        "Krippendorff's alpha": judged.get("alpha", {}).get("value"),
    }


def section3(results: Results, seed: int) -> Sequence[Sheet]:
    if control_of(results) != PLAIN:
        return ()
    ours = counts_of(results.manifest)
    rows = [
        (name, PAPER.get(name), ours[name]) for name in ours if PAPER.get(name) is not None or ours[name] is not None
    ]
    return (
        Sheet(
            name="section3",
            title="The data: section 3 and these items",
            header=("figure", "Levy and Dagan 2016", "these items"),
            rows=tuple(rows),
            note="The released file has the pairs that were kept, and 564 of the 573 questions; judgments were not "
            "released, so their figures are shown only for items made from judgments.",
        ),
    )


SECTION3 = Table(name="section3", title="pairs collected, judged and kept (section 3)", of=section3, always=False)
