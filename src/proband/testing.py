"""For tests of your own suites and models: a model that follows a script, and suites known for a while
(docs/extending.md has an example)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from proband import suites
from proband.core.suite import Suite
from proband.models.fake import ScriptedModel

__all__ = ["ScriptedModel", "known_suites"]


@contextmanager
def known_suites(*added: Suite) -> Iterator[None]:
    """For a while these are found by their names, as if a package had declared them, before others of that name.

    >>> from dataclasses import replace
    >>> with known_suites(replace(suites.suite("questions"), name="mine")):
    ...     suites.suite("mine").name, "mine" in suites.names()
    ('mine', True)
    >>> "mine" in suites.names()
    False
    """
    names, find = suites.names, suites.suite
    by_name = {suite.name: suite for suite in added}
    with (
        patch.object(suites, "names", lambda: tuple(dict.fromkeys((*names(), *by_name)))),
        patch.object(suites, "suite", lambda name: by_name[name] if name in by_name else find(name)),
    ):
        yield
