"""The verdict on one row: read its facts and its question, run the prover, compare the label with the answer.

A row is *read* when two readings lead the prover to the same verdict; readings are those of two models, of two prompts
of one model, or offline of the phrases of the domain and of a parse. Facts in columns and sentences of known templates
need one. With a single reading the verdict is marked *one reading*; if two differ, the row is unread. A label is
*accused* only if its row is read and both readings agree on every pair of things that the verdict depends on.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from proband.core.errors import ProbandError
from proband.english import tokens
from proband.english.domain import OTHER, Domain
from proband.english.labels import read_label, split_options
from proband.english.mentions import grammar_of
from proband.english.reading import AskedRelation, Label, Reading, TextReader, Unread
from proband.english.things import BRACKETED
from proband.proof.answers import fits_label, outcome
from proband.proof.decisions import ACCUSING, DECIDED, NOTHING_ASKED, Decider, RowVerdict, paths
from proband.proof.discourse import pattern
from proband.proof.problem import Problem, Prover
from proband.proof.rows import AuditRow

LEAK: Final = re.compile(
    r"(?i)^(?:[^.?!]*\b)?(?:answer|label|solution|target|hint|spoiler)s?\b(?: here| of this| to the question)?"
    r"(?: is| was| would be| must be|:|\s*=|,)*\s*[\"'(\[]*(?P<word>[\w -]+?)[\"')\]]*[.!]?$"
)
Related = RowVerdict | Reading  # what has facts and genders
LIKE: Final = 1 / 3  # of the stems of two names that mean one thing
COLUMNS: Final = "columns"  # the reader of rows with facts in columns


class RowText(NamedTuple):
    """A row as the readers see it."""

    story: str
    question: str
    options: Mapping[str, str]
    leaks: tuple[str, ...]


class RowReader(NamedTuple):
    """Reads rows: the phrases of a domain, a parse, a model with a prompt."""

    name: str
    read: Callable[[AuditRow, RowText], Reading]


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
        """The possible answers according to each of two provers; None if only one of them can judge the question."""

    def describe(self, world: Any) -> Any: ...  # as JSON

    def draw(self, world: Any, pair: tuple[str, str], answer: str) -> str: ...  # as SVG


@dataclass(frozen=True, kw_only=True)
class JudgedDomain(ABC):
    """A domain with its own judge, which a package adds (entry point `proband.domains`). `gym_world`: set where
    `name` is also a task of reasoning-gym, to the world that the task is about ("" for all)."""

    name: str
    worlds: Mapping[str, str]  # name -> what holds in it
    gym_world: str | None = None

    @abstractmethod
    def judge(self, world: str) -> Judge:
        """The judge for one world, or for all if it is empty."""


class RowJudge:
    """Judges rows of one domain in the named world, or in all. `readers` replace those of the domain; rows from known
    `templates` need one reader."""

    def __init__(
        self, domain: Domain, prover: Prover, world: str = "", *, templates: bool = False,
        readers: Sequence[RowReader] = (),
    ) -> None:  # fmt: skip
        self.domain, self.prover, self.describe, self.draw = domain, prover, prover.describe, prover.draw
        self.named, self.name, self.complete = world, domain.name, prover.complete
        self.world_descriptions = domain.worlds
        self.worlds: tuple[str, ...] = (world,) if world else tuple(domain.worlds)
        self.world = self.worlds[0]
        self.grammar = grammar_of(domain)
        self._relation = "|".join(f"(?:{pattern.pattern})" for pattern in domain.words.values())
        self.decider = Decider(domain, prover, self.worlds)
        self.one_is_enough = templates and not readers
        own = {"phrases": self.grammar, "parse": None if self.one_is_enough else prover.second_reader}
        offline = [RowReader(name, partial(self._offline, read)) for name, read in own.items() if read]
        self.readers, self.offline = tuple(readers or offline), not readers

    # ---- reading -----------------------------------------------------------------------------------------------------

    def read(self, row: AuditRow) -> tuple[Reading, RowText] | Unread:
        """The first reader's reading of a row, if no other reader contradicts it."""
        read = self._readings(row, self.readers)
        if isinstance(read, Unread):
            return read
        text, readings = read
        if unread := next((each.unread for each in readings.values() if each.unread), None):
            return unread
        first, *others = readings.values()
        if others and (differ := self._difference(first, others[0])):
            return Unread(f"two readings {differ}")
        return first, text

    def _readings(self, row: AuditRow, readers: Sequence[RowReader]) -> tuple[RowText, Mapping[str, Reading]] | Unread:
        """A row as each reader reads it, checked."""
        if row.bad:
            return Unread(row.bad)
        if row.facts and row.pair:
            words = [(fact, self.domain.word(fact.relation)) for fact in row.facts]
            facts = tuple(fact._replace(relation=word.relation, gender=word.gender) for fact, word in words if word)
            if (unknown := next((fact.relation for fact, word in words if word is None), None)) is not None:
                return Unread(f"{unknown!r} is not a word of {self.domain.name}")
            given = RowText(row.text, row.question, split_options(row.question)[1], ())
            return given, {COLUMNS: Reading(facts=facts, question=AskedRelation(*row.pair))}
        text = self._text(row)
        if isinstance(text, Unread):
            return text
        return text, {reader.name: self._checked(reader.read(row, text), text) for reader in readers}

    def _offline(self, reader: TextReader, row: AuditRow, text: RowText) -> Reading:
        """By the phrases of the domain, or by a parse, which takes names without their brackets."""
        story, question = text.story, text.question
        if reader is not self.grammar:
            story, question = (BRACKETED.sub(r"\1", each) for each in (story, question))
        return reader(story, question, row.genders)

    def _checked(self, reading: Reading, text: RowText) -> Reading:
        """A reading whose question is about two things and that contradicts no unambiguous first name."""
        asked = reading.question
        if reading.unread:
            return reading
        if asked is None or (asked.who and asked.who == asked.of):
            return Reading(unread=Unread("the question is about one thing, not two", text.question))
        if not reading.facts:
            return Reading(unread=Unread("the story states no fact", text.story))
        genders = [(fact.who, fact.gender) for fact in reading.facts if not fact.negated]
        for name, gender in (*genders, *reading.genders.items()):
            certain = self.prover.certain_genders(name) if gender else None
            if certain and certain != gender:
                return Reading(unread=Unread(f"the reading makes {name} {gender}, and the name is {certain}"))
        return reading

    def answers(self, row: AuditRow) -> bool:
        """Does the first reader read the row, and is its label an answer to its question?"""
        read = self._readings(row, self.readers[:1])
        if isinstance(read, Unread):
            return False
        text, (reading,) = read[0], read[1].values()
        return not reading.unread and self.label_of(row.answer, reading, text.options) is not None

    def says_more(self, text: str) -> str:
        """A word that makes a relation more specific: *elder* brother, *paternal* grandmother."""
        words = self.domain.raw.get("says_more")
        match = re.search(rf"(?i)\b({'|'.join(words)})[ -]+(?=\w)(?:{self._relation})\b", text) if words else None
        return match[1].lower() if match else ""

    def label_of(self, answer: str, reading: Reading, options: Mapping[str, str]) -> Label | None:
        """The meaning of a label or an answer, given the question of a reading."""
        things = dict.fromkeys(thing for fact in reading.facts for thing in (fact.who, fact.of))
        asked = reading.question or NOTHING_ASKED
        return read_label(answer, domain=self.domain, asked=asked, options=options, things=things)

    def _text(self, row: AuditRow) -> RowText | Unread:
        """The story, the question and its options, which may be in one cell."""
        stem, options = split_options(row.question, is_answer=self.domain.word)
        sentences, names = tokens.sentences(stem), self.grammar.names(row.text or stem, stem)
        try:
            place, _ = self.grammar.place_of_question(sentences, names)
        except tokens.NotRead as error:
            asks = [number for number, sentence in enumerate(sentences) if "?" in sentence or "___" in sentence]
            if not asks:
                return Unread(str(error), error.sentence)
            place = asks[-1]
        if more := next((each for each in sentences[place + 1 :] if not pattern("formatting").fullmatch(each)), ""):
            return Unread("a sentence after the question may change it", more)
        parts = [*tokens.sentences(row.text), *sentences[:place]]
        leaks = tuple(each for each in parts if (leak := LEAK.match(each)) and self.domain.word(leak["word"]))
        story, question = " ".join(s for s in parts if s not in leaks), sentences[place] if sentences else ""
        for form in () if self.one_is_enough else self.domain.raw.get("unclear", ()):
            if unclear := re.search(self.domain.expand(form), f"{story} {question}"):
                return Unread(f"{unclear[0][-40:]!r} may have another meaning")
        return RowText(story, question, options, leaks)

    def _problem(self, row: AuditRow, reading: Reading, asked: AskedRelation) -> Problem:
        """The problem with the gender of each thing: from the source, else from its words, the text, or the name."""
        things = {*filter(None, asked.pair), *(thing for fact in reading.facts for thing in (fact.who, fact.of))}
        stated = {fact.who: fact.gender for fact in reading.facts if fact.gender and not fact.negated}
        given = {thing: gender for thing, gender in row.genders.items() if thing in things}
        genders = {thing: self.prover.genders(thing) for thing in things} | dict(reading.genders) | stated | given
        return Problem(reading.facts, asked.pair, tuple(sorted(genders.items())))

    # ---- deciding ----------------------------------------------------------------------------------------------------

    def judge(self, row: AuditRow) -> RowVerdict:
        read = self._readings(row, self.readers)
        if isinstance(read, Unread):
            return _unread(row, read)
        text, readings = read
        judged = [self._judged(row, reading, text, reader=name) for name, reading in readings.items()]
        decided = [each for each in judged if each.verdict != "unread"]
        if len(decided) > 1:
            return self._agreed(row, decided)
        first = next(iter(decided), judged[0])
        return replace(first, one_reading=bool(decided) and not self.one_is_enough and COLUMNS not in readings)

    def _judged(self, row: AuditRow, reading: Reading, text: RowText, *, reader: str) -> RowVerdict:
        """The verdict by one reading."""
        if reading.unread:
            return _unread(row, reading.unread)
        asked = reading.question or NOTHING_ASKED
        label = self.label_of(row.answer, reading, text.options)
        if label and label.pair:
            asked, label = asked._replace(who=label.pair[0], of=label.pair[1]), label._replace(pair=None)
        problem = self._problem(row, reading, asked)
        try:
            if more := self.says_more(row.answer) or (self.says_more(text.question) if asked.word else ""):
                raise ProbandError(f"{more!r} is more specific than a relation, and the facts do not determine it")
            if label is None:
                raise ProbandError(f"the answer {row.answer[:40]!r} is not a word of {self.domain.name}")
            decision = self.decider.decide(problem, asked, label)
            if doubt := "" if reader == COLUMNS or self.one_is_enough else self._doubt(decision, problem, label):
                raise ProbandError(doubt)
            shown = self._shown(problem, asked, label) if decision.verdict in ("ambiguous", "false") else {}
        except ProbandError as error:
            return _unread(row, Unread(str(error)))
        return replace(
            decision,
            label=label.text,
            right=_as_written(decision.right, text.story),
            correction=self._correction(decision.right, text.options, row.answer, replace(reading, question=asked)),
            sentences=reading.sentences,
            shapes=reading.shapes,
            worlds=shown,
            readers=(reader,),
            notes=("answer leaked",) if text.leaks else (),
        )

    def _doubt(self, decision: RowVerdict, problem: Problem, label: Label) -> str:
        """What else the text may mean, if it decides whether the label follows. Models know nicknames."""
        if self.offline and decision.verdict == "inconsistent" and not self.prover.contradictory(problem):
            return "the facts read fit no world, perhaps because a sentence or name has another meaning"
        unlinked = self.offline and decision.verdict == "ambiguous" and next(paths(problem), None) is None
        for one, other, merged in self.prover.one_person(problem, unlinked=unlinked):
            asked = decision.asked.renamed({other: one})
            decided = self.decider.decide(merged, asked, label._replace(text=one) if label.text == other else label)
            for (before, _), (after, _) in zip(decision.by_world.values(), decided.by_world.values()):
                if after != "inconsistent" and (before == "entailed") != (after == "entailed"):
                    return f"the text leaves open whether {one} and {other} are the same person"
        return ""

    def _agreed(self, row: AuditRow, judged: Sequence[RowVerdict]) -> RowVerdict:
        """The common verdict of several readings, if they agree."""
        first, readers = judged[0], tuple(name for each in judged for name in each.readers)
        for other in judged[1:]:
            if differ := self._verdict_difference(first, other):
                return replace(_unread(row, Unread(f"two readings {differ}")), disagree=True, readers=readers)
        same = all(_same_thing(each.right, first.right) for each in judged)
        return replace(first, readers=readers, right=first.right if same else "")

    def _verdict_difference(self, first: RowVerdict, second: RowVerdict) -> str:
        """How two readings differ in their verdict, or in what an accusation depends on; empty if they agree."""
        one, other = ([verdict for verdict, _ in each.by_world.values()] for each in (first, second))
        if one != other:
            both = (f"{each.verdict} ({each.readers[0]})" for each in (first, second))
            return f"lead to different verdicts: {', '.join(both)}"
        if first.verdict not in ACCUSING:
            return ""
        if first.asked.word != second.asked.word or not all(map(_same_thing, first.asked.pair, second.asked.pair)):
            return "differ in what is asked"
        if not _same_thing(first.right, second.right):
            return f"differ in what follows: {first.right or 'nothing'} or {second.right or 'nothing'}"
        return self._difference(first, second)

    def _difference(self, first: Related, second: Related) -> str:
        """How two readings differ in two things that the verdict depends on; empty if they agree. Unnamed people are
        compared through the named ones."""
        things = [list(dict.fromkeys(t for f in each.facts for t in (f.who, f.of))) for each in (first, second)]
        both = matched_things(*things, nouns=self.domain.nouns)
        back = {other: thing for thing, other in both.items()}
        contradictory = isinstance(first, RowVerdict) and first.verdict == "inconsistent"
        pairs: dict[tuple[str, str], None] = {}
        for each, own in ((first, both), (second, back)):
            proof = each.proof if isinstance(each, RowVerdict) else ()
            for fact in [each.facts[n] for n in proof] or each.facts:
                if fact.who in own and fact.of in own:
                    pairs[(fact.who, fact.of) if own is both else (back[fact.who], back[fact.of])] = None
                elif contradictory or not (self._is_unnamed(fact.who) or self._is_unnamed(fact.of)):
                    return f"differ in {fact.who} {fact.relation} {fact.of}"
        for a, b in pairs:
            if self._possible(first, (a, b)) != self._possible(second, (both[a], both[b])):
                return f"differ in what {a} is to {b}"
        return ""

    def _is_unnamed(self, thing: str) -> bool:
        """Is this an unnamed person (Ann's mother, the brother of Bo)?"""
        return not self.domain.nouns and any(self.domain.word(word.lower()) for word in re.findall(r"[\w-]+", thing))

    def _possible(self, reading: Related, pair: tuple[str, str]) -> frozenset[str]:
        genders = reading.genders if isinstance(reading.genders, tuple) else tuple(sorted(reading.genders.items()))
        try:
            possible = self.prover.solve(Problem(reading.facts, pair, genders), self.world).possible
            own = [f for f in reading.facts if {f.who, f.of} == {*pair}]
            stated = (f"{f.relation if f.who == pair[0] else self.domain.inverse[f.relation]} {f.gender}" for f in own)
            return frozenset(possible or stated)  # none is possible if the facts contradict each other
        except ProbandError:
            return frozenset((f"too much to search: {reading.facts}",))

    def _correction(self, right: str, options: Mapping[str, str], answer: str, reading: Reading) -> str:
        """The only option that is right: its letter if the answer is a letter, else its text."""
        read = {letter: self.label_of(text, reading, {}) for letter, text in options.items()} if right else {}
        fits = [letter for letter, each in read.items() if each and fits_label(self.domain, each, right)]
        if len(fits) != 1:
            return ""
        letter = answer.strip("()[]. ")
        right = fits[0].upper() if letter.isupper() else fits[0]
        return answer.replace(letter, right) if letter.lower() in options else options[fits[0]]

    def _shown(self, problem: Problem, asked: AskedRelation, label: Label) -> dict[str, Any]:
        """Two worlds: one in which the label holds, if any, and one in which it does not."""
        if not (asked.who and asked.of):
            return {}
        worlds = self.prover.solve(problem, self.world, True).worlds
        wanted = Label(asked.word, "") if asked.word else label
        fits = [answer for answer in worlds if fits_label(self.domain, wanted, answer)]
        rest = sorted((answer for answer in worlds if answer not in fits), key=lambda answer: answer == OTHER)
        return {answer: worlds[answer] for answer in (*fits[:1], *rest[:1])}

    def choices(self, judged: RowVerdict) -> tuple[str, ...]:
        """The possible answers of a reply; none if the question does not ask for a relation."""
        return () if judged.asked.word else tuple(dict.fromkeys(self.domain.shown.values()))

    def credits(self, answer: str, judged: RowVerdict) -> bool | None:
        """Is this the answer that follows? None if none follows."""
        right = self.domain.word(judged.right) if judged.verdict in DECIDED else None
        return None if right is None else self.domain.word(answer) == right

    def shape(self, sentence: str, question: str) -> str:
        """A sentence without its names: the same for all sentences of a template; as it is where a name is unclear."""
        try:
            return self.grammar.shape(sentence, self.grammar.names(sentence, question)).text if sentence else ""
        except tokens.NotRead:
            return sentence

    def is_inconsistent(self, judged: RowVerdict, numbers: Sequence[int]) -> bool:
        """Do these facts of a row contradict each other?"""
        problem = judged.problem(tuple(judged.facts[number] for number in numbers))
        return not outcome(self.prover, problem, judged.asked, self.world).possible

    def prove_twice(self, judged: RowVerdict) -> tuple[Set[str], Set[str]] | None:
        """The possible answers according to each prover."""
        if not (judged.asked.who and judged.asked.of):
            return None
        problem = judged.problem(tuple(fact for fact in judged.facts if not fact.negated))
        return set(self.prover.solve(problem, self.world).possible), self.prover.check(problem, self.world)


def _unread(row: AuditRow, unread: Unread) -> RowVerdict:
    return RowVerdict(verdict="unread", label=row.answer[:80], unread=unread)


def _same_thing(one: str, other: str) -> bool:
    return one == other or bool(matched_things([one], [other], nouns=True))


def matched_things(one: Sequence[str], other: Sequence[str], *, nouns: bool) -> dict[str, str]:
    """Which names of two readings mean the same: equal names; of the rest, people by all their words and things by most
    of their stems, most similar first.

    >>> matched_things(["Leopold", "sister of Leopold"], ["Leopold's sister", "Leopold"], nouns=False)
    {'Leopold': 'Leopold', 'sister of Leopold': "Leopold's sister"}
    >>> matched_things(["sheets ironed", "sheets hung out"], ["hanging out the sheets", "ironing sheets"], nouns=True)
    {'sheets ironed': 'ironing sheets', 'sheets hung out': 'hanging out the sheets'}
    """
    both = {thing: thing for thing in one if thing in other}
    stems = {each: _stems(each, 4 if nouns else 40) for each in (*one, *other)}
    likeness = {
        (a, b): len(stems[a] & stems[b]) / len(stems[a] | stems[b])
        for a in one
        for b in other
        if a not in both and b not in both and stems[a] & stems[b]
    }
    for (a, b), like in sorted(likeness.items(), key=lambda each: -each[1]):
        if like >= (LIKE if nouns else 1.0) and a not in both and b not in both.values():
            both[a] = b
    return both


def _stems(name: str, length: int) -> set[str]:
    words = (word for word in re.findall(r"\w+", name.lower()) if word not in ("the", "a", "an", "of", "s"))
    return {word[:length] for word in words}


def _as_written(answer: str, story: str) -> str:
    """A thing with the capitals of the story."""
    written = None if answer in story else re.search(rf"(?i)\b{re.escape(answer)}\b", story)
    return written[0] if written else answer
