"""The papers' good and bad example, and the slips that the live checks are for."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.files import write_jsonl
from proband.core.types import Fact, Item
from proband.suites.kinship.reading.lexicon import FAMILIAR
from proband.suites.kinship.reading.reader import read_story
from proband.suites.kinship.replies import read
from proband.suites.kinship.world.relations import RELATIONS, Edge, word
from proband_annotate.human_task import Invalid
from proband_annotate.kinds.write import answer, checks, repeated, shown, story_checks, tells, units

NAMES, GENDERS = ["Sylvia", "John", "Patrick"], ["female", "male", "male"]
EDGES: list[Edge] = [(2, "sister", 0), (0, "father", 1)]
IMPLIED: Edge = (2, "father", 1)


def unmet(text: str) -> set[str]:
    found = story_checks(text, names=NAMES, genders=GENDERS, edges=EDGES, implied=IMPLIED)
    return {check.text.removeprefix("write.check_") for check in found if not check.met and check.asks}


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
        (fact,) = read_story(story, names=dict(zip(("Kim", "Sam"), genders, strict=True)))
        assert fact == Fact("Sam", relation, "Kim")
        assert tells(story, names=["Kim", "Sam"], genders=genders, fact=(0, relation, 1))
        answer = read(item, f"Sam is the {name} of Kim.", "")
        assert RELATIONS[answer.scores.index(1.0)] == relation, name


BODY = {"names": ["Juliet", "Otis", "Malcolm"], "genders": ["female", "male", "male"], "implied": [0, "uncle", 2]}
BODY |= {"edges": [[0, "father", 1], [1, "brother", 2]]}


@pytest.mark.parametrize(
    "story",
    [
        "Otis is the father of Juliet. Malcolm is the brother of Otis.",  # the facts, copied
        "Malcolm is the brother of Otis. Otis is the father of Juliet.",
        "Juliet Otis. Malcolm Otis.",  # names alone
        "Juliet Otis. Malcolm Juliet.",
    ],
)
def test_what_is_no_story_is_refused_whatever_is_ticked(story: str) -> None:
    with pytest.raises(Invalid) as refused:
        answer(BODY, {"story": story, "sure": "yes"})
    assert refused.value.text == "write.invalid_checks"


def test_what_our_reader_cannot_read_is_only_a_hint() -> None:
    """A story in words that no grammar of ours knows is taken, without a box to tick."""
    story = (
        "Otis tucked his little Juliet in. Otis had shared a cradle with Malcolm, the son his own parents had later."
    )
    people = {"names": BODY["names"], "genders": BODY["genders"]}
    checks = story_checks(story, **people, edges=[(0, "father", 1), (1, "brother", 2)], implied=None)  # type: ignore[arg-type]
    hints = [check for check in checks if not check.asks]
    assert any(not check.met for check in hints)
    assert answer(BODY, {"story": story}) == {"story": story, "sure": False}


def test_the_same_story_again() -> None:
    other = {**BODY, "names": ["Ann", "Ben", "Carl"]}
    first = {"story": "Otis rocked Juliet to sleep. Otis met Malcolm, his own brother."}
    again = {"story": "Ben rocked Ann to sleep.  Ben met Carl, his own brother!"}
    assert repeated(other, again, [(BODY, first)]) == "story"
    assert repeated(other, {"story": "Ben rocked Ann to sleep. Ben rang Carl, his brother."}, [(BODY, first)]) == ""


def test_a_story_of_one_fact(tmp_path: Path) -> None:
    """1,868 of the thesis' 6,016 paraphrases: nothing follows from the fact, so nothing must be left out."""
    item = Item(
        id="a",
        suite="kinship",
        prompt="?",
        choices=RELATIONS,
        gold=0,
        facts={"names": ["Ann", "Ben"], "genders": ["female", "male"], "edges": [[0, "father", 1]]}
        | {"query": [0, 1], "target": "father"},
    )
    write_jsonl(tmp_path / "items.jsonl", [item])
    (unit,) = units(tmp_path)
    assert unit.clause == "father"
    assert shown(unit.body)["facts"] == ["Ben is the father of Ann."]
    story = "Ann rang her father Ben because it was late."
    assert answer(unit.body, {"story": story}) == {"story": story, "sure": False}
    assert not [check for check in checks(unit.body, {"story": story}) if "implied" in check.text]
