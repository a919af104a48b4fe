"""The stream as a set of tasks of verifiers."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest


def test_verifiers_runs_the_reward_and_validates_by_the_certificate() -> None:
    pytest.importorskip("verifiers.v1")
    from proband.rewards.for_verifiers import ProbandTaskset, ProbandTasksetConfig

    tasks = list(ProbandTaskset(ProbandTasksetConfig(size=3, seed=5)))
    assert [task.data.idx for task in tasks] == [0, 1, 2]
    task: Any = tasks[1]
    right = task.stream.answer(task.stream[1])
    replies = [SimpleNamespace(last_reply=text) for text in (right, task.data.prompt_text)]
    assert [asyncio.run(task.proved(each)) for each in replies] == [1, 0]
    assert asyncio.run(task.validate(None)) is True
