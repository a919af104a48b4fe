"""Cutting a story into sentences of tokens: names, kin words, other words, marks.

>>> [[t.text for t in sentence] for sentence in sentences("[Ann]'s mother in law Bea left. Ann wept!", {"Ann", "Bea"})]
[['Ann', "'s", 'mother-in-law', 'Bea', 'left', '.'], ['Ann', 'wept', '!']]
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from proband.suites.kinship.reading.lexicon import ESTRANGED, KIN, Kin

WORD: Final = r"[^\W_][\w]*(?:-[A-Za-z]+)*|'s\b|[^\s\w]"
IN_LAW: Final = re.compile(r"\b(\w+)[ -]+in[ -]+laws?\b", re.IGNORECASE)
GRAND: Final = re.compile(r"\b([Gg]rand|[Ss]tep)[ -]+(\w+)")
OWNED: Final = re.compile(r"\s*(?:''s|'\s?s|`s)\b")  # the spellings of 's in the wild
FAMILIAR_GREAT: Final = frozenset({"grandparent", "grandchild", "pibling", "nibling"})


@dataclass(frozen=True)
class Token:
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


def sentences(text: str, names: Collection[str]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for piece in _pieces(text, names):
        if piece in "[]":
            continue
        if piece in names:
            found[-1].append(Token(piece, name=True))
            continue
        lower = piece.lower()
        kin = KIN.get(lower)
        before = found[-1][-1].text if found[-1] else ""
        if kin and (before in ESTRANGED and (before != "great" or kin.neutral in FAMILIAR_GREAT)):
            kin = Kin("", None)
        found[-1].append(Token(lower, kin=kin, title=piece[0].isupper()))
        if piece in ".!?":
            found.append([])
    return [sentence for sentence in found if any(t.name or t.text.isalnum() for t in sentence)]
