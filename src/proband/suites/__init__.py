"""The suites by name. Adding one = one folder with a `SUITE` and one line here, or an entry point `proband.suites`
(a `Suite`) in another package."""

from __future__ import annotations

from proband.core.plugins import Registry
from proband.core.suite import Suite

QUESTIONS = "questions"  # the suite of items that are prompts and nothing more
BUILT_IN = ("analogy", "kinship", "inference", "script", "facts", QUESTIONS)
_SUITES = Registry("proband.suites", Suite, {name: f"proband.suites.{name}:SUITE" for name in BUILT_IN})

suite = _SUITES.named
names = _SUITES.names
importable = _SUITES.importable
