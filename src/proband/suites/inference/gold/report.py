"""What the manifest says of judgments: the figures of section 3.3, ours."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from statistics import median
from typing import Any

from proband.core.agreement.aggregation import worker_quality
from proband.core.agreement.audit import audit
from proband.core.agreement.coefficients import krippendorff_alpha
from proband.suites.inference.gold.judged import ANSWERS, DOES_NOT, NONSENSE, Judged


def summary(found: Judged) -> dict[str, Any]:
    """Questionnaires, pairs, judgments, what the rule kept and dropped, alpha, the workers and the audit."""
    said = Counter(found.labels.values())
    kept = said[ANSWERS] + said[DOES_NOT]
    pairs = sum(len(each.candidates) for each in found.questionnaires)
    alpha = krippendorff_alpha(found.votes)
    workers = worker_quality(found.votes)
    agreements = [each.agreement for each in workers if each.agreement is not None]
    report: dict[str, Any] = {
        "rule": found.rule,
        "questionnaires": len(found.questionnaires),
        "pairs_judged": pairs,
        "judgments": len(found.votes.item),
        **({"decided_by_owner": found.decided} if found.decided else {}),
        "retained": {
            "pairs": kept,
            "share": round(kept / pairs, 4),
            "answers": said[ANSWERS],
            "does_not": said[DOES_NOT],
            "dropped_as_nonsense": said[NONSENSE],
            "dropped_without_agreement": pairs - kept - said[NONSENSE],
        },
        "alpha": {name: value for name, value in asdict(alpha).items() if value not in (None, "")},
        "workers": {
            "people": len(workers),
            "median_agreement_with_others": round(median(agreements), 4) if agreements else None,
            "median_accuracy": round(median(each.accuracy for each in workers), 4),
            "lowest_competence": round(min(each.competence for each in workers), 4),
        },
    }
    if found.expert:
        report["audit"] = asdict(audit(found.labels, found.expert, positive=ANSWERS))
    return report


def workers_table(found: Judged) -> str:
    """workers.tsv: one line per worker."""
    rows: list[tuple[str, ...]] = [("worker", "judgments", "agreement", "accuracy", "competence", "commonest")]
    for each in worker_quality(found.votes):
        shares = (each.agreement, each.accuracy, each.competence, each.commonest)
        rows.append((each.name, str(each.judgments), *("" if x is None else f"{x:.3f}" for x in shares)))
    return "".join("\t".join(row) + "\n" for row in rows)
