"""Words without their inflection and texts without their stop words; `simplemma` knows the forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Any
from unicodedata import normalize

# articles, pronouns, auxiliaries, prepositions, conjunctions and the commonest adverbs: what is ignored when two
# arguments are compared, and in the context of a word's sense
FUNCTION_WORDS = """
a an the this that these those some any each every no all both either neither such another other own same
i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself yourself
himself herself itself ourselves themselves who whom whose which what one ones
am is are was were be been being have has had having do does did doing will would shall should can could may might
must 's 're 've 'll 'd n't not
of in on at to from by with for into onto upon as about against among between through over under above below
near off out up down along across around after before during since until within without toward towards than
and or but nor so if then there here when where why how also just only very too more most much many few once
"""
STOP_WORDS = frozenset(FUNCTION_WORDS.split())
BE = frozenset(("be", "is", "are", "was", "were", "been", "being", "am", "'s", "'re"))
# forms that simplemma reads as nouns or adjectives, and participles that look like their lemma
VERB_FORMS = """
left:leave born:bear borne:bear bore:bear bound:bind felt:feel fell:fall ground:grind lay:lie laid:lay led:lead
lit:light met:meet won:win rose:rise saw:see shot:shoot struck:strike wound:wind married:marry united:unite
located:locate situated:situate called:call based:base named:name used:use related:relate worshipped:worship
worshiped:worship
"""
IRREGULAR_VERBS = dict(each.split(":") for each in VERB_FORMS.split())


@lru_cache(maxsize=1_000_000)
def _form(word: str) -> str:
    """The base form of a word, an empty text for a stop word."""
    return "" if word in STOP_WORDS else lemma(word)


def lemma(word: str) -> str:
    """The base form, in lower case.

    >>> [lemma(word) for word in ("Headaches", "countries", "eliminated", "mice", "Paris")]
    ['headache', 'country', 'eliminate', 'mouse', 'paris']
    """
    word = normalize("NFC", word.lower())
    return (_strategy().get_lemma(word, "en") or word).lower() if word else ""


@lru_cache(maxsize=200_000)
def verb_lemma(word: str) -> str:
    """The base form of a word that is read as a verb if possible, as in relations.

    >>> [verb_lemma(word) for word in ("eliminates", "was", "'s", "countries", "written", "left")]
    ['eliminate', 'be', 'be', 'country', 'write', 'leave']
    """
    word = word.lower()
    return "be" if word in BE else IRREGULAR_VERBS.get(word) or lemma(word)


@cache
def _strategy() -> Any:
    """The strategy of `simplemma.lemmatize`, without its cache: ours replaces it."""
    from simplemma.strategies import DefaultStrategy

    return DefaultStrategy()


def content(words: Iterable[str]) -> Iterator[str]:
    """The base forms of words in lower case, stop words left out."""
    return filter(None, map(_form, words))


def key(text: str) -> str:
    """The comparison key of an argument: its words without stop words and inflection; all words if they are stop words.

    >>> key("the Headaches"), key("headache"), key("The United States of America"), key("it")
    ('headache', 'headache', 'unite state america', 'it')
    """
    words = text.lower().split()
    return " ".join(content(words)) or " ".join(words)
