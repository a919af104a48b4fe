"""The picture of an item is well-formed, shows every word, and marks the choice."""

from __future__ import annotations

from xml.etree import ElementTree

from proband.core.types import Answer, Item
from proband.suites.analogy import SUITE


def test_every_choice_item_can_be_drawn() -> None:
    for item in SUITE.build(per_relation=2, options=3).items:
        assert isinstance(item, Item)
        answer = Answer(item_id=item.id, scores=(-1.0, -0.5, -2.0))
        text = SUITE.draw(item, answer)
        assert text is not None
        drawn = ElementTree.fromstring(text)
        words = [node.text for node in drawn.iter("{http://www.w3.org/2000/svg}text")]
        for pair in (item.facts["query"], *item.facts["options"]):
            assert set(pair) <= set(words)
        lines = [node.get("stroke-width") for node in drawn.iter("{http://www.w3.org/2000/svg}line")]
        assert lines == ["1.5", "1", "3", "1"]


def test_words_cannot_break_out_of_the_picture() -> None:
    item = Item(
        id="x",
        suite="analogy",
        prompt="?",
        gold=0,
        choices=("<b>&",),
        facts={"query": ["<", ">"], "options": [["<b>", "&"]]},
    )
    text = SUITE.draw(item, None)
    assert text is not None
    ElementTree.fromstring(text)
    assert SUITE.draw(Item(id="y", suite="analogy", prompt="?"), None) is None
