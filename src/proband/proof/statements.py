"""The verdict on one statement: told by the story, entailed by it, possible, or contradicted; with its proof.

    told          the story says it, from one side or the other
    entailed      it holds in every world of the story: the facts of the story from which it follows are the proof
    possible      it holds in some worlds and not in others: a leap
    contradicted  it holds in none: what holds instead, and from which facts

A gender that neither the story nor a certain name tells may be assumed once: the statement that does so is entailed and
says what it assumes. *Contradicted* is never said for what some wider reading of the words would allow (an uncle by
marriage): that is possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.english.domain import Word
from proband.english.reading import AskedRelation, Label
from proband.proof.problem import Problem
from proband.proof.verdicts import GENDER_OPEN, Decision, RowJudge, numbered, renamed_question

TOLD, ENTAILED, POSSIBLE, CONTRADICTED, UNREAD = "told", "entailed", "possible", "contradicted", "unread"
VERDICTS: Final = (TOLD, ENTAILED, POSSIBLE, CONTRADICTED, UNREAD)
RIGHT: Final = (TOLD, ENTAILED)
WRONG: Final = (POSSIBLE, CONTRADICTED)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """`proof`: facts of the story from which it follows, or from which follows what holds `instead`. `premises`:
    numbers of the earlier statements of the reply from which it follows already. `possible`: what can hold."""

    fact: Fact
    verdict: str
    proof: tuple[Fact, ...] = ()
    premises: tuple[int, ...] = ()
    instead: str = ""
    possible: tuple[str, ...] = ()
    assumes: str = ""
    withdrawn: bool = False


@dataclass
class Facts:
    """What a story tells, and the genders that it, its source or a certain name tells."""

    judge: RowJudge
    told: tuple[Fact, ...]
    genders: Mapping[str, str | None]
    assumed: dict[str, str] = field(default_factory=dict)

    @property
    def things(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(thing for fact in self.told for thing in (fact.who, fact.of)))

    def state(self, fact: Fact) -> Statement:
        """The verdict on a statement; what it assumes of a gender holds from now on."""
        decision = self.decide(self.told, fact)
        if fact.negated:
            return self._denial(fact, decision)
        if decision.verdict == GENDER_OPEN and fact.gender:
            self.assumed[fact.who] = fact.gender
            return replace(self._stated(fact, self.decide(self.told, fact)), assumes=f"{fact.who} is {fact.gender}")
        return self._stated(fact, decision)

    def _stated(self, fact: Fact, decision: Decision) -> Statement:
        proof = tuple(self.told[number] for number in decision.proof)
        if decision.verdict in ("entailed", GENDER_OPEN):
            again = next((each for each in self.told if self.same(each, fact)), None)
            return Statement(fact=fact, verdict=TOLD if again else ENTAILED, proof=(again,) if again else proof)
        possible = tuple(dict.fromkeys(decision.possible))
        if decision.verdict == "false" and not self._fits_widely(fact):
            return Statement(fact=fact, verdict=CONTRADICTED, proof=proof, instead=decision.right, possible=possible)
        return Statement(fact=fact, verdict=POSSIBLE, possible=possible)

    def _denial(self, fact: Fact, decision: Decision) -> Statement:
        """What is denied is contradicted where it follows, and follows where it cannot be."""
        proof = tuple(self.told[number] for number in decision.proof)
        if decision.verdict in ("entailed", GENDER_OPEN):
            return Statement(fact=fact, verdict=CONTRADICTED, proof=proof, instead=decision.right)
        fits = decision.verdict != "false" or self._fits_widely(fact)
        return Statement(fact=fact, verdict=POSSIBLE if fits else ENTAILED, proof=() if fits else proof)

    def same(self, one: Fact, other: Fact) -> bool:
        """The same relation, from one side or the other; who has it may be told by other words."""
        inverse = self.judge.domain.inverse[other.relation]
        return (one.who, one.relation, one.of) in (other[:3], (other.of, inverse, other.who)) and not one.negated

    def _fits_widely(self, fact: Fact) -> bool:
        """Does it hold in some world of any kind that the domain has?"""
        problem, word = self.problem(self.told, (fact.who, fact.of)), Word(fact.relation, fact.gender)
        others = (world for world in self.judge.domain.worlds if world not in self.judge.worlds)
        solutions = (self.judge.prover.solve(problem, world) for world in others)
        return any(self.judge.prover.fits(each, word) for solution in solutions for each in solution.possible)

    def problem(self, facts: Iterable[Fact], question: tuple[str, str]) -> Problem:
        own = tuple(facts)
        things = {*question, *(thing for fact in own for thing in (fact.who, fact.of))}
        genders = {thing: self.genders.get(thing) or self.assumed.get(thing) for thing in things}
        return Problem(own, question, tuple(sorted(genders.items())))

    def decide(self, facts: Sequence[Fact], fact: Fact) -> Decision:
        """What the prover says of a statement, given facts."""
        word = Word(fact.relation, fact.gender)
        asked = AskedRelation(fact.who, fact.of)
        return self.ask(facts, asked, Label(word, self.judge.domain.say(word)))

    def ask(self, facts: Sequence[Fact], asked: AskedRelation, label: Label) -> Decision:
        problem, numbers = numbered(self.problem(facts, asked.pair), asked)
        number = {thing: place for place, thing in numbers.items()}
        decision = self.judge.decide(
            problem, renamed_question(asked, number), label._replace(text=number.get(label.text, label.text))
        )
        shown = tuple(numbers.get(each, each) for each in decision.possible)
        return decision._replace(possible=shown, right=numbers.get(decision.right, decision.right))

    def follows(self, facts: Sequence[Fact], fact: Fact) -> tuple[int, ...] | None:
        """Numbers of the facts from which a statement follows; None where it does not."""
        if not facts:
            return None
        try:
            decision = self.decide(facts, fact)
        except ProbandError:
            return None
        return decision.proof if decision.verdict in ("entailed", GENDER_OPEN) else None
