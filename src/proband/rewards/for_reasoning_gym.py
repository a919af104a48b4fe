"""A stream as a data set of reasoning-gym (`pip install 'proband[audit]'`): importing this registers `proband`.

    import proband.rewards.for_reasoning_gym
    data = reasoning_gym.create_dataset("proband", k="2,3", task="clean", size=500, seed=42)
    data.score_answer("aunt", data[17])

The entry's question asks for one of the relations; `score_answer` is the reward of the stream that the entry names, so
that `reasoning_gym.get_score_answer_fn("proband")`, which knows no config, scores right too. The curriculum goes over
the number of facts and the noise beside them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from proband.core.errors import not_installed

try:
    from reasoning_gym.coaching import BaseCurriculum, ScalarAttributeDefinition
    from reasoning_gym.factory import DATASETS, ProceduralDataset, register_dataset
except ModuleNotFoundError as error:
    raise not_installed(error, "proband.rewards.for_reasoning_gym") from None
from proband.rewards.stream import Stream

NAME = "proband"


@dataclass
class ProbandConfig:
    """`suite` and `variation` as in `Stream`; `k`, `task` and `form` are options of kinship, `more` any others."""

    suite: str = "kinship"
    variation: str = ""
    k: str = "2,3"
    task: str = "clean"
    form: str = "story"
    more: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    size: int = 500

    def validate(self) -> None:
        assert self.size > 0, "size must be positive"

    def stream(self, seed: int) -> Stream:
        own = {"k": self.k, "task": self.task, "form": self.form} if self.suite == NAMED else {}
        return Stream(self.suite, seed=seed, variation=self.variation, **{**own, **self.more})


NAMED = "kinship"  # the suite whose options the config names


@cache
def _stream(config: str) -> Stream:
    fields: dict[str, Any] = json.loads(config)
    return ProbandConfig(**fields).stream(fields["seed"])


def stream_of(fields: Mapping[str, Any]) -> Stream:
    """The stream of a config's fields, made once."""
    return _stream(json.dumps(fields, sort_keys=True))


class ProbandDataset(ProceduralDataset):  # type: ignore[misc]
    """Certified items. Number n of a seed is the same in any process, and is made alone."""

    def __init__(self, config: ProbandConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)
        self.named = {name: value for name, value in asdict(config).items() if name != "size"} | {"seed": self.seed}
        self.stream = stream_of(self.named)

    def __getitem__(self, idx: int) -> dict[str, Any]:
        row, item = self.stream.row(idx), self.stream[idx]
        metadata = {"source_dataset": NAME, "source_index": idx, "id": item.id, "tags": dict(item.tags)}
        metadata["stream"] = self.named
        difficulty = {name: item.tags[name] for name in ("k", "task") if name in item.tags}
        return {
            "question": row["question"],
            "answer": row["answer"],
            "metadata": {**metadata, "difficulty": difficulty},
        }

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        if not isinstance(answer, str):
            return 0.0
        stream = stream_of(entry["metadata"]["stream"])
        return stream.reward(stream[entry["metadata"]["source_index"]], answer).total


class ProbandCurriculum(BaseCurriculum):  # type: ignore[misc]
    """More facts to combine, then noise beside them."""

    def __init__(self) -> None:
        super().__init__(ProbandCurriculum.__name__, ProbandConfig)
        self._define_attributes(
            ScalarAttributeDefinition(
                name="k", field_name="k", levels=["2", "2,3", "2..4", "2..6", "2..8", "2..10"], description="facts"
            ),
            ScalarAttributeDefinition(
                name="noise", field_name="task", levels=["clean", "irrelevant", "mixed"], description="noise"
            ),
        )


if NAME not in DATASETS:
    register_dataset(NAME, ProbandDataset, ProbandConfig, ProbandCurriculum)
