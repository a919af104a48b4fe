"""A story of anybody's in English: its facts, where every word of it is accounted for; else the words that are not.

>>> story = read_story("Helen is the mother of Karen's husband David. It rained all day.")
>>> [str(fact) for fact in story.facts]
['David is the husband of Karen', 'Helen is the mother of David']
>>> read_story("Clive plays the father of Nina in a film.").unread.why
"likened to kin, or called so: 'of Nina in a film .'"
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from proband.suites.kinship.reading.clauses import Clauses
from proband.suites.kinship.reading.noun_phrases import plain
from proband.suites.kinship.reading.predicates import AFFINES
from proband.suites.kinship.reading.referents import Referents, Somebody, Told
from proband.suites.kinship.reading.statements import Event, Kinship, Mention, Person
from proband.suites.kinship.reading.tokens import KIN, NAME, QUOTE, NotUnderstood, Sentence, sentences_of
from proband.suites.kinship.world.relations import word

PRESENT: Final = frozenset({"is", "are", "has", "have", "'s", "'re", "lives", "works", "loves", "likes"})
WHOLE: Final = 400  # sentences of a story


class Fact(NamedTuple):
    """`person` is the `relation` (without gender) of `owner`; `gender`: of the person, where the word tells it."""

    owner: str
    relation: str
    person: str
    gender: str | None = None
    negated: bool = False
    sentence: int = 0

    def __str__(self) -> str:
        kin = word(self.relation, self.gender) if self.gender else self.relation
        return f"{self.person} is {'not ' if self.negated else ''}the {kin} of {self.owner}"


class Unread(NamedTuple):
    """Why a text is not read, and the sentence."""

    why: str
    sentence: str = ""


@dataclass(frozen=True, kw_only=True)
class Story:
    """The facts of a text that was read whole; or `unread`. `genders`: what the text tells, else what the name is
    nearly always given to; `by_name`: those whose gender the name alone tells."""

    facts: tuple[Fact, ...] = ()
    genders: Mapping[str, str | None] = field(default_factory=dict)
    by_name: frozenset[str] = frozenset()
    sentences: tuple[str, ...] = ()
    unread: Unread | None = None


@dataclass(frozen=True)
class Statements:
    """What one sentence says, or why it is not understood."""

    facts: tuple[Fact, ...] = ()
    not_understood: str = ""


class StoryReader:
    """Reads sentence by sentence: `names` and `genders` of the people who are known to be spoken of.

    >>> reader = StoryReader({"Ann": None, "Ben": None})
    >>> [str(fact) for fact in reader.sentence("Ann is the sister of Ben.").facts]
    ['Ann is the sister of Ben']
    >>> [str(fact) for fact in reader.sentence("She is married to Carl.").facts]
    ['Carl is the spouse of Ann']
    >>> reader.sentence("Perhaps Ben is a father.").not_understood
    "'perhaps Ben is a'"
    """

    def __init__(self, genders: Mapping[str, str | None] | None = None, *, ours: bool = False) -> None:
        self.ours = ours
        self.referents = Referents(genders or {}, ours=ours)
        self.speaker: Person | None = None
        self.addressee: Person | None = None
        self.count = 0
        self.identifies: set[str] = set()

    def sentence(self, text: str) -> Statements:
        """The statements of a text of one sentence (or a few), with those before in mind."""
        told: list[Told] = []
        before = self
        try:
            parsed = [self.parse(sentence) for sentence in sentences_of(text, self.referents.named)]
            before = self.copy()
            for parts in parsed:
                for events in parts:
                    told += self.referents.hear(events, self.count)
                self.count += 1
        except NotUnderstood as error:
            self.__dict__.update(before.__dict__)  # what is not understood leaves no trace
            return Statements(not_understood=str(error))
        return Statements(tuple(self.fact(each) for each in told))

    def copy(self) -> StoryReader:
        """A reader that has heard the same."""
        other = StoryReader.__new__(StoryReader)
        other.__dict__.update(self.__dict__, referents=self.referents.copy())
        return other

    def parse(self, sentence: Sentence) -> list[list[Event]]:
        """What a sentence says, and then what is said in its quotations."""
        frame = Clauses(sentence, speaker=Person(name="I"), ours=self.ours)
        told = frame.read()
        self.identifies = self.identifies | {frame.identifies} - {""}
        if not sentence.quotes:
            return [told]
        speaker = frame.spoken_by or self.speaker
        if speaker is None and all(_only_asks(inner) for quote in sentence.quotes for inner in quote):
            tokens = [token for quote in sentence.quotes for inner in quote for token in inner.tokens]
            return [told, [Mention(Person(name=token.text)) for token in tokens if token.kind == NAME]]
        if speaker is None:
            raise NotUnderstood("who says so?")
        addressee = frame.spoken_to or (self.speaker if speaker is not self.speaker else self.addressee)
        self.speaker, self.addressee = speaker, addressee
        said = [
            Clauses(inner, speaker=speaker, addressee=addressee, quoted=True, ours=self.ours)
            for quote in sentence.quotes
            for inner in quote
        ]
        spoken = [each.read() for each in said]
        if any(each.conditional for each in (frame, *said)) and any(each.asserts for each in said):
            raise NotUnderstood("said on a condition")
        return [*spoken, told] if sentence.tokens[0].kind == QUOTE else [told, *spoken]

    def fact(self, told: Told) -> Fact:
        owner, person = self.referents.label(told.owner), self.referents.label(told.person)
        gender = told.gender or told.person.one.known
        return Fact(owner, told.relation, person, gender, told.negated, told.sentence)


def read_story(
    text: str, *, names: Collection[str] = (), genders: Mapping[str, str | None] | None = None, ours: bool = False
) -> Story:
    """The facts of a story. `names`: of people it is known to speak of (the question's, say); `genders`: where told.
    `ours`: one of our own stories, all of whose people are named and whose words and pronouns follow our rules."""
    given = dict.fromkeys(names) | dict(genders or {})
    reader = StoryReader(given, ours=ours)
    now = ""
    try:
        sentences = sentences_of(text, given, nobody_else=ours)
        if len(sentences) > WHOLE:
            raise NotUnderstood(f"{len(sentences)} sentences; {WHOLE} are read")
        parsed: list[tuple[str, list[list[Event]]]] = []
        for sentence in sentences:
            now = sentence.text
            parsed.append((now, reader.parse(sentence)))
        titled = _learn_titles(reader.referents, sentences)
        _learn_genders(reader.referents, [part for _, parts in parsed for part in parts])
        for number, (sentence_text, parts) in enumerate(parsed):
            now = sentence_text
            for events in parts:
                reader.referents.hear(events, number)
        now = ""
        kin = {one.one for told in reader.referents.told for one in (told.owner, told.person)}
        if alone := next((name for name in titled if reader.referents.by_name(name) not in kin), ""):
            raise NotUnderstood(f"whose kin is {alone}?")
        _check(reader.referents.told, sentences)
        _check_circles(reader.referents.told)
        reader.referents.settle()
        _check_spouses(reader.referents.told)
        unnamed = [x.one for t in reader.referents.told for x in (t.owner, t.person) if not x.one.name]
        if any(_may_be_described(one, how) for one in unnamed for how in reader.identifies):
            raise NotUnderstood("who is described?")
    except NotUnderstood as error:
        return Story(unread=Unread(str(error), now))
    facts = tuple(dict.fromkeys(reader.fact(told) for told in reader.referents.told))
    if same := next((fact for fact in facts if fact.owner == fact.person), None):
        return Story(unread=Unread(f"{same.owner} would be kin of himself or herself"))
    people = {one.one.name: one.one for one in reader.referents.named.values()}
    for told in reader.referents.told:
        people |= {one.one.name: one.one for one in (told.owner, told.person)}
    return Story(
        facts=facts,
        genders={name: one.gender for name, one in people.items() if name},
        by_name=frozenset(name for name, one in people.items() if one.gender and not one.known),
        sentences=tuple(text for text, _ in parsed),
    )


def _may_be_described(one: Somebody, how: str) -> bool:
    return "somebody" in (how, one.gender or "somebody") or one.gender == how


def _only_asks(sentence: Sentence) -> bool:
    """`Is Vusi your brother?`, `Who is the tall man?`: a question that says nothing, whoever asks it."""
    words = [token.text for token in sentence.tokens]
    if words[-1:] != ["?"] or words[0] not in ("is", "are", "who") or len(words) > 8:
        return False
    return all(t.kind in (NAME, KIN) or t.text in ("your", "who", "?") or plain(t) for t in sentence.tokens)


def _learn_titles(referents: Referents, sentences: Sequence[Sentence]) -> set[str]:
    """The genders that titles tell (Aunt May, Mr Hill); returns who has one, which must be explained."""
    titled: set[str] = set()
    for sentence in sentences:
        for token in sentence.tokens:
            if token.kind == NAME and token.gender:
                referents.by_name(token.text).learn(token.gender)
            if token.kind == NAME and token.kin_title:
                titled.add(token.text)
    return titled


def _learn_genders(referents: Referents, parts: Sequence[Sequence[Event]]) -> None:
    """What kin words tell of those who have names, before anybody asks whom a pronoun means."""
    for events in parts:
        for event in events:
            if isinstance(event, Kinship) and event.person.name:
                referents.by_name(event.person.name).learn(event.gender)


def _check(told: Sequence[Told], sentences: Sequence[Sentence]) -> None:
    """What is denied, and marriages that may be over."""
    if denied := next((each for each in told if each.negated), None):
        raise NotUnderstood(f"a {denied.relation} is denied")
    present = any(token.text in PRESENT for sentence in sentences for token in sentence.tokens)
    if present and any(each.past and each.relation in AFFINES for each in told):
        raise NotUnderstood("a marriage of the past")


def _check_circles(told: Sequence[Told]) -> None:
    """*Maria is the sister of her grandson*: her own? Who has no name is kin in one way, not in two in one sentence."""
    pairs = {(each.owner.one, each.person.one, each.sentence) for each in told}
    if any(not person.name and (person, owner, sentence) in pairs for owner, person, sentence in pairs):
        raise NotUnderstood("whose kin is meant?")


def _check_spouses(told: Sequence[Told]) -> None:
    """Somebody with two spouses has married again: who is whose kin by which marriage is not asked here."""
    spouses: dict[str, set[str]] = {}
    for each in told:
        if each.relation == "spouse":
            one, other = each.owner.one, each.person.one
            for a, b in ((one, other), (other, one)):
                spouses.setdefault(a.name or str(id(a)), set()).add(b.name or str(id(b)))
    if twice := next((name for name, others in spouses.items() if len(others) > 1), None):
        raise NotUnderstood(f"{twice} has two spouses")
