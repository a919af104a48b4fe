"""The measures of 4.1 on answers one can count by hand, and their envelope."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from proband.core.types import Answer, Item
from proband.suites.script.metrics import BREAKDOWN, METRICS

BY_NAME = {metric.name: metric for metric in METRICS}
ITEM = Item(id="a", suite="script", prompt="whisk the eggs\nuse a ____ in a ____")
TWO: list[dict[str, Any]] = [
    {
        "gold": ["wire", "whisk"],
        "oracle": ["wire", "spoon"],
        "guess": ["wooden", "spoon"],
        "top5": [["wire", "a", "b", "c", "d"], ["spoon", "fork", "whisk", "c", "d"]],
        "greedy_top5": [["wooden", "wire", "b", "c", "d"], ["spoon", "fork", "e", "c", "d"]],
        "ranks": [1, 3],
        "surprisals": [0.5, 1.5],
        "moves": [0.25, 0.25],
    },
    {
        "gold": ["bowl"],
        "oracle": ["bowl"],
        "guess": ["bowl"],
        "top5": [["bowl", "a", "b", "c", "d"]],
        "greedy_top5": [["bowl", "a", "b", "c", "d"]],
        "ranks": [1],
        "surprisals": [0.25],
        "moves": [0.5],
    },
]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("match_oracle", [0.5, 1.0]),
        ("top5_oracle", [1.0, 1.0]),
        ("match_greedy", [0.0, 1.0]),
        ("top5_greedy", [0.5, 1.0]),
        ("whole_oracle", [0.0, 1.0]),
        ("surprisal", [1.0, 0.25]),
        ("surprisal_released", [0.75, 1.75, 0.75]),
        ("surprisal_aligned", [1.25, 0.75]),
        ("rank", [2.0, 1.0]),
    ],
)
def test_counted_by_hand(name: str, values: list[float]) -> None:
    assert BY_NAME[name].of(ITEM, Answer(item_id="a", blanks=tuple(TWO))) == values


def test_a_model_without_transitions_has_none_to_add() -> None:
    without = tuple({name: value for name, value in record.items() if name != "moves"} for record in TWO)
    assert BY_NAME["surprisal_released"].of(ITEM, Answer(item_id="a", blanks=without)) == [0.5, 1.5, 0.25]
    assert BY_NAME["surprisal_aligned"].of(ITEM, Answer(item_id="a", blanks=without)) is None


def test_a_perfect_answer_scores_one_and_a_wrong_one_zero() -> None:
    perfect = [{**r, "oracle": r["gold"], "guess": r["gold"], "top5": [[w] for w in r["gold"]]} for r in TWO]
    wrong = [{**r, "oracle": ["x"] * len(r["gold"]), "guess": ["x"] * len(r["gold"])} for r in TWO]
    for name in ("match_oracle", "match_greedy", "whole_oracle", "whole_greedy"):
        assert BY_NAME[name].of(ITEM, Answer(item_id="a", blanks=tuple(perfect))) == [1.0, 1.0]
        assert BY_NAME[name].of(ITEM, Answer(item_id="a", blanks=tuple(wrong))) == [0.0, 0.0]


def test_what_a_record_lacks_does_not_apply() -> None:
    bare = Answer(item_id="a", blanks=({"gold": ["bowl"], "guess": ["pan"]},))
    assert BY_NAME["rank"].of(ITEM, bare) is None
    assert BY_NAME["match_greedy"].of(ITEM, bare) == [0.0]
    assert BY_NAME["match_greedy"].of(ITEM, Answer(item_id="a")) is None


def test_loops_are_counted() -> None:
    def said(*pairs: tuple[str, str]) -> Answer:
        return Answer(item_id="a", blanks=tuple({"guess": [g], "gold": [w]} for g, w in pairs))

    assert BY_NAME["repeats"].of(ITEM, said(("cut", "wrap"), ("cut", "plate"))) == 1.0
    assert BY_NAME["repeats"].of(ITEM, said(("cut", "wrap"), ("bowl", "plate"), ("cut", "x"))) == 0.0
    assert BY_NAME["repeats"].of(ITEM, said(("cut", "cut"), ("cut", "cut"))) == 0.0  # the text itself repeats
    assert BY_NAME["repeats"].of(ITEM, said(("cut", "wrap"))) is None
    left_open = Answer(item_id="a", blanks=tuple({"guess": [], "gold": [word]} for word in ("wrap", "plate")))
    assert BY_NAME["repeats"].of(ITEM, left_open) == 0.0


def test_alignment_length_counts_words_per_position_used() -> None:
    """Six words over three positions and four over one: ten over four, not the mean of 2 and 4."""
    metric = BY_NAME["alignment_length"]
    assert metric.each is not None
    paths = ([0, 0, 1, 3, 3, 3], [1, 1, 1, 1])
    records = [metric.each(ITEM, Answer(item_id="a", blanks=({"path": path},))) for path in paths]
    assert records == [(6, 3), (4, 1)]
    assert metric.of(np.array(records), np.ones(2)) == 2.5
    assert metric.of(np.array(records), np.array([2.0, 0.0])) == 2.0  # resampled: the first text twice
    assert metric.each(ITEM, Answer(item_id="a", blanks=tuple(TWO))) is None  # only transducers align


def test_direction_and_unit() -> None:
    low = {metric.name for metric in METRICS if metric.better == "low"}
    of_alignments = {"alignment_length", "pieces", "degenerate", "ends_share"}
    of_words = {"surprisal", "surprisal_aligned", "surprisal_released", "surprisal_full"}
    assert low == of_words | {"rank", "repeats"} | of_alignments
    assert {metric.unit for metric in METRICS if "surprisal" in metric.name} == {"nats"}
    assert [metric.name for metric in METRICS if metric.unit == "count"] == ["rank", "alignment_length", "pieces"]
    assert all(metric.title for metric in (*METRICS, *BREAKDOWN))


def test_an_alignment_alone_fills_no_blank() -> None:
    """The records of the solver `align` have a path and no words."""
    item = Item(id="a", suite="script", prompt="", facts={"kinds": ["tool"]})
    aligned = Answer(item_id="a", blanks=({"path": [0, 0, 1]},))
    for metric in (*METRICS, *BREAKDOWN):
        if metric.over == "item" and metric.name != "pieces":
            assert metric.numbers(item, aligned) == [], metric.name


def test_a_breakdown_keeps_the_blanks_of_its_kind() -> None:
    item = Item(id="a", suite="script", prompt="", facts={"kinds": ["tool", "place"]})
    parts = {metric.name: metric.numbers(item, Answer(item_id="a", blanks=tuple(TWO))) for metric in BREAKDOWN}
    assert parts["match_oracle:tool"] == parts["match_oracle:2-words"] == [0.5]
    assert parts["match_oracle:place"] == parts["match_oracle:1-word"] == [1.0]
    assert parts["match_oracle:unit"] == parts["match_oracle:3-words-or-more"] == []
