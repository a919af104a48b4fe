"""The result of reading a row: its facts and its question, or why it is unread.

There are several readers (the phrases of a domain; rules over a dependency parse; models). Each accounts for every word
of the story and of the question, or reports what it does not understand.
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
    too (the tallest; with `rank` 2 the second tallest)? `among`: the things that may be the answer, if not all; `kind`:
    the noun that they end with (which *box*?), before they are known.
    `either_way`: the question does not determine the direction (how are A and B related?). `route`: the way from `of`
    to `who`, step by step."""

    who: str
    of: str
    word: Word | None = None
    adjacent: bool = False
    rank: int = 1
    among: tuple[str, ...] = ()
    kind: str = ""
    either_way: bool = False
    route: bool = False

    @property
    def pair(self) -> tuple[str, str]:
        return self.who, self.of

    def renamed(self, names: Mapping[str, str]) -> AskedRelation:
        """The question with other names for its things."""
        a, b = (names.get(each, each) for each in self.pair)
        return self._replace(who=a, of=b, among=tuple(names[each] for each in self.among))


@dataclass(frozen=True, kw_only=True)
class Reading:
    """The facts of a text, with the sentences and their shapes, and the question; or the reason why it is unread.
    `genders`: those that the text gives by kin words and pronouns."""

    facts: tuple[Fact, ...] = ()
    question: AskedRelation | None = None
    genders: Mapping[str, str | None] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    unread: Unread | None = None


class Label(NamedTuple):
    """The meaning of a label: a relation, or an answer in words (yes, no, a thing, "cannot be determined"). `pair`: the
    people, if the label names them."""

    word: Word | None
    text: str
    pair: tuple[str, str] | None = None


TextReader = Callable[[str, str, Mapping[str, str | None]], Reading]  # arguments: story, question, given genders


def with_reasons(read: Callable[P, Reading]) -> Callable[P, Reading]:
    """The same reader, with `NotRead` turned into a reading with the reason."""

    @wraps(read)
    def reader(*args: P.args, **options: P.kwargs) -> Reading:
        try:
            return read(*args, **options)
        except NotRead as error:
            return Reading(unread=Unread(str(error), error.sentence))

    return reader
