"""Whom a pronoun means, and which references are to one person.

A pronoun is understood where one person alone can be meant: the one compatible person of its own clause; else of the
sentence so far; else of the nearest sentence before that has one. Where two can, it is not. `They` are the subject of
the clause or of the sentence before, or the only two people there. A person who is known by kin alone (`Ann's mother`)
is the one who is named so elsewhere (`Ann's mother Bea`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final

from proband.suites.kinship.reading.first_names import gender_of_name
from proband.suites.kinship.reading.statements import Event, Kinship, Members, Mention, NewClause, Person, Same
from proband.suites.kinship.reading.tokens import NotUnderstood
from proband.suites.kinship.world.relations import FEMALE, INVERSE, MALE, word

SENTENCES_BACK: Final = 4
THEY: Final = "'they' may mean several people"
RECENT: Final = 16  # facts that a copy remembers
FUNCTIONAL: Final = ("parent", "spouse")  # one of each gender at most


@dataclass(eq=False)
class Somebody:
    """A person of the story; `known`: the gender that the text (or its source) tells."""

    name: str = ""
    known: str | None = None
    presumed: str | None = None  # by the gender of the spouse
    several: bool = False  # people whom a plural kin word names together
    doubt: str = ""  # whom a pronoun may mean, where that is not clear
    merged: Somebody | None = None

    @property
    def one(self) -> Somebody:
        return self if self.merged is None else self.merged.one

    @property
    def gender(self) -> str | None:
        return self.known or self.presumed or (gender_of_name(self.name) if self.name else None)

    def may_be(self, gender: str) -> bool:
        """May a pronoun of this gender mean him or her? A name that is not common rules nobody out."""
        certain = self.known or self.presumed or (gender_of_name(self.name, certain=True) if self.name else None)
        return certain in (None, gender)

    def learn(self, gender: str | None) -> None:
        if gender is None:
            return
        if self.known not in (None, gender):
            raise NotUnderstood(f"{self.name or 'somebody'} is called {self.known} and {gender}")
        self.known = gender


@dataclass(frozen=True)
class Told:
    """`person` is the `relation` of `owner`, as sentence number `sentence` says."""

    owner: Somebody
    relation: str
    person: Somebody
    gender: str | None
    negated: bool
    past: bool
    sentence: int


@dataclass
class _Heard:
    """The people of one sentence, as they come."""

    everyone: list[Somebody] = field(default_factory=list)
    clause: list[Somebody] = field(default_factory=list)
    subject: list[Somebody] = field(default_factory=list)
    groups: list[tuple[Somebody, ...]] = field(default_factory=list)
    topic: list[Somebody] = field(default_factory=list)  # the first subject


class Referents:
    """The people of a text, sentence by sentence."""

    def __init__(self, genders: Mapping[str, str | None], *, ours: bool = False) -> None:
        self.ours = ours  # in our own stories a pronoun means whom the sentence is about
        self.named = {name: Somebody(name, gender) for name, gender in genders.items()}
        self.before: list[_Heard] = []
        self.now = _Heard()
        self.meant: dict[int, list[Somebody]] = {}
        self.kept: list[Person] = []  # so that no identity is used twice
        self.latest: set[int] = set()  # whom the sentence before spoke of
        self.told: list[Told] = []

    def copy(self) -> Referents:
        """The same people, heard of in the same sentences; whom the pronouns of those meant is settled."""
        twins: dict[Somebody, Somebody] = {}

        def twin(one: Somebody) -> Somebody:
            if one not in twins:
                twins[one] = made = replace(one, merged=None)
                made.merged = one.merged and twin(one.merged)
            return twins[one]

        def heard(each: _Heard) -> _Heard:
            people = (list(map(twin, own)) for own in (each.everyone, each.clause, each.subject, each.topic))
            everyone, clause, subject, topic = people
            return _Heard(everyone, clause, subject, [tuple(map(twin, group)) for group in each.groups], topic)

        other = Referents({}, ours=self.ours)
        other.named = {name: twin(one) for name, one in self.named.items()}
        other.before = list(map(heard, self.before[-SENTENCES_BACK - 1 :]))
        other.told = [replace(told, owner=twin(told.owner), person=twin(told.person)) for told in self.told[-RECENT:]]
        return other

    def by_name(self, name: str) -> Somebody:
        if name not in self.named:
            full = [known for known in self.named if known.split()[0] == name]
            if len(full) == 1:
                return self.named[full[0]].one
            longer = [known for known in self.named if known == name.split()[0]]
            if longer:
                return self.named[longer[0]].one
            self.named[name] = Somebody(name)
        return self.named[name].one

    def hear(self, events: Iterable[Event], sentence: int) -> list[Told]:
        """Take in what a sentence says; returns the kinship it tells."""
        events = list(events)
        before = len(self.kept)
        self.now = _Heard()
        first = len(self.told)
        for event in events:
            if isinstance(event, NewClause):
                self.now.clause, self.now.subject = [], []
            elif isinstance(event, Mention):
                self._mention(event, events)
            elif isinstance(event, Members):
                self.told += self._members(event, sentence, events)
            elif isinstance(event, Same):
                self._same(event, events)
            else:
                self.told += self._kinship(event, sentence, events)
        if self.now.everyone:
            self.before.append(self.now)
        self.latest = {id(person) for person in self.kept[before:]}
        return self.told[first:]

    # ---- mentions ----------------------------------------------------------------------------------------------------

    def _mention(self, event: Mention, events: Sequence[Event]) -> None:
        people = self._who(event.person, events)
        if event.subject:
            group = [one for person in event.group for one in self._who(person, events)]
            if event.person is event.group[0]:
                self.now.subject = list(group)
                self.now.topic = self.now.topic or list(group)
                if len(group) > 1:
                    self.now.groups.append(tuple(group))
        for one in people if event.person.pronoun != "they" or event.subject else ():
            for heard in (self.now.everyone, self.now.clause):
                if one not in heard:
                    heard.append(one)

    def _who(self, person: Person, events: Sequence[Event]) -> list[Somebody]:
        if id(person) not in self.meant:
            self.kept.append(person)
            self.meant[id(person)] = self._find(person, events)
        return [one.one for one in self.meant[id(person)]]

    def _find(self, person: Person, events: Sequence[Event]) -> list[Somebody]:
        if person.name:
            somebody = self.by_name(person.name)
            somebody.learn(person.gender)
            return [somebody]
        if person.pronoun == "i":
            return [self.by_name("I")]
        if person.pronoun == "they":
            return self._they(person, events)
        if person.pronoun:
            return [self._he_or_she(person, events)]
        if person.definite:
            return [self._told_of(person)]
        return [Somebody(known=person.gender, several=person.plural)]

    def _told_of(self, person: Person) -> Somebody:
        """The one who was said to be somebody's niece, for `the niece`."""
        kin = {kin for _, relation, kin in self._from_both_sides() if relation == person.relation}
        fits = [one for one in kin if person.gender in (None, one.gender) or one.gender is None]
        return fits[0] if len(fits) == 1 else Somebody(doubt=f"which {person.relation} is meant?")

    # ---- pronouns ----------------------------------------------------------------------------------------------------

    def _he_or_she(self, person: Person, events: Sequence[Event]) -> Somebody:
        gender = person.gender
        assert gender is not None
        barred = self._barred(person, events) | {self.by_name(each.name) for each in person.talking if each.name}
        if person.oblique:
            barred |= set(self.now.subject)
        candidates: list[Somebody] = []
        for heard in self._places():
            candidates = self._compatible(heard, gender, barred)
            if not self.ours:
                candidates = [one for one in candidates if not self._contradicts(one, person, events)]
            if candidates:
                break
        else:
            candidates = self._named_after(person, gender, events) or self._against_the_name(barred)
        rivals = self._rivals(candidates, gender, barred)
        candidates += [one for one in rivals if self.ours or not self._contradicts(one, person, events)]
        if not self.ours and len(candidates) > 1:
            candidates = self._preferred(person, gender, candidates, events)
        if self.ours and len(candidates) > 1:
            candidates = [one for one in self._topics() if one in candidates][:1] or candidates
        if len(candidates) == 1 and not candidates[0].doubt:
            if _matters(person, events) or (not person.oblique and self.now.everyone == candidates):
                candidates[0].learn(gender)
            return candidates[0]
        names = " or ".join(one.name or "somebody unnamed" for one in candidates) or "nobody"
        return Somebody(known=gender, doubt=f"{'he' if gender == 'male' else 'she'} may mean {names}")

    def _preferred(
        self, person: Person, gender: str, candidates: list[Somebody], events: Sequence[Event]
    ) -> list[Somebody]:
        """Of several, the subject, for `her own`; the one who is known to have the gender, where the others' names are
        of the other one; the one whose kin without a name is named here: *He is her daughter's husband. Her daughter
        is Luanne.*"""
        subject = [one.one for one in self.now.subject if one.one in candidates]
        if person.own and len(subject) == 1 and all(one in subject or one.gender != gender for one in candidates):
            return subject
        known = [one for one in candidates if one.known == gender]
        others = [one for one in candidates if one not in known]
        if len(known) == 1 and not known[0].doubt and all(one.gender not in (None, gender) for one in others):
            return known
        again = [one for one in candidates if self._is_told_already(one, person, events)]
        if len(again) == 1 and again[0].may_be(gender):
            return again
        if len(candidates) == 2 and len(unnamed := [one for one in candidates if not one.name]) == 1:
            owner = next(one for one in candidates if one.name)
            owned = {e.relation for e in events if isinstance(e, Kinship) and e.owner is person}
            told_again = any(
                told.owner.one is owner and told.person.one is unnamed[0] and told.relation in owned
                for told in self.told
            )
            named = any(isinstance(e, Same) and e.one.owners[:1] == (person,) for e in events)
            if told_again and named:
                return [owner]
        return candidates

    def _is_told_already(self, one: Somebody, person: Person, events: Sequence[Event]) -> bool:
        """*Ben's parents are Al and Bea. Bea, his mother, ...*: is what is said of the pronoun told of this one?"""
        said = [e for e in events if isinstance(e, Kinship) and e.owner is person and e.person.name]
        facts = {(owner, relation, kin) for owner, relation, kin in self._from_both_sides()}
        if any((one, e.relation, self.by_name(e.person.name)) in facts for e in said):
            return True
        named = {e.one for e in events if isinstance(e, Same)}
        unnamed = [e for e in events if isinstance(e, Kinship) and e.owner is person and e.person in named]
        return any(
            owner is one and relation == e.relation and not kin.name and kin.gender == e.gender
            for owner, relation, kin in facts
            for e in unnamed
        )

    def _named_after(self, person: Person, gender: str, events: Sequence[Event]) -> list[Somebody]:
        """`After her mother died, Olga ...`: the subject that follows, where nobody was spoken of before."""
        if self.before or self.now.everyone:
            return []
        subjects = [e for e in events if isinstance(e, Mention) and e.subject and len(e.group) == 1]
        if not subjects or not subjects[0].person.name:
            return []
        somebody = self.by_name(subjects[0].person.name)
        return [somebody] if somebody.may_be(gender) and not self._contradicts(somebody, person, events) else []

    def _contradicts(self, one: Somebody, person: Person, events: Sequence[Event]) -> bool:
        """Would somebody have two mothers, two husbands, or be an elder of an elder, if the pronoun meant this one?"""
        for event in events:
            if not isinstance(event, Kinship) or person not in (event.owner, event.person):
                continue
            other = event.person if event.owner is person else event.owner
            if not other.name:
                if event.owner is person and self._is_kin_otherwise(one, event, events):
                    return True
                continue
            known, relation = self.by_name(other.name), event.relation
            owner, kin = (one, known) if event.owner is person else (known, one)
            if kin is owner or self._is_told_otherwise(owner, relation, kin, event.gender, events):
                return True
        return False

    def _is_kin_otherwise(self, one: Somebody, event: Kinship, events: Sequence[Event]) -> bool:
        """`her grandmother, Petra's mother`: is the one without a name other kin of this person?"""
        return any(
            isinstance(e, Kinship)
            and e.person is event.person
            and e is not event
            and e.relation != event.relation
            and e.owner.name
            and self.by_name(e.owner.name) is one
            for e in events
        )

    def _is_told_otherwise(
        self, owner: Somebody, relation: str, kin: Somebody, gender: str | None, events: Sequence[Event]
    ) -> bool:
        told = [(t.owner.one, t.relation, t.person.one, t.gender) for t in self.told]
        for event in events:
            if isinstance(event, Kinship) and event.owner is not event.person:
                pairs = product(self._known(event.owner), self._known(event.person))
                told += [(a, event.relation, b, event.gender) for a, b in pairs]
        both = [*told, *((b, INVERSE[relation], a, None) for a, relation, b, _ in told)]
        between = {relation for a, relation, b, _ in both if a is owner and b is kin}
        if between - {relation}:
            return True
        parents = {(owner, "parent"): gender or kin.gender} if relation == "parent" else {}
        if relation == "child":
            parents = {(kin, "parent"): owner.gender}
        for a, own, b, told_gender in both:
            if (a, own) in parents and b not in (owner, kin) and b.name:
                wanted = parents[a, own]
                if wanted is not None and (told_gender or b.gender) == wanted:
                    return True
            other = (a is owner and b is not kin) or (a is kin and b is not owner)
            if own == relation == "spouse" and a.name and b.name and other:
                return True
        return False

    def _known(self, person: Person) -> list[Somebody]:
        """Who is meant, where that is clear by now."""
        if person.name:
            return [self.by_name(person.name)]
        return [one.one for one in self.meant.get(id(person), ()) if not one.one.doubt]

    def _topics(self) -> list[Somebody]:
        """Whom clause, sentence and the sentence before are about."""
        before = self.before[-1].topic if self.before else []
        return [one.one for one in (*self.now.subject, *self.now.topic, *self.now.everyone[:1], *before)]

    def _places(self) -> list[list[Somebody]]:
        """Where to look, the nearest first."""
        return [self.now.clause, self.now.everyone, *(h.everyone for h in self.before[: -SENTENCES_BACK - 1 : -1])]

    def _compatible(self, heard: Iterable[Somebody], gender: str, barred: set[Somebody]) -> list[Somebody]:
        fitting = [one.one for one in heard if one.one.may_be(gender) and one.one not in barred and not one.several]
        return list(dict.fromkeys(fitting))

    def _rivals(self, candidates: Sequence[Somebody], gender: str, barred: set[Somebody]) -> list[Somebody]:
        """Who is known to have the gender, farther away, where nobody near is known to have it; a subject has none."""
        if not candidates or any(one.gender or one in self.now.subject for one in candidates):
            return []
        heard = [one.one for place in self._places() for one in place]
        return [one for one in dict.fromkeys(heard) if one.gender == gender and one not in barred]

    def _against_the_name(self, barred: set[Somebody]) -> list[Somebody]:
        """Nobody has the pronoun's gender: it tells the gender of the only one there, whatever the name is like."""
        for heard in self._places():
            people = [one for one in dict.fromkeys(one.one for one in heard) if one not in barred]
            if people:
                return people if len(people) == 1 and people[0].known is None else []
        return []

    def _barred(self, person: Person, events: Sequence[Event]) -> set[Somebody]:
        """Nobody is kin of himself: those whose kin the pronoun is, or who are its kin, are not meant by it."""
        others: list[Person] = []
        for event in events:
            if isinstance(event, Kinship):
                others += [event.person] if event.owner is person else [event.owner] if event.person is person else []
        barred = {self.by_name(other.name) for other in others if other.name}
        if any(isinstance(event, Same) and event.one is person for event in events):  # who is given a name has none yet
            barred |= {one.one for one in self.named.values()}
        return barred

    def _they(self, person: Person, events: Sequence[Event]) -> list[Somebody]:
        """The only two people of the nearest sentence, or all of it where they are its subject; by what they have, a
        couple (`their son`), or those named together who are no elders of theirs (`their father`)."""
        owned = {event.relation for event in events if isinstance(event, Kinship) and event.owner is person}
        owned |= {INVERSE[e.relation] for e in events if isinstance(e, Kinship) and e.person is person is not e.owner}
        barred = self._barred(person, events)
        for heard in (self.now, *self.before[: -SENTENCES_BACK - 1 : -1]):
            people = [one for one in dict.fromkeys(one.one for one in heard.everyone) if one not in barred]
            people = [one for one in people if not one.several]
            if any(one.doubt for one in people):
                break
            if len(people) == 2:
                return people
            if heard.groups and {one.one for one in heard.groups[-1]} == set(people):
                return list(dict.fromkeys(one.one for one in heard.groups[-1]))
            if len(people) > 1:
                return (
                    self._couple(people, owned) or self._younger(people, owned) or [Somebody(doubt=THEY, several=True)]
                )
        return [Somebody(doubt=THEY, several=True)]

    def _couple(self, people: Sequence[Somebody], owned: set[str]) -> list[Somebody]:
        """Whose child it can be: the only two of them who are married, or have a child together."""
        if owned - {"child", "grandchild", "child-in-law"} or not owned:
            return []
        couples = {
            frozenset((told.owner.one, told.person.one))
            for told in self.told
            if told.relation == "spouse" and {told.owner.one, told.person.one} <= set(people)
        }
        parents: dict[Somebody, set[Somebody]] = {}
        for owner, relation, kin in self._from_both_sides():
            if relation == "parent":
                parents.setdefault(owner, set()).add(kin)
        couples |= {frozenset(pair) for pair in parents.values() if len(pair) == 2 and pair <= set(people)}
        return list(couples.pop()) if len(couples) == 1 else []

    def _younger(self, people: Sequence[Somebody], owned: set[str]) -> list[Somebody]:
        """Of whom it can be the father: siblings, all that were named, and nobody who is an elder of theirs."""
        if owned - {"parent", "grandparent", "pibling", "sibling"} or not owned:
            return []
        elders = {
            owner if relation in ("child", "grandchild", "nibling") else kin
            for owner, relation, kin in self._from_both_sides()
            if relation in ("child", "grandchild", "nibling", "parent", "grandparent", "pibling")
            and {owner, kin} <= set(people)
        }
        left = [one for one in people if one not in elders]
        siblings = {frozenset((told.owner.one, told.person.one)) for told in self.told if told.relation == "sibling"}
        groups = {frozenset((a, b)) for t in self.told for a in left for b in left if _shared(t, self.told, a, b)}
        pairs = {frozenset((a, b)) for n, a in enumerate(left) for b in left[n + 1 :]}
        joined = siblings | groups
        return left if len(left) > 1 and _connected(left, pairs & joined) else []

    # ---- what is told ------------------------------------------------------------------------------------------------

    def _same(self, event: Same, events: Sequence[Event]) -> None:
        ones, others = self._who(event.one, events), self._who(event.other, events)
        if len(ones) != 1 or len(others) != 1:
            raise NotUnderstood("one person or several?")
        self.merge(ones[0], others[0])

    def _members(self, event: Members, sentence: int, events: Sequence[Event]) -> list[Told]:
        """`James has two brothers. One is called Adam and the other Noah.`"""
        counted = [person for person in self.kept if person.plural and person.count and person.relation in INVERSE]
        if not counted or counted[-1].count != len(event.people) or id(counted[-1]) not in self.latest:
            raise NotUnderstood("of whom are they?")
        several, told = counted[-1], list[Told]()
        for person in event.people:
            self._mention(Mention(person), events)
            for owner in several.owners:
                told += self._kinship(Kinship(owner, several.relation, person, several.gender), sentence, events)
        return told

    def merge(self, one: Somebody, other: Somebody) -> None:
        """Two references are one person; at most one of them has a name."""
        one, other = one.one, other.one
        if one is other:
            return
        if one.doubt or other.doubt:
            raise NotUnderstood(one.doubt or other.doubt)
        if one.name == "I":
            other.learn(one.known)
            one.merged = other
            return
        if one.name and other.name:
            raise NotUnderstood(f"{one.name} and {other.name} would be one person")
        if other.name:
            one, other = other, one
        one.learn(other.known)
        other.merged = one

    def _kinship(self, event: Kinship, sentence: int, events: Sequence[Event]) -> list[Told]:
        owners, people = self._who(event.owner, events), self._who(event.person, events)
        for one in (*owners, *people):
            if one.doubt:
                raise NotUnderstood(one.doubt)
        if event.owner is event.person:  # they are married, they are sisters
            if len(owners) != 2 and event.relation == "spouse":
                raise NotUnderstood("a couple of how many?")
            pairs = [(a, b) for n, a in enumerate(owners) for b in owners[n + 1 :]]
            for one in owners:
                one.learn(event.gender)
        else:
            pairs = [(a, b) for a in owners for b in people]
        for owner, person in pairs:
            if owner is person:
                raise NotUnderstood(f"{owner.name or 'somebody'} would be kin of himself or herself")
            person.learn(event.gender)
            if event.relation == "spouse" and not event.negated:
                _presume(owner, person)
        return [Told(a, event.relation, b, event.gender, event.negated, event.past, sentence) for a, b in pairs]

    # ---- the unnamed -------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Those who are known by kin alone and are named elsewhere, or referred to twice, become one."""
        changed = True
        while changed:
            changed = False
            by_kin: dict[tuple[Somebody, str, str | None], list[Somebody]] = {}
            for told in self._from_both_sides():
                known = by_kin.setdefault((told[0], told[1], told[2].gender), [])
                if told[2] not in known:
                    known.append(told[2])
            for (owner, relation, _), people in by_kin.items():
                unnamed = [one for one in people if not one.name]
                named = [one for one in people if one.name]
                if not unnamed or len(people) < 2:
                    continue
                if len(named) > 1 and relation not in FUNCTIONAL:
                    raise NotUnderstood(f"which {relation} of {owner.name or 'somebody'} is meant?")
                self.merge(unnamed[0], (named or unnamed[1:])[0])
                changed = True
                break

    def _from_both_sides(self) -> Iterable[tuple[Somebody, str, Somebody]]:
        for told in self.told:
            if not told.negated:
                yield told.owner.one, told.relation, told.person.one
                if told.relation == "spouse":
                    yield told.person.one, told.relation, told.owner.one
                elif told.relation == "child":
                    yield told.person.one, "parent", told.owner.one

    def label(self, somebody: Somebody) -> str:
        """The name, or how the story calls whoever has none: `Ann's mother`."""
        one = somebody.one
        if one.name:
            return one.name
        one.name = self._unused("somebody")  # who is kin of nobody with a name
        for told in self.told:
            owner, person = told.owner.one, told.person.one
            if person is one and owner.name and not owner.name.startswith("somebody"):
                one.name = self._unused(f"{owner.name}'s {_say(told.relation, one.known)}")
                break
            if owner is one and person.name and not person.name.startswith("somebody"):
                one.name = self._unused(f"{person.name}'s {_say(INVERSE[told.relation], one.known)}")
                break
        return one.name

    def _unused(self, label: str) -> str:
        number, plain = 2, label
        while label in self.named:
            label, number = f"{plain} ({number})", number + 1
        self.named[label] = Somebody(label)
        return label


def _presume(one: Somebody, other: Somebody) -> None:
    """A spouse is of the other gender."""
    for a, b in ((one, other), (other, one)):
        if a.gender and not b.known:
            b.presumed = FEMALE if a.gender == MALE else MALE
            return


def _shared(told: Told, others: Sequence[Told], a: Somebody, b: Somebody) -> bool:
    """Are two people told to be the same to somebody (his two sons, her grandchildren)?"""
    return told.person.one is a is not b and any(
        other.person.one is b and other.owner.one is told.owner.one and other.relation == told.relation
        for other in others
        if told.relation in ("child", "grandchild", "nibling")
    )


def _connected(people: Sequence[Somebody], pairs: Iterable[frozenset[Somebody]]) -> bool:
    """Does each stand in one group with the others?"""
    group, pairs = {people[0]}, list(pairs)
    for _ in people:
        group |= {one for pair in pairs if pair & group for one in pair}
    return group >= set(people)


def _matters(person: Person, events: Sequence[Event]) -> bool:
    """Does anything depend on whom a pronoun means?"""
    return any(
        person in ((event.owner, event.person) if isinstance(event, Kinship) else (event.one, event.other))
        for event in events
        if isinstance(event, Kinship | Same)
    )


def _say(relation: str, gender: str | None) -> str:
    return word(relation, gender) if gender else relation
