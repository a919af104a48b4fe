"""The lemma baseline of section 4.1: a pair is positive if all four are true, after lemmatisation:

1. the premise's relation contains all content words of the hypothesis' relation
2. the relations share a verb
3. their voice matches the alignment of their arguments: the same voice where they stand straight, active and passive
   where they are swapped
4. they agree on negation
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.core.types import Answer, Item
from proband.suites.inference.items import Asked, asked
from proband.suites.inference.words import phrase

FEATURES = ("content", "verb", "voice", "negation")


def features(pair: Asked) -> dict[str, bool]:
    """
    >>> from proband.suites.inference.triples import Triple
    >>> features(Asked(Triple("rome", "was burnt by", "gauls"), Triple("gauls", "burnt", "rome"), False, ("", "")))
    {'content': True, 'verb': True, 'voice': True, 'negation': True}
    """
    premise, hypothesis = phrase(pair.premise.relation), phrase(pair.hypothesis.relation)
    return {
        "content": hypothesis.content <= premise.content,
        "verb": bool(premise.verbs & hypothesis.verbs),
        "voice": (premise.passive == hypothesis.passive) is pair.straight,
        "negation": premise.negated == hypothesis.negated,
    }


def accepts(pair: Asked) -> bool:
    return bool(pair.premise.relation) and all(features(pair).values())


class Lemma:
    """`solver:lemma`; an answer records the four features."""

    name = "solver:lemma"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "inference", "name": "lemma"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        answers = []
        for item in items:
            pair = asked(item)
            scores = (1.0, 0.0) if accepts(pair) else (0.0, 1.0)
            answers.append(Answer(item_id=item.id, scores=scores, blanks=(features(pair),)))
        return answers
