"""Counterfactual pairs for interpretability work: two prompts that differ in one fact, as the tokens of a model.

One line per pair of a source item and its counterfactual (`proband vary --as counterfactual`):

    source, varied   the ids of the two items
    texts            both prompts up to the blank
    answers          both right answers
    aligned          whether the texts have equally many tokens, so that positions correspond
    tokens           the token ids of both texts, as the model reads them
    differ           the positions of the tokens that differ (aligned pairs only)
    answer_tokens    the first token of each right answer, behind its text
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import atomic, dumps, items_path, read_items
from proband.core.types import Item

BLANK = "___"
VARIATION = "counterfactual"


def write_pairs(items: Path, out: Path, tokenizer: Any) -> dict[str, Any]:
    """Write OUT (or OUT/pairs.jsonl); returns how many pairs there are, and how many are aligned."""
    path = out if out.suffix == ".jsonl" else out / "pairs.jsonl"
    count = aligned = 0
    with atomic(path) as file:
        for source, varied in pairs_of(items):
            pair = tokens_of(source, varied, tokenizer)
            count, aligned = count + 1, aligned + pair["aligned"]
            file.write(dumps(pair) + "\n")
        if not count:
            raise ProbandError(f"has no pairs: make some with `proband vary --as {VARIATION}`", file=items_path(items))
    return {"pairs": count, "aligned": aligned, "not_aligned": count - aligned}


def pairs_of(items: Path) -> Iterator[tuple[Item, Item]]:
    """Source items with their counterfactuals, which stand behind them."""
    source: Item | None = None
    for item in read_items(items):
        if item.tags.get("variation") == "original":
            source = item
        elif item.tags.get("variation") == VARIATION and source is not None and item.facts["source"] == source.id:
            yield source, item


def tokens_of(source: Item, varied: Item, tokenizer: Any) -> dict[str, Any]:
    texts = [
        item.prompt.rpartition(BLANK)[0].rstrip() if BLANK in item.prompt else item.prompt for item in (source, varied)
    ]
    answers = [item.choices[item.gold] if item.gold is not None else "" for item in (source, varied)]
    tokens = [list(tokenizer(text)["input_ids"]) for text in texts]
    aligned = len(tokens[0]) == len(tokens[1])
    return {
        "source": source.id,
        "varied": varied.id,
        "texts": texts,
        "answers": answers,
        "aligned": aligned,
        "tokens": tokens,
        "differ": [at for at, (a, b) in enumerate(zip(*tokens)) if a != b] if aligned else [],
        "answer_tokens": [
            _first_behind(text, answer, ids, tokenizer)
            for text, answer, ids in zip(texts, answers, tokens, strict=True)
        ],
    }


def _first_behind(text: str, answer: str, ids: list[int], tokenizer: Any) -> int:
    """The token that an answer begins with, read behind its text."""
    longer = list(tokenizer(f"{text} {answer}")["input_ids"])
    at = next((place for place, (a, b) in enumerate(zip(longer, ids)) if a != b), min(len(longer) - 1, len(ids)))
    return int(longer[at])
