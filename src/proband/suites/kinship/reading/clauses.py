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

from proband.suites.kinship.reading.adjuncts import STATE, adjunct
from proband.suites.kinship.reading.lexicon import word_set
from proband.suites.kinship.reading.noun_phrases import Nominal, plain
from proband.suites.kinship.reading.people_words import (
    ADJECTIVES,
    HE_SHE,
    NAMING,
    NUMBERS,
    OCCUPATIONS,
    PASSED_OVER,
    POSSESSED,
    POSSESSIVE,
    TWINS,
    YOUTH,
)
from proband.suites.kinship.reading.plain_words import IDIOMS, is_own, own_asides
from proband.suites.kinship.reading.predicates import BE, HAVE, MAN_OR_WOMAN, SURE, Predicates
from proband.suites.kinship.reading.statements import Event, Kinship, Members, Mention, NewClause, Person
from proband.suites.kinship.reading.tokens import (
    KIN,
    NAME,
    PLACE,
    QUOTE,
    SAYING,
    NotUnderstood,
    Sentence,
    Token,
    sentences_of,
)
from proband.suites.kinship.world.relations import INVERSE

JOINING: Final = word_set(
    "and but so while when because after before until since where whereas though although then as"
)
MODAL: Final = word_set("""
    can could will would shall should may might must 'll 'd not never n't neither nor hardly seldom rarely almost nearly
    barely scarcely
    """)
CONDITION: Final = word_set("if whether unless")
# with a verb of everyday matters they say that nobody does it
NOBODY: Final = word_set("no nobody nothing any anyone anybody anything")
NOT_AFTER_NO: Final = word_set("such longer more one relation relative kin of like truth doubt but")
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
PREPOSITIONS: Final = word_set("""
    among amongst with without behind beside besides next to at in on from for by near under over above below of about
    across around between against toward towards into onto through opposite
    """)
SETTINGS: Final = word_set(
    "book books tv television mind head eyes game games paper radio computer internet photo-story"
)
INTRODUCING: Final = tuple(
    tuple(each.split())
    for each in (
        "have you met",
        "you know",
        "do you know",
        "do you remember",
        "remember",
        "have you seen",
        "you remember",
    )
)
DATES: Final = word_set("""
    monday tuesday wednesday thursday friday saturday sunday today yesterday tomorrow tonight year week month morning
    evening night summer winter spring autumn
    """)
CALLING: Final = word_set("named calling christened baptised")  # `called him Bobby` may be a name for a friend
LEFT: Final = word_set("left leaves leaving")
ABOUT: Final = word_set("about on with for under over behind from beside near")
WEATHER: Final = word_set("""
    day night evening morning afternoon sunny cold hot warm raining snowing late early dark windy summer winter spring
    autumn birthday foggy rainy cloudy
    """)
TIMES: Final = word_set("yesterday today then later now years")
RAISING: Final = word_set("raised raises raising raise reared rears")
# what a teller may do and still tell of others
OF_THE_TELLER: Final = word_set("""
    live lived love loved like liked visit visited met meet saw see went go grew work worked moved stayed eat ate cook
    cooked bought gave helped took drove walked baked miss missed share shared spent and sat sit stood rang phoned
    borrowed lent played danced sang talked travelled flew sailed rode ran swam
    """)
FINITE: Final = word_set("is was are were has had have")
INTERJECTIONS: Final = word_set("oh well yes no hello hi")
NOT_BEFORE_KIN: Final = word_set("""
    like as than is are was were 's 're am become be being been called call calls calling playing play plays played
    considers considered
    """)


class Clauses(Predicates):
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
        heard = addressee or _spoken_to(sentence, quoted)
        super().__init__(sentence.tokens, speaker=speaker, addressee=heard, ours=ours)
        self.sentence = sentence
        self.quoted = quoted
        self.subject: list[Person] | None = None
        self.main: list[Person] | None = None  # the subject outside a relative clause
        self.starts = True  # may a clause begin here?
        self.after_preposition = False  # `after her husband ...`: a clause, or a phrase of the one before
        self.unsure = self.thought = sentence.tokens[-1:] != () and sentence.tokens[-1].text == "?"
        self.conditional = False
        self.identifies = ""  # somebody who was described is named: who may be one who has no name elsewhere
        self.possessor_before = False
        self.described: Person | None = None  # the lady in the green hat, who is named next
        self.spoken_by: Person | None = None
        self.spoken_to: Person | None = None

    def read(self) -> list[Event]:
        tokens = self.tokens
        if self.unsure and not self.quoted and any(t.kind in (NAME, KIN) for t in tokens):
            return self._introduction()
        if not any(token.kind in (NAME, KIN, QUOTE) for token in tokens):
            if self.sentence.text in own_asides() or (self.quoted and _only_greets(tokens)):
                return []
            self._check_aside()
        while self.at < len(tokens):
            self._step()
        if self.conditional and self.asserts:
            raise NotUnderstood("said on a condition")
        return self.events

    def _introduction(self) -> list[Event]:
        """`Have you met Ivo?`, `You know Zeynep?`: somebody is mentioned, nothing is said."""
        for words in INTRODUCING:
            if self.take(*words):
                if self.peek().kind == NAME and self.text(1) == "?" and self.at == len(self.tokens) - 2:
                    return [Mention(Person(name=self._take_word()))]
                self.at = 0
        raise NotUnderstood("a question")

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
        if self._name_is() or self._there_or_this() or self._born_to() or self._kin_left_out() or self._one_is():
            return
        if self._household() or self._presented() or self._named_so() or self._greeting():
            return
        if self.at == 0 and self.peek(3).kind == NAME and self.take("the", "couple", ","):
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
        if self.described and people[0].name and len(people) == 1:
            self.same(self.described, people[0])
        self.described = None
        fetched = self._word_before(before).startswith("call") and self.text() == "for"  # the plumber for her sister
        if self._word_before(before) in NOT_BEFORE_KIN and not fetched and not all(p.name or p.pronoun for p in people):
            raise self.fail("likened to kin, or called so")
        told = [event for event in self.events[said_before:] if isinstance(event, Kinship)]
        if previous is not None and previous.text in LEFT and any(event.relation == "spouse" for event in told):
            raise self.fail("a marriage that may be over")
        thing = self.text() in POSSESSED and not self._is_verb_s()
        if thing and people[0].name and self.ends(1) and self._word_before(before) in ("at", "to", "round", "near"):
            self.at, self.starts = self.at + 1, False  # sleep over at Maribel's
            self.last = (self.at, people)
            return
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
        if before == 0 and self.text() == "," and self.peek(1).kind == NAME and self.text(2) in FINITE:
            raise self.fail("a name that belongs to nothing")
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
        self.open_clause(before)
        self.main = people
        self.events.insert(said_before, NewClause())
        said = self._begin_clause(people)
        if people[0] is self.speaker and not self.quoted and not said and self.text() not in OF_THE_TELLER:
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
        if following.text == "got":
            return True
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
        elif word in NOBODY and self._is_nobody():
            self.unsure = True
        elif not self._may_pass(token):
            raise self.fail()
        self.at += 1
        self._passed(word)

    def _is_nobody(self) -> bool:
        """`was no help`, `never say no to her`, `louder than anyone`; not `no sister of hers`, `no such thing`."""
        if self.ours or not any(token.kind in (NAME, KIN) for token in self.tokens):
            return False
        following = self.peek(1)
        if following.kind in (NAME, KIN) or following.text in NOT_AFTER_NO or following.text in POSSESSED:
            return following.text == "but" and self.text() == "nothing"
        return self.text() in ("no", "any") or self.text(-1) not in BE

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
        if self.text() == "has" and before == "and" and following.text in POSSESSIVE:
            return False
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
            mine = word in ("my", "our") and plain(self.peek(1)) and self.text(1) not in OCCUPATIONS
            return (self.quoted and self.text(1) != "name") or mine
        if word in SAYING:
            return bool(self.sentence.quotes)
        if word == "same":
            return before == "the" and self.text(1) not in ("man", "woman", "person", "one")
        if word == "family":
            return before not in BE
        if word in PASSED_OVER:
            return True
        if word == "'s" and before in DATES:
            return True
        if word == "once":
            return before == "never"
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
            gender = next((MAN_OR_WOMAN[t.text] for t in self.tokens[:4] if t.text in MAN_OR_WOMAN), "")
            self.identifies = gender or "somebody"
            subject = self.subject[0] if self.subject and len(self.subject) == 1 else None
            self.described = subject if subject and subject.relation == "friend" and not subject.name else None
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
        if words and words[-1].text in OCCUPATIONS and not any(t.kind in (NAME, KIN, QUOTE) for t in words):
            return len(words) < 5 and self.text(2) not in POSSESSED  # Monday's speaker is Leticia
        return (
            len(words) > 3
            and words[0].text == "the"
            and (words[1].text in MAN_OR_WOMAN or words[1].text in ("one", *OCCUPATIONS))
            and not any(token.kind in (NAME, KIN, QUOTE) or token.text in BE for token in words)
            and self.text(2) not in POSSESSED
        )

    def _check_aside(self) -> None:
        """A sentence without people or kin may be passed over only if it cannot be a remark on the story."""
        first = self.tokens[0].text
        second = self.tokens[1].text if len(self.tokens) > 1 else ""
        if len(self.tokens) <= 3 and second.isdigit():  # Exercise 4.
            return
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
            doubted = any(t.text in BE or t.text in MODAL for t in self.tokens)
            about = token.text == "it" and self.tokens[at - 1].text in ABOUT and not doubted
            if token.text in ("it", "this", "that") and stands_alone and not asked and not about:
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
        if (self.text() in HE_SHE or self.text() == "my") and self.text(1) == "name":
            owner = [self._owner_of(self._take_word())]
            self.at += 1
        elif self.take("the", "name", "of"):
            owner = self.people()
        elif self.peek().kind == NAME or self.text() in POSSESSIVE or self.text() == "whose":
            owner = self._possessor_of_name()
        if owner and len(owner) == 1 and self.text() in BE and self.peek(1).kind == NAME:
            self.open_clause(saved[0])
            self._tell()
            self.at += 1
            named = Person(name=self._take_word())
            self.events.append(Mention(named, subject=True, group=(named,)))
            self._say_same(owner[0], named)
            self.subject, self.starts, self.last = [named], False, (self.at, [named])
            self.main = self.subject
            self._apposition([named])
            self._ends_well()
            return True
        self.restore(saved)
        return False

    def _born_to(self) -> bool:
        """`A son, Leo, was born to Ann and Bob`; `Twins were born to Ann and Bob: a boy, Leo, and a girl, Mia`."""
        if self.at or not (self.text() in ("a", "an", "two", "three") or self.text() in ("twins", "triplets")):
            return False
        saved = self.save()
        nominal = self._indefinite()
        if nominal is None or nominal.relation != "child":
            self.restore(saved)
            return False
        name = "" if nominal.plural else self._name_after()
        children = (
            self._names_of(nominal) if nominal.plural else [Person(name=name, gender=nominal.gender)][: bool(name)]
        )
        if not (self.text() in ("was", "were") and self.text(1) == "born" and self.text(2) == "to"):
            self.restore(saved)
            return False
        self.at += 3
        parents = self.people()
        if parents is None:
            raise self.fail("born to whom?")
        while (end := adjunct(self.tokens, self.at)[0]) > self.at:
            self.at = end
        if not children and (self.take(":") or self.take(",") or self.take("-")):
            children = self._indefinite_people(Nominal("parent", None, False)) or []
        if not children or (nominal.count and nominal.count != len(children)):
            raise self.fail("who was born?")
        self._mention(children)
        if nominal.text in TWINS:
            self.each_other(children, Nominal("sibling", None, True))
        for child in children:
            self.relate(parents, Nominal("child", None, False), child)
        self.subject, self.main, self.starts, self.last = children, children, False, (self.at, children)
        self.asserts, self.said_until = True, self.at
        self._ends_well(happened=True)
        return True

    def _household(self) -> bool:
        """`The Parkers have four children: Amy, Beth, Craig and Dan`."""
        family = self.text() == "the" and self.peek(1).kind in (NAME, PLACE) and self.text(2) in ("have", "had")
        if self.at or not family:
            return False
        saved = self.save()
        self.at += 3
        nominal = self._indefinite()
        children = self._names_of(nominal) if nominal and nominal.plural and nominal.relation == "child" else []
        if not children or not self.peek(1 - self.at).text.endswith("s"):
            self.restore(saved)
            return False
        self._mention(children)
        self.each_other(children, Nominal("sibling", nominal.gender if nominal else None, True))
        self.subject, self.main, self.starts, self.last = children, children, False, (self.at, children)
        self.asserts, self.said_until = True, self.at
        self._ends_well()
        return True

    def _presented(self) -> bool:
        """`Pushing them is Imogen's brother, Crispin`; `Waiting outside were her mother Judith and ...`."""
        if self.at or not self.text().endswith("ing") or self.peek().kind != "word":
            return False
        ahead = next((k for k in range(1, 8) if self.text(k) in BE), 0)
        between = [self.peek(k) for k in range(ahead)]
        if not ahead or not all(plain(token) or token.text in ("him", "her", "them") for token in between):
            return False
        saved = self.save()
        self.at += ahead + 1
        people = self.people()
        if people is None or not (self.ends() or self.text() in ("who", "whose")):
            self.restore(saved)
            return False
        self.last, self.subject, self.main, self.starts = (self.at, people), people, people, False
        self.events += [Mention(person, subject=True, group=tuple(people)) for person in people]
        return True

    def _named_so(self) -> bool:
        """`They named her Saffron`, `They are calling him Franek`: the name of the child without one."""
        if self.text(-1) not in CALLING or self.text() not in ("him", "her") or self.peek(1).kind != NAME:
            return False
        if not self.ends(2) or self.unsure:
            return False
        child = self._third("he" if self.text() == "him" else "she", HE_SHE[self.text()])
        self.at += 1
        self._mention([child])
        self.same(child, self._mention([Person(name=self._take_word())])[0])
        self.starts, self.last = False, (self.at, [child])
        return True

    def _greeting(self) -> bool:
        """`Hi Jo,`, `Dear Tom,`: whom a letter speaks to."""
        if self.at or self.text() not in ("hi", "hello", "hey", "dear") or self.peek(1).kind != NAME:
            return False
        if self.text(2) not in (",", "!") or self.sentence.quotes:
            return False
        self.at += 1
        self._mention([Person(name=self._take_word())])
        self.at += 1
        return True

    def _one_is(self) -> bool:
        """`One is called Adam and the other Noah`: the names of those who were said to be so many."""
        length = 1 if self.text() == "one" else 2
        named = (
            self.text(length) in ("is", "was", "named", "called", "of", "one", ",") or self.peek(length).kind == NAME
        )
        if self.at or not named or not (self.take("one") or self.take("the", "first") or self.take("the", "older")):
            return False
        self.take("of", "them")
        names: list[str] = []
        while True:
            _ = self.take("is", "called") or self.take("is", "named") or self.take("is") or self.take("named")
            if self.peek().kind != NAME or self.text(1) in POSSESSED:
                break
            names.append(self._take_word())
            if not (self.text() in (",", "and", ";") and self._takes_another()):
                break
        if len(names) < 2 or not self.ends():
            raise self.fail("which of them?")
        self._tell()
        self.events.append(Members(tuple(Person(name=name) for name in names)))
        return True

    def _takes_another(self) -> bool:
        """`, and the other`, `; the second`."""
        saved = self.save()
        self.take(",") or self.take(";")
        self.take("and")
        if self.take("the") and self.text() in ("other", "second", "third", "younger", "last"):
            self.at += 1
            self.take("one")
            return True
        self.restore(saved)
        return False

    def _kin_left_out(self) -> bool:
        """`Ann's husband is Bob, and Cara's is Dan`; `Ann is Bob's aunt, and Carl his uncle`."""
        if self.text(-1) not in ("and", ",", "while", "but") or self.peek().kind != NAME or self.unsure or self.thought:
            return False
        saved = self.save()
        one = Person(name=self._take_word())
        if self.left_out is not None and self.text() in POSSESSED:
            self.at += 1
            _ = self.take("is", "called") or self.take("is") or self.take("was")
            if self.peek().kind == NAME and self.ends(1):
                other = Person(name=self._take_word())
                self._mention([one, other])
                self.relate((one,), self.left_out, other)
                self.last, self.said_until = (self.at, [other]), self.at
                self._ends_well()
                return True
        elif self.be_kin_before and (self.text() in POSSESSIVE or self.text() == "the"):
            self._mention([one])
            titles = self.kin_titles()
            if titles is not None and self.ends() and not any(nominal.plural for _, nominal in titles):
                self.events.insert(saved[1], NewClause())
                for owners, nominal in titles:
                    self.relate(owners, nominal, one)
                self.last, self.said_until = (self.at, [one]), self.at
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
        if self.text() not in ("this", "that", "it", "there", "these", "those", "here") or self.text(1) not in BE:
            return False
        saved = self.save()
        self.open_clause(self.at)
        self.at += 2
        people = self.people()
        if people is None or self.unsure or self.thought:
            self.restore(saved)
            return False
        self._tell()
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
        if len(head) == 1 and not head[0].name and self._whose_name_is(head[0]):
            return True
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
        opened, self.opened, self.relative_clause = self.opened, STATE, True
        self._begin_clause(head)
        self.opened, self.relative_clause = opened, False
        self.unsure, self.thought = doubts
        return True

    def _whose_name_is(self, head: Person) -> bool:
        """`The mayor, whose name is Adelheid, has`."""
        saved = self.save()
        named = self.take("whose", "name", "is") or self.take("whose", "name", "was") or self.take("who", "goes", "by")
        if not named or self.peek().kind != NAME or not self.ends(1) or self.unsure or self.thought:
            self.restore(saved)
            return False
        person = self._mention([Person(name=self._take_word())])[0]
        self.same(head, person)
        self.take(",")
        self.last = (self.at, [person])
        self.subject = self.main = [person]
        return True

    def _begin_clause(self, people: list[Person]) -> bool:
        self.subject, self.starts = people, False
        self.last = (self.at, people)
        self.events += [Mention(person, subject=True, group=tuple(people)) for person in people]
        self._skip(SURE)
        return self.predicate(people)


def _only_greets(tokens: Sequence[Token]) -> bool:
    """`Yes,`, `Oh, hello!`: nothing is said, and nothing taken back."""
    return all(token.kind == "mark" or token.text in ("yes", "oh", "hello", "hi", "well", "yep") for token in tokens)


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
