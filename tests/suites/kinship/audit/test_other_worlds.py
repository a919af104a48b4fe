"""What follows for other worlds without a search, against the search."""

from __future__ import annotations

import random

from proband.suites.kinship.audit.other_worlds import OTHERS, in_other_worlds, verdict_in
from proband.suites.kinship.logic.search import Pattern, canonical, families_of
from proband.suites.kinship.world.relations import GENDER, RELATIONS, STRICT, WORLDS


def patterns(count: int) -> list[tuple[Pattern, str]]:
    """Short chains of any relations with any label: every verdict is among them."""
    rng, found = random.Random(5), list[tuple[Pattern, str]]()
    while len(found) < count:
        words = [rng.choice(RELATIONS) for _ in range(rng.randint(1, 3))]
        genders = [rng.choice(("male", "female")), *(GENDER[word] for word in words)]
        edges = [(i, word, i + 1) for i, word in enumerate(words)]
        target = rng.choice([word for word in RELATIONS if GENDER[word] == genders[-1]])
        found.append((canonical(genders, edges, (0, len(words)))[0], target))
    return found


def test_verdicts_in_other_worlds_are_those_of_the_search() -> None:
    met = set()
    for pattern, target in patterns(60):
        strict = verdict_in(pattern, target, STRICT)
        met.add(strict)
        expected = {name: verdict_in(pattern, target, WORLDS[name]) for name in OTHERS}
        assert in_other_worlds(pattern, target, strict) == expected, (pattern, target)
    for pattern, _ in patterns(120)[60:]:  # labels that follow
        possible = list(families_of(pattern))
        if len(possible) == 1 and possible[0] in RELATIONS:
            met.add("entailed")
            expected = {name: verdict_in(pattern, possible[0], WORLDS[name]) for name in OTHERS}
            assert in_other_worlds(pattern, possible[0], "entailed") == expected, (pattern, possible)
    assert met >= {"entailed", "ambiguous", "false"}
