"""Streets whose worlds are drawn before their clues: the provers find the person, or that several may live there."""

from __future__ import annotations

import random

from proband_puzzles.zebra import PLACES, answer, check, read, solve

KINDS = {
    "Each person has a unique name": {name: name.capitalize() for name in ("bob", "alice", "carol", "david")},
    "The people keep different animals": {"cat": "The cat lover", "dog": "The dog owner", "bird": "The bird keeper",
                                          "horse": "The person who keeps horses"},
    "Each mother is accompanied by their child": {
        "alice": "The person's child is named Alice", "fred": "The person's child is named Fred",
        "billy": "The person who is the mother of Billy", "bella": "The person's child is named Bella"},
    "Everyone has a different favorite cigar": {
        "blue master": "The person who smokes Blue Master", "prince": "The Prince smoker",
        "dunhill": "The Dunhill smoker", "pall mall": "The person partial to Pall Mall"},
    "Each person has a favorite color": {
        each: f"The person who loves {each}" for each in ("blue", "red", "white", "green")},
}  # fmt: skip


def street(draw: random.Random, clues: int) -> tuple[str, dict[tuple[str, str], int]]:
    house: dict[tuple[str, str], int] = {}
    for kind, values in KINDS.items():
        for place, value in enumerate(draw.sample(list(values), 4), 1):
            house[kind, value] = place
    lines: list[str] = []
    while len(lines) < clues:
        (one, a), (two, b) = draw.sample(list(house), 2)
        first, second = KINDS[one][a], KINDS[two][b]
        apart = house[two, b] - house[one, a]
        if apart == 0:
            lines.append(f"{first} is {second if ' ' not in second else 't' + second[1:]}.")
        elif apart == 1:
            lines.append(f"{first} is directly left of {second}.")
        elif apart == -1:
            lines.append(f"{first} and {second} are next to each other.")
        else:
            lines.append(f"{first} is in the {PLACES[house[one, a] - 1]} house.")
    heads = "\n".join(f" - {kind}: {', '.join(values)}" for kind, values in KINDS.items())
    numbered = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
    text = f"There are 4 houses\n{heads}\n\n{numbered}\n\nWhat is Name of the person who lives in House 1?"
    return text, house


def test_the_drawn_world_is_among_those_that_are_found() -> None:
    draw, unique = random.Random(0), 0
    for number in range(30):
        text, house = street(draw, 22 if number % 2 else 8)
        parsed = read(text)
        assert parsed, text
        possible = solve(parsed, "").possible
        assert next(v for (k, v), place in house.items() if "name" in k and place == 1) in possible
        assert check(parsed, "") == frozenset(possible)
        unique += len(possible) == 1
    assert 8 <= unique <= 29


def test_a_clue_that_is_not_understood_leaves_the_street_unread() -> None:
    text, _ = street(random.Random(1), 5)
    assert read(text)
    assert read(text.replace("\n\nWhat", "\n6. Bob likes the cat lover.\n\nWhat")) is None


def test_an_answer_is_one_of_the_people() -> None:
    parsed = read(street(random.Random(1), 5)[0])
    assert parsed
    assert [answer(text, parsed) for text in ("Bob.", "bob", "fred", "bob or carol", "")] == ["bob", "bob"] + [None] * 3
