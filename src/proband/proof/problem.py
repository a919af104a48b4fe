"""The input and the result of a prover, for any domain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from proband.core.types import Fact
from proband.english.domain import Domain, Word
from proband.english.reading import TextReader


class Problem(NamedTuple):
    """Facts, and the question what `question[0]` is to `question[1]`. `genders`: where the words do not give them."""

    facts: tuple[Fact, ...]
    question: tuple[str, str]
    genders: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True)
class Solution:
    """`possible`: the answers (words of the domain, `none`, yes and no, things) that hold in some world of the facts;
    none at all if the facts have no world. `certain`: those that hold in all. `always`: relations that hold in all with
    one gender or the other. `worlds` shows one world per answer. `why`: lines that a person can check by hand."""

    possible: tuple[str, ...] = ()
    certain: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    worlds: Mapping[str, Any] = field(default_factory=dict, compare=False)
    why: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Prover:
    """Decides what follows in a domain.

    `solve(problem, world, shown)` searches all worlds of the facts; `shown` asks for the worlds themselves. `check` is
    the second prover, of another kind. It may find too many possible answers (then `complete` is False), never too few.
    `second_reader` reads rows as well as the phrases of the domain. `draw(world, question, answer)` is an SVG.
    """

    solve: Callable[..., Solution]
    check: Callable[[Problem, str], frozenset[str]]
    complete: bool
    draw: Callable[[Any, tuple[str, str], str], str]
    describe: Callable[[Any], Any]  # a world as JSON
    second_reader: TextReader | None = None
    entails: Callable[[Problem, str, str], bool] | None = None  # is an answer the only one? (if this is faster)
    genders: Callable[[str], str | None] = lambda name: None
    certain_genders: Callable[[str], str | None] = lambda name: None  # of names that leave no doubt
    fits: Callable[[str, Word], bool] = lambda answer, word: answer == word.relation  # does an answer say the word?
    includes: Callable[[str, Word], bool] = lambda answer, word: answer == word.relation  # or more: left, and above too
    beyond: Callable[[Problem, Word, str], str] | None = None  # the verdict on a word that is none of the domain's
    relations_beyond: frozenset[str] = frozenset()  # what such words say
    one_person: Callable[..., Iterable[tuple[str, str, Problem]]] = lambda problem, unlinked: ()  # who may be one
    contradictory: Callable[[Problem], bool] = lambda problem: True  # in any sense of its names and words
    step_world: str = ""  # the world in which each fact is one step, so that routes are known

    def follows(self, problem: Problem, answer: str, world: str) -> bool:
        """Is this the only possible answer?"""
        if self.entails:
            return self.entails(problem, answer, world)
        solution = self.solve(problem, world)
        return solution.certain == solution.possible == (answer,)


Provers = Mapping[str, Callable[[Domain], Prover]]
