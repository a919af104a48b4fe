"""The suites by name. Adding one = one folder with a `SUITE` and one line here, or an entry point `proband.suites`
(a `Suite`) in somebody else's package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from proband.core import plugins
from proband.core.errors import ProbandError
from proband.core.suite import Suite

GROUP = "proband.suites"
BUILT_IN = ("analogy", "kinship", "inference", "script", "facts", "questions")


def names() -> tuple[str, ...]:
    """Every suite there is, the built-in ones first; none is imported."""
    return (*BUILT_IN, *plugins.entry_points_of(GROUP, built_in=BUILT_IN))


def importable() -> Iterator[Suite]:
    """Every suite, but for plug-ins that cannot be imported: one of them does not spoil what others can do."""
    for name in names():
        try:
            yield suite(name)
        except ProbandError:
            if name in BUILT_IN:
                raise


def suite(name: str) -> Suite:
    if name in BUILT_IN:
        found: Suite = import_module(f"proband.suites.{name}").SUITE
        return found
    points = plugins.entry_points_of(GROUP, built_in=BUILT_IN)
    if name not in points:
        raise ProbandError(f"no suite {name!r}; there are {', '.join((*BUILT_IN, *points))}")
    loaded: Suite = plugins.imported(points[name], Suite)
    return loaded
