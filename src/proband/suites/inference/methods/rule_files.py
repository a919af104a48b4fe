"""Inference rules: relations in one form, a rule base that says whether it accepts a pair, and entailment graphs in the
formats that Berant released.

typed 2011     `<contain::fruit::metal> -> <be find in::metal::fruit>`: predicate, edge, predicate. The arguments follow
               the types: here the first of the one is the second of the other. Where both types are the same the edge
               says it: `->` straight, `-R>` swapped.
untyped 2012   `head@R@<TAB>be led by`: entailing and entailed ReVerb relation; `@R@` marks swapped arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from proband.core.errors import ProbandError
from proband.core.files import text_lines
from proband.lexicon.inflection import verb_lemma
from proband.suites.inference.items import ADVERB, ARTICLE, HAVE, MODAL, NEGATION, Pair, participle, phrase, words


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
        result = self.rules.get((premise, hypothesis, swapped), ())
        return any(all(not a or not b or a == b for a, b in zip(each, types, strict=True)) for each in result)

    def accepts(self, pair: Pair, *, typed: bool = False) -> bool:
        """Whether the hypothesis follows by a rule; the relations must agree on negation."""
        if phrase(pair.premise.relation).negated != phrase(pair.hypothesis.relation).negated:
            return False
        types = tuple(verb_lemma(kind.split()[-1]) if kind else "" for kind in pair.types) if typed else ("", "")
        names = canonical(pair.premise.relation), canonical(pair.hypothesis.relation)
        return self.holds(*names, swapped=not pair.straight, types=(types[0], types[1]))


# ---- entailment graphs -----------------------------------------------------------------------------------------------


SWAPPED = "@R@"


@lru_cache(maxsize=8)
def read_graph(path: Path) -> RuleBase:
    return RuleBase(rules(path))


def rules(path: Path) -> Iterator[Rule]:
    for number, line in text_lines(path):
        cells = line.split("\t")
        if len(cells) == 3 and cells[1] in ("->", "-R>"):
            yield typed(cells[0], cells[1], cells[2], path, number)
        elif len(cells) == 2:
            yield untyped(*cells)
        else:
            raise ProbandError(
                "is neither `entailing<TAB>entailed` nor `<a::t::u><TAB>-><TAB><b::t::u>`", file=path, line=number
            )


def typed(premise: str, edge: str, hypothesis: str, path: Path, line: int) -> Rule:
    parts = [each.strip("<>").split("::") for each in (premise, hypothesis)]
    if any(len(each) != 3 for each in parts):
        raise ProbandError("a typed predicate is <text::type::type>", file=path, line=line)
    (name, first, second), (other, *types) = parts
    swapped = edge == "-R>" if first == second else [first, second] != types
    return Rule(canonical(name), canonical(other), swapped, (first, second))


def untyped(premise: str, hypothesis: str) -> Rule:
    """
    >>> untyped("revolutionize@R@", "be changed by")
    Rule(premise='revolutionize', hypothesis='be change by', swapped=True, types=('', ''))
    """
    swapped = premise.endswith(SWAPPED) != hypothesis.endswith(SWAPPED)
    return Rule(canonical(premise.removesuffix(SWAPPED)), canonical(hypothesis.removesuffix(SWAPPED)), swapped)
