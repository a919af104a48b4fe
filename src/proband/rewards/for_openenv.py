"""A stream as an environment of OpenEnv (`pip install openenv-core`): `reset` asks, `step` rewards the reply.

`create_app(ProbandEnvironment, ReplyAction, QuestionObservation)` of `openenv.core.env_server` serves it.
"""

from __future__ import annotations

from typing import Any

from proband.core.errors import ProbandError

try:
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, Observation, State
except ModuleNotFoundError:
    raise ProbandError("proband.rewards.for_openenv needs openenv-core: pip install openenv-core") from None
from proband.rewards.stream import Stream


class ReplyAction(Action):  # type: ignore[misc]
    text: str


class QuestionObservation(Observation):  # type: ignore[misc]
    text: str = ""


class ProbandEnvironment(Environment):  # type: ignore[misc]
    """One question per episode; `seed` of `reset` is the number of the item."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.stream, self.number, self.steps = Stream(**options), -1, 0

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> QuestionObservation:
        self.number, self.steps = self.number + 1 if seed is None else seed, 0
        return QuestionObservation(text=self.stream.question(self.stream[self.number]))

    def step(self, action: ReplyAction, timeout_s: float | None = None, **kwargs: Any) -> QuestionObservation:
        reward = self.stream.reward(self.stream[self.number], action.text)
        self.steps += 1
        return QuestionObservation(done=True, reward=reward.total)

    @property
    def state(self) -> State:
        return State(episode_id=str(self.number), step_count=self.steps)
