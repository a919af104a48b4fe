"""What follows from a list of tuples: cardinality, symmetry, and which pairs hold."""

from __future__ import annotations

import pytest

from proband.core.errors import ProbandError
from proband.core.types import Item, Tag
from proband.suites.analogy.relations import Relation, Tuple, check, fingerprint, query_and_option, query_and_options


def relation(*tuples: tuple[str, ...], name: str = "r", declared: bool | None = None) -> Relation:
    return Relation(name, "ES", tuple(Tuple(head, tails) for head, *tails in tuples), declared)  # type: ignore[arg-type]


FIVE = [("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]


@pytest.mark.parametrize(
    ("fifth", "cardinality"),
    [
        (("e", "5"), "one-to-one"),
        (("e", "5", "6"), "one-to-many"),  # one in five has two right tails
        (("e", "organise", "organize"), "one-to-one"),  # two spellings of one tail
        (("e", "4"), "many-to-one"),  # two in five share a tail
        (("e", "4", "6"), "many-to-many"),
    ],
)
def test_a_fifth_of_the_tuples_decides_the_cardinality(fifth: tuple[str, ...], cardinality: str) -> None:
    assert relation(*FIVE, fifth).cardinality == cardinality
    assert relation(*FIVE, ("f", "7"), fifth).cardinality == ("many-to-one" if fifth[1] == "4" else "one-to-one")


def test_a_symmetric_relation_holds_in_both_orders() -> None:
    one_way = relation(("hot", "cold", "icy"), ("big", "small"))
    assert not one_way.symmetric
    assert one_way.holds(("HOT", "icy"))
    assert not one_way.holds(("cold", "hot"))
    for symmetric in (
        relation(("hot", "cold"), ("cold", "hot"), ("big", "small")),  # two of three are listed in both orders
        relation(("hot", "cold"), ("big", "small"), name="antonyms - gradable"),
        relation(("hot", "cold"), ("big", "small"), declared=True),
    ):
        assert symmetric.symmetric
        assert symmetric.holds(("small", "big"))
        assert not symmetric.holds(("small", "hot"))
    assert not relation(("afraid", "terrified"), name="synonyms - intensity").symmetric
    assert not relation(("hot", "cold"), ("cold", "hot"), declared=False).symmetric


def test_a_fingerprint_tells_every_word_and_its_place() -> None:
    lists = [
        [relation(("a", "b", "c"))],
        [relation(("a", "b"), ("a", "c"))],
        [relation(("a", "c", "b"))],
        [relation(("ab", "", "c"))],
        [relation(("a", "b", "c"), name="s")],
    ]
    assert len({fingerprint(each) for each in lists}) == 5
    assert fingerprint(lists[0]) == fingerprint([relation(("a", "b", "c"))])


def test_pairs_of_an_item() -> None:
    tags: dict[str, Tag] = {"relation": "capital", "group": "ES", "probe": "reverse", "setting": "zero-shot"}
    query, options = ("Paris", "France"), [("Rome", "Italy"), ("Italy", "Rome")]
    item = Item(id="i", suite="analogy", prompt="?", facts={"query": query, "options": options}, tags=tags)
    assert query_and_options(item) == (query, options)
    with pytest.raises(ProbandError, match="i is not true or false"):
        query_and_option(item)
    one = Item(id="j", suite="analogy", prompt="?", facts={"query": query, "option": options[1]}, tags=tags)
    assert query_and_option(one) == (query, options[1])
    with pytest.raises(ProbandError, match="j is not a choice between pairs"):
        query_and_options(one)
    assert check(item) is check(one) is None
    broken = Item(id="k", suite="analogy", prompt="?", facts={"options": options}, tags=tags)
    assert "query" in (check(broken) or "")
