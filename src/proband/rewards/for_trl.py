"""A stream for TRL: a table of prompts and a reward function (completions and columns in, floats out).

    data, reward = environment(size=5000, k="2,3", seed=0)
    GRPOTrainer(model=..., train_dataset=data, reward_funcs=[reward])

TRL itself is not imported; the table is one of Hugging Face's `datasets`, or a list of rows where that is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from proband.rewards.stream import Stream


def environment(
    *, size: int, first: int = 0, suite: str = "", **options: Any
) -> tuple[Any, Callable[..., list[float]]]:
    """Items `first` to `first + size` of a stream as a table, and their reward."""
    stream = Stream(suite, **options)
    rows = [stream.row(number) for number in range(first, first + size)]
    made = [{"prompt": [{"role": "user", "content": row["question"]}], **row} for row in rows]

    def reward(completions: Sequence[Any], index: Sequence[int], **columns: Any) -> list[float]:
        """The reward of each completion (a text, or the messages of a chat), by the column `index`."""
        texts = (each if isinstance(each, str) else each[-1]["content"] for each in completions)
        return [stream.reward(stream[n], text).total for text, n in zip(texts, index, strict=True)]

    reward.__name__ = "proband"  # what logs call it
    try:
        from datasets import Dataset
    except ModuleNotFoundError:
        return made, reward
    return Dataset.from_list(made), reward
