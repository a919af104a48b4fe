"""Relations told of several people at once: `Ann and Bea are sisters`, `Ann and Ben got married`."""

from __future__ import annotations

from proband.suites.kinship.reading.lexicon import ARTICLES, COPULA
from proband.suites.kinship.reading.sentence import Line


def together(line: Line, at: int, begin: int) -> tuple[str, ...] | None:
    """Whom the kin word at `at` (its adjectives from `begin` on) makes siblings or spouses of each other.

    None for the first word of `brother and sister`: the second one tells it. Nobody if the word has an owner.
    """
    if _opposite(line, at - 2, at) and line.at(at - 1).text == "and":
        return _each_other(line, at - 2, at + 1)
    if _opposite(line, at, at + 2) and line.at(at + 1).text == "and" and not line.owned_at(begin - 1):
        return None if _each_other(line, begin, at + 3) else ()
    kin = line.at(at).kin
    if kin is None or not kin.plural or line.owned_at(begin - 1):
        return ()
    return _each_other(line, begin, at + 1)


def _opposite(line: Line, i: int, j: int) -> bool:
    """Brother and sister, husband and wife."""
    one, other = line.at(i).kin, line.at(j).kin
    return bool(one and other and one.neutral == other.neutral and one.gender != other.gender)


def _each_other(line: Line, begin: int, end: int) -> tuple[str, ...]:
    """The people named before `are sisters` or after `the sisters`."""
    i = begin - 1
    while line.at(i).text in ARTICLES or line.is_adjective(i):
        i -= 1
    people = line.names_until(i - 1) if line.at(i).text in (*COPULA, ",", "as") else ()
    if len(people) < 2:
        people = line.names_from(end + (line.at(end).text == ","))
    return people if len(people) > 1 else ()


def married(line: Line, at: int) -> tuple[str, str] | None:
    """`Ann married Ben`, `Ann is married to Ben`, `Ann and Ben got married`."""
    i = at + 1 + (line.at(at + 1).text == "to")
    left = next((j for j in range(at - 1, -1, -1) if line.at(j).name and not line.is_owner(j)), None)
    if left is None or any(token.kin for token in line.tokens[left:at]) or (line.at(i).name and line.is_owner(i)):
        return None
    if line.at(i).name:
        return line.at(left).text, line.at(i).text
    people = line.names_until(left)[-2:]
    return (people[0], people[1]) if len(people) == 2 else None
