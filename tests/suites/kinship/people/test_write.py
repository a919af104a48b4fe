"""The papers' good and bad example, and the slips that the live checks are for."""

from __future__ import annotations

from proband.suites.kinship.people.write import Edge, story_checks

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
