"""The sound table against every small family and a complete search; the other rule bases against their worlds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.suites.kinship.logic.search import possible
from proband.suites.kinship.world.relations import INVERSE, NEUTRAL, NEUTRALS, WORDS, word
from proband.suites.kinship.world.rules import OTHER, Rules, load, parse

Triple = tuple[str, str, str]
NAMES = (*NEUTRALS, OTHER)


def matchings(n: int) -> Iterator[tuple[int, ...]]:
    """Every way to marry some of n people: the spouse of each, or -1."""

    def extend(spouse: list[int], i: int) -> Iterator[tuple[int, ...]]:
        if i == n:
            yield tuple(spouse)
        elif spouse[i] >= 0:
            yield from extend(spouse, i + 1)
        else:
            yield from extend(spouse, i + 1)
            for j in range(i + 1, n):
                if spouse[j] < 0:
                    yield from extend([j if x == i else i if x == j else s for x, s in enumerate(spouse)], i + 1)

    return extend([-1] * n, 0)


def families(n: int) -> Iterator[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]]:
    """Every family of n people, parents before children, up to renaming: spouses, and the parents of each.

    Parents are a couple or one person whose spouse is left out. Spouses have no common ancestor.
    """
    for spouse in matchings(n):
        couples = [
            [(), *((u,) if spouse[u] < 0 else (u, spouse[u]) for u in range(i) if spouse[u] < 0 or u < spouse[u] < i)]
            for i in range(n)
        ]
        for parents in product(*couples):
            blood: list[set[int]] = []
            for i in range(n):
                blood.append({i}.union(*(blood[p] for p in parents[i])))
            if all(spouse[i] < 0 or not blood[i] & blood[spouse[i]] for i in range(n)):
                yield spouse, parents


def relations(spouse: tuple[int, ...], parents: tuple[tuple[int, ...], ...]) -> list[list[str]]:
    """What everybody is to everybody, by the definitions; two relations between the same two would be an error."""
    n = len(spouse)
    p = [set(each) for each in parents]
    c = [{j for j in range(n) if i in p[j]} for i in range(n)]
    b = [{j for j in range(n) if j != i and p[i] and p[j] == p[i]} for i in range(n)]
    s = [{spouse[i]} - {-1} for i in range(n)]

    def then(first: list[set[int]], second: list[set[int]]) -> list[set[int]]:
        return [set().union(*(second[y] for y in first[x])) - {x} for x in range(n)]

    law = [one | two for one, two in zip(then(s, b), then(b, s))]
    meaning = (p, c, b, s, then(p, p), then(c, c), then(p, b), then(b, c), then(s, p), then(c, s), law)
    table = [[OTHER] * n for _ in range(n)]
    for name, holds in zip(NEUTRALS, meaning):
        for x in range(n):
            for y in holds[x]:
                assert table[x][y] == OTHER, "two relations at once"
                table[x][y] = name
    return table


def triples(n: int) -> set[Triple]:
    """(y to x, z to y, z to x) for every three people of every family of n."""
    found = set()
    for spouse, parents in families(n):
        table = relations(spouse, parents)
        found |= {(table[x][y], table[y][z], table[x][z]) for x, y, z in permutations(range(n), 3)}
    return found


def unsound(rules: Rules, found: set[Triple]) -> set[Triple]:
    """Triples of real families that a table denies."""
    cells = {(a, b): rules.table[i][j] for i, a in enumerate(NAMES) for j, b in enumerate(NAMES)}
    return {(a, b, c) for a, b, c in found if not cells[a, b] >> NAMES.index(c) & 1}


@pytest.fixture(scope="module")
def small() -> set[Triple]:
    return triples(5) | triples(6)


def test_no_small_family_breaks_the_sound_table(small: set[Triple]) -> None:
    assert len(small) > 300
    assert not unsound(load("sound"), small)


def test_the_rows_of_other_hold_too(small: set[Triple]) -> None:
    assert {t for t in small if OTHER in t[:2]}
    assert not unsound(load("sound"), {t for t in small if OTHER in t[:2]})


@pytest.mark.nightly
def test_no_family_of_seven_breaks_the_sound_table_and_they_reach_most_entries() -> None:
    found = triples(7) | triples(6)
    assert not unsound(load("sound"), found)
    listed = {(a, b, c) for a in NEUTRALS for b in NEUTRALS for c in load("sound").compose(a, b)}
    reached = {t for t in found if OTHER not in t[:2]}
    assert (len(reached), len(listed)) == (207, 265)  # eight people reach 264, nine the last: see the next test


def test_the_sound_table_is_exactly_what_a_complete_search_finds() -> None:
    """Also that gender matters only in that spouses differ in it."""
    rules = load("sound")
    for a, b in product(NEUTRALS, NEUTRALS):
        for x, y, z in product(("male", "female"), repeat=3):
            if (a == "spouse" and x == y) or (b == "spouse" and y == z) or a == b == "spouse":
                continue
            found = possible([x, y, z], [(0, word(a, y), 1), (1, word(b, z), 2)], (0, 2))
            expected = {c for c in rules.compose(a, b) if not (c == "spouse" and x == z)}
            assert {NEUTRAL.get(w, OTHER) for w in found} == expected, (a, b, x, y, z)
    assert rules.compose("spouse", "spouse") == frozenset()


def test_a_broken_rule_is_caught(small: set[Triple]) -> None:
    """Take any one relation out of any cell that small families reach, and the enumeration objects."""
    import dataclasses

    rules = load("sound")
    for a, b, c in sorted(t for t in small if OTHER not in t[:2])[::7]:
        i, j, r = NAMES.index(a), NAMES.index(b), NAMES.index(c)
        table = [list(row) for row in rules.table]
        table[i][j] &= ~(1 << r)
        broken = dataclasses.replace(rules, table=tuple(map(tuple, table)))
        assert (a, b, c) in unsound(broken, small)


def test_exactly_two_of_the_papers_sixteen_rules_are_unsound(small: set[Triple]) -> None:
    rules = load("clutrr")
    listed = [(a, b) for a in NEUTRALS for b in NEUTRALS if len(rules.compose(a, b)) == 1]
    assert len(listed) == 16
    wrong = {(a, b) for a, b, _ in unsound(rules, small)}
    assert wrong == {("child", "grandparent"), ("child", "pibling")}
    sound = load("sound")
    assert all(sound.compose(a, b) == rules.compose(a, b) for a, b in listed if (a, b) not in wrong)


def test_the_words_are_the_22_of_the_paper() -> None:
    for name in ("sound", "clutrr"):
        rules = load(name)
        assert rules.neutrals == NEUTRALS
        assert dict(zip(rules.neutrals, rules.words)) == WORDS
        assert [rules.neutrals[back] for back in rules.inverse[:-1]] == [INVERSE[n] for n in NEUTRALS]
        assert len(rules.choices) == 22


def test_the_grid_is_what_coordinates_say() -> None:
    rules = load("grid")
    here = list(product(range(-3, 4), range(-3, 4)))
    signs = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]  # in the order of the file

    def direction(a: tuple[int, int], b: tuple[int, int]) -> str:
        dx, dy = b[0] - a[0], b[1] - a[1]
        return rules.neutrals[signs.index(((dx > 0) - (dx < 0), (dy > 0) - (dy < 0)))]

    seen: dict[tuple[str, str], set[str]] = {}
    origin = (0, 0)
    for y, z in product(here, here):
        if len({origin, y, z}) == 3:
            seen.setdefault((direction(origin, y), direction(y, z)), set()).add(direction(origin, z))
    assert seen == {(a, b): set(rules.compose(a, b)) for a in rules.neutrals for b in rules.neutrals}


def test_converses_agree_in_every_complete_table() -> None:
    """(a b)^-1 must be b^-1 a^-1."""
    for rules in (load("sound"), load("grid")):
        for i, j in product(range(len(rules.neutrals)), repeat=2):
            assert rules.invert(rules.table[i][j]) == rules.table[rules.inverse[j]][rules.inverse[i]]


GOOD = """
name = "tiny"
[relations]
boss = { inverse = "report" }
report = { inverse = "boss" }
peer = { male = "brother officer", female = "sister officer", inverse = "peer" }
[compose]
boss.report = ["peer", "other"]
boss.boss = "other"
peer.boss = "boss"
report.peer = "report"
"""


def test_a_rule_base_of_ones_own() -> None:
    rules = parse(GOOD, file="tiny.toml")
    assert rules.choices == ("boss", "report", "brother officer", "sister officer")
    assert rules.compose("peer", "boss") == {"boss"}
    assert rules.compose("boss", "peer") == {"boss", "report", "peer", OTHER}  # not listed: says nothing
    assert rules.gender["boss"] is None
    assert rules.gender["sister officer"] == "female"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('name = "tiny"', ""), "field 'name' is missing"),
        (('inverse = "report"', 'inverse = "peer"'), "relation 'boss': 'inverse' must name"),
        (('peer.boss = "boss"', 'peer.boss = "chief"'), "'compose' peer.boss: 'chief' is not a relation"),
        (('peer.boss = "boss"', "peer.boss = 3"), "'compose' [...][...] must be"),
        (('peer.boss = "boss"', 'other.boss = "boss"'), "'other' is not a relation"),
        (('"sister officer"', '"boss"'), "the word 'boss' is another relation's"),
        (("[relations]", 'opposite = ["foe"]\n[relations]'), "'opposite' names 'foe'"),
        (("[relations]", 'world = "moon"\n[relations]'), "'world': invalid enum value 'moon'"),
        (("[relations]", 'world = "family"\n[relations]'), 'world "family" needs these relations'),
        (("[relations]", 'sentences = ["{i}"]\n[relations]'), "lacks {i}, {j}, {word}"),
        (("[relations]", "names = 3\n[relations]"), "'names' must be"),
        (("[compose]", "[compose"), "not TOML"),
        (("[relations]", "colour = 3\n[relations]"), "unknown field 'colour'"),
        (("boss = { inverse", 'boss = { plural = "x", inverse'), "unknown field 'plural'"),
        (("[relations]", 'sentences = ["{i} {j} {word} {k}"]\n[relations]'), "or has others"),
        (("[relations]", 'sentences = ["{i} {j} {word} {"]\n[relations]'), "or has others"),
        (("[relations]", 'questions = ["Who is {z}?"]\n[relations]'), "lacks {x}, {z}"),
        (("[relations]", 'names = { none = ["a", "a", "b"] }\n[relations]'), "one name twice"),
        (("[relations]", 'names = { none = ["a", " "] }\n[relations]'), "an empty name"),
        (("boss = { inverse", 'boss = { word = "superior, once removed", inverse'), "contains a comma"),
        (("boss = { inverse", 'boss = { word = "boss or owner", inverse'), "contains a comma"),
        (("boss = { inverse", 'boss = { word = "boss|owner", inverse'), "contains a comma"),
        (("boss = { inverse", 'boss = { word = "", inverse'), "is empty"),
        (("boss = { inverse", 'boss = { word = "other", inverse'), "the word 'other'"),
        (("boss = { inverse", 'boss = { word = "cannot be determined", inverse'), "the word 'cannot be determined'"),
        (("[relations]", 'opposite = [""]\n[relations]'), "'opposite' names ''"),
        (('peer.boss = "boss"\nreport.peer = "report"', ""), "no entry with a single outcome"),
    ],
)
def test_a_bad_rule_base_is_refused_in_one_line(change: tuple[str, str], says: str) -> None:
    with pytest.raises(ProbandError, match=r"^tiny\.toml( line 7)?: ") as error:
        parse(GOOD.replace(*change, 1), file="tiny.toml")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_rule_base_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        ProbandError, match="no rule base 'nowhere': neither a file nor one of blended, clutrr, grid, sound"
    ):
        load("nowhere")
    bad = tmp_path / "latin.toml"
    bad.write_bytes(b"name = '\xff'")
    with pytest.raises(ProbandError, match="not UTF-8"):
        load(str(bad))
