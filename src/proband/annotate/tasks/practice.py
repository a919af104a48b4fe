"""What a person reads about a practice task they have just sent: part by part, whether it was right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proband.annotate.tasks.kind import Body, Kind
from proband.annotate.texts import text

Line = tuple[bool, str]  # whether it was right, and a sentence that says so
PARTS = {"judge": "practice.sentence", "review": "practice.story", "solve": "practice.choice"}


def practice_lines(kind: Kind, body: Body, given: Body, gold: Any) -> list[Line]:
    """How an answer to a practice task compares with the known one, or with what its text must have."""
    if kind.name == "simplify":
        right = kind.agreed(body, given, gold) >= 1.0
        return [(right, text("practice.more" if right else "practice.little"))]
    if checks := kind.checks(body, given):
        return [(check.met, text(check.text, **check.values)) for check in checks]
    known = gold if isinstance(gold, Mapping) else {"choice": gold} if gold is not None else {}
    if not known:
        return [(True, text("practice.open"))]
    labels = dict(kind.labels(body, given))
    order = [each["id"] for each in body.get("candidates") or body.get("stories") or ({"id": "choice"},)]
    parts = [part for part in order if part in known]
    return [_line(kind, order.index(part) + 1, labels.get(part), known[part]) for part in parts]


def _line(kind: Kind, place: int, given: str | None, right: str) -> Line:
    part = text(PARTS[kind.name], place=place)
    if given == right:
        return True, text("practice.right", part=part)
    shown = [text("practice.missing") if label is None else _named(kind, label) for label in (given, right)]
    return False, text("practice.wrong", part=part, given=shown[0], right=shown[1])


def _named(kind: Kind, label: str) -> str:
    return label if kind.name == "solve" else text(f"{kind.name}.{label}")
