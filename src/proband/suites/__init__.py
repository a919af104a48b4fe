"""The suites. Adding one = one folder with a `SUITE` and one line here."""

from __future__ import annotations

from importlib import import_module

from proband.core.errors import ProbandError
from proband.core.suite import Suite

NAMES = ("analogy", "kinship", "script")


def suite(name: str) -> Suite:
    if name not in NAMES:
        raise ProbandError(f"no suite {name!r}; there are {', '.join(NAMES)}")
    found: Suite = import_module(f"proband.suites.{name}").SUITE
    return found
