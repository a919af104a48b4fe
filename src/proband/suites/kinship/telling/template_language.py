"""The template language: a sentence or two with slots, written once for every gender.

A template states a path of people 0 - 1 - 2 - 3, one fact per step. Slots:

    {0}             the name                       {1 of 0}      the kin word of 1 for 0: aunt, son-in-law
    {0 his}         he him his (or she her)        {a 1 of 0}    with its article: an aunt
    <past|WORDS>    a phrase of the story's occasion in the past tense, WORDS in place of its @; also <ing|>, <base|>
                    and <done|>; <past2|WORDS> for a second phrase

>>> frame = Frame.parse("{0} <past|{0 his} {1 of 0} {1}>.", family="own", pattern=("*",))
>>> frame.fill(["Ben", "Mia"], ["male", "female"], ["aunt"], ["nephew"], [Phrase.parse("carry the lanterns with @")])
'Ben carried the lanterns with his aunt Mia.'
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.files import DATA, read_utf8
from proband.suites.kinship.world.relations import FEMALE

ANY: Final = "*"
LONGEST: Final = 3  # facts in one template
KIN_PLACE: Final = "@"
DIFFER: Final = "0/1"
PRONOUNS: Final = {"he": "she", "him": "her", "his": "her"}
PHRASE_SLOT: Final = re.compile(r"<(base|past|ing|done)(2?)\|([^<>]*)>")
SLOT: Final = re.compile(r"\{([^{}]*)\}")
KIN_SLOT: Final = re.compile(r"(a )?(\d) of (\d)")
OBJECT: Final = re.compile(r"\{(\d) him\}")  # a pronoun without information about kin
TIMED: Final = re.compile(r"\{\d\}[^,]")  # no comma after the first name
GENDER_SLOT: Final = re.compile(r"(\d) (he|him|his)")
DOUBLED: Final = re.compile(r"(?:qu|[^aeiou])*[aeiou][bdglmnprt]")  # chat, chatting
AFTER: Final = ("after", "before", "as", "than")
Row = tuple[str, ...]  # relations along a path, or the genders of its people


# ---- phrases -------------------------------------------------------------------------------------------------------


def _irregular() -> dict[str, list[str]]:
    lines = read_utf8(DATA / "kinship" / "bank" / "verbs.txt").splitlines()
    return {verb: forms for verb, *forms in (line.split() for line in lines if line and not line.startswith("#"))}


VERBS: Final[Mapping[str, Sequence[str]]] = _irregular()  # base form -> past, participle and perhaps the -ing form


def inflect(verb: str) -> dict[str, str]:
    """The forms of a verb.

    >>> inflect("try"), inflect("chat")["ing"], inflect("write")["done"]
    ({'past': 'tried', 'ing': 'trying', 'done': 'tried'}, 'chatting', 'written')
    """
    stem = verb + verb[-1] if DOUBLED.fullmatch(verb) else verb
    if verb.endswith("e"):
        past, ing = verb + "d", verb + "ing" if verb.endswith(("ee", "oe", "ye")) else verb[:-1] + "ing"
    elif verb.endswith("y") and verb[-2] not in "aeou":
        past, ing = verb[:-1] + "ied", verb + "ing"
    else:
        past, ing = stem + "ed", stem + "ing"
    if verb not in VERBS:
        return {"past": past, "ing": ing, "done": past}
    given = VERBS[verb]
    return {"past": given[0], "done": given[1], "ing": given[2] if len(given) > 2 else ing}


@dataclass(frozen=True, eq=False)
class Phrase:
    """A verb phrase about a relative: `carry the lanterns with @`. A phrase with ! is an event without duration."""

    id: str
    heads: Mapping[str, str]  # the words before the kin word, by form of the verb
    tail: str
    lasting: bool

    @classmethod
    def parse(cls, line: str) -> Phrase:
        text = line.removeprefix("!").strip()
        head, at, tail = text.partition(KIN_PLACE)
        verb, _, rest = head.partition(" ")
        if not at or KIN_PLACE in tail or not rest:
            raise ProbandError(f"a phrase is a verb in its base form, more words and one @, not {line!r}")
        heads = {"base": head, **{form: f"{word} {rest}" for form, word in inflect(verb).items()}}
        return cls(digest_id(text), heads, tail, not line.startswith("!"))

    @cached_property
    def preposition(self) -> str:
        return self.heads["base"].split()[-1]


def digest_id(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


# ---- frames --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PhraseSlot:
    """The requirements on a phrase in a slot. After `was` it must have a duration. If the slot `ends` a clause with a
    name, nothing may follow its @. A `pronoun` may not follow *of*. If it is `joined` by *before*, *after* or a comma,
    it may not contain one.

    >>> slot = PhraseSlot(was=True, ends=False, pronoun=False, joined=False)
    >>> slot.fits(Phrase.parse("! find a ring of @")), slot.fits(Phrase.parse("wait for @"))
    (False, True)
    """

    was: bool
    ends: bool
    pronoun: bool
    joined: bool

    def fits(self, phrase: Phrase) -> bool:
        return (
            (phrase.lasting or not self.was)
            and (not phrase.tail or not self.ends)
            and (phrase.preposition != "of" or not self.pronoun)
            and (phrase.preposition not in AFTER or not (self.joined or self.ends))
        )


@dataclass(frozen=True)
class Frame:
    """A template. `pattern` has the neutral relations along its path ("*" is any); `genders` is the only combination it
    is written for (None, as in our frames: any)."""

    id: str
    family: str  # its construction
    text: str
    pattern: Row
    genders: Row | None = None
    differ: bool = False  # people 0 and 1 must differ in gender, otherwise a pronoun is ambiguous

    @classmethod
    def parse(cls, line: str, *, family: str, pattern: Row) -> Frame:
        text = line.removeprefix(DIFFER).strip()
        frame = cls(f"{family}.{digest_id(text)}", family, text, pattern, differ=line.startswith(DIFFER))
        if strange := re.search(r"<[^<>]*>", PHRASE_SLOT.sub("", text)):
            raise ProbandError(f"unknown slot {strange[0]}")
        slots = [_slot(each) for each in SLOT.findall(text)]
        if any(person > frame.facts for kind, *people in slots for person in people[: 1 + (kind == "kin")]):
            raise ProbandError(f"{text!r} is about a person beyond the path")
        if not any(kind == "name" for kind, *_ in slots):
            raise ProbandError(f"the template names no person: {text!r}")
        return frame

    @property
    def facts(self) -> int:
        return len(self.pattern)

    @cached_property
    def slots(self) -> tuple[PhraseSlot, ...]:
        """The first phrase slot of each number."""
        found = {}
        for match in PHRASE_SLOT.finditer(self.text):
            before, after = self.text[: match.start()], self.text[match.end() :]
            joined = bool({*after.split()[:1], *before.split()[-1:]} & set(AFTER))
            ends = "," in match[3] or after.startswith(", who")
            pronoun = match[3] == "me" or bool(OBJECT.fullmatch(match[3]))
            found[match[2]] = PhraseSlot(before.endswith(" was "), ends, pronoun, joined)
        return tuple(found[number] for number in sorted(found))

    @property
    def timed(self) -> bool:
        """Can a moment precede it (*Around noon, ...*)?"""
        return bool(TIMED.match(self.text)) and self.family != "copula"

    def tells(self, relations: Row) -> bool:
        return len(self.pattern) == len(relations) and all(a in (ANY, b) for a, b in zip(self.pattern, relations))

    def suits(self, relations: Row, genders: Row) -> bool:
        """Can it state these relations of people of these genders?"""
        clear = not self.differ or genders[0] != genders[1]
        return clear and self.genders in (None, genders) and self.tells(relations)

    def fill(
        self,
        names: Sequence[str],
        genders: Sequence[str],
        ahead: Sequence[str],
        back: Sequence[str],
        phrases: Sequence[Phrase] = (),
    ) -> str:
        """The text of the frame: `ahead[t]` is the kin word of person t + 1 for t, `back[t]` that of t for t + 1."""

        def phrase(match: re.Match[str]) -> str:
            own = phrases[len(match[2])]
            return own.heads[match[1]] + match[3] + own.tail

        def value(match: re.Match[str]) -> str:
            kind, person, *more = _slot(match[1])
            if kind == "name":
                return str(names[person])
            if kind == "gender":
                return str(more[genders[person] == FEMALE])
            noun: str = ahead[more[0]] if person > more[0] else back[person]
            return ("an " if noun[0] in "aeiou" else "a ") * bool(more[1]) + noun

        return SLOT.sub(value, PHRASE_SLOT.sub(phrase, self.text))


@cache
def _slot(slot: str) -> tuple[Any, ...]:
    """The content of a slot: its kind, a person, and further arguments."""
    if slot.isdigit():
        return "name", int(slot)
    if match := KIN_SLOT.fullmatch(slot):
        b, a = int(match[2]), int(match[3])
        if abs(a - b) != 1:
            raise ProbandError(f"person {b} and person {a} are not neighbours on the path")
        return "kin", b, a, match[1] or ""
    if match := GENDER_SLOT.fullmatch(slot):
        return "gender", int(match[1]), match[2], PRONOUNS[match[2]]
    raise ProbandError(f"unknown slot {{{slot}}}")
