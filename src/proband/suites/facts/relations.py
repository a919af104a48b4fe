"""A relation as facts to recall: its wordings, its answers, and the right objects of each subject.

The answers of a relation are the objects of its facts (BEAR's construction), so every model chooses among the same
answers. If another object is also right for the subject, it is left out of the item.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property

from proband.core.errors import ProbandError
from proband.core.files import group_by_key, slug
from proband.core.tables import TableRow

SUBJECT, OBJECT, BLANK = "[X]", "[Y]", "___"


@dataclass(frozen=True, kw_only=True)
class SubjectFact:
    """A subject with its objects, the asked one first; `row` is its source."""

    subject: str
    objects: tuple[str, ...]
    aliases: tuple[str, ...] = ()  # of the subject
    object_aliases: tuple[str, ...] = ()
    also_true: tuple[str, ...] = ()  # objects that are neither asked nor wrong
    rests_on: tuple[str, ...] = ()  # the ids of the facts that it follows from
    row: TableRow | None = None

    def error(self, message: str) -> ProbandError:
        return self.row.error(message) if self.row else ProbandError(message)


@dataclass(frozen=True, kw_only=True)
class FactRelation:
    """
    >>> capital = FactRelation(
    ...     name="capital",
    ...     wordings=("The capital of [X] is [Y].",),
    ...     facts=(SubjectFact(subject="France", objects=("Paris",)), SubjectFact(subject="Italy", objects=("Rome",))),
    ... )
    >>> capital.answers, capital.cardinality
    (('Paris', 'Rome'), 'one to one')
    >>> capital.choices(capital.facts[0])
    (('Paris', 'Rome'), 0)
    """

    name: str
    wordings: tuple[str, ...]
    facts: tuple[SubjectFact, ...]
    space: tuple[str, ...] = ()  # the answers, where the data names them
    left_out: tuple[str, ...] = ()  # rows that cannot be asked: the place and the reason
    by_name: bool = False  # left out unless it is requested by name
    file: object = field(default=None, compare=False)

    def item_id(self, number: int) -> str:
        """The id of the item of a fact; facts are numbered from 1."""
        return f"{slug(self.name)}-{number:04d}"

    @cached_property
    def answers(self) -> tuple[str, ...]:
        return self.space or tuple(dict.fromkeys(fact.objects[0] for fact in self.facts))

    @cached_property
    def _right(self) -> dict[str, set[str]]:
        """All right objects of each subject, over every fact about it."""
        right: dict[str, set[str]] = {}
        for fact in self.facts:
            objects = (*fact.objects, *fact.object_aliases, *fact.also_true)
            right.setdefault(fold(fact.subject), set()).update(map(fold, objects))
        return right

    @cached_property
    def _aliases(self) -> dict[str, list[str]]:
        """The other names of each answer, over every fact that has it."""
        return group_by_key((fact.objects[0], fold(name)) for fact in self.facts for name in fact.object_aliases)

    @cached_property
    def cardinality(self) -> str:
        """The number of subjects per object and of facts per subject."""
        subjects, objects = (
            max(Counter(map(fold, names)).values(), default=1)
            for names in ([fact.objects[0] for fact in self.facts], [fact.subject for fact in self.facts])
        )
        return f"{'one' if subjects == 1 else 'many'} to {'one' if objects == 1 else 'many'}"

    def choices(self, fact: SubjectFact) -> tuple[tuple[str, ...], int]:
        """The choices without other right answers, and the index of the gold answer."""
        right = self._right[fold(fact.subject)]
        asked = fact.objects[0]
        names = {answer: {fold(answer), *self._aliases.get(answer, ())} for answer in self.answers}
        left = tuple(answer for answer in self.answers if answer == asked or not names[answer] & right)
        return left, left.index(asked)

    def checked(self) -> FactRelation:
        """The relation without the facts that cannot be asked, which it lists. A subject may be its own object (*cut* :
        *cut*, Djibouti : Djibouti): such a fact gets the tag `leak`."""
        for problem in filter(None, map(wrong_wording, self.wordings)):
            raise ProbandError(f"relation {self.name!r}: {problem}", file=self.file)
        if len({fold(answer) for answer in self.answers}) < 2:
            raise ProbandError(f"relation {self.name!r} has one answer; a choice needs two", file=self.file)
        problems = {id(fact): problem for fact in self.facts if (problem := self._problem(fact))}
        asked = tuple(fact for fact in self.facts if id(fact) not in problems)
        if not asked:
            raise self.facts[0].error(next(iter(problems.values())))
        listed = [str(fact.error(problems[id(fact)])) for fact in self.facts if id(fact) in problems]
        return replace(self, facts=asked, space=self.answers, left_out=(*self.left_out, *listed))

    def _problem(self, fact: SubjectFact) -> str:
        """Why a fact cannot be asked, or an empty string."""
        if fact.objects[0] not in self.answers:
            return f"the object {fact.objects[0]!r} is not an answer of {self.name!r}"
        if len(self.choices(fact)[0]) < 2:
            return f"every answer is right for {fact.subject!r}: there is nothing to choose"
        return ""


def wrong_wording(wording: str) -> str:
    """The error in a wording, or an empty string."""
    missing = next((slot for slot in (SUBJECT, OBJECT) if wording.count(slot) != 1), "")
    return f"{wording!r} must have {missing} once" if missing else ""


def fold(text: str) -> str:
    return " ".join(text.casefold().split())


def leaks(fact: SubjectFact) -> bool:
    """Whether the subject reveals the object (Bank of *Scotland*, *French* Guiana : French); LAMA-UHN leaves it out."""
    words = set(re.findall(r"\w+", fold(fact.subject)))
    return any(set(re.findall(r"\w+", fold(each))) <= words for each in fact.objects[:1])


def prompt_of(wording: str, subject: str) -> str:
    """A wording about a subject, with a blank for the object; a sentence begins with a capital letter."""
    return capitalised(wording.replace(SUBJECT, subject).replace(OBJECT, BLANK))


def capitalised(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
