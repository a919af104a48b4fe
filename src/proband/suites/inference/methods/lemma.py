"""The lemma baseline of section 4.1, by two rules. A pair is positive if all four are true, after lemmatisation:

1. the premise's relation contains all content words of the hypothesis' relation
2. the relations share a verb
3. their voice matches the alignment of their arguments: the same voice if they are in the same order, active and
passive if they are swapped
4. they agree on negation

printed    our reading of these sentences; of a relation without content words (`is in`) all words must be contained
released   the authors' program (Levy's, in Hosseini's entgraph_eval): WordNet's lemmas; content words are those that
           are not in NLTK's list of stop words, so that `is in` and `has` have none and follow from anything with their
           verb; a verb is what WordNet knows as one (`in` is none, `found` is); passive is `be` with `by`, or `by`
           after one word; negation is no, not or never
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Literal

from proband.core.types import Answer, Item
from proband.lexicon.wordnet import VerbLemmas
from proband.suites.inference.items import InferenceFacts, RelationPhrase, facts_of, phrase

LemmaRule = Literal["printed", "released"]
# NLTK's English stop words, without own, do, does and doing, as in the authors' program
STOP = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
itself they them their theirs themselves what which who whom this that these those am is are was were be been being
have has had having did a an the and but if or because as until while of at by for with about against between into
through during before after above below to from up down in out on off over under again further then once here there
when where why how all any both each few more most other some such no nor not only same so than too very s t can will
just don should now d ll m o re ve y
"""
STOP_WORDS = frozenset(STOP.split())


def features(pair: InferenceFacts, rule: LemmaRule = "printed") -> dict[str, bool]:
    """
    >>> from proband.suites.inference.items import Triple
    >>> features(InferenceFacts(Triple("rome", "was burnt by", "gauls"), Triple("gauls", "burnt", "rome"), False))
    {'content': True, 'verb': True, 'voice': True, 'negation': True}
    >>> features(InferenceFacts(Triple("frogs", "actually have", "horns"), Triple("frogs", "has", "horns"), True))
    {'content': True, 'verb': True, 'voice': True, 'negation': True}
    """
    read = phrase if rule == "printed" else released_phrase
    premise, hypothesis = read(pair.premise.relation), read(pair.hypothesis.relation)
    return {
        "content": hypothesis.content <= premise.lemmas,
        "verb": bool(premise.verbs & hypothesis.verbs),
        "voice": (premise.passive == hypothesis.passive) is pair.straight,
        "negation": premise.negated == hypothesis.negated,
    }


@lru_cache(maxsize=200_000)
def released_phrase(relation: str) -> RelationPhrase:
    lemmas = [morphy()(word) for word in relation.split()]
    return RelationPhrase(
        content=frozenset(word for word in lemmas if word not in STOP_WORDS),
        lemmas=frozenset(lemmas),
        verbs=frozenset(word for word in lemmas if word in morphy().words),
        passive="by" in lemmas and ("be" in lemmas or len(lemmas) == 2),
        negated=not {"no", "not", "never"}.isdisjoint(lemmas),
    )


@cache
def morphy() -> VerbLemmas:
    return VerbLemmas()


def accepts(pair: InferenceFacts, rule: LemmaRule = "printed") -> bool:
    return bool(pair.premise.relation) and all(features(pair, rule).values())


class Lemma:
    """`solver:lemma`, `solver:lemma-released`; an answer records the four features."""

    def __init__(self, rule: LemmaRule = "printed") -> None:
        self.rule = rule
        self.name = "solver:lemma" if rule == "printed" else f"solver:lemma-{rule}"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "inference", "name": self.name.removeprefix("solver:"), "version": "2"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        answers = []
        for item in items:
            pair = facts_of(item)
            scores = (1.0, 0.0) if accepts(pair, self.rule) else (0.0, 1.0)
            answers.append(Answer(item_id=item.id, scores=scores, blanks=(features(pair, self.rule),)))
        return answers
