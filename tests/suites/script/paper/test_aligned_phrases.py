"""Table 3 and figure 2 from alignments that were written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proband.core.types import Answer
from proband.suites.script.paper.aligned_phrases import aligned_phrases, alignment_texts


def aligned(items: list[Any]) -> list[Answer]:
    """The first two concrete words come from the first abstract word, the others from the second."""
    return [Answer(item_id=i.id, blanks=({"path": [0, 0] + [1] * (len(i.facts["concrete"]) - 2)},)) for i in items]


def corpus(item_of: Callable[..., Any], split: str = "train") -> list[Any]:
    texts = [("stir egg", "a whisk in bowls"), ("boil oil", "one pot for spoon")] * 5
    return [item_of(str(n), abstract, concrete, [], split=split) for n, (abstract, concrete) in enumerate(texts)]


def test_phrases_follow_the_alignments(
    item_of: Callable[..., Any], run_of: Callable[..., Any], results: Callable[..., Any]
) -> None:
    items = corpus(item_of)
    given = results(items, (run_of("answer", "lm"), aligned(items)), (run_of("align", "transducer"), aligned(items)))
    concrete, abstract, pairs = aligned_phrases(given, 0)
    assert concrete.rows == (("oil", "spoon (1.1, 5)"),)  # egg generated no word that is ever left out
    assert abstract.rows == (("whisk", "stir (1.1, 5)"),)
    assert [row[:3] for row in pairs.rows] == [("boil", "pot", 5), ("oil", "spoon", 5), ("stir", "whisk", 5)]


def test_fixed_transitions_come_first(
    item_of: Callable[..., Any], run_of: Callable[..., Any], results: Callable[..., Any]
) -> None:
    items = corpus(item_of, "valid")
    other = [Answer(item_id=item.id, blanks=({"path": [1, 1, 1, 1]},)) for item in items]
    given = results(
        items, (run_of("align", "transducer-param"), other), (run_of("align", "transducer"), aligned(items))
    )
    (sheet,) = alignment_texts(given, 0)
    assert sheet.title.endswith("net:transducer 1")
    assert sheet.rows[:2] == (("stir egg", "stir", "a whisk"), ("", "egg", "in bowls"))


def test_without_alignments_there_is_no_table(
    item_of: Callable[..., Any], run_of: Callable[..., Any], results: Callable[..., Any]
) -> None:
    items = corpus(item_of)
    given = results(items, (run_of("answer", "transducer"), aligned(items)))
    assert (*aligned_phrases(given, 0), *alignment_texts(given, 0)) == ()
