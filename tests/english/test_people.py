from __future__ import annotations

import pytest

from proband.english.people import Discourse, People
from proband.english.tokens import NotRead


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Kate Miller is the mother of Sam. Kate left.", ("Kate Miller", "Sam")),
        (
            "Peter Hall is the father of Jane Hall. Jane's brother is Mark Hall.",
            ("Peter Hall", "Jane Hall", "Mark Hall"),
        ),
        ("Mark is the son of May. May has a brother, Will.", ("Mark", "May", "Will")),
        ("Ben is the son of Al. May is Ben's wife. Will's sister is May.", ("Ben", "Al", "May", "Will")),
        ("Ben is the son of Al. May I say more? Will he come?", ("Ben", "Al")),
        ("Supposedly Fergus is Una's brother.", ("Fergus", "Una")),
        ("On Sunday Lena bakes bread in Oslo.", ("Lena",)),
        ("[Ann Lee] met [Bo].", ("Ann Lee", "Bo")),
    ],
)
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert People(text).names == names


@pytest.mark.parametrize(
    "text",
    [
        "Tom Baker is the father of Lucy. Tom Fisher is her husband. Tom's sister is Amy.",
        "Mr Hill met Mrs Hill. Hill left.",
        "Jane Hall and Mark Hall left. Hall is old.",
    ],
)
def test_a_part_of_two_names_means_neither(text: str) -> None:
    with pytest.raises(NotRead, match="may mean"):
        People(text).mask(text)


def test_pronouns() -> None:
    names = {0: "Ann", 1: "Bo", 2: "Cy"}
    discourse = Discourse({0: "female", 1: "male", 2: None})
    assert discourse.refer("her", [0, 1], names) == (0,)
    with pytest.raises(NotRead, match="may mean Bo or Cy"):
        discourse.refer("his", [1, 2], names)
    discourse.end_sentence([1])
    assert discourse.refer("he", [0], names) == (1,)
    with pytest.raises(NotRead, match="has no referent"):
        Discourse({}).refer("she", [], {})
    assert discourse.refer("they", [0, 1], names) == (0, 1)
    with pytest.raises(NotRead):
        discourse.refer("they", [0, 1, 2], names)
