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

from proband.suites.kinship.reading.lexicon import ADVERBS, ARTICLES, COPULA, HAVING, KIN, NAMED, OWNING, SUBJECT
from proband.suites.kinship.reading.pronouns import Discourse
from proband.suites.kinship.reading.sentence import WordToken, married, resplit, sentences, together
from proband.suites.kinship.world.relations import word

SPOUSE = WordToken("spouse", kin=KIN["spouse"])
Fact = tuple[str, str, str]  # owner, relation word, person: "person is the word of owner"


@dataclass
class GrammarReading:
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


def read_facts(text: str, genders: Mapping[str, str | None], *, strict: bool = False) -> GrammarReading:
    """All facts of a text about the people in `genders` (None: gender unknown)."""
    reader = _Reader(dict(genders), strict)
    for sentence in sentences(text, genders.keys()):
        for part in resplit(sentence):
            reader.sentence(part)
    return GrammarReading(reader.facts, reader.problems)


class _Reader(Discourse):
    def __init__(self, genders: dict[str, str | None], strict: bool) -> None:
        super().__init__(genders, strict)
        self.facts: list[Fact] = []
        self.nouns: list[Noun] = []
        self.unnamed: tuple[tuple[str, ...], WordToken] | None = None  # "her brother", whose name may be told next

    def sentence(self, tokens: list[WordToken]) -> None:
        self.begin(tokens)
        self.nouns = []
        self._name_is()
        for at, token in enumerate(tokens):
            if token.name:
                self.mention(token.text)
            elif token.kin is not None:
                self._kin(at)
            elif token.text == "married" and (couple := married(self.line, at)):
                self._add(couple[0], SPOUSE, couple[1])
        self.end()

    def _name_is(self) -> None:
        """`Ann rang her brother. His name is Ben.`"""
        words = [token.text for token in self.line.tokens[1:3]]
        if self.unnamed and words in (["name", "is"], ["name", "was"]) and self.line.at(3).name:
            owners, kin = self.unnamed
            for owner in owners:
                self._add(owner, kin, self.line.at(3).text)
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
            self._add(a, WordToken(token.text, kin=token.kin._replace(gender=None)), b)
        if people:
            return
        after = self._owner(noun)
        self._person(noun, after)
        self.nouns.append(noun)
        if noun.owners and not noun.people:
            self.unnamed = (noun.owners, token)
        if not noun.owners or not noun.people:
            self.problem(f"{token.text!r} has no {'person' if noun.owners else 'owner'}")
        for owner in noun.owners:
            for person in noun.people:
                self._add(owner, token, person)

    def _add(self, owner: str, token: WordToken, person: str) -> None:
        assert token.kin is not None
        if owner == person:
            self.problem(f"{owner} would be the {token.text} of {person}")
            return
        gender = self.genders.get(person)
        if token.kin.gender is not None and gender is not None and gender != token.kin.gender:
            self.problem(f"{person} is {gender} but called a {token.text}")
        known = token.kin.gender or gender
        if known is None:
            self.problem(f"the gender of {person} is not told")
            return
        fact = (owner, word(token.kin.neutral, known), person)
        if fact not in self.facts:
            self.facts.append(fact)

    def _owner(self, noun: Noun) -> int:
        """Find the owners; returns the place after the phrase (after `of NAME` where that is what tells the owner)."""
        left, i = self.line.at(noun.begin - 1), noun.begin - 1
        after = noun.at + 1
        if left.text in ("'s", "'") and self.line.at(i - 1).name:
            noun.owners, noun.begin = self._owner_names(i - 1)
        elif left.text in OWNING:
            owner = self.antecedent(i)
            self.check_rivals(i)
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
