"""Table 5: whose texts are shown, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proband.core.types import Answer
from proband.suites.script.paper.tables import greedy_texts


def test_a_fine_tuned_model_is_shown_first(
    item_of: Callable[..., Any], run_of: Callable[..., Any], results: Callable[..., Any]
) -> None:
    items = [item_of("t", "stir", "use a spoon", [[2, 3]], split="test"), item_of("v", "cut", "take a knife", [[2, 3]])]
    said = [[Answer(item_id=i.id, blanks=({"guess": [word]},)) for i in items] for word in ("pot", "whisk", "pan")]
    runs = (run_of("answer", "lm"), run_of("cloze", "finetune"), run_of("cloze"))
    (sheet,) = greedy_texts(results(items, *zip(runs, said, strict=True)), 0)
    assert sheet.title.endswith("net:finetune 1")
    assert sheet.rows == (("abstract", "cut"), ("model", "take a [whisk]"), ("right", "take a [knife]"))
    assert greedy_texts(results(items, (run_of("align", "transducer"), said[0])), 0) == ()
