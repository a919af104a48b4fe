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

from proband.suites.kinship.lexicon import (
    ADJECTIVES,
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
from proband.suites.kinship.relations import word
from proband.suites.kinship.tokens import Token, sentences

Fact = tuple[str, str, str]  # owner, relation word, person: "person is the word of owner"
END = Token("")


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
        reader.sentence(sentence)
    return reader.reading


class _Reader:
    def __init__(self, genders: dict[str, str | None], strict: bool) -> None:
        self.genders, self.strict = genders, strict
        self.reading = Reading()
        self.topic: str | None = None
        self.recent: list[str] = []  # people by last mention, newest last
        self.group: tuple[str, ...] = ()  # whom "their" means
        self.speaker: str | None = None

    def problem(self, what: str) -> None:
        if what not in self.reading.problems:
            self.reading.problems.append(what)

    # ---- one sentence ----------------------------------------------------------------------------------------------

    def sentence(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.nouns: list[Noun] = []
        self.topics = self._topics()
        self._find_speaker()
        self._check_pronouns()
        for at, token in enumerate(tokens):
            if token.name:
                if token.text in self.recent:
                    self.recent.remove(token.text)
                self.recent.append(token.text)
            elif token.kin is not None:
                self._kin(at)
            elif token.text == "married":
                self._married(at)
        self.topic = self.first_topic
        run = self._names_from(next((i for i, t in enumerate(tokens) if t.name), len(tokens)))
        if len(run) > 1:
            self.group = run

    def at(self, i: int) -> Token:
        return self.tokens[i] if 0 <= i < len(self.tokens) else END

    def is_owner(self, i: int) -> bool:
        """Is the name at i followed by 's?"""
        after = self.at(i + 1).text
        return after == "'s" or (after == "'" and self.at(i).text.endswith("s"))

    def _topics(self) -> list[str | None]:
        """The topic at each token."""
        topic, settled, out = self.topic, False, []
        for i, token in enumerate(self.tokens):
            before = self.at(i - 1)
            if not settled and token.text in SUBJECT and not token.name:
                topic = self._resolve_subject(token, topic)
                settled = True
                self.first_topic = topic
            elif token.text == "who":
                topic = self._name_before(i) or topic
            elif token.name and not self.is_owner(i):
                if not settled and not (before.text == "of" and self.at(i - 2).kin is not None):
                    topic, settled = token.text, True
                    self.first_topic = topic
                elif settled and (before.text in SWITCH or self._new_clause(i)):
                    topic = token.text
            out.append(topic)
        if not settled:
            self.first_topic = topic
        return out

    def _resolve_subject(self, token: Token, topic: str | None) -> str | None:
        if self.strict or topic is None or self.genders.get(topic) in (None, PRONOUN[token.text]):
            return topic
        return self._nearest(PRONOUN[token.text]) or topic

    def _new_clause(self, i: int) -> bool:
        """Does `and NAME verb` begin a clause, rather than end a list of names?"""
        if self.at(i - 1).text != "and":
            return False
        last = self.at(i - 3) if self.at(i - 2).text == "," else self.at(i - 2)
        after = self.at(i + 1)
        verb = after.text.isalpha() and after.kin is None and after.text not in ("and", "or", "with")
        return verb and (not last.name or last.text == self.at(i).text)

    def _name_before(self, i: int) -> str | None:
        return next((t.text for t in reversed(self.tokens[:i]) if t.name), None)

    def _find_speaker(self) -> None:
        for i, token in enumerate(self.tokens):
            if token.text in SAYING:
                near = self.at(i + 1) if self.at(i + 1).name else self.at(i - 1)
                if near.name:
                    self.speaker = near.text

    def _check_pronouns(self) -> None:
        for i, token in enumerate(self.tokens):
            if self.strict and not token.name and token.text in PRONOUN:
                topic = self.topics[i]
                if topic is None:
                    self.problem(f"nobody for {token.text!r} to refer to")
                elif self.genders.get(topic) not in (None, PRONOUN[token.text]):
                    self.problem(f"{token.text!r} refers to {topic}, who is {self.genders[topic]}")

    def _check_rivals(self, i: int) -> None:
        """`Ann's sister Bea rang her aunt`: whose aunt? The owner of the topic is too near to be ruled out."""
        topic, gender = self.topics[i], PRONOUN[self.at(i).text]
        for j, token in enumerate(self.tokens[:i] if self.strict else []):
            owns = self.is_owner(j) or (self.at(j - 1).text == "of" and self.at(j - 2).kin is not None)
            if token.name and owns and token.text != topic and self.genders.get(token.text) in (None, gender):
                self.problem(f"{self.at(i).text!r} may mean {topic} or {token.text}")

    def _nearest(self, gender: str) -> str | None:
        return next((n for n in reversed(self.recent) if self.genders.get(n) in (None, gender)), None)

    def _antecedent(self, i: int) -> str | None:
        """Whom the pronoun at i means."""
        topic = self.topics[i]
        if self.strict or (topic is not None and self.genders.get(topic) in (None, PRONOUN[self.at(i).text])):
            return topic
        return self._nearest(PRONOUN[self.at(i).text])

    # ---- one kin word ----------------------------------------------------------------------------------------------

    def _kin(self, at: int) -> None:
        token = self.tokens[at]
        assert token.kin is not None
        if not token.kin.neutral:
            self.problem(f"{token.text!r} is none of the 22 relations")
            return
        noun = Noun(at, at)
        while noun.begin > 0 and self._is_adjective(noun.begin - 1):
            noun.begin -= 1
        if token.kin.neutral in ("sibling", "spouse") and self._pair(noun):
            return
        after = self._owner(noun)
        self._person(noun, after)
        self.nouns.append(noun)
        if not noun.owners or not noun.people:
            self.problem(f"{token.text!r} has no {'person' if noun.owners else 'owner'}")
        for owner in noun.owners:
            for person in noun.people:
                self._add(owner, token, person)

    def _is_adjective(self, i: int) -> bool:
        token = self.at(i)
        return not token.name and (token.text in ADJECTIVES or token.text.endswith("-old"))

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
        left, i = self.at(noun.begin - 1), noun.begin - 1
        after = noun.at + 1
        if left.text in ("'s", "'") and self.at(i - 1).name:
            noun.owners, noun.begin = self._owner_names(i - 1)
        elif left.text in OWNING:
            owner = self._antecedent(i)
            self._check_rivals(i)
            noun.owners, noun.begin = (owner,) if owner else (), i
        elif left.text in ("their", "whose", "my"):
            noun.begin = i
            noun.owners = self._special_owner(left.text, i)
        elif self.at(after).text in ("of", "to") and self.at(after + 1).name:
            noun.owners = self._names_from(after + 1)[: 1 if self.strict else None]
            noun.begin = i if left.text in ARTICLES else noun.begin
            after += 2
        elif left.text in ARTICLES or left.text in HAVING:
            noun.begin = i if left.text in ARTICLES else noun.begin
            self._indefinite(noun)
        elif left.text in ("and", ",", "or") and self.nouns and self.nouns[-1].owners:
            noun.owners = self.nouns[-1].owners
        elif self.at(noun.at).title and self.at(after).name and self.topics[noun.at]:
            noun.owners = (self.topics[noun.at] or "",)
        return after

    def _owner_names(self, i: int) -> tuple[tuple[str, ...], int]:
        """`Ann's`, or in a free reading `Ann and Ben's` at the head of a sentence."""
        if not self.strict and self.at(i - 1).text == "and" and i == 2 and self.at(0).name:
            return (self.at(0).text, self.at(2).text), 0
        return (self.at(i).text,), i

    def _special_owner(self, pronoun: str, i: int) -> tuple[str, ...]:
        if pronoun == "whose":
            name = self._name_before(i)
            return (name,) if name else ()
        if pronoun == "my":
            return (self.speaker,) if self.speaker else ()
        self.problem("'their' with a kin word tells more than one fact")
        first = next((j for j, t in enumerate(self.tokens[:i]) if t.name), None)
        run = self._coordinated(first) if first is not None else ()
        return run if len(run) > 1 else self.group

    def _coordinated(self, i: int) -> tuple[str, ...]:
        """NAME and [her sister] NAME ...: everyone joined to the name at i."""
        people = [self.at(i).text]
        while True:
            j = i + 1
            while self.at(j).text in (",", "and") or self.at(j).text in OWNING or self._is_adjective(j):
                j += 1
            if self.at(j).kin is not None and j > i + 1:
                j += 1 + (self.at(j + 1).text == ",")
            if j == i + 1 or not self.at(j).name or self.is_owner(j):
                return tuple(people)
            people.append(self.at(j).text)
            i = j

    def _indefinite(self, noun: Noun) -> None:
        """`Ann has a brother ...`, and `Ann became a mother when Ben was born`."""
        verb = self.at(noun.begin - 1).text
        if verb in HAVING or (verb == "and" and self.nouns):
            topic = self.topics[noun.begin]
            noun.owners = (topic,) if verb in HAVING and topic else self.nouns[-1].owners if self.nouns else ()
        elif verb in ("became", "becomes"):
            born = [i for i, t in enumerate(self.tokens) if t.text == "born" and i > noun.at]
            topic = self.topics[noun.begin]
            if born and topic and (child := self._name_before(born[0])):
                noun.owners, noun.people = (child,), (topic,)

    def _person(self, noun: Noun, after: int) -> None:
        """Find whom the word names: to its right, else to its left."""
        if noun.people:
            return
        plural = self.tokens[noun.at].kin is not None and self.tokens[noun.at].kin.plural  # type: ignore[union-attr]
        i = after
        if self.at(i).text == ",":
            i += 1
        if self.at(i).text in NAMED:
            i += 1
        elif i == after and self.at(i).text in COPULA:
            j = i + 1 + (self.at(i + 1).text in NAMED)
            i = j if self.at(j).name and not self.is_owner(j) else i
        right = self._names_from(i)
        left = self._person_left(noun)
        if right and left and i == after + 1:  # NAME, her brother, NAME: which?
            if self.strict:
                self.problem(f"{self.at(noun.at).text!r} may name {left[0]} or {right[0]}")
            right = ()
        noun.people = (right if plural else right[:1]) or left
        noun.left = not right and bool(left)

    def _person_left(self, noun: Noun) -> tuple[str, ...]:
        i = noun.begin - 1
        while self.at(i).text in ADVERBS:
            i -= 1
        before = self.at(i)
        if before.text in (",", "(") and self.at(i - 1).name:
            return (self.at(i - 1).text,)
        if before.text in COPULA:
            if self.at(i - 1).name and not self.is_owner(i - 1):
                return (self.at(i - 1).text,)
            if self.at(i - 1).text == "who":
                return tuple(filter(None, [self._name_before(i)]))
            if self.at(i - 1).text == "this":
                return tuple([n for n in self.recent if n != self.speaker][-1:])
            topic = self.topics[noun.at]
            return (topic,) if topic and self.at(i - 1).text in SUBJECT else ()
        if before.text == "and" and self.nouns and self.nouns[-1].left and self.nouns[-1].people:
            return self.nouns[-1].people
        return ()

    def _names_from(self, i: int) -> tuple[str, ...]:
        """NAME, NAME and NAME from place i on."""
        people: list[str] = []
        while self.at(i).name:
            people.append(self.at(i).text)
            if self.is_owner(i):
                break
            j = i + 1
            while self.at(j).text in (",", "and"):
                j += 1
            if j == i + 1 or not self.at(j).name:
                break
            i = j
        return tuple(people)

    # ---- relations told of two people at once ----------------------------------------------------------------------

    def _pair(self, noun: Noun) -> bool:
        """`Ann and Bea are sisters`, `Ann and Ben, brother and sister`, `the brothers Ben and Carl`."""
        token, i = self.tokens[noun.at], noun.begin - 1
        if self.at(noun.at - 1).text == "and" and (other := self.at(noun.at - 2).kin):
            if token.kin and other.neutral == token.kin.neutral and other.gender != token.kin.gender:
                return bool(self._each_other(noun.at - 2, noun.at + 1))
        if self.at(noun.at + 1).text == "and" and (other := self.at(noun.at + 2).kin):
            if token.kin and other.neutral == token.kin.neutral and other.gender != token.kin.gender:
                return self._owner_left(i) is False and bool(self._each_other(noun.begin, noun.at + 3, add=False))
        if token.kin is None or not token.kin.plural or self._owner_left(i):
            return False
        return bool(self._each_other(noun.begin, noun.at + 1))

    def _owner_left(self, i: int) -> bool:
        return self.at(i).text in ("'s", "'", "their", "whose", "my", *HAVING, *OWNING)

    def _each_other(self, begin: int, end: int, *, add: bool = True) -> tuple[str, ...]:
        people: tuple[str, ...] = ()
        i = begin - 1
        while self.at(i).text in ARTICLES or self._is_adjective(i):
            i -= 1
        if self.at(i).text in COPULA or self.at(i).text in (",", "as"):
            people = self._names_until(i - 1)
        if len(people) < 2:
            people = self._names_from(end + (self.at(end).text == ","))
        if len(people) < 2:
            return ()
        if add:
            kin = self.tokens[end - 1]
            for a in people:
                for b in people:
                    if a < b and kin.kin is not None:
                        self._add(a, Token(kin.text, kin=kin.kin._replace(gender=None)), b)
        return people

    def _names_until(self, i: int) -> tuple[str, ...]:
        people: list[str] = []
        while self.at(i).name:
            people.insert(0, self.at(i).text)
            j = i - 1
            while self.at(j).text in (",", "and"):
                j -= 1
            if j == i - 1:
                break
            i = j
        return tuple(people)

    def _married(self, at: int) -> None:
        """`Ann married Ben`, `Ann is married to Ben`, `Ann and Ben got married`."""
        i = at + 1 + (self.at(at + 1).text == "to")
        left = next((j for j in range(at - 1, -1, -1) if self.at(j).name and not self.is_owner(j)), None)
        if left is None:
            return
        if self.at(i).name:
            people = (self.at(left).text, self.at(i).text)
        else:
            people = self._names_until(left)[-2:]
        if len(people) == 2:
            neutral = KIN_SPOUSE
            self._add(people[0], neutral, people[1])


KIN_SPOUSE = Token("spouse", kin=KIN["spouse"])
