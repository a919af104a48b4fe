"""The stream as an environment of OpenEnv."""

from __future__ import annotations

import pytest


def test_openenv_asks_and_rewards() -> None:
    pytest.importorskip("openenv.core.env_server.interfaces")
    from proband.rewards.for_openenv import ProbandEnvironment, ReplyAction

    made = ProbandEnvironment(k="2", seed=0)
    asked = made.reset(seed=4)
    assert asked.text == made.stream.question(made.stream[4])
    assert made.step(ReplyAction(text=made.stream.answer(made.stream[4]))).reward == 1
    assert made.reset().text != asked.text
    assert made.step(ReplyAction(text="who knows")).reward == 0
    assert made.state.step_count == 1
