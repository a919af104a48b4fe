"""Exact match by kind of blank, training seeds of one net taken together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proband.core.types import Answer
from proband.suites.script.paper.table4 import PARTS, by_blank


def test_seeds_are_taken_together(
    item_of: Callable[..., Any], run_of: Callable[..., Any], results: Callable[..., Any]
) -> None:
    items = [
        item_of("v", "cut", "take a knife", [[2, 3]]),
        item_of("t", "stir", "a wire whisk", [[1, 3]], split="test"),
    ]
    right, wrong = ("knife", "wire whisk"), ("pot", "wire spoon")

    def said(texts: tuple[str, str]) -> list[Answer]:
        records = [{"gold": item.facts["gold"][0], "oracle": text.split()} for item, text in zip(items, texts)]
        return [Answer(item_id=i.id, blanks=(record,)) for i, record in zip(items, records, strict=True)]

    runs = [(run_of("answer", "lm", seed), said(texts)) for seed, texts in enumerate((right, wrong))]
    (sheet,) = by_blank(results(items, *runs, (run_of("cloze"), said(right))), 0)
    assert sheet.header[2:-1] == tuple(part.replace("-", " ") for part in PARTS)
    assert [(*row[:3], row[-1]) for row in sheet.rows] == [
        ("net:lm 0", "valid", 50.0, 2),
        ("net:lm 0", "test", 75.0, 2),
        ("some:model 2", "valid", 100.0, 1),
        ("some:model 2", "test", 100.0, 1),
    ]
