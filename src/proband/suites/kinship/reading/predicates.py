"""What is said of somebody: the verbs that tell kin, with what belongs to them.

relation = people be kin | people be NAME | people have kin | people married people | people were born to people
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from proband.suites.kinship.reading.adjuncts import EVENT, FRAMES, STATE, goes_on_well, opening
from proband.suites.kinship.reading.lexicon import word_set
from proband.suites.kinship.reading.noun_phrases import Nominal, NounPhrases
from proband.suites.kinship.reading.people_words import (
    ADJECTIVES,
    HE_SHE,
    NUMBERS,
    OCCUPATIONS,
    POSSESSED,
    POSSESSIVE,
    is_count,
)
from proband.suites.kinship.reading.statements import Kinship, Mention, Person
from proband.suites.kinship.reading.tokens import KIN, NAME, QUOTE, Token
from proband.suites.kinship.world.relations import FEMALE, MALE

BE: Final = word_set("is are was were 's 're am 'm")
HAVE: Final = word_set("has have had 's 've")
PAST: Final = word_set("was were had")
SURE: Final = word_set("also still now really actually indeed both all too today happily in-fact already")
MAN_OR_WOMAN: Final = {"man": MALE, "woman": FEMALE, "girl": FEMALE, "boy": MALE, "lady": FEMALE, "gentleman": MALE} | {
    "male": MALE,
    "female": FEMALE,
}
SPOUSE: Final = Nominal("spouse", None, False)
AFFINES: Final = ("spouse", "parent-in-law", "child-in-law", "sibling-in-law")


SUBJECTS: Final = word_set("he she they i we you him them me us")
JOINTS: Final = word_set("and but so while whereas because although though - ,")
PAST_FRAMES: Final = word_set("when after before")


class Predicates(NounPhrases):
    """Reads what follows the subject of a clause."""

    def __init__(self, tokens: Sequence[Token], *, speaker: Person, addressee: Person | None, ours: bool) -> None:
        super().__init__(tokens, speaker=speaker, addressee=addressee)
        self.ours = ours
        self.last: tuple[int, list[Person]] = (-1, [])  # where the last phrase ended, and who it was
        self.said_until = -1  # where the last clause that told kin ended
        self.unsure = self.thought = self.asserts = False
        self.relative_clause = False
        self.be_kin_before = False  # in `Ann is Bob's aunt, and Carl his uncle`
        self.left_out: Nominal | None = None  # in `Ann's husband is Bob, and Cara's is Dan`
        self.restrictive = False  # in `the man who married Kate is ...`
        self.opened = STATE  # what may be told after the words before the clause

    # ---- what is said of somebody ------------------------------------------------------------------------------------

    def open_clause(self, begin: int) -> None:
        """Note what may be told by the clause whose subject begins here: nothing after `On stage, ...`."""
        first = max((n + 1 for n in range(begin) if self.tokens[n].text in (";", ":")), default=0)
        start = first
        for n in range(first, begin):
            token = self.tokens[n]
            if token.kind in (NAME, KIN, QUOTE) or token.text in SUBJECTS:
                start = n + 1
        joints = JOINTS | PAST_FRAMES
        joint = [n for n in range(start, begin) if self.tokens[n].text in joints] if start > first else []
        start = joint[-1] if joint else start
        self.opened = opening(self.tokens[start:begin])
        if first < begin and self.tokens[first].text in FRAMES and start > first and self.tokens[start].text != "but":
            self.opened = EVENT if self.opened and self.tokens[first].text in PAST_FRAMES else ""

    def _tell(self, *, happened: bool = False) -> None:
        """What is said to be so somewhere, sometime or if (`On TV, Ben is Ann's husband`) is not said to be so."""
        if self.ours or self.opened == STATE or (happened and self.opened == EVENT):
            return
        raise self.fail("where or when?")

    def _ends_well(self, *, happened: bool = False, somewhere: bool = False) -> None:
        """After a clause about kin: nothing that could take it back."""
        begin = self.at - (self.text(-1) == ",")
        if self.ours or self.restrictive:
            return
        how = {"happened": happened, "somewhere": somewhere, "relative": self.relative_clause}
        if not goes_on_well(self.tokens, begin, **how):
            raise self.fail("what is said of it")

    def predicate(self, subject: list[Person]) -> bool:
        """A verb that tells kin, with what belongs to it; nothing moves where it is another verb."""
        begin = self.save()
        self._pass_in_turn()
        saved = self.save()
        rules = (self._be_the_one, self._be_survived, self._be, self._have, self._marry, self._give_birth, self._become)
        for rule in rules:
            if rule(subject):
                if self.unsure or self.thought:
                    raise self.fail("not said to be so")
                self.last = (self.at, self.last[1])
                self.said_until = self.at
                self.asserts = True
                return True
            self.restore(saved)
        self.restore(begin)
        return False

    def _pass_in_turn(self) -> None:
        """Between subject and verb: `Orla in turn bore`, `Njeri herself was`."""
        self.take("in", "turn") or self.take("of", "course") or self.take("herself") or self.take("himself")

    def _be_the_one(self, subject: list[Person]) -> bool:
        """`Josefina is the one whose daughter ...`, `He is the fellow whose father ...`."""
        somebody = self.text(2) == "one" or self.text(2) in OCCUPATIONS
        if self.text() not in BE or not (self.text(1) == "the" and somebody and self.text(3) == "whose"):
            return False
        self.at += 3
        self.last = (self.at, subject)
        return True

    def _be_survived(self, subject: list[Person]) -> bool:
        """`is survived by her son Frank and two grandchildren, Gail and Hank`."""
        if self.text() not in BE or not (self.text(1) == "survived" and self.text(2) == "by") or len(subject) != 1:
            return False
        self._tell()
        self.at += 3
        found: list[Person] = []
        while True:
            saved = self.save()
            people = self._kin_object(subject, None) if self._object_ahead() else self.person()
            if people is None:
                self.restore(saved)
                break
            if any(person.plural for person in people):
                raise self.fail("who are they?")
            found += people
            if not (self.take(",") or self.text(-1) == ",") and self.text() != "and":
                break
            self.take("and")
        if not found:
            raise self.fail("by whom?")
        self.last = (self.at, found)
        self._ends_well()
        return True

    def _be(self, subject: list[Person]) -> bool:
        verb = self.text()
        if verb in ("has", "have", "had") and self.text(1) == "been":
            self.at += 2
            past = verb == "had"
        elif verb in BE:
            self.at += 1
            past = verb in PAST
        else:
            return False
        negated = self.text() in ("not", "n't")
        self.at += negated
        self._skip(SURE)
        how = {"negated": negated, "past": past}
        if self.text() == "one" and self.text(1) == "of" and self.text(2) in ("them", "these", "those", "us"):
            raise self.fail("one of whom?")
        if len(subject) == 1 and not subject[0].plural and self._be_alone(negated=negated):
            return True
        return (
            self._be_these(subject)
            or self._be_parent_of_some(subject, negated=negated)
            or self._be_man_or_woman(subject)
            or self._be_married(subject, how)
            or self._be_called(subject)
            or self._be_born(subject, how)
            or self._be_each_other(subject, how)
            or self._be_kin(subject, how)
        )

    def _be_alone(self, *, negated: bool) -> bool:
        """`is an only child`, `is single`: of nobody else anything is told."""
        alone = self.take("an", "only", "child") or self.take("single") or self.take("unmarried")
        alone = alone or self.take("childless") or self.take("getting", "married")
        if self.text() in ("married", "engaged") and self.text(1) in (".", "!", ";", "") and not negated:
            self.at += 1  # to whom is not told
            return True
        if alone and (negated or not self.ends()):
            raise self.fail("what is said of it")
        return alone

    def _be_man_or_woman(self, subject: list[Person]) -> bool:
        """`is a woman`, `is a tall man`: no kin, but the gender."""
        saved = self.save()
        self.take("a") or self.take("an") or self.take("the")
        while self.text() in ADJECTIVES and self.peek().kind != KIN:
            self.at += 1
        gender = MAN_OR_WOMAN.get(self.text())
        if gender is None or len(subject) != 1 or self.text(saved[0] - self.at - 1) in ("not", "n't"):
            self.restore(saved)
            return False
        self.at += 1
        subject[0].gender = subject[0].gender or gender
        return True

    def _be_married(self, subject: list[Person], how: dict[str, bool]) -> bool:
        if not (self.take("married") or self.take("happily", "married") or self.take("wed")):
            return False
        self._tell()
        if self.take("to"):
            if self.take("each", "other"):
                self._couple(subject, how)
                self._ends_well(happened=True)
                return True
            other = self.people()
            if other is None or len(other) != 1 or len(subject) != 1:
                raise self.fail("married to whom?")
            self.relate(subject, SPOUSE, other[0], **how)
            self.last = (self.at, other)
            self._ends_well(happened=True)
            return True
        if len(subject) == 2 or subject[0].plural:
            self._couple(subject, how)
            self._ends_well(happened=True)
            return True
        if how["negated"] and not how["past"] and self.peek().text in (".", ";", ""):
            return True
        raise self.fail("married to whom?")

    def _couple(self, people: Sequence[Person], how: dict[str, bool]) -> None:
        if len(people) == 1 and people[0].pronoun == "they":
            self.events.append(Kinship(people[0], "spouse", people[0], None, how["negated"], how["past"]))
        elif len(people) != 2:
            raise self.fail("a couple of how many?")
        else:
            self.each_other(people, SPOUSE, **how)

    def _be_called(self, subject: list[Person]) -> bool:
        """`is called Ben`, `are Ray and Shirley`, `is Dave's brother Sean`."""
        naming = self.take("called") or self.take("named")
        saved = self.save()
        if not naming and (self.text() in POSSESSIVE or (self.peek().kind == NAME and self.text(1) in POSSESSED)):
            return self._be_named_kin(subject)
        if not naming and not subject[0].name and self._occupation():  # is a dentist named Arkady
            _ = self.take("called") or self.take("named") or self.take(",")
        if self.peek().kind != NAME:
            self.restore(saved)
            return False
        names = self.names()
        if not names or self.text() in POSSESSED:
            self.restore(saved)
            return False
        people = [Person(name=name) for name in names]
        self.events += [Mention(person) for person in people]
        self._tell()
        if len(subject) != 1:
            raise self.fail("who is who?")
        self._say_same_all(subject[0], people)
        if subject[0].relation and not subject[0].plural:
            self.left_out = Nominal(subject[0].relation, subject[0].gender, False)
        self.last = (self.at, people)
        self.clause_is_complete = True
        self._apposition(people)
        self.clause_is_complete = False
        self._ends_well(somewhere=True)
        return True

    def _be_parent_of_some(self, subject: list[Person], *, negated: bool) -> bool:
        """`is a mother of four`: of whom is not told."""
        saved = self.save()
        if self.take("a") or self.take("the"):
            nominal = self.nominal()
            if nominal and nominal.relation == "parent" and self.take("of") and self.text() in NUMBERS and not negated:
                self.at += 1
                if self.text() in (".", "!", ";", "and") and len(subject) == 1:
                    subject[0].gender = subject[0].gender or nominal.gender
                    return True
        self.restore(saved)
        return False

    def _be_these(self, subject: list[Person]) -> bool:
        """`Boaz's children are a boy, Jethro, and a girl, Tamar`; `... are his son Yahya and his daughter Hana`."""
        one = subject[0]
        if len(subject) != 1 or not one.plural or one.relation != "child" or not one.owners:
            return False
        saved = self.save()
        people = self._indefinite_people(Nominal("parent", None, False)) if self._object_ahead() else self.people()
        named = people is not None and len(people) > 1 and all(person.name for person in people)
        if people is None or not named or (one.count and one.count != len(people)):
            self.restore(saved)
            return False
        self._tell()
        for person in people:
            self.relate(one.owners, Nominal("child", None, False), person)
        self.last = (self.at, people)
        self._ends_well()
        return True

    def _be_named_kin(self, subject: list[Person]) -> bool:
        """`Kyle's father is Dave's brother Sean`."""
        if subject[0].name:
            return False
        saved = self.save()
        people = self.person()
        unnamed = subject[0].relation or subject[0].pronoun in ("he", "she")
        told = [event.person for event in self.events[saved[1] :] if isinstance(event, Kinship)]
        if people is None or len(people) != 1 or not people[0].name or not unnamed or people[0] not in told:
            self.restore(saved)
            return False
        self._tell()
        self._say_same_all(subject[0], people)
        self.last = (self.at, people)
        self._ends_well(somewhere=True)
        return True

    def _say_same_all(self, one: Person, others: list[Person]) -> None:
        """An unnamed person is named; or several are, whom a plural kin word stands for."""
        if one.plural and one.relation:
            if len(others) < 2 or (one.count and one.count != len(others)):
                raise self.fail("how many?")
            nominal = Nominal(one.relation, one.gender, True)
            for other in others:
                self.relate(one.owners, nominal, other)
        elif len(others) == 1:
            self._say_same(one, others[0])
        else:
            raise self.fail("one or several?")

    def _say_same(self, one: Person, other: Person) -> None:
        if self.unsure or self.thought:
            raise self.fail("not said to be so")
        if (one.name or one is self.speaker) and one.name != "I":
            raise self.fail("two names for one")
        self.same(one, other)

    def _be_born(self, subject: list[Person], how: dict[str, bool]) -> bool:
        """`was born to Miriam and Eli`."""
        if self.text() != "born":
            return False
        ahead = next((k for k in range(1, 7) if self.text(k) in ("to", ",", ".", "and", "when") or self.ends(k)), 0)
        if self.text(ahead) != "to":
            return False
        self.at += ahead + 1
        parents = self.people()
        if parents is None:
            raise self.fail("born to whom?")
        for person in subject:
            self.relate(parents, Nominal("child", None, False), person, negated=how["negated"])
        self.last = (self.at, parents)
        self._tell(happened=True)
        self._ends_well(happened=True)
        return True

    def _be_each_other(self, subject: list[Person], how: dict[str, bool]) -> bool:
        """`are brothers`, `are husband and wife`, `are a married couple`."""
        saved = self.save()
        if self.take("a", "couple") or self.take("a", "married", "couple"):
            self._couple(subject, how)
            self._ends_well()
            return True
        ends = self.ends(2) or self.text(2) in ("and", "who", "with", "now")
        if self.text() == "a" and self.text(1) in ("widow", "widower") and ends and len(subject) == 1:
            subject[0].gender = subject[0].gender or (FEMALE if self.text(1) == "widow" else MALE)
            self.at += 2
            return not how["negated"]
        while self.text() in ADJECTIVES and self.peek(1).kind == KIN:
            self.at += 1
        first = self.peek().kin
        if first is None or len(subject) + subject[0].plural < 2:
            self.restore(saved)
            return False
        if self.text(1) == "and" and (second := self.peek(2).kin) is not None and not first.plural:
            if (first.neutral, second.neutral) not in (("sibling", "sibling"), ("spouse", "spouse")):
                raise self.fail("who is which?")
            self.at += 3
        elif first.plural and first.neutral in ("sibling", "spouse") and self.text(1) != "of":
            self.at += 1
        else:
            self.restore(saved)
            return False
        self._tell()
        gender = first.gender if first.plural else None
        if len(subject) == 1 and subject[0].pronoun != "they":
            raise self.fail("who are they?")
        if len(subject) == 1:
            self.events.append(Kinship(subject[0], first.neutral, subject[0], gender, how["negated"], how["past"]))
        else:
            self.each_other(subject, Nominal(first.neutral, gender, True), **how)
        self._ends_well()
        return True

    def _be_kin(self, subject: list[Person], how: dict[str, bool], *, happened: bool = False) -> bool:
        """`is Ann's mother and the sister of Bea`, `are the parents of Tom`."""
        saved = self.save()
        titles = self.kin_titles(commas=True)
        if titles is None:
            self.restore(saved)
            return False
        self._tell()
        for owners, nominal in titles:
            if nominal.plural != (len(subject) > 1 or subject[0].plural):
                raise self.fail("one or several?")
            if nominal.count and nominal.count != len(subject):
                raise self.fail("how many?")
            for person in subject:
                self.relate(owners, nominal, person, **how)
        self._ends_well(happened=happened)
        self.be_kin_before = not happened
        self.last = (self.at, list(titles[-1][0]))
        return True

    # ---- have --------------------------------------------------------------------------------------------------------

    def _have(self, subject: list[Person]) -> bool:
        verb = "had"
        if not self.take("went", "on", "to", "have"):
            if self.text() not in HAVE:
                return False
            verb = self._take_word()
        self.take("got")
        self._skip(word_set("also only just now"))
        if self._have_none():
            return True
        return self._kin_objects(subject, among=None, verb=verb)

    def _have_none(self) -> bool:
        """`has no children of her own`, `has no brothers or sisters`."""
        saved = self.save()
        if not self.take("no") or self.nominal() is None:
            self.restore(saved)
            return False
        if self.text() in ("or", "and") and self.peek(1).kind == KIN:
            self.at += 2
        self.take("of", "her", "own") or self.take("of", "his", "own") or self.take("of", "their", "own")
        self.take("yet")
        if not (self.ends() or self.text() in ("and", "but")) or self.peek(1).kind == NAME:
            raise self.fail("what is denied?")
        return True

    def _kin_objects(self, subject: list[Person], *, among: frozenset[str] | None, verb: str = "") -> bool:
        """`a girl, Ruth, and a boy, Neil`; `two sons`. `among`: the relations it may be."""
        found: list[Person] = []
        begun = len(self.events)
        while True:
            saved = self.save()
            people = self._kin_object(subject, among)
            if people is None:
                self.restore(saved)
                break
            found += people
            saved = self.save()
            comma = self.take(",") or self.text(-1) == ","
            joined = self.take("and")
            if not (comma or joined):
                break
            if joined and self.text() == "no" and self._have_none():
                break
            if self._object_ahead() is None:
                self.restore(saved)
                break
        if not found:
            return False
        self._tell(happened=among is not None or verb == "had")
        if verb == "had" and any(isinstance(e, Kinship) and e.relation == "spouse" for e in self.events[begun:]):
            raise self.fail("a marriage that may be over")
        if self.text() in ("with", "by") and all(person.name for person in found) and len(subject) == 1:
            self._other_parent(subject[0], found)
        if self.text() in ("with", "by", "from") and self.text(1) not in ("a", "an", "the"):
            raise self.fail("with whom?")
        self.last = (self.at, found)
        self._ends_well(happened=among is not None or verb == "had", somewhere=True)
        return True

    def _other_parent(self, subject: Person, children: list[Person]) -> None:
        """`had a son, Ben, with her husband Carl`."""
        told = [e for e in self.events if isinstance(e, Kinship) and e.owner is subject and e.relation == "child"]
        if {e.person for e in told} < set(children):
            return
        saved = self.save()
        self.at += 1
        other = self.people()
        if other is None or len(other) != 1 or not other[0].name or not self.ends():
            self.restore(saved)
            return
        for child in children:
            self.relate(other, Nominal("child", None, False), child)

    def _object_ahead(self) -> Nominal | None:
        saved = self.at
        nominal = self._indefinite()
        self.at = saved
        return nominal

    def _kin_object(self, subject: list[Person], among: frozenset[str] | None) -> list[Person] | None:
        nominal = self._indefinite()
        if nominal is None or (among and nominal.relation not in among):
            return None
        own = self.text(1) in HE_SHE and self.text(2) == "own"
        if self.text() in ("of", "to") and not (own or is_count(self.text(1))):
            raise self.fail("of whom?")
        self.take("himself") or self.take("herself")
        people = self._named(nominal, tuple(subject))
        if len(people) > 1:
            self.at -= self.text(-1) == ","
            self._group_apposition(people)
        if (
            people[0].plural
            and not people[0].name
            and nominal.relation == "child"
            and nominal.text in ("twins", "triplets")
        ):
            raise self.fail()
        return people

    # ---- other verbs -------------------------------------------------------------------------------------------------

    def _marry(self, subject: list[Person]) -> bool:
        """`married Carl`, `got married to Carl`, `tied the knot with Carl`; of two: `got married`."""
        if self.text() == "never" and self.text(1) in ("married", "wed") and self.ends(2):
            self.at += 2
            return True
        if self.text() in ("has", "have", "'s", "'ve") and self.text(1) in (
            "just",
            "recently",
            "now",
            "finally",
            "since",
        ):
            self.at += 1
        self.take("since")
        self.take("in", "time") or self.take("at", "last")
        self._skip(word_set("later then finally eventually recently just now soon happily"))
        reciprocal = self.take("tied", "the", "knot") or self.take("got", "married") or self.take("get", "married")
        reciprocal = reciprocal or self.take("got", "hitched")
        told = ("married", "wed", "wedded") if not self.ours else ("married", "wed", "wedded", "weds", "marries")
        if not reciprocal and self.text() not in told:
            return False
        self._tell(happened=True)
        if not reciprocal:
            self.at += 1
        how = {"negated": False, "past": False}
        if self.take("each", "other"):
            self._couple(subject, how)
            self._ends_well(happened=True)
            return True
        if not reciprocal and self.text() in ("late", "young", "early") and self.ends(1) and len(subject) == 1:
            self.at += 1
            return True
        to = reciprocal and (self.take("with") or self.take("to"))
        other = self.people() if to or not reciprocal else None
        if other is not None and self.text() not in POSSESSED:
            if len(other) != 1 or self.text() == "off" or len(subject) != 1:
                raise self.fail("who married whom?")
            self.relate(subject, SPOUSE, other[0])
            self.last = (self.at, other)
            self._ends_well(happened=True)
            return True
        if other is None and not to and (len(subject) == 2 or subject[0].pronoun == "they"):
            self._couple(subject, how)
            self._ends_well(happened=True)
            return True
        if other is None and reciprocal and not to and len(subject) == 1:  # to whom is not told
            self._ends_well(happened=True)
            return True
        raise self.fail("who married whom?")

    def _give_birth(self, subject: list[Person]) -> bool:
        """`gave birth to Leo`, `fathered two children, Arthur and Rose`, `welcomed a baby boy, Kiran`."""
        parent: str | None = FEMALE
        names = True
        self._skip(word_set("later then soon"))
        if self.text() in ("gave", "gives", "given") and self.text(1) == "birth" and self.text(2) == "to":
            self.at += 3
        elif self._given_birth() or self.take("bore") or self.take("was", "delivered", "of"):
            pass
        elif self.take("fathered") or self.take("sired") or self.take("begot") or self.take("begat"):
            parent = MALE
        elif self.take("welcomed"):
            parent, names = None, False
        else:
            return False
        children: list[Person]
        if self.peek().kind == NAME and (self.text(1) in ("a", "an") or self.text(1) in NUMBERS) and len(subject) == 1:
            subject = [*subject, *self._mention([Person(name=self._take_word())])]  # bore Wale a son
            if parent != FEMALE or not self._kin_objects(subject, among=frozenset({"child"})):
                raise self.fail("born of whom?")
            subject[0].gender = subject[0].gender or parent
            return True
        if names and self.peek().kind == NAME:
            children = [Person(name=name) for name in self.names()]
            if self.text() in POSSESSED:
                raise self.fail("whose?")
            self.events += [Mention(child) for child in children]
            for child in children:
                self.relate(subject, Nominal("child", None, False), child)
            self.last = (self.at, children)
            self._tell(happened=True)
            self._ends_well(happened=True)
        elif not self._kin_objects(subject, among=frozenset({"child"})):
            if not names:
                return False
            raise self.fail("born of whom?")
        if parent is not None and len(subject) == 1:
            subject[0].gender = subject[0].gender or parent
        return True

    def _given_birth(self) -> bool:
        """`has just given birth to`."""
        saved = self.at
        self.at += self.text() in ("had", "has", "have")
        self._skip(word_set("just recently now since"))
        if self.take("given", "birth", "to"):
            return True
        self.at = saved
        return False

    def _become(self, subject: list[Person]) -> bool:
        """`became the mother of Ann`, `became a father when Tiana was born`."""
        if self.text() not in ("became", "becomes"):
            return False
        self.at += 1
        saved = self.save()
        how = {"negated": False, "past": False}
        opened, self.opened = self.opened, STATE if self.opened == EVENT else self.opened
        became = self._be_kin(subject, how, happened=True) or self._be_each_other(subject, how)
        self.opened = opened
        if became:
            return True
        self.restore(saved)
        if not (self.take("a") or self.take("an")):
            return False
        nominal = self.nominal()
        if nominal is None or not (self.take("when") or self.take("the", "day")) or len(subject) != 1:
            return False
        owner = self.people()
        if owner is None or not self.take("was", "born"):
            raise self.fail("whose?")
        self._tell(happened=True)
        self.relate(owner, nominal, subject[0])
        self.last = (self.at, owner)
        return True
