"""What people are paid: every answer that was sent, unless its person was rejected, and what an owner granted.

A platform that pays a fixed amount for a visit (`pay.per-visit`) pays it for those who finished; the rest is the bonus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from proband_annotate.results.collected import Collected
from proband_annotate.tokens import person_code, worker_hash

HEADER = (
    "person",
    "id",
    "code",
    "source",
    "outcome",
    "decision",
    "answers",
    "earned",
    "by_platform",
    "granted",
    "bonus",
    "total",
    "currency",
    "reason",
)


def payments(
    collected: Collected, granted: Mapping[int, Any], secret: bytes, ids: Sequence[str] = (), source: str = ""
) -> list[dict[str, Any]]:
    """A line per person of the crowd. `ids` are those that a platform lists: only these people, with their id there;
    the study itself does not know it. An id that never came has an empty line."""
    sent = Counter(each.person_id for each in collected.given)
    by_worker = {person["worker"]: person for person in collected.people if person["panel"] == "crowd"}
    if not ids:
        return [_line(collected, person, sent, granted, secret, "") for person in by_worker.values()]
    return [
        _line(collected, by_worker[worker], sent, granted, secret, name)
        if (worker := worker_hash(secret, source, name)) in by_worker
        else {**dict.fromkeys(HEADER, ""), "id": name}
        for name in ids
    ]


def _line(
    collected: Collected,
    person: Mapping[str, Any],
    sent: Mapping[int, int],
    granted: Mapping[int, Any],
    secret: bytes,
    name: str,
) -> dict[str, Any]:
    pay, number, outcome = collected.project.pay, person["id"], person["outcome"]
    paid = person["decision"] != "rejected"
    earned = round(sent.get(number, 0) * pay.per_unit, 2) if paid else 0.0
    fixed = pay.per_visit if paid and outcome == "done" else 0.0
    extra = granted.get(number)
    bonus = round(max(0.0, earned - fixed) + (extra.amount if extra is not None else 0.0), 2)
    own = collected.project.codes.per_person and outcome and person["source"] != "prolific"
    return {
        "person": number,
        "id": name,
        "code": person_code(secret, person["worker"], outcome) if own else "",
        "source": person["source"],
        "outcome": outcome or "working",
        "decision": person["decision"],
        "answers": sent.get(number, 0),
        "earned": earned,
        "by_platform": fixed,
        "granted": extra.amount if extra is not None else 0.0,
        "bonus": bonus,
        "total": round(fixed + bonus, 2),
        "currency": pay.currency,
        "reason": extra.reason if extra is not None else "",
    }
