"""Noun phrases that refer to people: names, pronouns, possessives, of-phrases, apposition and lists.

    people  = person ("," person)* "and" person
    person  = (NAME | pronoun | owner kin [names] | the kin of people [names]) ("'s" kin [names])* [apposition]
    owner   = people "'s" | his, her, their, my, your, whose
    names   = NAME | ", " NAME "," | "named" NAME | "(" NAME ")"; of a plural: a list of them

Each rule moves the cursor and notes what the phrase says (`statements.py`), or leaves both as they were and returns
nothing. A phrase that can be read in two ways is not understood.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from proband.suites.kinship.reading.lexicon import Kin
from proband.suites.kinship.reading.people_words import (
    ACQUAINTANCES,
    ADJECTIVES,
    AFTER_OCCUPATION,
    AFTER_OWNED_YOUTH,
    AFTER_THE_TWO,
    ARTICLES,
    BEFORE_OCCUPATION,
    CHILD_ALONE,
    GREAT_OF,
    HE_SHE,
    KIN_ARE_IN,
    MAKES_A_CHILD,
    NAMING,
    NOT_A_STRANGER_AFTER,
    NOT_AFTER_KIN,
    NOT_KIN_IN,
    NUMBERS,
    OCCUPATIONS,
    OF_SEVERAL,
    ORDINALS,
    OWNED_YOUTH,
    PASSED_OVER,
    POSSESSED,
    POSSESSIVE,
    PRONOUNS,
    STRANGERS,
    TWINS,
    YOUTH,
    is_count,
)
from proband.suites.kinship.reading.plain_words import is_plain
from proband.suites.kinship.reading.statements import Event, Kinship, Mention, Person, Same
from proband.suites.kinship.reading.tokens import KIN, MARK, NAME, NotUnderstood, Token
from proband.suites.kinship.world.relations import FEMALE, INVERSE

END: Final = Token("end", "")


@dataclass(frozen=True)
class Nominal:
    """A kin word with what stands before it: `two older sisters`."""

    relation: str
    gender: str | None
    plural: bool
    count: int = 0
    text: str = ""


class NounPhrases:
    """A cursor over the tokens of a sentence; what was read so far is in `events`."""

    def __init__(self, tokens: Sequence[Token], *, speaker: Person, addressee: Person | None) -> None:
        self.tokens = tokens
        self.at = 0
        self.events: list[Event] = []
        self.speaker, self.addressee = speaker, addressee
        self.relative: tuple[Person, ...] = ()  # whom `whose` means
        self.quoted = False
        self.list_owner: Person | None = None  # in `her mother Ann, her aunt Bea and her cousin`
        self.clause_is_complete = False  # what follows a comma may be a clause of its own

    # ---- the cursor --------------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Token:
        at = self.at + ahead
        return self.tokens[at] if 0 <= at < len(self.tokens) else END

    def text(self, ahead: int = 0) -> str:
        """The word or mark; nothing for a name."""
        token = self.peek(ahead)
        return "" if token.kind == NAME else token.text

    def take(self, *words: str) -> bool:
        """Move over these words, if they come next."""
        if any(self.text(ahead) != word for ahead, word in enumerate(words)):
            return False
        self.at += len(words)
        return True

    def _skip(self, words: frozenset[str]) -> None:
        while self.text() in words:
            self.at += 1

    def save(self) -> tuple[int, int]:
        return self.at, len(self.events)

    def restore(self, saved: tuple[int, int]) -> None:
        self.at = saved[0]
        del self.events[saved[1] :]

    def fail(self, why: str = "") -> NotUnderstood:
        around = " ".join(token.text for token in self.tokens[max(0, self.at - 2) : self.at + 4])
        return NotUnderstood(f"{why}: {around!r}" if why else f"{around!r}")

    def ends(self, ahead: int = 0) -> bool:
        """Does a phrase end here?"""
        token = self.peek(ahead)
        return token is END or token.text in (".", "!", ";", ")", ",", "-", ":", "?")

    # ---- lists -------------------------------------------------------------------------------------------------------

    def people(self, *, tight: bool = False) -> list[Person] | None:
        """A person, or several joined by commas and `and`. `tight`: after a comma, names alone."""
        saved = self.save()
        begun = self.text() in POSSESSIVE
        self.take("both")
        if (owners := self._joint_owners()) is None:
            first = self.person()
            if first is None:
                self.restore(saved)
                return None
        else:
            first = self._owned(owners)
        everyone = list(first)
        while True:
            before = self.save()
            comma = self.take(",")
            last = self.take("and")
            if not (comma or last):
                break
            if tight and not self._continues_tightly(comma=comma, first=last and len(everyone) == 1):
                self.restore(before)
                break
            possessed = next((e.person for e in self.events[saved[1] :] if isinstance(e, Mention)), None)
            self.list_owner = possessed if begun and possessed and possessed.pronoun else None
            further = self._listed(last=last)
            self.list_owner = None
            if further is None:
                self.restore(before)
                break
            everyone += further
            if last:
                break
        if len(everyone) > 1:
            self._group_apposition(everyone)
        return everyone

    def _group_apposition(self, everyone: list[Person]) -> None:
        """`Anna and Ben, Carl's parents, moved`."""
        saved = self.save()
        if not self.take(","):
            return
        if len(everyone) == 2 and (self.take("a", "married", "couple") or self.take("husband", "and", "wife")):
            if not self.take(","):
                raise self.fail("a couple?")
            self.each_other(everyone, Nominal("spouse", None, False))
            return
        kin = self.kin_titles()
        if kin is None or not self.ends() or not all(nominal.plural for _, nominal in kin):
            self.restore(saved)
            return
        self.take(",")
        for owners, nominal in kin:
            for person in everyone:
                self.relate(owners, nominal, person)

    def _continues_tightly(self, *, comma: bool, first: bool) -> bool:
        """In `of Ann and ...`: is what follows a further name, and not a further title (`and Bea's aunt`)?"""
        if self.peek().kind == NAME:
            return not self._owns(0) and not (comma and first)
        return not comma and self.text() in POSSESSIVE

    def _listed(self, *, last: bool) -> list[Person] | None:
        """A further person of a list. After a comma alone the list must go on, up to its `and`."""
        saved = self.save()
        if self.text() in ("whose", "he", "she", "they", "we"):
            return None
        further = self.person()
        if further is None or self.begins_a_clause():
            self.restore(saved)
            return None
        if not last:
            rest = self.save()
            goes_on = (self.take(",") or True) and (self.take("and") or self.tokens[self.at - 1].text == ",")
            goes_on = goes_on and self._listed_ahead()
            self.restore(rest)
            if not goes_on:
                self.restore(saved)
                return None
        return further

    def _listed_ahead(self) -> bool:
        return self.peek().kind == NAME or self.text() in POSSESSIVE or self.text() in ARTICLES

    def begins_a_clause(self) -> bool:
        """After `and NAME`: does a verb follow that says something of this person alone?"""
        return self.text() in ("is", "was", "has", "'s")

    # ---- one person --------------------------------------------------------------------------------------------------

    def person(self) -> list[Person] | None:
        """One person, or the several whom a plural kin word names; with apposition."""
        saved = self.save()
        head = self._head()
        if head is None:
            self.restore(saved)
            return None
        while self.text() in POSSESSED and (owned := self._possessed(head)):
            head = owned
        self._apposition(head)
        return head

    def _head(self) -> list[Person] | None:
        token = self.peek()
        if token.kind == NAME:
            self.at += 1
            return self._mention([Person(name=token.text)])
        word = token.text
        if word == "whose":
            self.at += 1
            if not self.relative or self.nominal_ahead() is None:
                raise self.fail("whose?")
            return self._owned(self.relative)
        if word in POSSESSIVE and (self.nominal_ahead(1) or self._acquaintance_ahead(1)):
            self.at += 1
            shared = self.list_owner if self.list_owner and self.list_owner.pronoun == POSSESSIVE[word] else None
            mine = not self.quoted and word in ("my", "our")
            owner = self.speaker if mine else shared or self._owner_of(word)
            if self._acquaintance_ahead():
                return self._acquaintance()
            owner.own = owner.own or (self.text() == "own" and word in ("his", "her"))
            return self._owned((owner,))
        if word == "we":
            self.at += 1
            ours = self.text() in ("have", "'ve", "had") and self.text(1) != "been"
            return self._mention([self.speaker if ours else Person(relation="friend", plural=True)])
        if word in PRONOUNS and (word != "her" or not self._noun_follows()):
            self.at += 1
            person = self._pronoun(word)
            person.oblique = word in ("him", "her", "them")
            return self._mention([person])
        if word == "the" and (couple := self._the_two()):
            return couple
        if word in ("the", "a", "an", "this", "these") or (word == "that" and self.nominal_ahead(1)):
            return self._determined()
        if token.kind == KIN and token.title and self.quoted:
            return self._title()
        return self._siblings()

    def _the_two(self) -> list[Person] | None:
        """`the couple`, `the two of them`, `the pair`: they."""
        saved = self.save()
        self.at += 1
        if self.text() not in ("couple", "pair", "two"):
            self.restore(saved)
            return None
        word = self._take_word()
        self.take("of", "them")
        if not (self.text() in POSSESSED or self.text() in AFTER_THE_TWO or (self.ends() and word == "couple")):
            self.restore(saved)
            return None
        return self._mention([self._third("they", None)])

    def _siblings(self) -> list[Person] | None:
        """`Brothers Ade and Bola`, `Two sisters, Ann and Bea,`: of each other, where nobody owns them."""
        if self.at and self.text(-1) not in (",", "and", "when", "while", "by", "with", "but"):
            return None
        if not (self.peek().kind == KIN or self.text() in NUMBERS):
            return None
        saved = self.save()
        nominal = self.nominal()
        if nominal is None or nominal.relation != "sibling" or not nominal.plural:
            self.restore(saved)
            return None
        people = self._names_of(nominal)
        if not people:
            self.restore(saved)
            return None
        self.each_other(self._mention(people), nominal)
        return people

    def _noun_follows(self) -> bool:
        """Is `her` an owner here: does something follow that can be owned? If in doubt, yes."""
        following = self.peek(1)
        return following.kind not in (MARK, NAME, "end") and following.text not in (
            *("and", "but", "to", "at", "in", "on", "with", "for", "from", "by", "when", "while", "because", "so"),
            *("about", "a", "an", "the", "that", "into", "up", "out", "off", "home", "every", "each", "this", "last"),
        )

    def _pronoun(self, word: str) -> Person:
        meant = PRONOUNS[word]
        if meant == "i":
            return self.speaker
        if meant == "you":
            if self.addressee is None:
                raise self.fail("who is 'you'?")
            return self.addressee
        return self._third(meant, HE_SHE.get(word))

    def _third(self, meant: str, gender: str | None) -> Person:
        talking = (self.speaker, *([self.addressee] if self.addressee and self.quoted else []))
        return Person(pronoun=meant, gender=gender, plural=meant == "they", talking=talking)

    def _owner_of(self, word: str) -> Person:
        meant = POSSESSIVE[word]
        if meant in ("i", "we"):  # what is ours is mine
            return self.speaker
        if meant == "you":
            if self.addressee is None:
                raise self.fail("who is 'you'?")
            return self.addressee
        owner = self._third(meant, HE_SHE.get(word))
        self._mention([owner])
        return owner

    def _mention(self, people: list[Person]) -> list[Person]:
        self.events += [Mention(person) for person in people]
        return people

    def _title(self) -> list[Person] | None:
        """`Grandpa Joe`, `Mum`: in somebody's mouth, of his or her own."""
        token = self.peek()
        assert token.kin is not None
        if token.text in ("father", "mother", "sister", "brother", "son") or token.kin.plural:
            return None
        if token.kin.neutral not in ("parent", "grandparent", "pibling"):
            return None
        self.at += 1
        return self._named(Nominal(token.kin.neutral, token.kin.gender, False, 0, token.text), (self.speaker,))

    # ---- owners ------------------------------------------------------------------------------------------------------

    def _joint_owners(self) -> tuple[Person, ...] | None:
        """`Nancy and David's mother is ...`: the owners, where the mother is of both; the cursor is then before 's."""
        saved = self.save()
        names: list[str] = []
        joined = False
        while self.peek().kind == NAME:
            names.append(self.peek().text)
            self.at += 1
            if joined or self.text() in POSSESSED:
                break
            comma = self.take(",")
            joined = self.take("and")
            if not joined and not comma:
                break
        found = joined and len(set(names)) == len(names) > 1 and self.text() in POSSESSED and self.nominal_ahead(1)
        if not found:
            self.restore(saved)
            return None
        if not self._is_joint(saved[0]):
            raise self.fail("whose, one's or both's?")
        self.at += 1
        people = [Person(name=name) for name in names]
        return tuple(self._mention(people))

    def _is_joint(self, begin: int) -> bool:
        """Is what follows 's of all of them? A plural is; a singular one where verb or place says so."""
        nominal = self.nominal_ahead(1)
        assert nominal is not None
        if nominal.plural:
            return True
        before = self.tokens[begin - 1].text if begin else ""
        if before in ("is", "was", "'s", "be", "became"):
            return True
        saved = self.at
        self.at += 1
        self.nominal()
        if self.peek(1).kind == NAME and self.text() == ",":
            self.at += 2 + (self.text(2) == ",")
        elif self.peek().kind == NAME:
            self.at += 1
        verb = self.peek()
        self.at = saved
        return verb.text in ("is", "was", "has", "'s") or (
            verb.kind == "word" and verb.text[-1:] == "s" and verb.text[-2:] != "ss"
        )

    def _possessed(self, owners: list[Person]) -> list[Person] | None:
        """After a person: `'s mother`. None where 's is a verb or a thing is owned."""
        saved = self.save()
        if self.text(1) == "got":
            return None
        if self.text(1) == "own":
            self.at += 1
        if self.nominal_ahead(1):
            self.at += 1
            return self._owned(tuple(owners))
        if self._acquaintance_ahead(1):
            self.at += 1
            return self._acquaintance()
        self.restore(saved)
        return None

    def _owned(self, owners: Iterable[Person]) -> list[Person]:
        nominal = self.nominal()
        if nominal is None:
            raise self.fail()
        return self._named(nominal, tuple(owners))

    def _acquaintance_ahead(self, ahead: int = 0) -> bool:
        while self.text(ahead) in ADJECTIVES or self.text(ahead) in ("best", "good", "old", "close", "next-door"):
            ahead += 1
        while self.text(ahead) in BEFORE_OCCUPATION:
            ahead += 1
        return self.text(ahead) in OCCUPATIONS and self.text(ahead) not in YOUTH and self.peek(ahead).kind != KIN

    def _acquaintance(self) -> list[Person]:
        """`his friend Kasia`, `Roland's friend`: somebody, of whom no kin is told."""
        while self.text() not in OCCUPATIONS:
            self.at += 1
        plural = self.text().endswith("s") and not self.text().endswith("ss")
        self.at += 1
        if plural:
            return self._mention([Person(plural=True, relation="friend")])
        person = Person(relation="friend")
        if name := self._name_after():
            person.name = name
        return self._mention([person])

    # ---- kin words ---------------------------------------------------------------------------------------------------

    def nominal_ahead(self, ahead: int = 0) -> Nominal | None:
        saved = self.at
        self.at += ahead
        nominal = self.nominal()
        self.at = saved
        return nominal

    def nominal(self) -> Nominal | None:
        """Adjectives and a kin word."""
        saved, count = self.at, 0
        seen: list[str] = []
        while True:
            word = self.text()
            if word == "one" and seen[-1:] == ["little"]:
                break
            if word in NUMBERS:
                count = NUMBERS[word]
            elif not (word in ADJECTIVES or word in ORDINALS or word == "great" or self._is_age(word)):
                break
            if self.peek().kind == KIN and self.peek(1).kind != KIN and self.text(1) not in YOUTH:  # her twin
                break
            seen.append(word)
            self.at += 1
            if self._is_age(word) and self.text() == "old":
                self.at += 1
        kin = self._kin_word(seen) or self._owned_youth(saved)
        if kin is None and self.text() in ("one", "ones") and seen[-1:] == ["little"] and self._is_owned(saved):
            kin = Kin("child", None, self.text() == "ones")
        if kin is None and seen and seen[-1] in CHILD_ALONE and self._is_named_baby(saved):
            self.at -= 1
            kin = Kin("child", None)
        if kin is None:
            self.at = saved
            return None
        if (count > 1) != (count > 1 and kin.plural):
            raise self.fail("one or several?")
        text = self.text()
        self.at += 1
        if "great" in seen and kin.neutral in GREAT_OF:
            raise self.fail("kin outside the 22 relations")
        if ORDINALS & set(seen) and kin.neutral == "spouse":
            raise self.fail("a spouse of several")
        if self.text() in NOT_AFTER_KIN or (self.text() == "in" and self.text(1) in NOT_KIN_IN):
            raise self.fail("no kin")
        return Nominal(kin.neutral, kin.gender, kin.plural, count, text)

    def _indefinite(self) -> Nominal | None:
        """`a daughter`, `three grown sons`, `children`, `a baby girl`, `twins`."""
        if self.text() in ("a", "an", "one", "another"):
            self.at += 1
        elif self.text() in ("the", "his", "her", "their", "no"):
            return None
        saved = self.at
        nominal = self.nominal()
        if nominal is None:
            self.at = saved
            count = 0
            while self.text() in ADJECTIVES or self.text() in NUMBERS or self.text() in ORDINALS:
                if self.text() == "baby" and not (self.text(1) in YOUTH or self.text(1) in ADJECTIVES):
                    break
                count = NUMBERS.get(self.text(), count)
                self.at += 1
            if self.text() in ("baby", "babies"):
                return Nominal("child", None, self._take_word() == "babies", count, "baby")
            if self.text() not in YOUTH:
                return None
            word = self._take_word()
            return Nominal(*YOUTH[word], word.endswith("s"), count, word)
        if nominal.relation == "sibling" and nominal.text in ("twins", "triplets"):
            return Nominal("child", None, True, nominal.count, nominal.text)
        return nominal

    def _indefinite_people(self, of: Nominal) -> list[Person] | None:
        """After `the mother of`: `a girl, Linh, and a boy, Tuan`; `three: Sven, Tilda and Ulf`."""
        found: list[Person] = []
        while True:
            saved = self.save()
            counted = self.text() in NUMBERS and self.text(1) in (":", ",", "(", "-") and NUMBERS[self.text()] > 1
            nominal = Nominal("child", None, True, NUMBERS[self._take_word()]) if counted else self._indefinite()
            if nominal is None or nominal.relation != "child":
                self.restore(saved)
                break
            if self.tokens[self.at - 1].kind == KIN and nominal.text not in TWINS and of.relation != "parent":
                raise self.fail("of whom?")
            name = "" if nominal.plural else self._name_after()
            people = self._names_of(nominal) if nominal.plural else [Person(name=name, gender=nominal.gender)]
            if not people or not people[0].name:
                raise self.fail("of whom?")
            self._mention(people)
            if nominal.text in TWINS:
                self.each_other(people, Nominal("sibling", None, True))
            found += people
            saved = self.save()
            comma = self.take(",") or self.text(-1) == ","
            if not (self.take("and") or comma) or self.text() not in ("a", "an", "one", "two", "three"):
                self.restore(saved)
                break
        return found or None

    def _kin_word(self, adjectives: list[str]) -> Kin | None:
        token = self.peek()
        if token.kind == KIN:
            return token.kin
        if token.text in YOUTH and MAKES_A_CHILD & set(adjectives):
            relation, gender = YOUTH[token.text]
            return Kin(relation, gender, token.text.endswith("s"))
        return None

    def _is_named_baby(self, begin: int) -> bool:
        """`her newborn, Tom,`."""
        if not self._is_owned(begin):
            return False
        return self.text() == "," and self.peek(1).kind == NAME and not self._owns(1)

    def _is_owned(self, begin: int) -> bool:
        before = self.tokens[begin - 1].text if begin else ""
        return before in POSSESSED or before in POSSESSIVE

    def _owned_youth(self, begin: int) -> Kin | None:
        """`Ann's boy Ben`, `her lad, Ben,`; and, of a woman, `her girl`."""
        before = self.tokens[begin - 1].text if begin else ""
        word = self.text()
        if self.at != begin or (before not in POSSESSED and before not in POSSESSIVE):
            return None
        if self.peek(1).kind != NAME and self.text(1) not in AFTER_OWNED_YOUTH:
            return None
        if word in OWNED_YOUTH:
            return Kin(*OWNED_YOUTH[word])
        if before in ("our", "their") and word in YOUTH:
            return Kin(*YOUTH[word], word.endswith("s"))
        return Kin("child", FEMALE) if word == "girl" and before == "her" else None

    def _is_age(self, word: str) -> bool:
        return word.endswith(("-year-old", "-month-old", "-week-old"))

    def _named(self, nominal: Nominal, owners: tuple[Person, ...]) -> list[Person]:
        """The people a kin word names, with what that says."""
        owned_more = self.text() in POSSESSED and not self._is_copula_s()
        if self.take("of", "his", "own") or self.take("of", "her", "own"):
            pass
        if nominal.plural:
            people = [] if owned_more else self._names_of(nominal)
            if not people:
                return self._mention([self._unnamed(nominal, owners)])
        else:
            name = "" if owned_more else self._name_after()
            people = [Person(name=name, gender=nominal.gender)] if name else [self._unnamed(nominal, owners)]
        for person in people:
            self.relate(owners, nominal, person)
        return self._mention(people)

    def _unnamed(self, nominal: Nominal, owners: tuple[Person, ...]) -> Person:
        return Person(
            gender=nominal.gender, plural=nominal.plural, relation=nominal.relation, owners=owners, count=nominal.count
        )

    def relate(self, owners: Iterable[Person], nominal: Nominal, person: Person, **how: bool) -> None:
        person.gender = person.gender or nominal.gender
        self.events += [Kinship(owner, nominal.relation, person, nominal.gender, **how) for owner in owners]

    def _is_copula_s(self) -> bool:
        """Is 's here `is`?"""
        return self.text() == "'s" and (
            self.text(1) in ("a", "an", "the", "not", "called", "named", "married", "my", "his", "her", "their", "your")
            or self.peek(1).kind == NAME
        )

    # ---- names -------------------------------------------------------------------------------------------------------

    def _name_after(self) -> str:
        """The name that says who is meant: `brother Ben`, `brother, Ben,`, `brother named Ben`, `brother (Ben)`."""
        if self.peek().kind == NAME:
            self.at += 1
            return self.peek(-1).text
        saved = self.at
        if self.text() in NUMBERS and self.text(1) == "years" and self.text(2) in ("younger", "older"):
            self.at += 3
        self._pass_age_or_place()
        mark = self.text() if self.text() in (",", "(", "-", ":") else ""
        self.at += bool(mark)
        naming = self.take("named") or self.take("called") or self.take("by", "the", "name", "of")
        naming = naming or (not mark and (self.take("who", "is", "called") or self.take("who", "'s", "called")))
        token = self.peek()
        if token.kind != NAME or not (mark or naming):
            self.at = saved
            return ""
        if mark and self.text(1) in POSSESSED:
            if self.nominal_ahead(2) is None:
                raise self.fail("a name or another person?")
            self.at = saved
            return ""
        self.at += 1
        if mark == "(" and not self.take(")"):
            raise self.fail("a bracket without another")
        if mark in (",", "-") and not self._closes(mark):
            raise self.fail("a name or another person?")
        return token.text

    def _pass_age_or_place(self) -> None:
        """`a boy of six, Obinna`; `a brother, too, named Beto`; `a son in the navy, Eetu`: on to the comma."""
        saved = self.at
        too = self.text() == "," and self.text(1) in ("too", "also") and self.text(2) == ","
        if too or (self.text() == "of" and is_count(self.text(1))):
            self.at += 2
        elif self.text() in ("there", "too", "here", "now"):
            self.at += 1
        elif self.text() in ("in", "at"):
            self.at += 1 + (self.text(1) == "the")
            place = self.peek().kind == "place" and self.text().lower() not in NOT_KIN_IN
            self.at += place or self.text() in KIN_ARE_IN
        named = self.text() == "," and (self.peek(1).kind == NAME or self.text(1) in NAMING)
        if not named or self._owns(1):
            self.at = saved
        elif self.text(1) in NAMING:
            self.at += 1

    def _closes(self, mark: str) -> bool:
        """After `, NAME`: is it the name of the one before, and not part of a list? Moves over the closing comma."""
        if self.text() == "and":
            return self.peek(1).kind != NAME
        if self.text() == mark:
            if self.text(1) == "and" and self.peek(2).kind == NAME and not self._owns(2):
                if self.text(3) not in ("is", "was", "has", "'s"):
                    raise self.fail("a name or a list?")
                return True
            if self.peek(1).kind == NAME and not self._owns(1):
                return False
            self.at += 1
            return True
        return self.ends() or self.text() in (
            "who",
            "whose",
            "with",
            "in",
            "at",
            "when",
            "while",
            "but",
            "for",
            "to",
            "on",
            "(",
        )

    def _owns(self, ahead: int) -> bool:
        return self.text(ahead + 1) in POSSESSED

    def _names_of(self, nominal: Nominal) -> list[Person]:
        """The names of several: `two sons, Bob and Al`. None are told, or as many as there are."""
        saved = self.at
        mark = self.text() if self.text() in (",", "(", ":", "-") else ""
        self.at += bool(mark)
        naming = self.take("named") or self.take("called")
        names = self.names()
        if not names or (self.text() in POSSESSED and not self._is_copula_s()):
            self.at = saved
            return []
        if mark == "(" and not self.take(")"):
            raise self.fail("a bracket without another")
        if mark == "," and not naming and self.text() in ("is", "was", "has"):
            self.at = saved
            return []
        if len(names) < 2 or (nominal.count and nominal.count != len(names)):
            raise self.fail(f"{len(names)} of {nominal.count or 'several'} {nominal.text}")
        if mark in (",", "-"):
            self.take(mark)
        return [Person(name=name, gender=nominal.gender) for name in names]

    def names(self) -> list[str]:
        """NAME, NAME and NAME."""
        names: list[str] = []
        while self.peek().kind == NAME:
            names.append(self.peek().text)
            self.at += 1
            saved = self.at
            comma = self.take(",")
            last = self.take("and")
            if self.text() in ("little", "young", "old", "baby") and self.peek(1).kind == NAME:
                self.at += 1
            if not (comma or last) or self.peek().kind != NAME or self._owns(0):
                self.at = saved
                break
            if comma and not last and not self._list_goes_on():
                self.at = saved
                break
            if last and self.text(1) in ("is", "was", "has"):  # is Ragnar, and Nils is not
                self.at = saved
                break
            if last:
                names.append(self.peek().text)
                self.at += 1
                break
        return names

    def _list_goes_on(self) -> bool:
        """Between commas: is there an `and` ahead that ends a list of names?"""
        ahead = 0
        while self.peek(ahead).kind == NAME:
            following = self.text(ahead + 1)
            if following == "and" or (following == "," and self.text(ahead + 2) == "and"):
                return True
            if following != ",":
                return False
            ahead += 2
        return False

    # ---- the kin of somebody -----------------------------------------------------------------------------------------

    def _determined(self) -> list[Person] | None:
        """`the mother of Ann and Ben`, `the brothers Ade and Bola`, `a friend of Ann`."""
        saved = self.save()
        article = self.text()
        self.at += 1
        if self._stranger_ahead():
            return self._stranger()
        family = article == "the" and self.peek().kind in (NAME, "place") and self.nominal_ahead(1) is not None
        self.at += family
        nominal = self.nominal()
        if nominal is None or (family and not (nominal.plural and nominal.relation == "sibling")):
            self.restore(saved)
            return None
        if self.text() == "of" or (self.text() == "to" and article != "the"):
            if article in ("a", "an"):
                raise self.fail("one of several, or likened to one")
            return self._of(nominal)
        if nominal.plural and nominal.relation in ("sibling", "spouse") and (people := self._names_of(nominal)):
            self._mention(people)
            self.each_other(people, nominal)
            return people
        if article not in ("the", "that") or nominal.plural or nominal.count or nominal.relation not in INVERSE:
            raise self.fail("whose?")
        return self._told_of_before(nominal)

    def _told_of_before(self, nominal: Nominal) -> list[Person]:
        """`the niece is Liv`, `that daughter, Sabine, has`, `The son himself, Dietmar, calls`."""
        self.take("himself") or self.take("herself")
        self.take("in", "question")
        person = Person(relation=nominal.relation, gender=nominal.gender, definite=True)
        self._mention([person])
        if name := self._name_after():
            self.same(person, self._mention([Person(name=name)])[0])
        return [person]

    def _stranger_ahead(self) -> bool:
        """Somebody without a name: `the old waiter`, `a friend of Ann`; not where it says what the one before is."""
        before = self.text(-2)
        if before in NOT_A_STRANGER_AFTER and self.at > 1:
            return False
        ahead = 0
        while self.text(ahead) in ADJECTIVES or self.text(ahead) in ("best", "good", "other", "tall", "first"):
            ahead += 1
        if self.text(ahead) in ACQUAINTANCES or self.text(ahead) in STRANGERS:
            return True
        while self.text(ahead) in BEFORE_OCCUPATION:
            ahead += 1
        named = self.peek(ahead + 1).kind == NAME or (
            self.text(ahead + 1) in (",", "called", "named") and self.peek(ahead + 2).kind == NAME
        )
        return self.text(ahead) in OCCUPATIONS and named

    def _stranger(self) -> list[Person]:
        while self.text() not in OCCUPATIONS:
            self.at += 1
        word = self._take_word()
        person = Person(relation="friend", plural=word.endswith("s") and not word.endswith("ss"))
        self._mention([person])
        if self.text() == "of" and self.nominal_ahead(1) is None and word in ACQUAINTANCES:
            self.at += 1
            if self.people() is None:
                raise self.fail("of whom?")
        elif self.peek().kind == NAME or (self.text() in (",", "called", "named") and self.peek(1).kind == NAME):
            person.name = self._name_after()
        return [person]

    def _of(self, nominal: Nominal) -> list[Person]:
        """After a kin word: `of Ann's husband David`."""
        self.at += 1
        self._skip_adjectives()
        if self.text() in NUMBERS:
            raise self.fail("of whom?")
        owners = self.people(tight=True)
        if owners is None:
            raise self.fail("of whom?")
        return self._named(nominal, tuple(owners))

    def each_other(self, people: Sequence[Person], nominal: Nominal, **how: bool) -> None:
        """Siblings or spouses of each other."""
        for number, one in enumerate(people):
            one.gender = one.gender or nominal.gender
            for other in people[number + 1 :]:
                self.events.append(Kinship(one, nominal.relation, other, nominal.gender, **how))

    # ---- apposition --------------------------------------------------------------------------------------------------

    def _occupation(self) -> bool:
        """`a miner`, `my piano teacher`, `the village baker`: moves over it."""
        saved = self.at
        if self.text() in ARTICLES or self.text() in POSSESSIVE:
            self.at += 1
            while self.text() in ADJECTIVES or self.text() in BEFORE_OCCUPATION:
                self.at += 1
            if self.text() in PASSED_OVER or (self.text() == "one" and self.at > saved + 1):
                self.at += 1
                return self.text(-1) not in YOUTH
        self.at = saved
        return False

    def _described(self, head: Person) -> bool:
        """`Ramon, a vet, looks`; `Mildred, my piano teacher and the daughter of Clarence.`: no kin, or what follows."""
        saved = self.save()
        mark = self.text()
        if mark not in (",", "(", "-") or self.peek(-1).kind != NAME:
            return False
        self.at += 1
        if self._occupation():
            if self.text() == "and" and self.text(1) == "the":
                self.at += 1
                kin = self.kin_titles()
                if kin is not None and self.ends() and not any(nominal.plural for _, nominal in kin):
                    for owners, nominal in kin:
                        self.relate(owners, nominal, head)
                    self.take(mark)
                    return True
            elif self.text() in ("who", "whose"):
                return True
            else:
                if self.text() in AFTER_OCCUPATION:
                    while self.peek().kind in ("word", "place") and plain(self.peek()):
                        self.at += 1
                if mark == "(" and self.take(")"):
                    return True
                if mark != "(" and self.ends() and not (self.text() == "," and self.text(1) == "and"):
                    self.at += self.text() == mark
                    return True
        self.restore(saved)
        return False

    def _apposition(self, head: list[Person]) -> None:
        """`Mateo, Lucia's father, drove`; `Vincent (Rosalie's brother)`; `George, husband of Edith, was`."""
        if self.text(-1) == "," and self.peek(-2).kind == NAME and len(head) == 1:
            self._further_apposition(head[0])
            return
        youth = len(head) == 1 and self.peek(-1).kind == NAME and self.text() == "," and self.text(1) == "a"
        if youth and self.text(2) in (*YOUTH, *OWNED_YOUTH) and self.text(3) == "whose":  # Rowan, a lad whose
            self.at += 3
            return
        if youth and self.text(2) in YOUTH and self.ends(3):  # Deniz, a girl.
            head[0].gender = head[0].gender or YOUTH[self.text(2)][1]
            self.at += 3
            return
        if len(head) == 1 and self._described(head[0]):
            return
        mark = self.text()
        unnamed = bool(head[0].relation) and not head[0].name and not head[0].plural
        if mark not in (",", "(", "-") or len(head) > 1 or not (unnamed or self.peek(-1).kind == NAME):
            return
        saved = self.save()
        self.at += 1
        kin = self.kin_titles()
        closed = kin is not None and (self.take(")") if mark == "(" else self.ends())
        if (
            kin is not None
            and not closed
            and mark == ","
            and self.peek().kind == "word"
            and self.text() not in POSSESSED
            and not (self.clause_is_complete and self.text() in ("is", "was", "has"))
        ):
            raise self.fail("the one before, or another person?")
        if kin is None and unnamed and mark == ",":
            self.restore((saved[0] + 1, saved[1]))
            if self._is_named_there(head[0]):
                return
        if kin is None or not closed or any(nominal.plural for _, nominal in kin):
            self.restore(saved)
            return
        pronoun = self.tokens[saved[0] + 1].text in POSSESSIVE
        if mark == self.text() and mark != "(":
            self.at += 1
            if (
                (pronoun or unnamed)
                and self.text() == "and"
                and (self.peek(1).kind == NAME or self.text(1) in POSSESSIVE)
            ):
                raise self.fail("a list or one person?")
        for owners, nominal in kin:
            self.relate(owners, nominal, head[0])

    def _is_named_there(self, head: Person) -> bool:
        """`Their father, Cyrus's son Nathan, was`: somebody known by kin alone, and by other kin with the name."""
        begin = len(self.events)
        if not (self.peek().kind == NAME and self.text(1) in POSSESSED) and self.text() not in POSSESSIVE:
            return False
        other = self.person()
        told = [event.person for event in self.events[begin:] if isinstance(event, Kinship)]
        if other is None or len(other) != 1 or not other[0].name or other[0] not in told or not self.ends():
            return False
        if self.text() == "," and self.text(1) == "and":
            raise self.fail("a list or one person?")
        self.take(",")
        self.same(head, other[0])
        return True

    def _further_apposition(self, head: Person) -> None:
        """At the end of a sentence: `his sister-in-law, Trudy, the wife of Clyde.`"""
        saved = self.save()
        if head.name != self.peek(-2).text:
            return
        if self.text() == "a" and self.text(1) in YOUTH and self.ends(2):  # a baby, Deniz, a girl.
            head.gender = head.gender or YOUTH[self.text(1)][1]
            self.at += 2
            return
        if not (self.text() == "the" or self.peek().kind in (NAME, KIN) or self.text() in ADJECTIVES):
            self.at -= 1  # `Her sister, Opal, the loud one, is`
            if not self._described(head):
                self.restore(saved)
            return
        kin = self.kin_titles()
        if kin is None and self.text() == "the":
            self.at -= 1
            if not self._described(head):
                self.restore(saved)
            return
        verb = (
            self.text() == "," and self.peek(1).kind == "word" and self.text(1) not in ("and", *POSSESSIVE, *ARTICLES)
        )
        if kin is None or not (self.text() in (".", "!", ";") or verb) or any(nominal.plural for _, nominal in kin):
            self.restore(saved)
            return
        self.take(",")
        for owners, nominal in kin:
            self.relate(owners, nominal, head)

    def kin_titles(self, *, commas: bool = False) -> list[tuple[tuple[Person, ...], Nominal]] | None:
        """Kin without a name: `Ann's mother and the sister of Bea`; None if anything else comes. `commas`: also
        `Ann's mother, Bea's sister and Cleo's aunt`."""
        titles: list[tuple[tuple[Person, ...], Nominal]] = []
        while True:
            saved = self.save()
            title = self._kin_title(titles[-1][0] if titles else ())
            if title is None:
                self.restore(saved)
                return titles or None
            titles.append(title)
            saved = self.save()
            if not (commas and self.take(",") and (self.take("and") or True)) and not self.take("and"):
                return titles
            ahead = self.save()
            if self._kin_title(titles[-1][0]) is None or not (
                self.ends() or self.text() in ("and", "but", "who", "while", "too")
            ):
                self.restore(saved)
                return titles
            self.restore(ahead)

    def _kin_title(self, former: tuple[Person, ...]) -> tuple[tuple[Person, ...], Nominal] | None:
        """One of them: whose kin, and what. `former`: the owners of the one before, for `Ann's father and teacher`."""
        word, begin = self.text(), self.at
        if word in ("the", "a", "an", "one"):
            self.at += 1
            if word == "one" and not self.take("of"):
                return None
            if word == "one":
                return self._one_of_several()
            if word == "the" and self.text() in (*ORDINALS, *OF_SEVERAL) and self.text(1) == "of":
                self.at += 2
                return self._one_of_several()
        if (nominal := self.nominal()) is not None:
            before = self.tokens[begin - 1].text if begin else ""
            bare = word not in ARTICLES and before in (",", "(", "-", "and")
            if self.text() != "of" and (self.text() != "to" or not (word == "the" or bare)):
                return None
            self.at += 1
            self._skip_adjectives()
            owners = self._indefinite_people(nominal) or self.people(tight=True)
            return (tuple(owners), nominal) if owners else None
        return self._possessive_title()

    def _skip_adjectives(self) -> None:
        """`the mother of little Zuzia`."""
        ahead = int(self.text() == "the" and self.text(1) in ("late", "famous", "young", "little"))
        while self.text(ahead) in ADJECTIVES:
            ahead += 1
        if self.peek(ahead).kind == NAME:
            self.at += ahead

    def _one_of_several(self) -> tuple[tuple[Person, ...], Nominal] | None:
        """`the youngest of Ann's three children`."""
        title = self._possessive_title()
        if title is None or not title[1].plural:
            return None
        owners, nominal = title
        return owners, Nominal(nominal.relation, nominal.gender, False, 0, nominal.text)

    def _possessive_title(self) -> tuple[tuple[Person, ...], Nominal] | None:
        """`Ann's mother`, `her mother`, `Ann's husband's mother`, `Ann and Ben's mother`."""
        owners: tuple[Person, ...]
        if self.text() in POSSESSIVE and self.nominal_ahead(1):
            owners = (self._owner_of(self._take_word()),)
        elif self.peek().kind == NAME:
            if (joint := self._joint_owners()) is not None:
                owners = joint
            else:
                owners = tuple(self._mention([Person(name=self._take_word())]))
                if self.text() not in POSSESSED or self.nominal_ahead(1 + (self.text(1) == "own")) is None:
                    return None
                self.at += 1
        else:
            return None
        while True:
            nominal = self.nominal()
            if nominal is None:
                return None
            if self.peek().kind == NAME and self._owns(0):  # Ann's husband David's mother
                owners = tuple(self._named(nominal, owners))
            elif self.text() in POSSESSED and self.nominal_ahead(1):
                owners = tuple(self._mention([self._link(nominal, owners)]))
            elif self.peek().kind == NAME:
                return None
            else:
                return owners, nominal
            self.at += 1

    def _link(self, nominal: Nominal, owners: tuple[Person, ...]) -> Person:
        """Somebody of a chain who has no name: the husband in `Ann's husband's mother`."""
        person = self._unnamed(nominal, owners)
        self.relate(owners, nominal, person)
        return person

    def _take_word(self) -> str:
        self.at += 1
        return self.peek(-1).text

    def same(self, one: Person, other: Person) -> None:
        one.gender = one.gender or other.gender
        other.gender = other.gender or one.gender
        self.events.append(Same(one, other))


def plain(token: Token) -> bool:
    """May the token be read over?"""
    if token.kind == "place":
        return True
    if token.kind == MARK:
        return token.text in (",", "-", ":", ".", "!", ";", "&", "$", "%", "£", "€", "(", ")")
    return token.kind == "word" and is_plain(token.text)
