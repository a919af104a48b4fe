"""What a run would ask, before anything is asked: items, calls, tokens, and money where prices are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.pipeline.asking.job import Job

CHARACTERS = 4.0  # per token, where the tokenizer is at the other end


def estimate(items: Sequence[Item], model: Any, job: Job, *, max_tokens: int) -> dict[str, Any]:
    """`tokens in` are counted by the model's own tokenizer, or estimated from the characters; `tokens out` and the cost
    are upper bounds: every reply as long as it may be."""
    try:
        texts = [text for each in job.sends(items, model) for text in each]
    except ProbandError:
        return {"items": len(items), "calls": None, "tokens in": None, "tokens out": None}
    distinct = list(dict.fromkeys(texts))
    tokenizer, prices = getattr(model, "tokenizer", None), getattr(model, "prices", None)
    if tokenizer is not None:
        read = sum(len(ids) for ids in tokenizer(distinct, add_special_tokens=False, verbose=False)["input_ids"])
    else:
        read = round(sum(map(len, distinct)) / CHARACTERS)
    found = {
        "items": len(items),
        "calls": len(distinct),
        "tokens in": read,
        "counted": tokenizer is not None,
        "tokens out": max_tokens * len(distinct),
    }
    return found if prices is None else {**found, "cost": prices.of(read, found["tokens out"])}
