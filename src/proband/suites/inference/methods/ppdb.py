"""PPDB, in its released format and in the extracts that circulate.

released   `[VP] ||| eaten by [NP,1] ||| ate [NP,1] ||| PPDB2.0Score=4.1 ... ||| 0-1 ||| Equivalence`: category, phrase,
           paraphrase, features, alignment and (2.0) entailment relation. Slots that change their order swap the
           arguments. Forward and reverse entailment hold in their direction alone; exclusion and independence do not
           count.
pairs      `word<TAB>word`
lexicon    `word paraphrase paraphrase ...`

A pair is accepted if a phrase rule turns the premise's relation into the hypothesis'; or if every content word of the
hypothesis is a word of the premise or a paraphrase of one, and so is a verb, and voice and negation agree (the lemma
baseline with paraphrases for lemmas).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import text_lines
from proband.lexicon.inflection import verb_lemma
from proband.suites.inference.items import Pair, phrase
from proband.suites.inference.methods.rule_files import Rule, RuleBase, canonical

SLOT = re.compile(r"\[[^\]]*,(\d)\]")
SCORE = re.compile(r"PPDB2\.0Score=(\S+)")
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

    def accepts(self, pair: Pair) -> bool:
        return self.phrases.accepts(pair) or self._by_words(pair)

    def _by_words(self, pair: Pair) -> bool:
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
    if (match := SCORE.search(cells[3])) and float(match[1]) < least:
        return
    swapped = SLOT.findall(cells[1]) != SLOT.findall(cells[2])
    one, other = (" ".join(SLOT.sub(" ", cell).split()) for cell in cells[1:3])
    relation = cells[5] if len(cells) > 5 else BOTH
    if one and other and relation in (BOTH, FORWARD):
        yield one, other, swapped
    if one and other and relation in (BOTH, REVERSE):
        yield other, one, swapped
