"""The figures of section 3: how many pairs were collected, judged and kept, and how good the labels are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proband.core.suite import Analysis, Results, Sheet
from proband.suites.inference.curves.scored import PLAIN, control_of

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


def analysis(results: Results, seed: int) -> Sequence[Sheet]:
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


SECTION3 = Analysis(name="section3", help="pairs collected, judged and kept (section 3)", of=analysis)
