"""Reading kin facts out of English: which person is which relation of whom.

For every kin word the reader looks for its owner (Ann's, her, whose, the ... of Ann, Ann has a ...) and for the person
it names (brother Ben; brother, Ben; Ben, Ann's brother; Ben is ...). Pronouns follow one rule: they refer to the topic,
which is the first person of the sentence who is not an owner; `who` and a conjunction followed by a name move it.
A strict reading (our templates) notes every breach as a problem. A free reading (other people's stories) falls back
on the nearest person of the right gender.

>>> read_facts("Ann rang her aunt Bea, who was out with her husband Carl.", {"Ann": "female", "Bea": "female"} |
...            {"Carl": "male"}).facts
[('Ann', 'aunt', 'Bea'), ('Bea', 'husband', 'Carl')]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations

from proband.suites.kinship.couples import married, together
from proband.suites.kinship.lexicon import (
    ADVERBS,
    ARTICLES,
    COPULA,
    HAVING,
    KIN,
    NAMED,
    OWNING,
    PRONOUN,
    SAYING,
    SUBJECT,
    SWITCH,
)
from proband.suites.kinship.line import Line, resplit
from proband.suites.kinship.relations import word
from proband.suites.kinship.tokens import Token, sentences

SPOUSE = Token("spouse", kin=KIN["spouse"])
Fact = tuple[str, str, str]  # owner, relation word, person: "person is the word of owner"


@dataclass
class Reading:
    facts: list[Fact] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass
class Noun:
    """A kin word in its sentence: where its phrase begins and ends, its owners, whom it names, and how."""

    at: int
    begin: int
    owners: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    left: bool = False  # the person stands before the word, so a coordinated word may share him


def read_facts(text: str, genders: Mapping[str, str | None], *, strict: bool = False) -> Reading:
    """All facts of a text about the people in `genders` (None: gender unknown)."""
    reader = _Reader(dict(genders), strict)
    for sentence in sentences(text, genders.keys()):
        for part in resplit(sentence):
            reader.sentence(part)
    return reader.reading


class _Reader:
    def __init__(self, genders: dict[str, str | None], strict: bool) -> None:
        self.genders, self.strict = genders, strict
        self.reading = Reading()
        self.line = Line([])
        self.topic: str | None = None
        self.recent: list[str] = []  # people by last mention, newest last
        self.group: tuple[str, ...] = ()  # whom "their" means
        self.speaker: str | None = None
        self.unnamed: Noun | None = None  # "her brother", whose name the next sentence may tell
        self.unnamed_token: Token | None = None

    def problem(self, what: str) -> None:
        if what not in self.reading.problems:
            self.reading.problems.append(what)

    # ---- one sentence ----------------------------------------------------------------------------------------------

    def sentence(self, tokens: list[Token]) -> None:
        self.line = Line(tokens, strict=self.strict)
        self.nouns: list[Noun] = []
        self.topics = self._topics()
        self._find_speaker()
        self._check_pronouns()
        self._name_is()
        for at, token in enumerate(tokens):
            if token.name:
                if token.text in self.recent:
                    self.recent.remove(token.text)
                self.recent.append(token.text)
            elif token.kin is not None:
                self._kin(at)
            elif token.text == "married" and (couple := married(self.line, at)):
                self._add(couple[0], SPOUSE, couple[1])
        self.topic = self.first_topic
        run = self.line.names_from(next((i for i, t in enumerate(tokens) if t.name), len(tokens)))
        if len(run) > 1:
            self.group = run

    def _topics(self) -> list[str | None]:
        """The topic at each token."""
        topic, settled, out = self.topic, False, []
        for i, token in enumerate(self.line.tokens):
            before = self.line.at(i - 1)
            if not settled and token.text in SUBJECT and not token.name:
                topic = self._resolve_subject(token, topic)
                settled = True
                self.first_topic = topic
            elif token.text == "who":
                topic = self.line.name_before(i) or topic
            elif token.name and not self.line.is_owner(i):
                if not settled and not (before.text == "of" and self.line.at(i - 2).kin is not None):
                    topic, settled = token.text, True
                    self.first_topic = topic
                elif settled and (before.text in SWITCH or self.line.new_clause(i)):
                    topic = token.text
            out.append(topic)
        if not settled:
            self.first_topic = topic
        return out

    def _resolve_subject(self, token: Token, topic: str | None) -> str | None:
        if self.strict or topic is None or self.genders.get(topic) in (None, PRONOUN[token.text]):
            return topic
        return self._nearest(PRONOUN[token.text]) or topic

    def _find_speaker(self) -> None:
        for i, token in enumerate(self.line.tokens):
            if token.text in SAYING:
                near = self.line.at(i + 1) if self.line.at(i + 1).name else self.line.at(i - 1)
                if near.name:
                    self.speaker = near.text

    def _check_pronouns(self) -> None:
        for i, token in enumerate(self.line.tokens):
            if self.strict and not token.name and token.text in PRONOUN:
                topic = self.topics[i]
                if topic is None:
                    self.problem(f"nobody for {token.text!r} to refer to")
                elif self.genders.get(topic) not in (None, PRONOUN[token.text]):
                    self.problem(f"{token.text!r} refers to {topic}, who is {self.genders[topic]}")

    def _check_rivals(self, i: int) -> None:
        """`Ann's sister Bea rang her aunt`: whose aunt? The owner of the topic is too near to be ruled out."""
        topic, gender = self.topics[i], PRONOUN[self.line.at(i).text]
        first = next((j for j, t in enumerate(self.line.tokens) if t.name), i)
        for j, token in enumerate(self.line.tokens[:i] if self.strict else []):
            named = self.line.is_owner(j) or (self.line.at(j - 1).text == "of" and self.line.at(j - 2).kin is not None)
            rival = token.text if token.name and named else None
            if token.text in OWNING and j < first:  # Her sister Bea rang her aunt
                rival = self.topics[j]
            if rival not in (None, topic) and self.genders.get(rival or "") in (None, gender):
                self.problem(f"{self.line.at(i).text!r} may mean {topic} or {rival}")

    def _nearest(self, gender: str) -> str | None:
        return next((n for n in reversed(self.recent) if self.genders.get(n) in (None, gender)), None)

    def _antecedent(self, i: int) -> str | None:
        """Whom the pronoun at i means."""
        topic = self.topics[i]
        if self.strict or (topic is not None and self.genders.get(topic) in (None, PRONOUN[self.line.at(i).text])):
            return topic
        return self._nearest(PRONOUN[self.line.at(i).text])

    def _name_is(self) -> None:
        """`Ann rang her brother. His name is Ben.`"""
        words = [t.text for t in self.line.tokens[:3]]
        if (
            self.unnamed
            and self.unnamed_token
            and words[1:] in (["name", "is"], ["name", "was"])
            and self.line.at(3).name
        ):
            for owner in self.unnamed.owners:
                self._add(owner, self.unnamed_token, self.line.at(3).text)
        self.unnamed = None

    # ---- one kin word ----------------------------------------------------------------------------------------------

    def _kin(self, at: int) -> None:
        token = self.line.tokens[at]
        assert token.kin is not None
        if not token.kin.neutral or (self.line.at(at + 1).text == "'s" and self.line.at(at + 2).kin is not None):
            self.problem(f"{token.text!r} is none of the 22 relations")
            return
        noun = Noun(at, at)
        while noun.begin > 0 and self.line.is_adjective(noun.begin - 1):
            noun.begin -= 1
        people = together(self.line, noun.at, noun.begin) if token.kin.neutral in ("sibling", "spouse") else ()
        if people is None:  # the first word of `brother and sister`
            return
        for a, b in combinations(people, 2):
            self._add(a, Token(token.text, kin=token.kin._replace(gender=None)), b)
        if people:
            return
        after = self._owner(noun)
        self._person(noun, after)
        self.nouns.append(noun)
        if noun.owners and not noun.people:
            self.unnamed, self.unnamed_token = noun, token
        if not noun.owners or not noun.people:
            self.problem(f"{token.text!r} has no {'person' if noun.owners else 'owner'}")
        for owner in noun.owners:
            for person in noun.people:
                self._add(owner, token, person)

    def _add(self, owner: str, token: Token, person: str) -> None:
        assert token.kin is not None
        if owner == person:
            self.problem(f"{owner} would be the {token.text} of {person}")
            return
        gender = self.genders.get(person)
        if token.kin.gender is not None and gender is not None and gender != token.kin.gender:
            self.problem(f"{person} is {gender} but called a {token.text}")
        told = token.kin.gender or gender
        if told is None:
            self.problem(f"the gender of {person} is not told")
            return
        fact = (owner, word(token.kin.neutral, told), person)
        if fact not in self.reading.facts:
            self.reading.facts.append(fact)

    def _owner(self, noun: Noun) -> int:
        """Find the owners; returns the place after the phrase (after `of NAME` where that is what tells the owner)."""
        left, i = self.line.at(noun.begin - 1), noun.begin - 1
        after = noun.at + 1
        if left.text in ("'s", "'") and self.line.at(i - 1).name:
            noun.owners, noun.begin = self._owner_names(i - 1)
        elif left.text in OWNING:
            owner = self._antecedent(i)
            self._check_rivals(i)
            noun.owners, noun.begin = (owner,) if owner else (), i
        elif left.text in ("their", "whose", "my"):
            noun.begin = i
            noun.owners = self._special_owner(left.text, i)
        elif of := self._of(after):
            noun.owners = self._listed_owners(of)
            noun.begin = i if left.text in ARTICLES else noun.begin
            after = of + 1
        elif left.text in ARTICLES or left.text in HAVING:
            noun.begin = i if left.text in ARTICLES else noun.begin
            self._indefinite(noun)
        elif left.text in ("and", ",", "or") and self.nouns and self.nouns[-1].owners:
            noun.owners = self.nouns[-1].owners
        elif self.line.at(noun.at).title and self.line.at(after).name and self.topics[noun.at]:
            noun.owners = (self.topics[noun.at] or "",)
        return after

    def _owner_names(self, i: int) -> tuple[tuple[str, ...], int]:
        """`Ann's`, or in a free reading `Ann and Ben's` at the head of a sentence."""
        if not self.strict and self.line.at(i - 1).text == "and" and i == 2 and self.line.at(0).name:
            return (self.line.at(0).text, self.line.at(2).text), 0
        return (self.line.at(i).text,), i

    def _of(self, i: int) -> int:
        """The place of the name in `of Ann`, `to Ann`, `of the lovely Ann`; 0 if there is none."""
        if self.line.at(i).text not in ("of", "to"):
            return 0
        i += 1
        while not self.strict and (self.line.at(i).text in ARTICLES or self.line.is_adjective(i)):
            i += 1
        return i if self.line.at(i).name else 0

    def _listed_owners(self, i: int) -> tuple[str, ...]:
        """`the mother of Ann and Ben`, but `the mother of Ann, and Ben is ...`."""
        listed = self.line.names_from(i)
        ends = next((j for j in range(len(self.line.tokens) - 1, i, -1) if self.line.at(j).text == listed[-1]), i)
        return listed[:1] if self.strict or self.line.at(ends + 1).text in COPULA else listed

    def _special_owner(self, pronoun: str, i: int) -> tuple[str, ...]:
        if pronoun == "whose":
            name = self.line.name_before(i)
            return (name,) if name else ()
        if pronoun == "my":
            return (self.speaker,) if self.speaker else ()
        self.problem("'their' with a kin word tells more than one fact")
        first = next((j for j, t in enumerate(self.line.tokens[:i]) if t.name), None)
        run = self.line.coordinated(first) if first is not None else ()
        return run if len(run) > 1 else self.group

    def _indefinite(self, noun: Noun) -> None:
        """`Ann has a brother ...`, and `Ann became a mother when Ben was born`."""
        verb = self.line.at(noun.begin - 1).text
        if verb == "to" and self.line.at(noun.begin - 2).text == "birth":
            verb = "had"
        if verb in HAVING or (verb == "and" and self.nouns):
            topic = self.topics[noun.begin]
            noun.owners = (topic,) if verb in HAVING and topic else self.nouns[-1].owners if self.nouns else ()
        elif verb in ("became", "becomes"):
            born = [i for i, t in enumerate(self.line.tokens) if t.text == "born" and i > noun.at]
            topic = self.topics[noun.begin]
            if born and topic and (child := self.line.name_before(born[0])):
                noun.owners, noun.people = (child,), (topic,)

    def _person(self, noun: Noun, after: int) -> None:
        """Find whom the word names: to its right, else to its left."""
        if noun.people:
            return
        kin = self.line.at(noun.at).kin
        plural = kin is not None and kin.plural
        i = after
        if self.line.at(i).text == ",":
            i += 1
        if self.line.at(i).text in NAMED:
            i += 1
        elif [self.line.at(i + j).text for j in range(4)] == ["by", "the", "name", "of"]:
            i += 4
        elif i == after and self.line.at(i).text in COPULA:
            j = i + 1 + (self.line.at(i + 1).text in NAMED)
            i = j if self.line.at(j).name and not self.line.is_owner(j) else i
        right = self.line.names_from(i)
        left = tuple(name for name in self._person_left(noun) if name not in noun.owners)
        if right and left and i == after + 1:  # NAME, her brother, NAME: which?
            if self.strict:
                self.problem(f"{self.line.at(noun.at).text!r} may name {left[0]} or {right[0]}")
            right = ()
        noun.people = (right if plural else right[:1]) or left
        noun.left = not right and bool(left)

    def _person_left(self, noun: Noun) -> tuple[str, ...]:
        i = noun.begin - 1
        while self.line.at(i).text in ADVERBS:
            i -= 1
        before = self.line.at(i)
        if before.text in (",", "(") and self.line.at(i - 1).name:
            return (self.line.at(i - 1).text,)
        if before.text in COPULA:
            if self.line.at(i - 1).name and not self.line.is_owner(i - 1):
                return (self.line.at(i - 1).text,)
            if self.line.at(i - 1).text == "who":
                return tuple(filter(None, [self.line.name_before(i)]))
            if self.line.at(i - 1).text == "this":
                return tuple([n for n in self.recent if n != self.speaker][-1:])
            topic = self.topics[noun.at]
            return (topic,) if topic and self.line.at(i - 1).text in SUBJECT else ()
        if before.text == "and" and self.nouns and self.nouns[-1].left and self.nouns[-1].people:
            return self.nouns[-1].people
        return ()
