"""The kinds of task for people, as suites declare them (`Suite.tasks`); none is named here."""

from __future__ import annotations

from functools import cache

from proband import suites
from proband.core.errors import ProbandError
from proband.core.plugins import declared
from proband_annotate.human_task import HumanTask


def names() -> dict[str, str]:
    """Every kind of task -> the place of its `HumanTask`."""
    places: dict[str, str] = {}
    for suite in suites.importable():
        for name, place in suite.tasks.items():
            if places.setdefault(name, place) != place:
                raise ProbandError(f"{suite.name} declares a task {name!r}, but another suite has one of that name")
    return places


@cache
def task(name: str) -> HumanTask:
    places = names()
    if name not in places:
        raise ProbandError(f"no kind of task {name!r}; there are {', '.join(places)}")
    human_task: HumanTask = declared(places[name])
    return human_task
