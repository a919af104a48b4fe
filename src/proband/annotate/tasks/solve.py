"""Solve: a kinship puzzle, timed or not, with a rating of its difficulty (thesis on CLUTRR, section 3.2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proband.annotate.tasks.kind import Body, Form, Invalid, Kind, share_right
from proband.annotate.units import Unit
from proband.core.errors import ProbandError
from proband.core.files import items_path, read_items

RATINGS = ("1", "2", "3", "4", "5")


def units(path: Path) -> Iterator[Unit]:
    """Items with choices and gold, of any suite."""
    for line, item in enumerate(read_items(path), start=1):
        if item.gold is None or len(item.choices) < 2:
            raise ProbandError("has no choices or no gold: nothing to solve", file=items_path(path), line=line)
        yield Unit(
            id=item.id,
            clause=str(item.tags.get("k", "")),
            body={"prompt": item.prompt, "choices": list(item.choices), "k": item.tags.get("k")},
            gold=item.choices[item.gold],
        )


def shown(body: Body) -> dict[str, Any]:
    story, _, question = body["prompt"].rpartition("\n")
    return {
        "story": story or body["prompt"],
        "question": question if story else "",
        "choices": body["choices"],
        "ratings": RATINGS,
    }


def answer(body: Body, form: Form) -> dict[str, Any]:
    """A choice and a rating; once the time is over (the server says so) both may be missing."""
    over = form.get("overtime") == "yes"
    choice, rating = form.get("choice", ""), form.get("difficulty", "")
    places = [str(place) for place in range(len(body["choices"]))]
    if choice not in places and not over:
        raise Invalid("choice", "invalid.relation")
    if rating not in RATINGS and not over:
        raise Invalid("difficulty", "invalid.difficulty")
    return {
        "choice": body["choices"][int(choice)] if choice in places else None,
        "difficulty": int(rating) if rating in RATINGS else None,
        "overtime": over,
    }


def fields(body: Body, given: Body) -> dict[str, str]:
    choice = given.get("choice")
    place = str(body["choices"].index(choice)) if choice in body["choices"] else ""
    return {"choice": place, "difficulty": str(given.get("difficulty") or "")}


def agreed(body: Body, given: Body, gold: Any) -> float:
    """Gold: the right choice."""
    return share_right(labels(body, given), {"choice": gold})


def labels(body: Body, given: Body) -> list[tuple[str, str]]:
    return [("choice", given["choice"])] if given["choice"] is not None else []


SOLVE = Kind(
    name="solve",
    units=units,
    shown=shown,
    answer=answer,
    fields=fields,
    agreed=agreed,
    labels=labels,
    defaults={
        "people": {"overlap": 3, "units-per-person": 10},
        "time": {"limit-seconds": 1800, "expected-seconds": 90},
        "pay": {"per-unit": 0.3},
    },
)
