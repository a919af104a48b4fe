"""The papers' good and bad example, and the slips that the live checks are for."""

from __future__ import annotations

import pytest

from proband.core.types import Item
from proband.suites.kinship.people.write import Edge, story_checks, tells
from proband.suites.kinship.reading.lexicon import FAMILIAR
from proband.suites.kinship.reading.reader import read_story
from proband.suites.kinship.replies import read
from proband.suites.kinship.world.relations import RELATIONS, word

NAMES, GENDERS = ["Sylvia", "John", "Patrick"], ["female", "male", "male"]
EDGES: list[Edge] = [(2, "sister", 0), (0, "father", 1)]
IMPLIED: Edge = (2, "father", 1)


def unmet(text: str) -> set[str]:
    found = story_checks(text, names=NAMES, genders=GENDERS, edges=EDGES, implied=IMPLIED)
    return {check.text.removeprefix("write.check_") for check in found if not check.met}


def test_the_good_example() -> None:
    story = (
        "John is the proud father of the lovely Sylvia. Sylvia has a love-hate relationship with her brother Patrick."
    )
    assert unmet(story) == set()


def test_each_slip() -> None:
    good = "John is the father of Sylvia. Sylvia rang her brother Patrick."
    assert unmet(good) == set()
    assert unmet("John is the father of Sylvia. Sylvia rang her brother.") == {"names", "pair"}
    assert unmet("John is the father of Sylvia. it rained. Sylvia rang her brother Patrick.") == {"sentences"}
    assert unmet(good + " Patrick's father John laughed.") == {"implied"}
    assert unmet("John laughed with her. " + good) == {"pronouns"}
    apart = "John slept all day long. It rained. It snowed. It thawed. Sylvia rang her brother Patrick."
    assert unmet(apart) == {"pair"}


@pytest.mark.parametrize(("neutral", "gender"), [key for key in FAMILIAR if key[1] is not None])
def test_one_vocabulary_for_stories_replies_and_checks(neutral: str, gender: str) -> None:
    """What one reader calls a father, the others do."""
    relation = word(neutral, gender)
    item = Item(id="a", suite="kinship", prompt="?", choices=RELATIONS, gold=0)
    genders = ["female" if neutral != "spouse" or gender == "male" else "male", gender]
    for name in FAMILIAR[neutral, gender].split():
        story = f"Sam is Kim's {name}."
        assert read_story(story, names=dict(zip(("Kim", "Sam"), genders, strict=True))) == [("Kim", relation, "Sam")]
        assert tells(story, names=["Kim", "Sam"], genders=genders, fact=(0, relation, 1))
        answer = read(item, f"Sam is the {name} of Kim.", "")
        assert RELATIONS[answer.scores.index(1.0)] == relation, name
