"""Sentences: who is said to be whose kin, by which verb, and that nothing else is said which could matter.

    relation = people be kin | people be NAME | people have kin | people married people | ...  (`RELATIONS`)

Every token is a part of such a clause, of a noun phrase that refers to people (`noun_phrases.py`), or a plain word
(`plain_words.py`); a sentence with any other token is not understood. What stands in a noun phrase is presupposed: in
*Ann didn't ring her brother Ben* he is her brother all the same. What a clause says is not, where it is negated,
possible, thought, wished or asked.

>>> [event for event in parse("Ann is the mother of Bea's husband Carl.") if isinstance(event, Kinship)]
[Carl is the spouse of Bea, Ann is the parent of Carl]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from proband.suites.kinship.reading.lexicon import word_set
from proband.suites.kinship.reading.noun_phrases import (
    ADJECTIVES,
    HE_SHE,
    NAMING,
    NUMBERS,
    ORDINALS,
    POSSESSED,
    POSSESSIVE,
    YOUTH,
    Nominal,
    NounPhrases,
    plain,
)
from proband.suites.kinship.reading.plain_words import IDIOMS, is_own, own_asides
from proband.suites.kinship.reading.statements import Event, Kinship, Mention, NewClause, Person
from proband.suites.kinship.reading.tokens import KIN, NAME, QUOTE, SAYING, NotUnderstood, Sentence, Token, sentences_of
from proband.suites.kinship.world.relations import FEMALE, INVERSE, MALE

BE: Final = word_set("is are was were 's 're am 'm")
HAVE: Final = word_set("has have had 's 've")
PAST: Final = word_set("was were had")
SURE: Final = word_set("also still now really actually indeed both all too today happily in-fact already")
JOINING: Final = word_set(
    "and but so while when because after before until since where whereas though although then as"
)
MODAL: Final = word_set("""
    can could will would shall should may might must 'll 'd not never n't neither nor hardly seldom rarely almost nearly
    barely scarcely
    """)
CONDITION: Final = word_set("if whether unless")
# before a noun phrase they ask or set a condition: `Should the test come back positive`, `Had it rained`
INVERTED: Final = word_set("should could might may would can shall must did do does")
INVERTED_AT_FIRST: Final = word_set("had were was is are be has have")
BEGIN_A_PHRASE: Final = word_set(
    "the a an this that these those it there he she they we i you his her their my your our its any all both every no"
)
ATTITUDE: Final = word_set(
    """
    think thinks thought thinking know knows knew known hope hopes hoped wonder wonders wondered tell tells told say
    says said hear heard hears remember remembers remembered forget forgets forgot promise promised decide decided want
    wants wanted feel feels felt suggest explain explained notice noticed agree agreed read wrote write writes call
    calls called calling warn warned remind reminded mention mentioned show showed shown understand understood describe
    described learn learned ask asks asked answer answered introduce introduced
    """
)
# what may follow a clause that says who is whose kin
FOLLOWING: Final = word_set(
    "and but while who whose so when because too though although whereas as where since for now after before until"
)
PREPOSITIONS: Final = word_set("""
    among amongst with without behind beside besides next to at in on from for by near under over above below of about
    across around between against toward towards into onto through opposite
    """)
SOMEWHERE: Final = word_set("in on at during for to according by under between among throughout inside within")
SETTINGS: Final = word_set(
    "book books tv television mind head eyes game games paper radio computer internet photo-story"
)
LEFT: Final = word_set("left leaves leaving")
WEATHER: Final = word_set("""
    day night evening morning afternoon sunny cold hot warm raining snowing late early dark windy summer winter spring
    autumn birthday foggy rainy cloudy
    """)
TIMES: Final = word_set("yesterday today then later now years")
RAISING: Final = word_set("raised raises raising raise reared rears")
MAN_OR_WOMAN: Final = {"man": MALE, "woman": FEMALE, "girl": FEMALE, "boy": MALE, "lady": FEMALE, "gentleman": MALE} | {
    "male": MALE,
    "female": FEMALE,
}
INTERJECTIONS: Final = word_set("oh well yes no hello hi")
SPOUSE: Final = Nominal("spouse", None, False)
AFFINES: Final = ("spouse", "parent-in-law", "child-in-law", "sibling-in-law")
NOT_BEFORE_KIN: Final = word_set("""
    like as than is are was were 's 're am become be being been called call calls calling playing play plays played
    considers considered
    """)


class Clauses(NounPhrases):
    """Reads one sentence."""

    def __init__(
        self,
        sentence: Sentence,
        *,
        speaker: Person,
        addressee: Person | None = None,
        quoted: bool = False,
        ours: bool = False,
    ) -> None:
        super().__init__(sentence.tokens, speaker=speaker, addressee=addressee or _spoken_to(sentence, quoted))
        self.sentence = sentence
        self.quoted, self.ours = quoted, ours
        self.subject: list[Person] | None = None
        self.main: list[Person] | None = None  # the subject outside a relative clause
        self.last: tuple[int, list[Person]] = (-1, [])  # where the last phrase ended, and who it was
        self.starts = True  # may a clause begin here?
        self.restrictive = False  # in `the man who married Kate is ...`
        self.said_until = -1  # where the last clause that told kin ended
        self.set_somewhere = False  # the clause is set somewhere: `In the book, ...`
        self.after_preposition = False  # `after her husband ...`: a clause, or a phrase of the one before
        self.verbless = True
        self.unsure = self.thought = sentence.tokens[-1:] != () and sentence.tokens[-1].text == "?"
        self.conditional = self.asserts = False
        self.identifies = False  # somebody who was described is named: who may be one who has no name elsewhere
        self.possessor_before = False
        self.spoken_by: Person | None = None
        self.spoken_to: Person | None = None

    def read(self) -> list[Event]:
        tokens = self.tokens
        if self.unsure and not self.quoted and any(t.kind in (NAME, KIN) for t in tokens):
            raise NotUnderstood("a question")
        if not any(token.kind in (NAME, KIN, QUOTE) for token in tokens):
            if self.sentence.text in own_asides():
                return []
            self._check_aside()
        while self.at < len(tokens):
            self._step()
        if self.conditional and self.asserts:
            raise NotUnderstood("said on a condition")
        return self.events

    # ---- one step ----------------------------------------------------------------------------------------------------

    def _step(self) -> None:
        token = self.peek()
        if token.kind == QUOTE:
            self.at += 1
            self.starts = True
            return
        if self.quoted and self.at == 0 and self.text() in INTERJECTIONS and self.text(1) == ",":
            self.at += 2
            return
        if self.quoted and self._vocative():
            return
        if self.text() in ("who", "whose") and self._relative():
            return
        if self._name_is() or self._there_or_this():
            return
        before = self.save()
        if (people := self.people()) is not None:
            self._after_people(people, before)
            return
        if self.subject and self._may_continue() and self.predicate(self.subject):
            return
        self._plain()

    def _after_people(self, people: list[Person], saved: tuple[int, int]) -> None:
        """A phrase that refers to people: the subject of a clause, or one of its objects."""
        before, said_before = saved
        previous = self.tokens[before - 1] if before else None
        if self.last[0] == before and before > 0:
            raise self.fail("two people in a row")
        if self._word_before(before) in NOT_BEFORE_KIN and not all(p.name or p.pronoun for p in people):
            raise self.fail("likened to kin, or called so")
        told = [event for event in self.events[said_before:] if isinstance(event, Kinship)]
        if previous is not None and previous.text in LEFT and any(event.relation == "spouse" for event in told):
            raise self.fail("a marriage that may be over")
        thing = self.text() in POSSESSED and not self._is_verb_s()
        self.last = (self.at, people)
        if thing:
            self.possessor_before = self.possessor_before or self.subject is None
            self.at += 1
            if self.text() in ("wedding", "marriage", "and") or self.text() in BE or self.ends():
                raise self.fail()
            self.starts = False
            return
        if self._says(people, before):
            return
        between = previous is not None and previous.text == "," and self.text() == ","
        if between and self.at == before + 1 and people[0].name and not (self.sentence.quotes or self.quoted):
            raise self.fail("a name that belongs to nothing")
        if previous is not None and previous.text == "of" and any(p.plural and p.relation in INVERSE for p in people):
            raise self.fail("which of several?")
        listed = previous is not None and previous.text == ":"
        listed = listed and any(token.kind in (NAME, KIN) for token in self.tokens[:before])
        alone = previous is not None and (listed or self.said_until == before - 1)
        if alone and self.peek().text in (".", "!", ""):
            raise self.fail("people of whom nothing is said")
        if not self.starts or (previous is not None and previous.text in PREPOSITIONS):
            return
        if self.after_preposition and not (self.text() in BE or self.text() in HAVE):
            self.starts = False
            return
        if self._leaves_out():
            raise self.fail("what is left out?")
        before_subject = self.tokens[:before] if self.main is None else ()
        self.set_somewhere = any(token.text in SOMEWHERE for token in before_subject)
        self.main = people
        self.events.insert(said_before, NewClause())
        said = self._begin_clause(people)
        if people[0] is self.speaker and not self.quoted and not said:
            raise self.fail("the teller speaks")

    def _leaves_out(self) -> bool:
        """`Hugo is too`, `so does Ann, too`: what was said of others is said again."""
        if self.text() not in BE and self.text() not in HAVE and self.text() not in ("do", "does", "did"):
            return False
        again = self.text(1) in ("too", "also", "either") and self.ends(2)
        return again or (self.ends(1) and self.text() not in ("do", "does", "did"))

    def _word_before(self, at: int) -> str:
        """The word before this place, adverbs left out."""
        at -= 1
        while at >= 0 and (
            self.tokens[at].text in MODAL or self.tokens[at].text in SURE or self.tokens[at].text[-2:] == "ly"
        ):
            at -= 1
        return self.tokens[at].text if at >= 0 else ""

    def _is_verb_s(self) -> bool:
        """Is 's here `is` or `has`?"""
        if self._is_copula_s():
            return True
        following = self.peek(1)
        subject = self.last[1]
        if self.peek(-1).text in HE_SHE or self.peek(-1).text in ("who", "that", "there", "it"):
            return True
        return (
            bool(subject)
            and self.text() == "'s"
            and following.text in ("in", "at", "from", "got", "been", "just", "good", "on")
        )

    def _may_continue(self) -> bool:
        """May a verb here have the clause's subject: `and is married to Bob`, `, has two sons`?"""
        if self.last[0] == self.at:
            return self.last[1] is self.subject or (self.restrictive and self.said_until == self.at)
        return self.peek(-1).text in ("and", ",", "but", "who", ")", "-", "later", "now", "then", "also")

    def _skip(self, words: frozenset[str]) -> None:
        while self.text() in words:
            self.at += 1

    def _plain(self) -> None:
        """Over a word that changes nothing, or only whether what follows is said to be so."""
        if idiom := next((each for each in IDIOMS.get(self.text(), ()) if self.take(*each)), None):
            self._passed(idiom[-1])
            return
        token = self.peek()
        word = token.text
        if word in CONDITION or self._is_inverted() or self.take("long", "as"):
            self.conditional = self.conditional or word != "whether"
            self.unsure = self.thought = True
        elif word in MODAL:
            if word in ("not", "never", "n't") and not self.ours and self._denies():
                raise self.fail("what is denied?")
            self.unsure = True
        elif word in ATTITUDE:
            self.thought = True
        elif not self._may_pass(token):
            raise self.fail()
        self.at += 1
        self._passed(word)

    def _is_inverted(self) -> bool:
        """Does the verb stand before its subject: `Were the test positive, ...`, `..., should it rain`?"""
        following = self.peek(1)
        if not (following.kind == NAME or following.text in BEGIN_A_PHRASE or following.kind == "place"):
            return False
        if self.text() in INVERTED:
            return True
        if self.text() not in INVERTED_AT_FIRST:
            return False
        before = self.text(-1)
        if self.at == 0 or before in (";", ":", "for", "even", "or"):
            return True
        if self.said_until in (self.at, self.at - 1) and following.text not in ("a", "an"):
            return True
        if before not in (",", "and", "but", "-", "("):
            return False
        one = self.subject is None or (len(self.subject) == 1 and not self.subject[0].plural)
        return (self.text() == "were" and one) or self.subject is None or self.last == (self.at - 1, self.subject)

    def _denies(self) -> bool:
        """Is it no verb that is negated: `but not of Uri`?"""
        following = self.peek(1)
        return following.kind in (NAME, KIN, "mark", "end") or following.text in (
            "of",
            "a",
            "an",
            "the",
            "so",
            "to",
            *POSSESSIVE,
        )

    def _may_pass(self, token: Token) -> bool:
        if (plain(token) or self._is_plain_here(token.text)) and not self._is_out_of_place(token.text):
            return True
        return self.ours and token.kind == "word" and is_own(token.text)

    def _passed(self, word: str) -> None:
        """Where a clause may begin, and how far a doubt reaches."""
        if word in JOINING or word in (",", ";", ":", "-"):
            self.starts = True
            self.after_preposition = word in ("after", "before", "since", "until", "as")
            if word in (";", "but", "so", "and", ","):
                self.unsure = self.thought
            if word == "," and self.main is not None:
                self.subject = self.main
        elif word in ("who", "whose", "whom", "which"):
            self.starts = False
        elif self.starts and word not in ("the", "a", "an", "his", "her", "their", *ADJECTIVES):
            self.starts = word in SURE or word in TIMES or self.subject is None

    def _is_plain_here(self, word: str) -> bool:
        """Words that are plain in some places alone."""
        before = self.text(-1)
        owned = before in POSSESSIVE or before in POSSESSED
        if word in ("i", "me", "my", "myself", "we", "us", "you", "your", "our", "?"):
            return self.quoted and self.text(1) != "name"
        if word in SAYING:
            return bool(self.sentence.quotes)
        if word == "same":
            return before == "the" and self.text(1) not in ("man", "woman", "person", "one")
        if word == "family":
            return before not in BE
        if word in ("play", "plays", "played"):
            return self.peek(-1).text not in ("the", "a", "this", "that", "school", "in")
        if word == "'":
            return self.peek(-1).kind == "word" and before.endswith("s")
        if word == "wedding" or word in YOUTH:
            return not owned
        return word in ("like", "as", "than", "who", "whose", "whom", "which")

    def _is_out_of_place(self, word: str) -> bool:
        """Plain words that are not plain here: `in name`, `used to`, `raised by Ann`, `Mr and Mrs`."""
        if word in RAISING:
            return not any(token.kind == KIN for token in self.tokens)
        if word in ("mr", "mrs", "ms"):
            return self.peek(1).kind != NAME
        if self.peek(1).kind == NAME and word in ("is", "was") and self._is_described():
            self.identifies = True
            return False
        if self.peek(1).kind == NAME and (word in BE or (word in NAMING and self.text(-1) in BE)):
            return self.text(2) not in POSSESSED  # who is it that is Ann?
        if word in SETTINGS and self.subject is None and self.tokens[0].text in ("in", "on", "during", "throughout"):
            return True
        if word == "up" and self.text(-1) in ("it", "this", "that", "all", "made"):
            return self.text(-2) in ("made", "make", "makes", "making") or self.text(-1) == "made"
        return (word == "name" and self.text(-1) == "in") or (word == "used" and self.text(1) == "to")

    def _is_described(self) -> bool:
        """`The lady in the green hat is Millicent`: somebody of whom no kin is told."""
        begin = max((n + 1 for n, token in enumerate(self.tokens[: self.at]) if token.text in (";", ":")), default=0)
        words = self.tokens[begin : self.at]
        return (
            len(words) > 3
            and words[0].text == "the"
            and (words[1].text in MAN_OR_WOMAN or words[1].text == "one")
            and not any(token.kind in (NAME, KIN, QUOTE) or token.text in BE for token in words)
            and self.text(2) not in POSSESSED
        )

    def _check_aside(self) -> None:
        """A sentence without people or kin may be passed over only if it cannot be a remark on the story."""
        first = self.tokens[0].text
        second = self.tokens[1].text if len(self.tokens) > 1 else ""
        if first in ("all", "both") and (second in NUMBERS or [t.text for t in self.tokens[1:3]] == ["of", "them"]):
            return
        if first in word_set("that this those these such none all both not no never neither so same just only"):
            raise NotUnderstood(f"{first!r} may speak of what was said before")
        words = [t.text for t in self.tokens if t.kind == "word"]
        said = first == "it" and len(words) > 1 and words[1] in (*BE, "does", "did", "has")
        if said and not WEATHER & set(words):
            raise NotUnderstood("'it' may speak of what was said before")
        asked = self.tokens[-1].text == "?"
        for at, token in enumerate(self.tokens[1:], start=1):
            after = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
            stands_alone = (
                after is None or after.kind == "mark" or after.text in PREPOSITIONS or after.text in ("up", "out")
            )
            if token.text in ("it", "this", "that") and stands_alone and not asked:
                raise NotUnderstood("'it' may speak of what was said before")
        if len(words) < 3 and first not in ("he", "she", "they"):
            raise NotUnderstood("too short to be understood")

    # ---- who speaks --------------------------------------------------------------------------------------------------

    def _says(self, people: list[Person], before: int) -> bool:
        """`"..." said Ann`, `Ann told Ben, "..."`."""
        if not self.sentence.quotes or len(people) != 1:
            return False
        if before and self.tokens[before - 1].text in SAYING and self.spoken_by is None:
            self.spoken_by = people[0]
            self._spoken_to()
            return True
        saved = self.at
        if self.text() in SAYING:
            self.at += 1
            self.spoken_by = people[0]
            self._skip(
                word_set("proudly quietly loudly softly happily sadly cheerfully slowly gently nervously warmly")
            )
            self.take("to")
            self._spoken_to()
            return True
        self.at = saved
        return False

    def _spoken_to(self) -> None:
        saved = self.save()
        self.take("to")
        self._skip_adjectives()
        heard = self.people()
        if heard is None:
            self.at = saved[0]
        elif len(heard) == 1:
            self.spoken_to = heard[0]
            self.last = (self.at, heard)

    def _vocative(self) -> bool:
        """`Mum, can I ...`: whoever is spoken to is the speaker's mother."""
        token = self.peek()
        begins = self.at == 0 or self.text(-1) == ","
        if token.kind != KIN or not begins or not (self.text(1) in (",", "!", "?", ".") or self.peek(1).kind == "end"):
            return False
        kin = token.kin
        if kin is None or kin.plural or kin.neutral not in ("parent", "grandparent"):
            raise self.fail("somebody is spoken to")
        self.at += 2
        if self.addressee is None:  # who that is, is not told
            return True
        self.relate((self.speaker,), Nominal(kin.neutral, kin.gender, False), self.addressee)
        return True

    # ---- other beginnings --------------------------------------------------------------------------------------------

    def _name_is(self) -> bool:
        """`Her name is Petra`, `Nigel's wife's name is Anita`, `The name of Ann's mother is Sue`."""
        saved = self.save()
        owner: list[Person] | None = None
        if self.text() in HE_SHE and self.text(1) == "name":
            owner = [self._owner_of(self._take_word())]
            self.at += 1
        elif self.take("the", "name", "of"):
            owner = self.people()
        elif self.peek().kind == NAME or self.text() in POSSESSIVE or self.text() == "whose":
            owner = self._possessor_of_name()
        if owner and len(owner) == 1 and self.text() in BE and self.peek(1).kind == NAME:
            self.at += 1
            named = Person(name=self._take_word())
            self.events.append(Mention(named, subject=True, group=(named,)))
            self._say_same(owner[0], named)
            self.subject, self.starts, self.last = [named], False, (self.at, [named])
            self.main = self.subject
            self._apposition([named])
            return True
        self.restore(saved)
        return False

    def _possessor_of_name(self) -> list[Person] | None:
        ahead = next((k for k in range(1, 10) if self.text(k) == "name" and self.text(k - 1) in POSSESSED), 0)
        if not ahead:
            return None
        owner = self.person()
        return owner if self.take("'s", "name") or self.take("'", "name") else None

    def _there_or_this(self) -> bool:
        """`This is my aunt Rosa`, `That's Giorgio, my husband's brother`, `And this is her brother, Pablo`."""
        if self.text() not in ("this", "that", "it", "there", "these", "here") or self.text(1) not in BE:
            return False
        saved = self.save()
        self.at += 2
        people = self.people()
        if people is None or self.unsure or self.thought:
            self.restore(saved)
            return False
        self.last = (self.at, people)
        self.subject, self.starts = people, False
        return True

    def _relative(self) -> bool:
        """`Bob, who is Ann's brother,`; `the man who` says of nobody in particular."""
        comma = self.text(-1) == ","
        if self.last[0] != self.at - comma and not (self.last[0] == self.at and comma):
            return False
        word = self.text()
        head = self.last[1]
        if len(head) > 1 and word == "whose":
            raise self.fail("whose of several?")
        if len(head) > 1 and (self.text(1) in ("is", "was", "has", "'s")):
            head = head[-1:]
        self.relative = tuple(head)
        if word == "whose":
            owned = self.people()
            if owned is None:
                raise self.fail("whose?")
            head = owned
        else:
            self.at += 1
            self.events.append(NewClause())
        self.restrictive = not comma
        doubts = self.unsure, self.thought
        if comma and not (self.quoted and self.tokens[-1].text == "?"):  # what it adds, it says by itself
            self.unsure = self.thought = False
        self._begin_clause(head)
        self.unsure, self.thought = doubts
        return True

    def _begin_clause(self, people: list[Person]) -> bool:
        self.subject, self.starts = people, False
        self.last = (self.at, people)
        self.events += [Mention(person, subject=True, group=tuple(people)) for person in people]
        self._skip(SURE)
        return self.predicate(people)

    # ---- what is said of somebody ------------------------------------------------------------------------------------

    def predicate(self, subject: list[Person]) -> bool:
        """A verb that tells kin, with what belongs to it; nothing moves where it is another verb."""
        saved = self.save()
        for rule in (self._be_the_one, self._be, self._have, self._marry, self._give_birth, self._become):
            if rule(subject):
                if self.unsure or self.thought:
                    raise self.fail("not said to be so")
                self.last = (self.at, self.last[1])
                self.said_until = self.at
                self.asserts = True
                return True
            self.restore(saved)
        return False

    def _be_the_one(self, subject: list[Person]) -> bool:
        """`Josefina is the one whose daughter ...`."""
        if self.text() not in BE or not (self.text(1) == "the" and self.text(2) == "one" and self.text(3) == "whose"):
            return False
        self.at += 3
        self.last = (self.at, subject)
        return True

    def _said_of_the_world(self) -> None:
        """What is said to be so somewhere (`On TV, Ben is Ann's husband`) is not said to be so."""
        if self.set_somewhere:
            raise self.fail("where?")

    def _ends_well(self, *, also: frozenset[str] = frozenset()) -> None:
        """After a kin clause: nothing that could take it back."""
        if self.ends() or self.text() in FOLLOWING or self.text() in also:
            return
        if self.text() in ("in", "since", "from", "on", "until") and (self.text(1)[:1].isdigit()):
            return
        raise self.fail("what is said of it")

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
        return (
            self._be_man_or_woman(subject)
            or self._be_married(subject, how)
            or self._be_called(subject)
            or self._be_born(subject, how)
            or self._be_each_other(subject, how)
            or self._be_kin(subject, how)
        )

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
        if self.take("to"):
            if self.take("each", "other"):
                self._couple(subject, how)
                return True
            other = self.people()
            if other is None or len(other) != 1 or len(subject) != 1:
                raise self.fail("married to whom?")
            self.relate(subject, SPOUSE, other[0], **how)
            self.last = (self.at, other)
            return True
        if len(subject) == 2 or subject[0].plural:
            self._couple(subject, how)
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
        if self.peek().kind != NAME:
            return False
        names = self.names()
        if not names or self.text() in POSSESSED:
            self.restore(saved)
            return False
        people = [Person(name=name) for name in names]
        self.events += [Mention(person) for person in people]
        self._said_of_the_world()
        if len(subject) != 1:
            raise self.fail("who is who?")
        self._say_same_all(subject[0], people)
        self.last = (self.at, people)
        self._apposition(people)
        return True

    def _be_named_kin(self, subject: list[Person]) -> bool:
        """`Kyle's father is Dave's brother Sean`."""
        saved = self.save()
        people = self.person()
        unnamed = subject[0].relation or subject[0].pronoun in ("he", "she")
        told = [event.person for event in self.events[saved[1] :] if isinstance(event, Kinship)]
        if people is None or len(people) != 1 or not people[0].name or not unnamed or people[0] not in told:
            self.restore(saved)
            return False
        self._say_same_all(subject[0], people)
        self.last = (self.at, people)
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
        if one.name or one is self.speaker:
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
        return True

    def _be_each_other(self, subject: list[Person], how: dict[str, bool]) -> bool:
        """`are brothers`, `are husband and wife`, `are a married couple`."""
        saved = self.save()
        if self.take("a", "couple") or self.take("a", "married", "couple"):
            self._couple(subject, how)
            self._ends_well()
            return True
        if self.text() == "a" and self.text(1) in ("widow", "widower") and self.ends(2) and len(subject) == 1:
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
        self._said_of_the_world()
        gender = first.gender if first.plural else None
        if len(subject) == 1:
            self.events.append(Kinship(subject[0], first.neutral, subject[0], gender, how["negated"], how["past"]))
        else:
            self.each_other(subject, Nominal(first.neutral, gender, True), **how)
        self._ends_well()
        return True

    def _be_kin(self, subject: list[Person], how: dict[str, bool]) -> bool:
        """`is Ann's mother and the sister of Bea`, `are the parents of Tom`."""
        saved = self.save()
        titles = self.kin_titles(commas=True)
        if titles is None:
            self.restore(saved)
            return False
        self._said_of_the_world()
        for owners, nominal in titles:
            if nominal.plural != (len(subject) > 1 or subject[0].plural):
                raise self.fail("one or several?")
            if nominal.count and nominal.count != len(subject):
                raise self.fail("how many?")
            for person in subject:
                self.relate(owners, nominal, person, **how)
        self._ends_well()
        self.last = (self.at, list(titles[-1][0]))
        return True

    # ---- have --------------------------------------------------------------------------------------------------------

    def _have(self, subject: list[Person]) -> bool:
        if not self.take("went", "on", "to", "have"):
            if self.text() not in HAVE:
                return False
            self.at += 1
        self.take("got")
        self._skip(word_set("also only just now"))
        return self._kin_objects(subject, among=None)

    def _kin_objects(self, subject: list[Person], *, among: frozenset[str] | None) -> bool:
        """`a girl, Ruth, and a boy, Neil`; `two sons`. `among`: the relations it may be."""
        found: list[Person] = []
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
            if self._object_ahead() is None:
                self.restore(saved)
                break
        if not found:
            return False
        if among is None:
            self._said_of_the_world()
        if self.text() in ("with", "by", "from") and self.text(1) not in ("a", "an", "the"):
            raise self.fail("with whom?")
        self.last = (self.at, found)
        return True

    def _object_ahead(self) -> Nominal | None:
        saved = self.at
        nominal = self._indefinite()
        self.at = saved
        return nominal

    def _kin_object(self, subject: list[Person], among: frozenset[str] | None) -> list[Person] | None:
        nominal = self._indefinite()
        if nominal is None or (among and nominal.relation not in among):
            return None
        if self.text() in ("of", "to") and not (self.text(1) in HE_SHE and self.text(2) == "own"):
            raise self.fail("of whom?")
        self.take("himself") or self.take("herself")
        people = self._named(nominal, tuple(subject))
        if (
            people[0].plural
            and not people[0].name
            and nominal.relation == "child"
            and nominal.text in ("twins", "triplets")
        ):
            raise self.fail()
        return people

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

    # ---- other verbs -------------------------------------------------------------------------------------------------

    def _marry(self, subject: list[Person]) -> bool:
        """`married Carl`, `got married to Carl`, `tied the knot with Carl`; of two: `got married`."""
        if self.text() in ("has", "have", "'s", "'ve") and self.text(1) in ("just", "recently", "now", "finally"):
            self.at += 1
        self.take("in", "time") or self.take("at", "last")
        self._skip(word_set("later then finally eventually recently just now soon happily"))
        reciprocal = self.take("tied", "the", "knot") or self.take("got", "married") or self.take("get", "married")
        reciprocal = reciprocal or self.take("got", "hitched")
        if not reciprocal and self.text() not in ("married", "wed", "weds", "marries", "wedded"):
            return False
        if not reciprocal:
            self.at += 1
        how = {"negated": False, "past": False}
        if self.take("each", "other"):
            self._couple(subject, how)
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
            return True
        if other is None and len(subject) == 2 and not to:
            self._couple(subject, how)
            return True
        raise self.fail("who married whom?")

    def _give_birth(self, subject: list[Person]) -> bool:
        """`gave birth to Leo`, `fathered two children, Arthur and Rose`, `welcomed a baby boy, Kiran`."""
        parent: str | None = FEMALE
        names = True
        self._skip(word_set("later then soon"))
        if self.text() in ("gave", "gives", "given") and self.text(1) == "birth" and self.text(2) == "to":
            self.at += 3
        elif self.take("had", "given", "birth", "to") or self.take("has", "given", "birth", "to") or self.take("bore"):
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
        elif not self._kin_objects(subject, among=frozenset({"child"})):
            if not names:
                return False
            raise self.fail("born of whom?")
        if parent is not None and len(subject) == 1:
            subject[0].gender = subject[0].gender or parent
        return True

    def _become(self, subject: list[Person]) -> bool:
        """`became the mother of Ann`, `became a father when Tiana was born`."""
        if self.text() not in ("became", "becomes"):
            return False
        self.at += 1
        saved = self.save()
        how = {"negated": False, "past": False}
        if self._be_kin(subject, how) or self._be_each_other(subject, how):
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
        self.relate(owner, nominal, subject[0])
        self.last = (self.at, owner)
        return True


def _spoken_to(sentence: Sentence, quoted: bool) -> Person | None:
    """`Lend your brother a coat, Astou`: whom a quotation with `you` or `your` calls by name."""
    tokens = [token for token in sentence.tokens if token.text not in (".", "!", "?")]
    while tokens and tokens[-1].text == ",":
        tokens.pop()
    if not quoted or len(tokens) < 3 or not {"you", "your"} & {token.text for token in tokens}:
        return None
    if tokens[0].kind == NAME and tokens[1].text == ",":
        return Person(name=tokens[0].text)
    if tokens[-1].kind == NAME and tokens[-2].text == ",":
        return Person(name=tokens[-1].text)
    return None


def parse(text: str) -> list[Event]:
    """What the first sentence of a text says, without finding out whom pronouns mean."""
    return Clauses(sentences_of(text)[0], speaker=Person(pronoun="i")).read()
