"""What a reader makes of a row: its facts and what is asked, or why it does not understand it.

Readers are of different kinds (the phrases of a domain; rules over a dependency parse; models). Each accounts for every
word of the story and of the question, or says what it did not understand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import NamedTuple, ParamSpec

from proband.core.types import Fact
from proband.english.domain import Word
from proband.english.tokens import NotRead

P = ParamSpec("P")


class Unread(NamedTuple):
    """Why a row is not read, and the sentence."""

    reason: str
    sentence: str = ""


class AskedRelation(NamedTuple):
    """What is `who` to `of`? With a `word`, a yes-or-no question: is `who` the `word` of `of`? Without `who`:
    which thing is the `word` of `of` (the `adjacent` one, with nothing between), or of all others where `of` is empty
    too (the tallest; with `rank` 2 the second tallest)? `among`: the things that may be the answer, if not all.
    `either_way`: the question does not tell which of the two is meant (how are A and B related?). `route`: the way from
    `of` to `who`, step by step."""

    who: str
    of: str
    word: Word | None = None
    adjacent: bool = False
    rank: int = 1
    among: tuple[str, ...] = ()
    either_way: bool = False
    route: bool = False

    @property
    def pair(self) -> tuple[str, str]:
        return self.who, self.of

    def renamed(self, names: Mapping[str, str]) -> AskedRelation:
        """The question with other names of its things."""
        a, b = (names.get(each, each) for each in self.pair)
        return self._replace(who=a, of=b, among=tuple(names[each] for each in self.among))


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The facts of a text, the sentence and the shape each sentence has, and the question; or what could not be read.
    `genders`: those that the text itself tells, by its kin words and pronouns."""

    facts: tuple[Fact, ...] = ()
    question: AskedRelation | None = None
    genders: Mapping[str, str | None] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    unread: Unread | None = None


class Label(NamedTuple):
    """What a label says: a relation, or an answer in words (yes, no, a thing, that it cannot be determined). `pair`: of
    whom, where it says so itself. `more`: what no relation entails (*elder*, *paternal*)."""

    word: Word | None
    text: str
    pair: tuple[str, str] | None = None
    more: str = ""


TextReader = Callable[[str, str, Mapping[str, str | None]], Reading]  # of a story, its question and given genders


def with_reasons(read: Callable[P, Reading]) -> Callable[P, Reading]:
    """The same, with the reason as a reading where it raises `NotRead`."""

    @wraps(read)
    def reader(*args: P.args, **options: P.kwargs) -> Reading:
        try:
            return read(*args, **options)
        except NotRead as error:
            return Reading(unread=Unread(str(error), error.sentence))

    return reader
