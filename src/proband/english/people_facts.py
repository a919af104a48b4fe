"""The facts about people that any reader collects: facts by number, identities, and facts with names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from proband.core.types import Fact
from proband.english.domain import Domain, Word
from proband.english.people import Discourse, People
from proband.english.reading import Reading, Unread
from proband.english.tokens import NotRead

MORE: Final = "it does not only state relations, and may change what other sentences mean"
FUNCTIONAL: Final = ("parent", "spouse")  # a person has at most one of each gender


class PeopleFacts:
    """The people of a text by number, unnamed ones last, with the statements about them."""

    def __init__(self, domain: Domain, people: People, *, topical: bool = False) -> None:
        self.domain, self.people = domain, people
        self.name = dict(enumerate(people.names))
        if titled := next((name for name in people.names if " " in name and domain.word(name.split()[0])), ""):
            raise NotRead(f"it is unclear whether {titled!r} is a title or a relation")
        self.discourse = Discourse({one: people.gender(one) for one in self.name}, topical=topical)
        self.same: dict[int, int] = {}
        self.facts: list[tuple[int, Word, int, int]] = []  # who, relation, of, sentence
        self.by_kin: dict[tuple[int, Word], int] = {}
        self.groups: dict[int, tuple[int, ...]] = {}  # the two of *their*
        self.facts_denied: list[tuple[int, Word, int, int]] = []
        self.number = 0

    def described(self, of: int, word: Word) -> int:
        """A person described only by kinship: *Ann's mother* is one person, *Ann's brother* may be one of several."""
        of, named = self.one(of), self._known(of, word)
        if word.relation in FUNCTIONAL and word.gender and len(named) == 1:
            return named.pop()
        if named:
            kin = self.domain.word_for(word)
            raise NotRead(f"it is unclear which {kin} of {self.name.get(of, 'someone')} is meant")
        one = self.new()
        self.by_kin[of, word] = one
        self.discourse.genders[one] = word.gender
        self.facts.append((one, word, of, self.number))
        return one

    def has_named(self, of: int, word: Word) -> bool:
        """Does a person have such kin, all named, and possibly more? Then another mention is one more person."""
        known = self._known(of, word)
        return bool(known) and known <= self.name.keys() and word.relation not in FUNCTIONAL

    def _known(self, of: int, word: Word) -> set[int]:
        return {self.one(who) for who, own, to, _ in self.facts if (own, self.one(to)) == (word, self.one(of))}

    def new(self) -> int:
        """The number of a new unnamed person."""
        return max((*self.name, *self.by_kin.values(), *self.groups, -1)) + 1

    def one(self, one: int) -> int:
        while one in self.same:
            one = self.same[one]
        return one

    def merge(self, unnamed: int, one: int) -> None:
        unnamed, one = self.one(unnamed), self.one(one)
        if unnamed != one:
            self.same[unnamed] = one
            genders = self.discourse.genders
            genders[one] = genders.get(one) or genders.get(unnamed)

    def settled(self, *, genders: bool = True) -> tuple[Fact, ...]:
        """The facts with names; NotRead if a person would have two genders or be their own relative."""
        for (of, word), unnamed in self.by_kin.items():
            named = self._known(of, word) & self.name.keys()
            if word.relation in FUNCTIONAL and word.gender and len(named) == 1:
                self.merge(unnamed, named.pop())
        facts: dict[Fact, None] = {}
        stated: dict[int, str] = {}
        expanded = [(w, word, o, n) for w, word, of, n in self.facts for o in self.groups.get(of, (of,))]
        married: dict[tuple[int, int], int] = {}  # by sentence
        for who, word, of, number in expanded:
            who, of = self.one(who), self.one(of)
            for a, b in ((who, of), (of, who)) if word.relation == "spouse" else ():
                if married.setdefault((a, number), b) != b:
                    raise NotRead("it is unclear which two people are married")
            name = self.label(who)
            if who == of:
                raise NotRead(f"{name} would be a relative of himself or herself")
            for gender in (word.gender, self.people.gender(who)) if genders else ():
                if gender and stated.setdefault(who, gender) != gender:
                    raise NotRead(f"{name} is {stated[who]} according to one word and {gender} according to another")
            facts[Fact(name, word.relation, self.label(of), word.gender, False, number)] = None
        for who, word, of, number in self.facts_denied:
            name, other = self.label(self.one(who)), self.label(self.one(of))
            facts[Fact(name, word.relation, other, word.gender, True, number)] = None
        return tuple(facts)

    def label(self, one: int) -> str:
        if one in self.name:
            return self.name[one]
        if one in self.groups:
            return " and ".join(map(self.label, self.groups[one]))
        of, word = next(key for key, each in self.by_kin.items() if each == one)
        of = self.groups.get(of, (of,))[0]
        return f"{self.label(self.one(of))}'s {self.domain.word_for(word)}"


def linked(reading: Reading, asked: Collection[str]) -> Reading:
    """The reading, or unread if it lacks a person asked about or an unnamed person may link the two."""
    if reading.unread:
        return reading
    named = {name for fact in reading.facts for name in (fact.who, fact.of)}
    if missing := next((name for name in asked if name not in named), ""):
        return replace(reading, unread=Unread(f"no fact that was read is about {missing}"))
    if len(asked) == 2 and any("'s " in name for name in named):
        met = waiting = [next(iter(asked))]
        for here in waiting:
            near = {f.who if f.of == here else f.of for f in reading.facts if here in (f.who, f.of)}
            waiting += sorted(near - set(met))
        if not set(asked) <= set(met):
            return replace(reading, unread=Unread(f"an unnamed person may link {' and '.join(asked)}"))
    return reading
