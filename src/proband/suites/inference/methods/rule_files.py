"""Inference rules: relations in a canonical form, rule bases, entailment graphs in the formats that Berant released,
and PPDB in its released format and in common extracts.

typed 2011     `<contain::fruit::metal> -> <be find in::metal::fruit>`: predicate, edge, predicate. The arguments follow
               the types: here the first of the one is the second of the other. Where both types are the same the edge
               says it: `->` straight, `-R>` swapped.
untyped 2012   `head@R@<TAB>be led by`: entailing and entailed ReVerb relation; `@R@` marks swapped arguments.
PPDB           `[VP] ||| eaten by [NP,1] ||| ate [NP,1] ||| PPDB2.0Score=4.1 ... ||| 0-1 ||| Equivalence`: category,
               phrase, paraphrase, features, alignment and (2.0) entailment relation. Slots that change their order swap
               the arguments. Forward and reverse entailment hold in their direction alone; exclusion and independence
               do not count.
PPDB pairs     `word<TAB>word`
PPDB lexicon   `word paraphrase paraphrase ...`

PPDB accepts a pair if a phrase rule turns the premise's relation into the hypothesis'; or if every content word of the
hypothesis is a word of the premise or a paraphrase of one, and so is a verb, and voice and negation agree (the lemma
baseline with paraphrases for lemmas).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from proband.core.errors import ProbandError
from proband.core.tables import text_lines
from proband.lexicon.inflection import verb_lemma
from proband.suites.inference import items
from proband.suites.inference.items import ADVERB, ARTICLE, MODAL, NEGATION, SWAPPED, InferenceFacts, phrase, words


@lru_cache(maxsize=500_000)
def canonical(relation: str) -> str:
    """Lemmas without articles, modals, adverbs, negation, a leading `to`, and `have` or `do` before a verb.

    >>> canonical("have been found in"), canonical("be find in"), canonical("must import"), canonical("has")
    ('be find in', 'be find in', 'import', 'have')
    """
    tokens = [word for word in words(relation) if word not in ARTICLE | MODAL | ADVERB | NEGATION]
    if len(tokens) > 1 and tokens[0] == "to":
        tokens = tokens[1:]
    if len(tokens) > 1 and tokens[0] in items.HAVE and (items.participle(tokens[1]) or tokens[1] == "been"):
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
        """Whether a rule exists whose types agree with the known types."""
        known = self.rules.get((premise, hypothesis, swapped), ())
        return any(all(not a or not b or a == b for a, b in zip(each, types, strict=True)) for each in known)

    def accepts(self, pair: InferenceFacts, *, typed: bool = False) -> bool:
        """Whether the hypothesis follows by a rule; the relations must agree on negation."""
        if phrase(pair.premise.relation).negated != phrase(pair.hypothesis.relation).negated:
            return False
        types = tuple(verb_lemma(kind.split()[-1]) if kind else "" for kind in pair.types) if typed else ("", "")
        names = canonical(pair.premise.relation), canonical(pair.hypothesis.relation)
        return self.holds(*names, swapped=not pair.straight, types=(types[0], types[1]))


# ---- entailment graphs -----------------------------------------------------------------------------------------------


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


# ---- PPDB ------------------------------------------------------------------------------------------------------------


SLOT = re.compile(r"\[[^\]]*,(\d)\]")
SCORE = re.compile(r"PPDB2\.0Score=(\S+)")
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
BOTH, FORWARD, REVERSE = "Equivalence", "ForwardEntailment", "ReverseEntailment"
Paraphrase = tuple[str, str, bool]  # phrase, paraphrase, arguments swapped


class Ppdb:
    """Phrase rules, and paraphrases of single words by lemma."""

    def __init__(self, pairs: Iterator[Paraphrase]) -> None:
        self.words: dict[str, set[str]] = defaultdict(set)
        phrases = []
        for one, other, swapped in pairs:
            if " " in one or " " in other:
                phrases.append(Rule(canonical(one), canonical(other), swapped))
            else:
                self.words[verb_lemma(one)].add(verb_lemma(other))
        self.phrases = RuleBase(phrases)

    def accepts(self, pair: InferenceFacts) -> bool:
        return self.phrases.accepts(pair) or self._by_words(pair)

    def _by_words(self, pair: InferenceFacts) -> bool:
        premise, hypothesis = phrase(pair.premise.relation), phrase(pair.hypothesis.relation)
        if premise.negated != hypothesis.negated or (premise.passive == hypothesis.passive) is not pair.straight:
            return False
        known = premise.lemmas.union(*(self.words.get(word, ()) for word in premise.content))
        verbs = premise.verbs.union(*(self.words.get(word, ()) for word in premise.verbs))
        return hypothesis.content <= known and bool(verbs & hypothesis.verbs)


@lru_cache(maxsize=4)
def read_ppdb(path: Path, least: float = 0.0) -> Ppdb:
    """The paraphrases of a file; `least` is the lowest PPDB 2.0 score."""
    return Ppdb(pairs(path, least))


def pairs(path: Path, least: float) -> Iterator[Paraphrase]:
    for number, line in text_lines(path):
        if "|||" in line:
            yield from released(line, least, path, number)
        elif "\t" in line:
            cells = line.split("\t")
            if len(cells) != 2:
                raise ProbandError(f"has {len(cells)} columns, not 2", file=path, line=number)
            yield from ((cells[0], cells[1], False), (cells[1], cells[0], False))
        else:
            word, *others = line.split()
            yield from ((word, other, False) for other in others)


def released(line: str, least: float, path: Path, number: int) -> Iterator[Paraphrase]:
    """
    >>> line = "[VP] ||| [NP,1] was eaten by [NP,2] ||| [NP,2] ate [NP,1] ||| PPDB2.0Score=4 ||| 0-0 ||| Equivalence"
    >>> list(released(line, 0.0, Path("x"), 1))
    [('was eaten by', 'ate', True), ('ate', 'was eaten by', True)]
    """
    cells = [cell.strip() for cell in line.split("|||")]
    if len(cells) < 4:
        raise ProbandError(f"has {len(cells)} fields between |||, not 4 or more", file=path, line=number)
    if (match := SCORE.search(cells[3])) and not NUMBER.fullmatch(match[1]):
        raise ProbandError(f"the score {match[1]!r} is not a number", file=path, line=number)
    if match and float(match[1]) < least:
        return
    swapped = SLOT.findall(cells[1]) != SLOT.findall(cells[2])
    one, other = (" ".join(SLOT.sub(" ", cell).split()) for cell in cells[1:3])
    relation = cells[5] if len(cells) > 5 else BOTH
    if one and other and relation in (BOTH, FORWARD):
        yield one, other, swapped
    if one and other and relation in (BOTH, REVERSE):
        yield other, one, swapped
