"""What people are paid, by the terms that each of them agreed to (`terms.payment`), as a table for a platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
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
    "tasks",
    "earned",
    "by_platform",
    "granted",
    "bonus",
    "transferred",
    "total",
    "currency",
    "terms",
    "reason",
)


def payments(collected: Collected, secret: bytes, ids: Sequence[str] = (), source: str = "") -> list[dict[str, Any]]:
    """A line per person of the crowd and per other person with a bonus, then one per erased person who is still paid.
    `ids` are platform ids: only these people, with their id, which the study does not store. An id that never came has
    an empty line."""
    by_worker = {
        person["worker"]: person
        for person in collected.people
        if (person["panel"] == "crowd" and person["agreement_id"] is not None) or collected.payment_of(person).total
    }
    if not ids:
        return [
            *(_line(collected, person, secret, "") for person in by_worker.values()),
            *(_erased_line(row) for row in collected.erased),
        ]
    return [
        _line(collected, by_worker[worker], secret, name)
        if (worker := worker_hash(secret, source, name)) in by_worker
        else {**dict.fromkeys(HEADER, ""), "id": name}
        for name in ids
    ]


def _line(collected: Collected, person: Mapping[str, Any], secret: bytes, name: str) -> dict[str, Any]:
    outcome, paid, extra = person["outcome"], collected.payment_of(person), collected.granted.get(person["id"])
    own = collected.project.codes.per_person and outcome and person["source"] != "prolific"
    return {
        "person": person["id"],
        "id": name,
        "code": person_code(secret, person["worker"], outcome) if own else "",
        "source": person["source"],
        "outcome": outcome or "working",
        "decision": person["decision"],
        "tasks": paid.tasks,
        "earned": float(paid.earned),
        "by_platform": float(paid.by_platform),
        "granted": float(paid.granted),
        "bonus": float(paid.bonus),
        "transferred": float(collected.transferred.get(person["id"], 0)),
        "total": float(paid.total),
        "currency": collected.terms_of(person).currency,
        "terms": person["agreement_id"],
        "reason": extra.reason if extra is not None else "",
    }


def _erased_line(row: Mapping[str, Any]) -> dict[str, Any]:
    fixed, bonus = Decimal(row["by_platform"]), Decimal(row["bonus"])
    amounts = {"by_platform": float(fixed), "bonus": float(bonus), "total": float(fixed + bonus)}
    return {
        **dict.fromkeys(HEADER, ""),
        "code": row["receipt"],
        "outcome": "erased",
        **amounts,
        "currency": row["currency"],
    }
