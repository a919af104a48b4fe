"""A stream as a taskset of verifiers (its interface v1: tasks, rewards, `validate`): `pip install verifiers`.

`ProbandTaskset(ProbandTasksetConfig(options={"k": "2,3"}, size=1000))` yields tasks whose reward is that of the stream
and whose `validate` replays the certificate of the item, from its text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proband.core.errors import ProbandError

try:
    import verifiers.v1 as vf
except ModuleNotFoundError:
    raise ProbandError("proband.rewards.for_verifiers needs verifiers 0.4 or later: pip install verifiers") from None
from proband.rewards.stream import Stream, shared_stream


class ProbandTaskData(vf.TaskData):  # type: ignore[misc]
    number: int
    options: dict[str, Any]  # of the stream


class ProbandTask(vf.Task[ProbandTaskData]):  # type: ignore[misc]
    @property
    def stream(self) -> Stream:
        return shared_stream(**self.data.options)

    @vf.reward  # type: ignore[untyped-decorator]
    async def proved(self, trace: Any) -> float:
        return self.stream.reward(self.stream[self.data.number], trace.last_reply).total

    async def validate(self, runtime: Any) -> bool | None:
        item = self.stream[self.data.number]
        return not self.stream.validate(item) and self.stream.reward(item, self.stream.answer(item)).total == 1.0


class ProbandTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    size: int = 1000
    suite: str = ""
    seed: int = 0
    variation: str = ""
    options: dict[str, Any] = {}  # noqa: RUF012 (pydantic copies it)


class ProbandTaskset(vf.Taskset[ProbandTask, ProbandTasksetConfig]):  # type: ignore[misc]
    def load(self) -> Iterator[ProbandTask]:
        config = self.config
        options = {"suite": config.suite, "seed": config.seed, "variation": config.variation, **config.options}
        for number in range(config.size):
            row = shared_stream(**options).row(number)
            data = ProbandTaskData(id=row["id"], prompt=row["question"], number=number, options=options)
            yield ProbandTask(data, config.task)
