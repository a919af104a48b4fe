"""What a blank asks for: a tool, a unit, a place, an action, or something else.

A blank's category is that of its last word that has one, because an English compound ends with its head (*wooden
spoon* is a tool, *stove burner* a place). A word's category stands in data/script/categories.tsv; a word not listed
there is looked up without a plural or verbal ending (*ladles*, *stirring*, *chopped*). A few compounds are listed whole
(a *cup* is a unit, a *measuring cup* a tool). What is left is `other`: manner, state, ingredients. A word that may be
noun or verb has the kind it mostly has in instructions: *place* and *scoop* are actions, *stove* is a place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

CATEGORIES = ("tool", "action", "unit", "place", "other")


@cache
def lexicon() -> Mapping[str, str]:
    """word -> category, from data/script/categories.tsv (category, tab, words)."""
    text = files("proband").joinpath("data/script/categories.tsv").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            category, words = line.split("\t")
            for word in words.split():
                found.setdefault(word, category)
    return found


def stems(word: str) -> Iterator[str]:
    """A word and what it may be a form of.

    >>> list(stems("knives")), list(stems("stirring"))
    (['knives', 'knive', 'kniv', 'knife'], ['stirring', 'stirr', 'stirre', 'stir'])
    """
    yield word
    for ending in ("s", "es", "ed", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            yield stem
            if ending in ("ed", "ing"):
                yield stem + "e"
                if stem[-1] == stem[-2]:
                    yield stem[:-1]
    if word.endswith("ves"):
        yield word[:-3] + "fe"
    if word.endswith(("ies", "ied")):
        yield word[:-3] + "y"


def category(words: Sequence[str]) -> str:
    """
    >>> category(["wooden", "spoon"]), category(["stirring"]), category(["teaspoons"]), category(["golden"])
    ('tool', 'action', 'unit', 'other')
    """
    known = lexicon()
    if "_".join(words[-2:]) in known:
        return known["_".join(words[-2:])]
    for word in reversed(words):
        for stem in stems(word):
            if stem in known:
                return known[stem]
    return "other"
