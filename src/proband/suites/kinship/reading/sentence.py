"""A story as sentences of tokens (names, kin words, other words, marks), and finding one's way in a sentence: the names
around a place, lists of names, where a clause begins, and relations told of several people at once (`Ann and Bea are
sisters`, `Ann and Ben got married`).

>>> [[t.text for t in sentence] for sentence in sentences("[Ann]'s mother in law Bea left. Ann wept!", {"Ann", "Bea"})]
[['Ann', "'s", 'mother-in-law', 'Bea', 'left', '.'], ['Ann', 'wept', '!']]
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from proband.suites.kinship.reading.lexicon import (
    ADJECTIVES,
    ARTICLES,
    COPULA,
    ESTRANGED,
    FINITE,
    HAVING,
    KIN,
    OPEN,
    OWNING,
    Kin,
)

WORD: Final = r"[^\W_][\w]*(?:-[A-Za-z]+)*|'s\b|[^\s\w]"
IN_LAW: Final = re.compile(r"\b(\w+)[ -]+in[ -]+laws?\b", re.IGNORECASE)
GRAND: Final = re.compile(r"\b([Gg]rand|[Ss]tep)[ -]+(\w+)")
OWNED: Final = re.compile(r"\s*(?:''s|'\s?s|`s)\b")  # the spellings of 's in the wild
FAMILIAR_GREAT: Final = frozenset({"grandparent", "grandchild", "pibling", "nibling"})


@dataclass(frozen=True)
class WordToken:
    text: str  # names as they are, words in small letters
    name: bool = False
    kin: Kin | None = None
    title: bool = False  # written with a capital letter


def _clean(text: str) -> str:
    text = text.replace("’", "'").replace("“", '"').replace("”", '"').replace("``", '"')
    text = OWNED.sub("'s", text)
    text = GRAND.sub(lambda m: m[1] + m[2] if (m[1] + m[2]).lower() in KIN else m[0], text)
    return IN_LAW.sub(lambda m: f"{m[1]}-in-law", text)


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Names first, the longest first: a name may be anything, even @entity-1."""
    known = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
    return re.compile(rf"(?<!\w)(?:{known})(?!\w)|{WORD}" if known else WORD)


def _pieces(text: str, names: Collection[str]) -> list[str]:
    """Names, words and marks. A name that is a word needs no pattern of its own (a new one for each story would take
    longer than the reading)."""
    pieces = _pattern(tuple(name for name in names if not name.isalpha())).findall(_clean(text))
    if not any("-" in piece and piece.partition("-")[0] in names for piece in pieces):
        return pieces
    return _pattern(tuple(names)).findall(_clean(text))


def sentences(text: str, names: Collection[str]) -> list[list[WordToken]]:
    parts: list[list[WordToken]] = [[]]
    for piece in _pieces(text, names):
        if piece in "[]":
            continue
        if piece in names:
            parts[-1].append(WordToken(piece, name=True))
            continue
        lower = piece.lower()
        kin = KIN.get(lower)
        before = parts[-1][-1].text if parts[-1] else ""
        if kin and (before in ESTRANGED and (before != "great" or kin.neutral in FAMILIAR_GREAT)):
            kin = Kin("", None)
        parts[-1].append(WordToken(lower, kin=kin, title=piece[0].isupper()))
        if piece in ".!?":
            parts.append([])
    return [sentence for sentence in parts if any(t.name or t.text.isalnum() for t in sentence)]


# ---- in a sentence -------------------------------------------------------------------------------------------------

END: Final = WordToken("")


def resplit(tokens: list[WordToken]) -> list[list[WordToken]]:
    """Cut where a full stop was forgotten: `... to the park Ann took her son ...`."""
    parts: list[list[WordToken]] = [[]]
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else END
        follows = [t.text for t in tokens[i + 1 : i + 4]]
        if token.name and i and (before.name or (before.text.isalnum() and before.text not in OPEN)):
            starts = follows[:1] and (follows[0] in FINITE or follows[0][-2:] == "ed")
            pair = follows[:1] == ["and"] and (follows[1] in OWNING if len(follows) > 1 else False)
            if before.name or (before.kin is None and (starts or pair)):
                parts.append([])
        parts[-1].append(token)
    return parts


@dataclass
class Line:
    """A sentence; `at` may look beyond its ends."""

    tokens: list[WordToken]
    strict: bool = False

    def at(self, i: int) -> WordToken:
        return self.tokens[i] if 0 <= i < len(self.tokens) else END

    def is_owner(self, i: int) -> bool:
        """Is the name at i followed by 's?"""
        after = self.at(i + 1).text
        if after == "'" and not self.at(i).text.endswith("s"):  # a slip of the pen: Ann 'daughter
            return not self.strict and self.at(i + 2 + self.is_adjective(i + 2)).kin is not None
        return after in ("'s", "'")

    def is_adjective(self, i: int) -> bool:
        token = self.at(i)
        return not token.name and (token.text in ADJECTIVES or token.text.endswith("-old"))

    def name_before(self, i: int) -> str | None:
        return next((t.text for t in reversed(self.tokens[:i]) if t.name), None)

    def names_from(self, i: int) -> tuple[str, ...]:
        """NAME, NAME and NAME from place i on."""
        people: list[str] = []
        last = False
        while self.at(i).name:
            people.append(self.at(i).text)
            j = i + 1
            while self.at(j).text in (",", "and"):
                j += 1
            if last or j == i + 1 or not self.at(j).name or self.is_owner(i):
                break
            last = self.at(j - 1).text == "and"  # whoever comes after `and NAME` begins something new
            i = j
        return tuple(people)

    def names_until(self, i: int) -> tuple[str, ...]:
        """NAME, NAME and NAME up to place i."""
        people: list[str] = []
        while self.at(i).name:
            people.insert(0, self.at(i).text)
            j = i - 1
            while self.at(j).text in (",", "and"):
                j -= 1
            if j == i - 1:
                break
            i = j
        return tuple(people)

    def coordinated(self, i: int) -> tuple[str, ...]:
        """NAME and [her sister] NAME ...: everyone joined to the name at i."""
        people = [self.at(i).text]
        while True:
            j = i + 1
            while self.at(j).text in (",", "and") or self.at(j).text in OWNING or self.is_adjective(j):
                j += 1
            if self.at(j).kin is not None and j > i + 1:
                j += 1 + (self.at(j + 1).text == ",")
            if j == i + 1 or not self.at(j).name or self.is_owner(j):
                return tuple(people)
            people.append(self.at(j).text)
            i = j

    def new_clause(self, i: int) -> bool:
        """Does `and NAME verb` begin a clause, rather than end a list of names?"""
        j = i - 1 - (self.at(i - 1).text in ("later", "then", "now"))
        if self.at(j).text != "and":
            return False
        last = self.at(j - 2) if self.at(j - 1).text == "," else self.at(j - 1)
        after = self.at(i + 1)
        verb = after.text.isalpha() and after.kin is None and after.text not in ("and", "or", "with")
        return verb and (not last.name or last.text == self.at(i).text)

    def owned_at(self, i: int) -> bool:
        """Does place i end what says whose the next word is?"""
        return self.at(i).text in ("'s", "'", "their", "whose", "my", *HAVING, *OWNING)


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
