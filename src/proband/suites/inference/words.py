"""The words of a relation or argument: lemmas, content words, verbs, voice and negation, by short rules.

Relations are short and of few shapes (`is found in`, `had been written by`, `is the capital of`, `began to occupy`),
so that a list of function words and lemmas are enough; no tagger has to be loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from proband.lexicon.inflection import BE, IRREGULAR_VERBS, verb_lemma


def listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


HAVE = listed("have has had having 've")
DO = listed("do does did")
MODAL = listed("will would shall should can could may might must ca wo 'll 'd")
NEGATION = listed("not n't never no cannot neither nor without nothing none hardly")
ARTICLE = listed("a an the this that these those its his her their our my your some any each every another such")
PREPOSITION = listed(
    "of in on at to from by with for into onto upon as about against among amid between through throughout over under"
    " above below near off out up down along across around after before during since until toward towards within beyond"
    " behind beside besides than like per via but except despite back away together forth aside apart"
)
PRONOUN = listed("i you he she it we they me him them us who whom which what itself himself herself one")
ADVERB = listed(
    "also often still already always once now then ever even just only much more most very so too yet again soon"
    " usually sometimes there here first later best thus hence quite rather almost nearly mostly mainly"
)
JOINING = listed("and or if when while because")
AUXILIARY = BE | HAVE | DO | MODAL
FUNCTION = AUXILIARY | NEGATION | ARTICLE | PREPOSITION | PRONOUN | ADVERB | JOINING
PLURALS = listed("men women children people feet teeth mice geese")
UNCHANGED = listed("put set cut read hit shut cast spread become come run beset burst hurt split overcome")


@lru_cache(maxsize=200_000)
def words(text: str) -> tuple[str, ...]:
    """Lower-case words; a clitic stands alone.

    >>> words("don't live in")
    ('do', "n't", 'live', 'in')
    """
    text = text.lower().replace("n't", " n't").replace("'s", " 's").replace("cannot", "can not").replace("-", " ")
    return tuple(each for each in (word.strip('.,;:!?"()') for word in text.split()) if each)


@lru_cache(maxsize=200_000)
def content(text: str) -> tuple[str, ...]:
    """The lemmas of the words that are no function words; of a text without any, all its lemmas.

    >>> content("was the leader of"), content("is in")
    (('leader',), ('be', 'in'))
    """
    lemmas = tuple(verb_lemma(word) for word in words(text) if word not in FUNCTION)
    return lemmas or tuple(verb_lemma(word) for word in words(text))


@dataclass(frozen=True)
class Phrase:
    """What the lemma baseline looks at in a relation."""

    content: frozenset[str]  # lemmas of content words; of a relation that has none (`is in`), all its lemmas
    lemmas: frozenset[str]  # of all its words
    verbs: frozenset[str]
    passive: bool
    negated: bool


@lru_cache(maxsize=200_000)
def phrase(relation: str) -> Phrase:
    """
    >>> sorted(phrase("was not written by").verbs), phrase("was not written by").passive, phrase("has been in").verbs
    (['write'], True, frozenset({'be'}))
    """
    tokens = words(relation)
    kept = [(at, word) for at, word in enumerate(tokens) if word not in NEGATION | ADVERB and not _manner(word)]
    head = next((n for n, (_, word) in enumerate(kept) if word not in AUXILIARY), len(kept))
    auxiliaries = [word for _, word in kept[:head]]
    verbs, passive = set[str](), False
    if head < len(kept) and kept[head][1] not in FUNCTION:
        word = kept[head][1]
        if not auxiliaries or auxiliaries[-1] not in BE | HAVE:
            verbs.add(verb_lemma(word))
        elif auxiliaries[-1] in HAVE:
            verbs.add(verb_lemma(word) if participle(word) else "have")
        elif word.endswith("ing") and verb_lemma(word) != word:
            verbs.add(verb_lemma(word))
        elif participle(word):
            verbs.add(verb_lemma(word))
            passive = True
    if not verbs and auxiliaries:
        verbs.add(verb_lemma(auxiliaries[-1]))
    elif not auxiliaries and len(tokens) > 1 and participle(tokens[0]) and tokens[1] == "by":
        passive = True  # worn by
    following = pairwise(tokens)
    verbs |= {verb_lemma(word) for before, word in following if before in ("to", "and") and word not in FUNCTION - BE}
    named = frozenset(verb_lemma(word) for word in tokens if word not in FUNCTION)
    lemmas = frozenset(map(verb_lemma, tokens))
    negated = sum(word in NEGATION for word in tokens) % 2 == 1
    return Phrase(named or lemmas, lemmas, frozenset(verbs), passive, negated)


def participle(word: str) -> bool:
    """Whether a word after `be` or `have` is a past participle.

    >>> [word for word in ("found", "bigger", "members", "made", "put", "capital", "men") if participle(word)]
    ['found', 'made', 'put']
    """
    if word in UNCHANGED or word in IRREGULAR_VERBS:
        return True
    return verb_lemma(word) != word and word not in PLURALS and not word.endswith(("er", "est", "s", "ing"))


def _manner(word: str) -> bool:
    return word.endswith("ly") and len(word) > 4 and word not in ("supply", "apply", "reply", "imply", "rely", "family")
