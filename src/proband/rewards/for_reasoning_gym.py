"""A stream as a data set of reasoning-gym (`pip install 'proband[audit]'`): importing this registers `proband`.

    import proband.rewards.for_reasoning_gym
    data = reasoning_gym.create_dataset("proband", options={"k": "2,3"}, size=500, seed=42)
    data.score_answer("aunt", data[17])

The entry's question asks for one of the relations; `score_answer` is the reward of the stream that the entry names, so
that `reasoning_gym.get_score_answer_fn("proband")`, which knows no config, scores right too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from proband.core.errors import not_installed

try:
    from reasoning_gym.factory import DATASETS, ProceduralDataset, register_dataset
except ModuleNotFoundError as error:
    raise not_installed(error, "proband.rewards.for_reasoning_gym") from None
from proband.rewards.stream import shared_stream

NAME = "proband"


@dataclass
class ProbandConfig:
    """As in `Stream`; `options` are those of the suite."""

    suite: str = ""
    variation: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    size: int = 500

    def validate(self) -> None:
        assert self.size > 0, "size must be positive"


class ProbandDataset(ProceduralDataset):  # type: ignore[misc]
    """Certified items. Number n of a seed is the same in any process, and is made alone."""

    def __init__(self, config: ProbandConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)
        self.options = {"suite": config.suite, "seed": self.seed, "variation": config.variation, **config.options}
        self.stream = shared_stream(**self.options)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        row, item = self.stream.row(idx), self.stream[idx]
        metadata = {"source_dataset": NAME, "source_index": idx, "id": item.id, "difficulty": dict(item.tags)}
        metadata["stream"] = self.options
        return {"question": row["question"], "answer": row["answer"], "metadata": metadata}

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        if not isinstance(answer, str):
            return 0.0
        stream = shared_stream(**entry["metadata"]["stream"])
        return stream.reward(stream[entry["metadata"]["source_index"]], answer).total


if NAME not in DATASETS:
    register_dataset(NAME, ProbandDataset, ProbandConfig)
