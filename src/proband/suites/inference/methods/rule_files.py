"""What files of inference rules share: relations in one form, and a rule base that says whether it accepts a pair."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from proband.lexicon.inflection import verb_lemma
from proband.suites.inference.items import Asked
from proband.suites.inference.words import ADVERB, ARTICLE, HAVE, MODAL, NEGATION, participle, phrase, words


@lru_cache(maxsize=500_000)
def canonical(relation: str) -> str:
    """Lemmas without articles, modals, adverbs, negation, a leading `to`, and `have` or `do` before a verb.

    >>> canonical("have been found in"), canonical("be find in"), canonical("must import"), canonical("has")
    ('be find in', 'be find in', 'import', 'have')
    """
    tokens = [word for word in words(relation) if word not in ARTICLE | MODAL | ADVERB | NEGATION]
    if len(tokens) > 1 and tokens[0] == "to":
        tokens = tokens[1:]
    if len(tokens) > 1 and tokens[0] in HAVE and (participle(tokens[1]) or tokens[1] == "been"):
        tokens = tokens[1:]
    if len(tokens) > 1 and tokens[0] in ("do", "does", "did"):
        tokens = tokens[1:]
    return " ".join(verb_lemma(word) for word in tokens)


class Rule(NamedTuple):
    """`premise` entails `hypothesis`; types are those of the premise's arguments ("" matches anything)."""

    premise: str
    hypothesis: str
    swapped: bool
    types: tuple[str, str] = ("", "")


class RuleBase:
    """Rules by premise and hypothesis.

    >>> base = RuleBase([Rule("eliminate", "treat", False), Rule("be cause by", "cause", True)])
    >>> base.holds("eliminate", "treat", swapped=False, types=("", "")), len(base)
    (True, 2)
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules: dict[tuple[str, str, bool], set[tuple[str, str]]] = {}
        for rule in rules:
            self.rules.setdefault((rule.premise, rule.hypothesis, rule.swapped), set()).add(rule.types)

    def __len__(self) -> int:
        return sum(map(len, self.rules.values()))

    def holds(self, premise: str, hypothesis: str, *, swapped: bool, types: tuple[str, str]) -> bool:
        """Whether a rule says so, at least one of whose types agrees with those that are known."""
        found = self.rules.get((premise, hypothesis, swapped), ())
        return any(all(not a or not b or a == b for a, b in zip(each, types, strict=True)) for each in found)

    def accepts(self, pair: Asked, *, typed: bool = False) -> bool:
        """Whether the hypothesis follows by a rule; the relations must agree on negation."""
        if phrase(pair.premise.relation).negated != phrase(pair.hypothesis.relation).negated:
            return False
        types = tuple(verb_lemma(kind.split()[-1]) if kind else "" for kind in pair.types) if typed else ("", "")
        names = canonical(pair.premise.relation), canonical(pair.hypothesis.relation)
        return self.holds(*names, swapped=not pair.straight, types=(types[0], types[1]))
