"""All families of some people, enumerated outright: a yardstick that shares nothing with the search and the kernel.

A family is a gender per person, a set of couples, and for each person a household they are the child of: none, a couple
or an unmarried person. People are numbered so that parents come before children, so ancestry has no cycle; couples
of one family are thrown out. Relations are composed as sets of pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

Pairs = frozenset[tuple[int, int]]


def matchings(men: list[int], women: list[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    if not men:
        yield ()
        return
    for rest in matchings(men[1:], women):
        yield rest
    for woman in women:
        for rest in matchings(men[1:], [w for w in women if w != woman]):
            yield ((men[0], woman), *rest)


def families(size: int) -> Iterator[tuple[tuple[str, ...], tuple[tuple[int, int], ...], tuple[tuple[int, ...], ...]]]:
    """(genders, couples, household of each person) for every family of `size` people."""
    for genders in product(("male", "female"), repeat=size):
        men = [x for x in range(size) if genders[x] == "male"]
        women = [x for x in range(size) if genders[x] == "female"]
        for couples in matchings(men, women):
            wed = {x for couple in couples for x in couple}
            units: list[tuple[int, ...]] = [*couples, *((x,) for x in range(size) if x not in wed)]
            choices = [[(), *(u for u in units if max(u) < x)] for x in range(size)]
            for homes in product(*choices):
                lineage: list[set[int]] = []
                for x in range(size):
                    lineage.append({x}.union(*(lineage[p] for p in homes[x])))
                if all(not lineage[a] & lineage[b] for a, b in couples):
                    yield genders, couples, homes


def compose(first: Pairs, second: Pairs) -> Pairs:
    return frozenset((a, d) for a, b in first for c, d in second if b == c)


@cache
def neutral_table(
    couples: tuple[tuple[int, ...], ...], homes: tuple[tuple[int, ...], ...]
) -> dict[tuple[int, int], tuple[str, str]]:
    """(i, j) -> the two words for what j is to i. Asserts that no two relations hold of one pair."""
    size = len(homes)
    p: Pairs = frozenset((x, up) for x in range(size) for up in homes[x])
    c: Pairs = frozenset((b, a) for a, b in p)
    s: Pairs = frozenset(pair for a, b in couples for pair in ((a, b), (b, a)))
    b: Pairs = frozenset(
        (x, y) for x in range(size) for y in range(size) if x != y and homes[x] and homes[x] == homes[y]
    )
    named = {
        ("father", "mother"): p,
        ("son", "daughter"): c,
        ("brother", "sister"): b,
        ("husband", "wife"): s,
        ("grandfather", "grandmother"): compose(p, p),
        ("grandson", "granddaughter"): compose(c, c),
        ("uncle", "aunt"): compose(p, b),
        ("nephew", "niece"): compose(b, c),
        ("father-in-law", "mother-in-law"): compose(s, p),
        ("son-in-law", "daughter-in-law"): compose(c, s),
        ("brother-in-law", "sister-in-law"): compose(s, b) | compose(b, s),
    }
    table: dict[tuple[int, int], tuple[str, str]] = {}
    for words, pairs in named.items():
        for i, j in pairs:
            assert i != j
            assert (i, j) not in table, "two relations between one pair"
            table[i, j] = words
    return table


def unordered(
    couples: tuple[tuple[int, int], ...], homes: tuple[tuple[int, ...], ...]
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    return tuple(sorted(tuple(sorted(couple)) for couple in couples)), tuple(tuple(sorted(home)) for home in homes)
