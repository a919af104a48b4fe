"""Analogy templates T: a sentence with places for two tuples (section 2 of the paper).

The first is the paper's ("the most reliable general-purpose prompt", section 2.4). The others ask the same in other
words, so that a conclusion can be tried on each of them.
"""

from __future__ import annotations

import re

from proband.core.errors import ProbandError
from proband.suites.analogy.relations import Pair

TEMPLATES = {
    "what-is-to": "What {h1} is to {t1}, {h2} is to {t2}.",
    "is-to-as": "{h1} is to {t1} as {h2} is to {t2}.",
    "to-what": "{h1} is to {t1} what {h2} is to {t2}.",
    "to-is-like": "{h1} to {t1} is like {h2} to {t2}.",
    "relation-same": "The relation between {h1} and {t1} is the same as the relation between {h2} and {t2}.",
    "goes-with": "{h1} goes with {t1} in the same way as {h2} goes with {t2}.",
    "colons": "{h1} : {t1} :: {h2} : {t2}",
}
DEFAULT = "what-is-to"
PLACES = ("{h1}", "{t1}", "{h2}", "{t2}")
Span = tuple[int, int]


def pattern(name: str) -> str:
    """The template of that name; text with the four places is its own template.

    >>> pattern("colons"), pattern("{h1}/{t1} = {h2}/{t2}")
    ('{h1} : {t1} :: {h2} : {t2}', '{h1}/{t1} = {h2}/{t2}')
    """
    found = TEMPLATES.get(name, name)
    if any(found.count(place) != 1 for place in PLACES):
        raise ProbandError(
            f"no template {name!r}: there are {', '.join(TEMPLATES)}, or give text with {' '.join(PLACES)}"
        )
    return found


def fill(template: str, query: Pair, option: Pair) -> str:
    """
    >>> fill("what-is-to", ("Paris", "France"), ("Rome", "Italy"))
    'What Paris is to France, Rome is to Italy.'
    """
    return fill_spans(template, query, option)[0]


def fill_spans(template: str, query: Pair, option: Pair) -> tuple[str, tuple[Span, Span, Span, Span]]:
    """The sentence, and where h1, t1, h2, t2 stand in it (characters).

    >>> text, spans = fill_spans("is-to-as", ("Paris", "France"), ("Rome", "Italy"))
    >>> [text[a:b] for a, b in spans]
    ['Paris', 'France', 'Rome', 'Italy']
    """
    words = dict(zip(PLACES, (*query, *option), strict=True))
    text, spans = "", {}
    for part in re.split(r"(\{[ht][12]\})", pattern(template)):
        word = words.get(part, part)
        spans[part] = (len(text), len(text) + len(word))
        text += word
    return text, (spans["{h1}"], spans["{t1}"], spans["{h2}"], spans["{t2}"])


def question(template: str, query: Pair) -> str:
    """What a reader is asked.

    >>> question("what-is-to", ("Paris", "France"))
    'Which pair completes the analogy? What Paris is to France, ___ is to ___.'
    """
    return "Which pair completes the analogy? " + fill(template, query, ("___", "___"))
