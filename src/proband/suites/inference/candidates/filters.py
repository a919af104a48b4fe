"""What removes a candidate although it fits: criterion 3, and signs that an assertion is no sentence.

Each filter is a function from a candidate to True where the candidate must go. They are asked in this order, and the
first that says so is the one that is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from proband.core.errors import ProbandError
from proband.lexicon.inflection import STOP_WORDS, key, lemma
from proband.suites.inference.questions import ARTICLES, AUXILIARIES, PREPOSITIONS, Question

LONGEST_RELATION, LONGEST_ARGUMENT = 7, 6  # words
LETTERS = re.compile(r"[^\W\d_]")
PLAIN = re.compile(r"[\w'’.&-]+")
DANGLING = frozenset(("and", "or", "but", "not", "n't", "that", "which", "who"))


@dataclass(frozen=True)
class Candidate:
    """An assertion about q_arg; `side` is where its answer stands."""

    subject: str
    relation: str
    object: str
    count: int
    side: str
    negated: bool = False

    @property
    def answer(self) -> str:
        return self.subject if self.side == "subject" else self.object

    @property
    def argument(self) -> str:
        return self.object if self.side == "subject" else self.subject


def same_relation(one: Candidate, question: Question) -> bool:
    """Criterion 3: the relation is the question's own, up to inflection and articles, with the answer on its side."""
    return one.side == "subject" and _plain(one.relation) == _plain(question.q_rel)


def _plain(relation: str) -> tuple[str, ...]:
    return tuple(lemma(word) for word in relation.lower().split() if word not in ARTICLES)


def same_argument(one: Candidate, question: Question) -> bool:
    """The answer is the argument itself."""
    return key(one.answer) == key(question.q_arg)


def answer_is_the_type(one: Candidate, question: Question) -> bool:
    """The answer only names the type: "the country invaded Ethiopia"."""
    return key(one.answer) == key(question.q_type)


def no_content(one: Candidate, question: Question) -> bool:
    """The answer is a pronoun, other function words or a number."""
    words = one.answer.lower().split()
    return all(word in STOP_WORDS or not LETTERS.search(word) for word in words)


def odd_characters(one: Candidate, question: Question) -> bool:
    """Brackets, symbols and the like inside the assertion."""
    text = f"{one.subject} {one.relation} {one.object}"
    return not all(PLAIN.fullmatch(word) for word in text.split())


def no_verb(one: Candidate, question: Question) -> bool:
    """The relation begins with a preposition or a conjunction."""
    return one.relation.split()[0] in PREPOSITIONS | DANGLING


def dangling(one: Candidate, question: Question) -> bool:
    """The relation ends in an article, a conjunction or a negation."""
    return one.relation.split()[-1] in ARTICLES | DANGLING


def bare_copula(one: Candidate, question: Question) -> bool:
    """The relation is nothing but "is": it says what something is, not how it relates."""
    return all(word in AUXILIARIES for word in one.relation.split())


def too_long(one: Candidate, question: Question) -> bool:
    """More words than a fragment has."""
    arguments = (one.subject, one.object)
    return len(one.relation.split()) > LONGEST_RELATION or any(len(a.split()) > LONGEST_ARGUMENT for a in arguments)


Filter = Callable[[Candidate, Question], bool]
FILTERS: Mapping[str, Filter] = {
    rule.__name__.replace("_", "-"): rule
    for rule in (
        same_relation,
        same_argument,
        answer_is_the_type,
        no_content,
        odd_characters,
        no_verb,
        dangling,
        bare_copula,
        too_long,
    )
}


def chosen(without: Sequence[str]) -> dict[str, Filter]:
    """All filters but some."""
    for name in without:
        if name not in FILTERS:
            raise ProbandError(f"no filter {name!r}; there are {', '.join(FILTERS)}")
    return {name: rule for name, rule in FILTERS.items() if name not in without}
