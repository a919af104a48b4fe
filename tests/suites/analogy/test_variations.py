"""Variations of one item, and the checks that must refuse what only looks like one."""

from __future__ import annotations

import random
from pathlib import Path

from msgspec.structs import replace

from proband.core.types import Item
from proband.suites.analogy.solvers.pseudo_perplexity import DEFAULT, TEMPLATES, question
from proband.suites.analogy.variations import NO_CHOICE, inverse, order, same_options, template, turned_round, twin

OPTIONS = [["Rome", "Italy"], ["Italy", "Rome"], ["Rome", "Spain"]]
ITEM = Item(
    id="a",
    suite="analogy",
    prompt=question(TEMPLATES[DEFAULT], ("Paris", "France")),
    choices=("Rome : Italy", "Italy : Rome", "Rome : Spain"),
    gold=0,
    tags={"relation": "capital", "group": "ES", "probe": "reverse", "setting": "zero-shot"},
    facts={"query": ["Paris", "France"], "options": OPTIONS},
)


def made(varied: Item | str) -> Item:
    assert isinstance(varied, Item), varied
    return varied


def test_another_order_is_never_the_same_and_the_answer_moves_along() -> None:
    for seed in range(20):
        varied = made(order(ITEM, rng=random.Random(seed), folder=Path()))
        assert varied.choices != ITEM.choices
        assert varied.choices[varied.gold or 0] == "Rome : Italy"
        assert [" : ".join(pair) for pair in varied.facts["options"]] == list(varied.choices)
        assert same_options(ITEM, varied) is None
    assert same_options(ITEM, replace(varied, gold=varied.choices.index("Rome : Spain"))) == (
        "its answer is not that of its source"
    )
    other = ("Rome : Italy", "Italy : Rome", "Rome : Peru")
    assert same_options(ITEM, replace(ITEM, choices=other)) == "its pairs are not those of its source"


def test_another_template_asks_about_the_same_pairs() -> None:
    varied = made(template(ITEM, rng=random.Random(0), folder=Path()))
    assert varied.prompt != ITEM.prompt
    assert (varied.choices, varied.gold, varied.facts["query"]) == (ITEM.choices, 0, ["Paris", "France"])
    assert same_options(ITEM, varied) is None
    assert same_options(ITEM, replace(varied, prompt="Paris?")) is not None
    own = replace(ITEM, prompt=question("{h1}/{t1}={h2}/{t2}", ("Paris", "France")))
    own = replace(own, facts={**ITEM.facts, "template": "{h1}/{t1}={h2}/{t2}"})
    assert same_options(own, made(order(own, rng=random.Random(0), folder=Path()))) is None
    assert made(inverse(own, rng=random.Random(0), folder=Path())).prompt.endswith("France/Paris=___/___")


def test_both_pairs_are_reversed() -> None:
    varied = made(inverse(ITEM, rng=random.Random(0), folder=Path()))
    assert varied.prompt == question(TEMPLATES[DEFAULT], ("France", "Paris"))
    assert varied.choices == ("Italy : Rome", "Rome : Italy", "Spain : Rome")
    assert (varied.gold, varied.facts["query"]) == (0, ["France", "Paris"])
    assert turned_round(ITEM, varied) is None
    tags = {**ITEM.tags, "probe": "random-head", "cardinality": "many-to-one", "many_valued": False}
    turned = made(inverse(replace(ITEM, tags=tags), rng=random.Random(0), folder=Path()))
    assert turned.tags == {**tags, "probe": "random-tail", "cardinality": "one-to-many", "many_valued": True}
    assert turned_round(ITEM, ITEM) == "its pairs are not the reversed pairs of its source"
    assert turned_round(ITEM, replace(varied, gold=1)) is not None


def test_an_item_without_options_has_no_such_variation() -> None:
    chosen = replace(ITEM, tags={**ITEM.tags, "probe": "multiple-choice"})
    assert "no other word pairs" in str(twin(chosen, rng=random.Random(0), folder=Path()))
    single = replace(ITEM, choices=(), gold=None, facts={"query": ["Paris", "France"], "option": ["Rome", "Italy"]})
    assert [make(single, rng=random.Random(0), folder=Path()) for make in (order, template, inverse)] == [NO_CHOICE] * 3
