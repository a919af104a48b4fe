"""The verdict on one statement: stated by the story, entailed by it, possible, or contradicted; with its proof.

    stated        the story says it, in either direction
    entailed      it holds in every world of the story: its proof is the facts of the story from which it follows
    possible      it holds in some worlds and not in others: an unsupported step
    contradicted  it holds in none: what holds instead, and from which facts

If neither the story nor a name determines a gender, it may be assumed once: the statement is then entailed and lists
the assumption. The same holds for a statement that follows in another world that the domain names for replies
(`replies`: an uncle by marriage) or, if it names none, that the story may mean. *Contradicted* means that it holds in
none of these worlds. If the story fits none of them, the first world of the domain that fits is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.english.domain import Word
from proband.english.labels import read_label
from proband.english.reading import AskedRelation, Label
from proband.proof.decisions import GENDER_OPEN, Decider, RowVerdict
from proband.proof.problem import Problem
from proband.proof.verdicts import RowJudge

STATED, ENTAILED, POSSIBLE, CONTRADICTED, UNREAD = "stated", "entailed", "possible", "contradicted", "unread"
VERDICTS: Final = (STATED, ENTAILED, POSSIBLE, CONTRADICTED, UNREAD)
RIGHT: Final = (STATED, ENTAILED)
WRONG: Final = (POSSIBLE, CONTRADICTED)
FOLLOWS: Final = ("entailed", GENDER_OPEN)


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
class StoryFacts:
    """The facts of a story, and the genders given by the story, its source or an unambiguous name."""

    judge: RowJudge
    stated: tuple[Fact, ...]
    genders: Mapping[str, str | None]
    assumed: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.things = tuple(dict.fromkeys(thing for fact in self.stated for thing in (fact.who, fact.of)))
        domain, named = self.judge.domain, self.judge.domain.raw.get("replies")
        worlds = (*dict.fromkeys((*named, *domain.worlds)),) if named else self.judge.worlds[::-1]  # the widest first
        self.deciders = [Decider(domain, self.judge.prover, (world,)) for world in worlds]
        self.named = len(named or worlds)
        self.usual = named[0] if named else ""  # the world that a statement need not say it assumes

    def state(self, fact: Fact) -> Statement:
        """The verdict on a statement; a gender that it assumes holds from now on."""
        decisions = list(self.verdicts(self.stated, *_asked(fact)))
        if not decisions:  # inconsistent in every world
            return self._again(fact) or Statement(fact=fact, verdict=POSSIBLE)
        right, wrong = (("false",), "entailed") if fact.negated else (FOLLOWS, "false")
        decision = next((each for each in decisions if each.verdict in right), decisions[0])
        proof = tuple(self.stated[number] for number in decision.proof)
        if decision.verdict in right:
            if decision.verdict == GENDER_OPEN and fact.gender and fact.who not in self.assumed:
                self.assumed[fact.who] = fact.gender
                return replace(self.state(fact), assumes=f"{fact.who} is {fact.gender}")
            world = next(iter(decision.by_world))
            everywhere = world == self.usual or all(each.verdict in right for each in decisions)
            assumes = "" if everywhere else self.judge.domain.worlds[world]
            entailed = self._again(fact) or Statement(fact=fact, verdict=ENTAILED, proof=proof)
            return replace(entailed, assumes=assumes)
        possible = () if fact.negated else tuple(dict.fromkeys(decision.possible))
        if all(each.verdict == wrong for each in decisions):
            return Statement(fact=fact, verdict=CONTRADICTED, proof=proof, instead=decision.right, possible=possible)
        return Statement(fact=fact, verdict=POSSIBLE, possible=possible)

    def _again(self, fact: Fact) -> Statement | None:
        """The verdict on a statement that repeats a fact of the story; otherwise None."""
        again = next((each for each in self.stated if self.same(each, fact) and not fact.negated), None)
        return Statement(fact=fact, verdict=STATED, proof=(again,)) if again else None

    def same(self, one: Fact, other: Fact) -> bool:
        """The same relation, in either direction; a person may be described in other words."""
        inverse = self.judge.domain.inverse.get(other.relation, "")
        return (one.who, one.relation, one.of) in (other[:3], (other.of, inverse, other.who)) and not one.negated

    def usable(self, statement: Statement) -> bool:
        """Is it right, and does the prover accept it as a fact?"""
        fact, right = statement.fact, statement.verdict in RIGHT and not statement.withdrawn
        return right and not fact.negated and fact.relation in self.judge.domain.inverse

    def speaks_beyond(self, text: str) -> bool:
        """Does it name a relation that only the prover's `beyond` knows?"""
        words = "|".join(re.escape(each) for each in self.judge.prover.relations_beyond)
        return bool(words) and re.search(rf"(?i)\b(?:cousin|great-\w+|{words})\b", text) is not None

    def state_beyond(self, who: str, words: str, of: str) -> Statement | None:
        """The verdict on such a statement; None where the prover cannot be asked."""
        prover = self.judge.prover
        asked, domain = AskedRelation(who, of), self.judge.domain
        label = read_label(words, domain=domain, asked=asked, options={}, things=self.things)
        if not (label and label.word and prover.beyond and label.word.relation in prover.relations_beyond):
            return None
        fact = Fact(who, label.word.relation, of, label.word.gender)
        verdicts = []
        for decider in self.deciders[: self.named]:
            try:
                verdicts.append(prover.beyond(self.problem(self.stated, (who, of)), label.word, decider.world))
            except ProbandError:
                verdicts.append(UNREAD)
        if set(verdicts) & set(FOLLOWS):
            return Statement(fact=fact, verdict=ENTAILED)
        if UNREAD in verdicts:
            return None
        return Statement(fact=fact, verdict=CONTRADICTED if set(verdicts) == {"false"} else POSSIBLE)

    def problem(self, facts: Iterable[Fact], question: tuple[str, str]) -> Problem:
        own = tuple(facts)
        things = {*question, *(thing for fact in own for thing in (fact.who, fact.of))}
        genders = {thing: self.genders.get(thing) or self.assumed.get(thing) for thing in things}
        return Problem(own, question, tuple(sorted(genders.items())))

    def ask(self, facts: Sequence[Fact], asked: AskedRelation, label: Label) -> RowVerdict:
        """The verdict in the first world in which the label follows, else in the first that fits the facts."""
        first = None
        for decision in self.verdicts(facts, asked, label):
            if decision.verdict in FOLLOWS:
                return decision
            first = first or decision
        return first or RowVerdict(verdict="inconsistent")

    def verdicts(self, facts: Sequence[Fact], asked: AskedRelation, label: Label) -> Iterator[RowVerdict]:
        """The verdicts in the worlds that a reply may mean; if the facts fit none of them, in the next that fits."""
        problem, fitting = self.problem(facts, asked.pair), 0
        for number, decider in enumerate(self.deciders):
            if fitting and number >= self.named:
                return
            decision = decider.decide(problem, asked, label)
            if decision.verdict != "inconsistent":
                fitting += 1
                yield decision

    def follows(self, facts: Sequence[Fact], fact: Fact) -> tuple[int, ...] | None:
        """Numbers of the facts from which a statement follows; None if it does not follow."""
        decision = self.try_ask(facts, *_asked(fact))
        return decision.proof if decision and decision.verdict in FOLLOWS else None

    def try_ask(self, facts: Sequence[Fact], asked: AskedRelation, label: Label) -> RowVerdict | None:
        """The verdict of `ask`; None without facts, or if the prover gives up."""
        try:
            return self.ask(facts, asked, label) if facts else None
        except ProbandError:
            return None


def _asked(fact: Fact) -> tuple[AskedRelation, Label]:
    return AskedRelation(fact.who, fact.of), Label(Word(fact.relation, fact.gender), "")
