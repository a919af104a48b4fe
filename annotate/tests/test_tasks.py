"""Kinds of tasks are found by the suites' declarations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proband import suites
from proband.core.errors import ProbandError
from proband_annotate.tasks import names, task


def test_every_task_that_a_suite_declares_is_found_by_its_name() -> None:
    declared = {name for suite in suites.importable() for name in suite.tasks}
    assert names().keys() == declared >= {"judge", "write", "review", "simplify", "solve"}
    assert all(task(name).units for name in declared)
    with pytest.raises(ProbandError, match=r"no kind of task 'guess'; there are .*judge"):
        task("guess")


def test_two_suites_with_a_task_of_one_name_are_an_error_unless_it_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    own = suites.suite("inference")
    monkeypatch.setattr(suites, "importable", lambda: (own, replace(own, name="mine")))
    assert names() == own.tasks
    other = replace(own, name="mine", tasks={"judge": "elsewhere:TASK"})
    monkeypatch.setattr(suites, "importable", lambda: (own, other))
    with pytest.raises(ProbandError, match="mine declares a task 'judge', but another suite has one of that name"):
        names()
