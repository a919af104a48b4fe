"""Relations between two arguments: `aspirin, eliminates, headaches`, and a pair of them that share both arguments.

The question of a pair has a type where the answer goes (`drug, treats, headaches`); `instantiate` puts the answer
there, so that premise and hypothesis have the same two arguments, straight or swapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from proband.core.types import Split
from proband.suites.inference.words import content

FORWARD, BACKWARD = "answer to question", "question to answer"


class Triple(NamedTuple):
    """
    >>> Triple.read("the oil, is exported by,  angola").text
    'the oil is exported by angola'
    """

    subject: str
    relation: str
    object: str

    @property
    def text(self) -> str:
        return " ".join(each for each in self if each)

    @property
    def swapped(self) -> Triple:
        return Triple(self.object, self.relation, self.subject)

    @property
    def lower(self) -> Triple:
        return Triple(*(each.lower() for each in self))

    @classmethod
    def read(cls, text: str) -> Triple:
        """`arg, relation, arg`; ValueError where there are not three parts."""
        first, relation, second = (" ".join(each.split()) for each in text.split(","))
        if not (first and relation and second):
            raise ValueError("an empty part")
        return cls(first, relation, second)


@dataclass(frozen=True, kw_only=True)
class Example:
    """A premise and a hypothesis with both arguments in each, and whether the one follows from the other.

    `straight`: the first argument of the premise is the first of the hypothesis. `question` names what was asked, for
    the clusters; `pair` is the same for the two directions of a pair.
    """

    premise: Triple
    hypothesis: Triple
    entailed: bool | None
    straight: bool
    question: str
    pair: str
    direction: str  # answer to question, or question to answer
    source: str
    split: Split = "test"
    directional: bool = False
    typed: tuple[str, str] = ("", "")  # types of the two arguments of the premise, where they are known
    matched: bool = True  # an argument is the same on both sides, up to stop words and inflection


def pair_name(one: Triple, other: Triple) -> str:
    """The same for both directions."""
    return " | ".join(sorted((", ".join(one).lower(), ", ".join(other).lower())))


def instantiate(question: Triple, answer: Triple) -> tuple[Triple, bool, str, bool]:
    """The question with its type replaced by the answer; whether the arguments stand straight; the type; and whether
    an argument was found to be the same.

    >>> instantiate(Triple("food", "is included in", "chocolate"), Triple("chocolate", "is made from", "cocoa beans"))
    (Triple(subject='cocoa beans', relation='is included in', object='chocolate'), False, 'food', True)
    """
    places = [(q, a) for q in (0, 2) for a in (0, 2)]
    q, a = max(places, key=lambda at: (likeness(question[at[0]], answer[at[1]]), at[0] == at[1], at[0]))
    arguments = {q: question[q], 2 - q: answer[2 - a]}
    filled = Triple(arguments[0], question.relation, arguments[2])
    return filled, q == a, question[2 - q], likeness(question[q], answer[a]) > 0


def likeness(one: str, other: str) -> float:
    """How much of two arguments is the same word, inflection and stop words aside: 1 for the same argument.

    >>> likeness("the french", "French"), likeness("a saint", "saints"), likeness("oil", "coffee")
    (1.0, 1.0, 0.0)
    """
    if one.lower() == other.lower():
        return 1.0
    a, b = set(content(one)), set(content(other))
    return len(a & b) / len(a | b) if a and b else 0.0
