"""The verdict on one row: read its facts and its question, ask the prover, hold the label against the answer.

entailed      the label holds in every world of the facts          false         in none; what holds instead is said
ambiguous     in some worlds and not in others                     inconsistent  the facts have no world
gender open   the relation follows, the gender is not told         unread        something in it is not understood
depends on the world   the verdict is not the same in all worlds of the domain, and none was named

A row whose label is to be called wrong or open is read again by a reader of another kind. Where the two differ it is
unread; where the second does not understand it, the verdict is that of *one reader* and accuses nobody.
Facts that differ in names alone are decided once.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol

from proband.auditing.grammar import Grammar, split
from proband.auditing.things import BRACKETED
from proband.core.errors import ProbandError
from proband.core.types import Fact
from proband.english.domain import OTHER, Domain
from proband.english.reading import AskedRelation, Label, Reading, Unread
from proband.proof.answers import PossibleAnswers, fits_label, outcome, read_label, split_options, verdict_of
from proband.proof.problem import Problem, Prover
from proband.proof.rows import AuditRow

DEPENDS, GENDER_OPEN = "depends on the world", "gender open"
VERDICTS: Final = ("entailed", "ambiguous", "false", "inconsistent", GENDER_OPEN, DEPENDS, "unread")
DECIDED: Final = VERDICTS[:4]  # the verdicts that rates are about
ACCUSING: Final = ("ambiguous", "false", "inconsistent")
DECISIONS_KEPT: Final = 20_000
PATHS_TRIED: Final = 500
LEAK: Final = re.compile(
    r"(?i)^(?:[^.?!]*\b)?(?:answer|label|solution|target|hint|spoiler)s?\b(?: here| of this| to the question)?"
    r"(?: is| was| would be| must be|:|\s*=|,)*\s*[\"'(\[]*(?P<word>[\w -]+?)[\"')\]]*[.!]?$"
)
OWNERS: Final = re.compile(r"\b(?:my|our|your|his|her|their|mine|ours|yours|hers|theirs)\b", re.IGNORECASE)
NOTHING_ASKED: Final = AskedRelation("", "")


@dataclass(frozen=True, kw_only=True)
class Cause:
    """What a group of findings has in common. `key` is the same for the same fault in any run."""

    key: str
    claim: str
    kind: str  # template, label, facts, open
    also: tuple[str, ...] = ()  # what else is wrong with this row


@dataclass(frozen=True, kw_only=True)
class RowVerdict:
    """What is said of a row. `right`: the answer that follows, if one does; `worlds`: a world for an answer."""

    verdict: str
    label: str = ""
    possible: tuple[str, ...] = ()
    right: str = ""
    correction: str = ""  # the same as a label: one of the options, where there are options
    reversed: bool = False
    asked: AskedRelation = NOTHING_ASKED
    facts: tuple[Fact, ...] = ()
    genders: tuple[tuple[str, str | None], ...] = ()
    sentences: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    proof: tuple[int, ...] = ()  # numbers of the facts from which the answer follows
    worlds: Mapping[str, Any] = field(default_factory=dict)
    by_world: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)  # verdict, possible answers
    one_reader: bool = False
    second_facts: tuple[Fact, ...] = ()  # what the second reader read
    unread: Unread | None = None
    cause: Cause | None = None  # where the judge knows it; else `Causes` learns it from all rows
    notes: tuple[str, ...] = ()  # "answer leaked", "duplicate with another label", ...

    @property
    def accused(self) -> bool:
        """Is the label called wrong or open, by two readers or from facts that are given?"""
        return self.verdict in ACCUSING and not self.one_reader

    def problem(self, facts: tuple[Fact, ...] | None = None) -> Problem:
        """What the prover was given, or the same with other facts."""
        return Problem(self.facts if facts is None else facts, self.asked.pair, self.genders)


class Decision(NamedTuple):
    """What of a verdict does not depend on names."""

    verdict: str
    possible: tuple[str, ...]
    right: str
    reversed: bool
    proof: tuple[int, ...]
    by_world: Mapping[str, tuple[str, tuple[str, ...]]]


class RowText(NamedTuple):
    """A row as readers get it."""

    story: str
    question: str
    options: Mapping[str, str]
    leaks: tuple[str, ...]
    text_cell: str = ""  # as they stand, for readers that take a row apart themselves
    question_cell: str = ""


class Judge(Protocol):
    """Gives verdicts: in a domain with facts (`RowJudge`), or in one of another package (`JudgedDomain`)."""

    name: str  # of the domain
    world_descriptions: Mapping[str, str]
    named: str  # the world that the user names
    world: str
    worlds: tuple[str, ...]
    complete: bool  # whether the second prover never leaves more answers open than the first

    def judge(self, row: AuditRow) -> RowVerdict: ...

    def answers(self, row: AuditRow) -> bool: ...

    def shape(self, sentence: str, question: str) -> str: ...

    def choices(self, judged: RowVerdict) -> tuple[str, ...]: ...

    def credits(self, answer: str, judged: RowVerdict) -> bool | None: ...

    def is_inconsistent(self, judged: RowVerdict, numbers: Sequence[int]) -> bool: ...

    def prove_twice(self, judged: RowVerdict) -> tuple[Set[str], Set[str]] | None:
        """The answers that each of two provers leaves possible; None where only one of them takes the question."""

    def describe(self, world: Any) -> Any:
        """A world as JSON."""

    def draw(self, world: Any, pair: tuple[str, str], answer: str) -> str:
        """A world as SVG."""


@dataclass(frozen=True, kw_only=True)
class JudgedDomain(ABC):
    """A domain with a judge of its own, which a package adds (entry point `proband.domains`). `gym_world`: set where
    `name` is also a task of reasoning-gym, to the world that the task is about ("" for all)."""

    name: str
    worlds: Mapping[str, str]  # name -> what holds in it
    gym_world: str | None = None

    @abstractmethod
    def judge(self, world: str) -> Judge:
        """The judge for one world, or for all if it is empty."""


class RowJudge:
    """Judges rows of one domain: in the world that is named, or in all of them. `readers`: 2 if every row is to be read
    twice, 1 if only those that would be accused, unless all are made from known `templates`."""

    def __init__(
        self, domain: Domain, prover: Prover, world: str = "", *, readers: int = 1, templates: bool = False
    ) -> None:
        self.domain, self.prover, self.readers, self.templates = domain, prover, readers, templates
        self.named, self.name, self.complete = world, domain.name, prover.complete
        self.world_descriptions = domain.worlds
        self.worlds: tuple[str, ...] = (world,) if world else tuple(domain.worlds)
        self.world = self.worlds[0]
        self.grammar = Grammar(domain)
        self.decide = lru_cache(maxsize=DECISIONS_KEPT)(self._decide)

    # ---- reading -----------------------------------------------------------------------------------------------------

    def read(self, row: AuditRow) -> tuple[Reading, RowText] | Unread:
        """What the first reader makes of a row."""
        if row.bad:
            return Unread(row.bad)
        if row.facts and row.pair:
            facts = self._given_facts(row)
            given = RowText(row.text, row.question, {}, ())
            return (
                facts if isinstance(facts, Unread) else (Reading(facts=facts, question=AskedRelation(*row.pair)), given)
            )
        text = self._text(row)
        if isinstance(text, Unread):
            return text
        reading = self.grammar(text.story, text.question, row.genders)
        if (reading.unread or not reading.facts) and self.prover.reader:
            reading = self.prover.reader(text.text_cell, text.question_cell, row.genders)
        if reading.unread:
            return reading.unread
        asked = reading.question
        if asked is None or (asked.who and asked.who == asked.of):
            return Unread("the question is about one thing, not two", text.question)
        return (reading, text) if reading.facts else Unread("the story states no fact", text.story)

    def answers(self, row: AuditRow) -> bool:
        """Is the row read, and its label an answer to its question?"""
        read = self.read(row)
        if isinstance(read, Unread) or not read[0].question:
            return False
        reading, text = read
        return self.label_of(row, reading, text.options) is not None

    def label_of(self, row: AuditRow, reading: Reading, options: Mapping[str, str]) -> Label | None:
        """What the label of a row says as an answer to its question."""
        things = dict.fromkeys(thing for fact in reading.facts for thing in (fact.who, fact.of))
        asked = reading.question or NOTHING_ASKED
        if self.prover.label and not row.facts:
            return self.prover.label(row.answer, asked, options, things)
        return read_label(row.answer, domain=self.domain, asked=asked, options=options, things=things)

    def _text(self, row: AuditRow) -> RowText | Unread:
        """The story, the question and its options, which may all stand in one cell."""
        if self.grammar.nouns:
            own_text, own_question = one_owner(row.text, row.question)
            row = replace(row, text=own_text, question=own_question)
        stem, options = split_options(row.question, is_answer=self.domain.word)
        sentences, names = split(stem), self.grammar.names(row.text or stem, stem)
        known = self.grammar.place_of_question(sentences, names)
        asks = [number for number, sentence in enumerate(sentences) if "?" in sentence or "___" in sentence]
        if isinstance(known, Unread) and not asks and not self.prover.reader:
            return known
        place = known[0] if not isinstance(known, Unread) else asks[-1] if asks else len(sentences) - 1
        told = [*split(row.text), *sentences[:place]]
        leaks = tuple(sentence for sentence in told if self._leaks(sentence))
        story, question = " ".join(s for s in told if s not in leaks), sentences[place] if sentences else ""
        own, asking = row.text, row.question
        if leaks:
            own, asking = (" ".join(s for s in split(cell) if s not in leaks) for cell in (own, asking))
        return RowText(story, question, options, leaks, own, asking)

    def _given_facts(self, row: AuditRow) -> tuple[Fact, ...] | Unread:
        """The facts that a row has beside its text."""
        facts: list[Fact] = []
        for a, text, b in row.facts:
            word = self.domain.word(text)
            if word is None:
                return Unread(f"{text!r} is no word of {self.domain.name}")
            facts.append(Fact(a, word.relation, b, word.gender))
        return tuple(facts)

    def _leaks(self, sentence: str) -> bool:
        leak = LEAK.match(sentence)
        return leak is not None and self.domain.word(leak["word"]) is not None

    def _problem(self, row: AuditRow, reading: Reading, asked: AskedRelation) -> Problem:
        """With the gender of each thing: the one that the source gives, else its words, the text, or the name."""
        things = {*filter(None, asked.pair), *(thing for fact in reading.facts for thing in (fact.who, fact.of))}
        by_name = {thing: self.prover.genders(thing) for thing in things}
        told = {fact.who: fact.gender for fact in reading.facts if fact.gender and not fact.negated}
        given = {thing: gender for thing, gender in row.genders.items() if thing in things}
        genders = {**by_name, **reading.genders, **told, **given}
        return Problem(reading.facts, asked.pair, tuple(sorted(genders.items())))

    # ---- deciding ----------------------------------------------------------------------------------------------------

    def judge(self, row: AuditRow) -> RowVerdict:
        read = self.read(row)
        if isinstance(read, Unread):
            return RowVerdict(verdict="unread", label=row.answer[:80], unread=read)
        reading, text = read
        asked = reading.question or NOTHING_ASKED
        label = self.label_of(row, reading, text.options)
        if label and label.pair:
            asked, label = asked._replace(who=label.pair[0], of=label.pair[1]), label._replace(pair=None)
        problem = self._problem(row, reading, asked)
        try:
            if label is None:
                raise ProbandError(f"the answer {row.answer[:40]!r} is no word of {self.domain.name}")
            renamed, numbers = numbered(problem, asked)
            number = {thing: place for place, thing in numbers.items()}
            own = label._replace(text=number.get(label.text, label.text))
            decision = self.decide(renamed, renamed_question(asked, number), own)
            shown = self._shown(problem, asked, label) if decision.verdict in ("ambiguous", "false") else {}
        except ProbandError as error:
            return RowVerdict(verdict="unread", label=row.answer[:80], unread=Unread(str(error)))
        judged = RowVerdict(
            verdict=decision.verdict,
            label=label.text,
            possible=tuple(numbers.get(each, each) for each in decision.possible),
            right=_as_written(numbers.get(decision.right, decision.right), text.story),
            correction=self._correction(decision.right, own, text.options, row.answer, number, asked),
            reversed=decision.reversed,
            asked=asked,
            facts=problem.facts,
            genders=problem.genders,
            sentences=reading.sentences,
            shapes=reading.shapes,
            proof=decision.proof,
            worlds=shown,
            by_world={
                world: (verdict, tuple(numbers.get(each, each) for each in possible))
                for world, (verdict, possible) in decision.by_world.items()
            },
            notes=("answer leaked",) if text.leaks else (),
        )
        given = bool(row.facts and row.pair)
        return judged if given or not self._to_be_read_twice(judged) else self._read_again(judged, row, reading, text)

    def _correction(
        self,
        right: str,
        label: Label,
        options: Mapping[str, str],
        answer: str,
        number: Mapping[str, str],
        asked: AskedRelation,
    ) -> str:
        """The letter of the only option that is right, written as the answer is."""
        if not (options and right):
            return ""
        read = {
            letter: read_label(text, domain=self.domain, asked=asked, options={}, things=number)
            for letter, text in options.items()
        }
        fits = [
            letter
            for letter, each in read.items()
            if each and fits_label(self.domain, each._replace(text=number.get(each.text, each.text)), right)
        ]
        if len(fits) != 1:
            return ""
        return re.sub(r"[A-Za-z0-9]", fits[0].upper() if answer.upper() == answer else fits[0], answer, count=1)

    def _to_be_read_twice(self, judged: RowVerdict) -> bool:
        twice = self.readers == 2 or (judged.verdict in ACCUSING and not self.templates)
        return self.prover.second_reader is not None and twice

    def _read_again(self, judged: RowVerdict, row: AuditRow, first: Reading, text: RowText) -> RowVerdict:
        """The verdict after the second reader: unread where it reads something else."""
        assert self.prover.second_reader
        cells = (text.text_cell, text.question_cell) if self.prover.reader else (text.story, text.question)
        story, question = (BRACKETED.sub(r"\1", each) for each in cells)
        second = self.prover.second_reader(story, question, row.genders)
        if second.unread:
            return replace(judged, one_reader=True)
        if differ := self._difference(first, second):
            unread = Unread(f"two readers differ: {differ}", "")
            return RowVerdict(verdict="unread", label=row.answer[:80], unread=unread)
        return replace(judged, second_facts=second.facts)

    def _difference(self, first: Reading, second: Reading) -> str:
        """What one reader read and the other did not."""
        if first.question != second.question:
            return "in what is asked"
        one, other = (dict.fromkeys(map(self._one_way, reading.facts)) for reading in (first, second))
        apart = [fact for fact in (*one, *other) if (fact in one) != (fact in other)]
        genders = [{f.who: f.gender for f in r.facts if f.gender} for r in (first, second)]
        clash = next(
            (thing for thing in genders[0] if genders[1].get(thing, genders[0][thing]) != genders[0][thing]), ""
        )
        return " ".join(map(str, apart[0][:3])) if apart else f"in the gender of {clash}" if clash else ""

    def _one_way(self, fact: Fact) -> tuple[str, str, str, bool]:
        """A fact from the side that comes first, so that both ways to state it are the same."""
        turned = (fact.of, self.domain.inverse[fact.relation], fact.who, fact.negated)
        return min((fact.who, fact.relation, fact.of, fact.negated), turned)

    def _decide(self, problem: Problem, asked: AskedRelation, label: Label) -> Decision:
        found = {world: outcome(self.prover, problem, asked, world) for world in self.worlds}
        by_world = {
            world: (self._verdict(problem, asked, label, each, world), each.possible) for world, each in found.items()
        }
        verdicts = {by_world[world][0] for world in self.worlds}
        verdict = verdicts.pop() if len(verdicts) == 1 else DEPENDS
        own = [found[world] for world in self.worlds]
        single = {each.certain[0] if len(each.certain) == 1 else "" for each in own}
        right = single.pop() if len(single) == 1 and verdict != DEPENDS else ""
        possible = tuple(dict.fromkeys(answer for each in own for answer in each.possible))
        proves = verdict in ("entailed", "false") and bool(right)
        return Decision(
            verdict=verdict,
            possible=() if verdict == DEPENDS else possible,
            right="" if right == OTHER else right,
            reversed=verdict == "false" and asked.word is None and self._reversed(problem, label),
            proof=self._proof(problem, asked, found[self.world]) if proves else (),
            by_world=by_world,
        )

    def _verdict(self, problem: Problem, asked: AskedRelation, label: Label, found: PossibleAnswers, world: str) -> str:
        word = label.word
        if self.prover.beyond and word and word.relation not in (*self.domain.inverse, OTHER):
            return self.prover.beyond(problem, word, world)
        return verdict_of(self.domain, label, asked, found)

    def _reversed(self, problem: Problem, label: Label) -> bool:
        """Is the label right for the question turned around?"""
        turned = problem._replace(question=problem.question[::-1])
        asked = AskedRelation(*turned.question)
        found = (outcome(self.prover, turned, asked, world) for world in self.worlds)
        if label.word is None or label.word.relation not in self.domain.inverse:
            return False
        return all(verdict_of(self.domain, label, asked, each) == "entailed" for each in found)

    def _shown(self, problem: Problem, asked: AskedRelation, label: Label) -> dict[str, Any]:
        """Two worlds: one with the label, if there is one, and one without."""
        if not (asked.who and asked.of):
            return {}
        worlds = self.prover.solve(problem, self.world, True).worlds
        wanted = Label(asked.word, "") if asked.word else label
        fits = [answer for answer in worlds if fits_label(self.domain, wanted, answer)]
        rest = sorted((answer for answer in worlds if answer not in fits), key=lambda answer: answer == OTHER)
        return {answer: worlds[answer] for answer in (*fits[:1], *rest[:1])}

    def _proof(self, problem: Problem, asked: AskedRelation, found: PossibleAnswers) -> tuple[int, ...]:
        """Few facts from which the answer follows: the shortest path between the two things along which it does, or
        what is left when facts that are not needed are left out one by one."""
        if asked.who and asked.of:
            for path in islice(_paths(problem), PATHS_TRIED):
                if self._enough(problem, asked, path, found):
                    return path
        return fewest(len(problem.facts), lambda numbers: self._enough(problem, asked, numbers, found))

    def _enough(self, problem: Problem, asked: AskedRelation, numbers: Sequence[int], found: PossibleAnswers) -> bool:
        if len(numbers) == len(problem.facts):
            return True
        fewer = problem._replace(facts=tuple(problem.facts[n] for n in numbers))
        if asked.word is not None:
            try:
                return outcome(self.prover, fewer, asked, self.world) == found
            except ProbandError:  # with fewer facts it is more than can be asked
                return False
        if len(found.possible) > 1:
            return self.prover.solve(fewer, self.world).certain == found.certain
        return next(_paths(fewer), None) is not None and self.prover.follows(fewer, found.certain[0], self.world)

    def choices(self, judged: RowVerdict) -> tuple[str, ...]:
        """The answers that a reply may give; none where the question is not for a relation."""
        return () if judged.asked.word else tuple(dict.fromkeys(self.domain.shown.values()))

    def credits(self, answer: str, judged: RowVerdict) -> bool | None:
        """Is an answer the one that follows? None where none does."""
        right = self.domain.word(judged.right) if judged.verdict in DECIDED else None
        return None if right is None else self.domain.word(answer) == right

    def shape(self, sentence: str, question: str) -> str:
        """A sentence without its names, so that sentences of one template are one kind."""
        return self.grammar.shape(sentence, self.grammar.names(sentence, question)).text if sentence else ""

    def is_inconsistent(self, judged: RowVerdict, numbers: Sequence[int]) -> bool:
        """Do these facts of a row contradict each other?"""
        facts = tuple(judged.facts[number] for number in numbers)
        return not outcome(self.prover, judged.problem(facts), judged.asked, self.world).possible

    def prove_twice(self, judged: RowVerdict) -> tuple[Set[str], Set[str]] | None:
        """What the second prover leaves possible, from the facts that the second reader read, where it did."""
        if not (judged.asked.who and judged.asked.of):
            return None
        one, other = (
            judged.problem(tuple(fact for fact in facts if not fact.negated))
            for facts in (judged.facts, judged.second_facts or judged.facts)
        )
        return set(self.prover.solve(one, self.world).possible), self.prover.check(other, self.world)

    def describe(self, world: Any) -> Any:
        return self.prover.describe(world)

    def draw(self, world: Any, pair: tuple[str, str], answer: str) -> str:
        return self.prover.draw(world, pair, answer)


def one_owner(text: str, question: str) -> tuple[str, str]:
    """`my cat` is the cat, where nobody else owns anything.

    >>> one_owner("My cat is bigger than my fish.", "Is my fish smaller?")
    ('The cat is bigger than the fish.', 'Is the fish smaller?')
    """
    owners = {each.lower() for each in OWNERS.findall(f"{text} {question}")}
    if len(owners) != 1:
        return text, question
    only = re.compile(rf"\b{owners.pop()}\b(?= [a-z])", re.IGNORECASE)
    one, other = (only.sub(lambda m: "The" if m[0][0].isupper() else "the", cell) for cell in (text, question))
    return one, other


def _as_written(answer: str, story: str) -> str:
    """A thing with the capitals that the story writes it with."""
    if not answer or answer in story:
        return answer
    written = re.search(rf"(?i)\b{re.escape(answer)}\b", story)
    return written[0] if written else answer


def renamed_question(asked: AskedRelation, number: Mapping[str, str]) -> AskedRelation:
    a, b = (number.get(each, each) for each in asked.pair)
    return asked._replace(who=a, of=b, among=tuple(number[each] for each in asked.among))


def numbered(problem: Problem, asked: AskedRelation) -> tuple[Problem, dict[str, str]]:
    """The problem with things numbered as they come, those of the question first, and sentences forgotten; and which
    thing has which number.

    >>> numbered(Problem((Fact("Al", "left", "Bo", None, False, 3),), ("Bo", "Al")), AskedRelation("Bo", "Al"))
    (Problem(facts=(Fact(who='#1', relation='left', of='#0', gender=None, negated=False, sentence=-1),), \
question=('#0', '#1'), genders=()), {'#0': 'Bo', '#1': 'Al'})
    """
    number: dict[str, str] = {}
    for thing in (*asked.pair, *asked.among, *(thing for fact in problem.facts for thing in (fact.who, fact.of))):
        if thing:
            number.setdefault(thing, f"#{len(number)}")
    facts = tuple(f._replace(who=number[f.who], of=number[f.of], sentence=-1) for f in problem.facts)
    genders = sorted((number[thing], gender) for thing, gender in problem.genders if thing in number)
    a, b = (number.get(each, "") for each in problem.question)
    return Problem(facts, (a, b), tuple(genders)), {own: thing for thing, own in number.items()}


def fewest(facts: int, enough: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    """Numbers of facts that are enough and of which none can be left out: each is, one by one, where it can."""
    kept = tuple(range(facts))
    for number in range(facts):
        fewer = tuple(each for each in kept if each != number)
        if fewer and enough(fewer):
            kept = fewer
    return kept


def _paths(problem: Problem) -> Iterator[tuple[int, ...]]:
    """The numbers of the facts on the ways between the two things that meet nothing twice, the shortest first."""
    near: dict[str, list[tuple[str, int]]] = {}
    for number, fact in enumerate(problem.facts):
        if not fact.negated:
            near.setdefault(fact.who, []).append((fact.of, number))
            near.setdefault(fact.of, []).append((fact.who, number))
    start, goal = problem.question
    waiting: list[tuple[tuple[str, ...], tuple[int, ...]]] = [((start,), ())]
    for met, path in waiting:
        if met[-1] == goal:
            yield path
        elif len(waiting) < 20 * PATHS_TRIED:
            waiting += [((*met, there), (*path, number)) for there, number in near.get(met[-1], ()) if there not in met]
