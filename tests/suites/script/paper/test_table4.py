"""Table 4 on one page: ours below the published row they stand beside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proband.core.types import Answer
from proband.suites.script.paper.table4 import table4

PUBLISHED = 7


def test_ours_stand_below_the_published(
    item_of: Callable[..., Any], run_of: Callable[..., Any], results: Callable[..., Any]
) -> None:
    items = [item_of("t", "cut", "a knife", [[1, 2]], split="test"), item_of("v", "cut", "a knife", [[1, 2]])]

    def said(word: str, surprisal: float) -> list[Answer]:
        record = {"gold": ["knife"], "oracle": [word], "guess": [word], "surprisals": [surprisal]}
        record |= {"top5": [[word, "pot"]], "greedy_top5": [["pot", "knife"]]}
        return [Answer(item_id=item.id, blanks=(record,)) for item in items]

    lm = [(run_of("answer", "lm", seed), said(word, seed + 1.0)) for seed, word in enumerate(("knife", "pot"))]
    frequent, tuned = (run_of("answer"), said("pot", 4.0)), (run_of("cloze", "finetune"), said("knife", 0.5))
    runs = (frequent, *lm, tuned)
    (sheet,) = table4(results(items, *runs, manifest={"released": {}}), 0)
    names = [row[0] for row in sheet.rows]
    assert names[:4] == ["published: lm", "net:lm 1", "net:lm 1", "published: seq2seq"]
    assert names[-5:-2] == ["published: gpt fine-tuned", "net:finetune 3", "net:finetune 3"]
    assert names[-2:] == ["some:model 0", "some:model 0"]
    assert sheet.rows[1] == ("net:lm 1", "valid", 50.0, 50.0, 50.0, 100.0, 1.5, 2)
    (own,) = table4(results(items, *runs), 0)
    assert len(own.rows) == len(sheet.rows) - PUBLISHED  # nothing was published about another corpus
