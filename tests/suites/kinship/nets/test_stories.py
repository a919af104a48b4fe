"""Items as input of a net: names become numbers, and what does not fit a net is refused with its reason."""

from __future__ import annotations

from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.suites.kinship.nets.options import NetOptions
from proband.suites.kinship.nets.stories import NUMBER, UNTYPED, NetStory, placeholders, readable_story, words_of

FACTS: dict[str, Any] = {
    "names": ["Ben", "Ann"],
    "genders": ["male", "female"],
    "query": [1, 0],
    "edges": [[1, "son", 0]],
    "target": "son",
}


def story(prompt: str = "Ann met Ben, her son.\nBen is the ___ of Ann.", **facts: Any) -> NetStory:
    item = Item(id="a", suite="kinship", prompt=prompt, facts={**FACTS, **facts})
    return readable_story(item, NetOptions(), graph=False, file="items.jsonl", line=3)


def test_an_item_is_words_people_facts_and_a_question() -> None:
    made = story()
    assert made.words == (1, "met", 0, ",", "her", "son", ".")
    assert (made.people, made.query, made.target, made.genders) == (2, (1, 0), NUMBER["son"], (1, 2))
    assert made.edges == ((1, NUMBER["son"], 0),)


def test_a_noise_fact_without_a_relation_is_an_edge_of_its_own_kind() -> None:
    noise = [[[0, None, 1], "irrelevant"], [[0, "mother", 1], "irrelevant"]]
    assert story(noise=noise).edges == ((1, NUMBER["son"], 0), (0, UNTYPED, 1))


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"names": []}, "has no 'names' in its facts"),
        ({"target": "cousin"}, "has the 'target' 'cousin', none of the 22 relations"),
        ({"edges": [[1, "cousin", 0]]}, "has 'cousin' in 'edges'"),
        ({"edges": [[1, "son", 2]]}, "has a fact about person 2 of 2"),
        ({"names": [f"P{n}" for n in range(NetOptions().pool + 1)]}, "more than the net's pool"),
    ],
)
def test_what_does_not_fit_is_named(facts: dict[str, Any], reason: str) -> None:
    with pytest.raises(ProbandError, match=reason) as caught:
        story(**facts)
    assert "items.jsonl line 3: item 'a'" in str(caught.value)


def test_a_story_longer_than_the_window_is_refused() -> None:
    long = "Ben left. " * NetOptions().window
    with pytest.raises(ProbandError, match="more than the net's window"):
        story(f"{long}\nBen is the ___ of Ann.")


def test_a_name_within_a_longer_name_is_not_that_person() -> None:
    assert words_of("Ann met Mary Ann's aunt Anna.", ["Mary Ann", "Ann"]) == [
        1,
        "met",
        0,
        "'",
        "s",
        "aunt",
        "anna",
        ".",
    ]


def test_placeholders_are_distinct_shown_by_gender_and_drawn_by_the_id_alone() -> None:
    def drawn(name: str, *genders: int) -> list[int]:
        return placeholders(NetStory(name, (), 3, (), (0, 1), None, "train", genders=genders), 20)

    plain, known = drawn("a"), drawn("a", 2, 1, 2)
    assert len(set(plain)) == 3
    assert known == [plain[0] + 20, plain[1], plain[2] + 20]
    assert drawn("a") == plain
    assert len({tuple(drawn(str(n))) for n in range(20)}) > 10
