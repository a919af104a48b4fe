"""A bank is data for stories: frames (constructions that state one to three facts) and occasions, whose phrases fill
the frames. Ours ships with Proband; CLUTRR's crowd templates, which need no occasion, are read from a folder.

A frame is a template: a sentence or two with slots, written once for every gender. It states a path of people
0 - 1 - 2 - 3, one fact per step. Slots:

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
import random
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.files import DATA, read_utf8
from proband.suites.kinship.telling.crowd_templates import load_crowd
from proband.suites.kinship.world.relations import FEMALE, INVERSE, NEUTRAL, NEUTRALS

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


# ---- banks -----------------------------------------------------------------------------------------------------------

OURS: Final = "proband"
CONSTRUCTIONS: Final = "constructions:"  # prefix for constructions that are held out by name
FAMILY: Final = re.compile(r"^## (\w+)\n", re.MULTILINE)
BARE: Final = ("{1} is {0}'s {1 of 0}.", "{1} is the {1 of 0} of {0}.", "{0} has {a 1 of 0} named {1}.")
FEWEST: Final = 2  # least phrases of an occasion


@dataclass(frozen=True)
class Occasion:
    """One place, time and reason to meet: `openings` introduce it, `moments` are its parts in temporal order, and its
    phrases state the facts."""

    name: str
    openings: tuple[str, ...]
    moments: tuple[str, ...]
    phrases: tuple[Phrase, ...] = field(repr=False)

    @cached_property
    def by_id(self) -> dict[str, Phrase]:
        return {phrase.id: phrase for phrase in self.phrases}


@dataclass(frozen=True)
class Bank:
    """`split` maps an occasion (by name) or a frame (by id) to its split; others belong to both."""

    name: str
    frames: tuple[Frame, ...]
    occasions: tuple[Occasion, ...] = ()
    split: dict[str, str] = field(default_factory=dict, hash=False)

    def of_split(self, split: str | None) -> Bank:
        """The bank for the stories of a split."""
        if split is None or not self.split:
            return self

        def own(name: str) -> bool:
            return self.split.get(name, split) == split

        frames = tuple(frame for frame in self.frames if own(frame.id))
        return replace(self, frames=frames, occasions=tuple(each for each in self.occasions if own(each.name)))

    @cached_property
    def by_id(self) -> dict[str, Frame]:
        return {frame.id: frame for frame in self.frames}

    @cached_property
    def occasion(self) -> dict[str, Occasion]:
        return {each.name: each for each in self.occasions}

    @cached_property
    def longest(self) -> int:
        """The largest number of facts in a frame."""
        return max((frame.facts for frame in self.frames), default=1)

    @property
    def families(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(frame.family for frame in self.frames))

    def frames_of(self, relations: Row, genders: Row) -> tuple[Frame, ...]:
        """The frames for a path of these relations."""
        key = (relations, genders)
        if key not in self._known:
            self._known[key] = tuple(frame for frame in self.frames if frame.suits(relations, genders))
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[Row, Row], tuple[Frame, ...]]:
        return {}

    def hold_out(self, share: float, seed: int) -> Bank:
        """The same bank with `share` of its occasions for the test or, without occasions, of its frames: at most the
        share of each clause, and never its last frame.

        >>> frames = parse_frames("== *\\n{1} met {0}, {1 his} {0 of 1}.\\n{1} is the {1 of 0} of {0}.", family="x")
        >>> sorted(Bank("mine", tuple(frames)).hold_out(0.2, seed=0).split.values())
        ['test', 'train']
        """
        rng = random.Random(f"paraphrases {seed}")
        if self.occasions:
            names = [each.name for each in self.occasions]
            held = set(rng.sample(names, max(1, round(share * len(names)))))
            return replace(self, split={**self.split, **{name: "test" if name in held else "train" for name in names}})
        kinds = Counter((frame.pattern, frame.genders) for frame in self.frames)
        left = {kind: max(1, round(share * n)) if n > 1 else 0 for kind, n in kinds.items()}
        split = {}
        for frame in rng.sample(self.frames, len(self.frames)):
            left[frame.pattern, frame.genders] -= 1
            split[frame.id] = "test" if left[frame.pattern, frame.genders] >= 0 else "train"
        return replace(self, split=split)

    def hold_out_constructions(self, families: Sequence[str]) -> Bank:
        """The same bank with whole constructions for the test.

        >>> bank = load_bank().hold_out_constructions(["of"])
        >>> {bank.by_id[id].family for id, split in bank.split.items() if split == "test"}
        {'of'}
        """
        if (wrong := next((name for name in families if name not in self.families), None)) is not None:
            raise ProbandError(f"'constructions' has no {wrong!r}; there are {', '.join(self.families)}")
        held = {frame.id: "test" if frame.family in families else "train" for frame in self.frames}
        return replace(self, split={**self.split, **held})


# ---- loading banks -------------------------------------------------------------------------------------------------


def crowd_folder(bank: str) -> Path | None:
    """The folder of the crowd's templates, if the bank's name has one.

    >>> crowd_folder("clutrr:amt"), crowd_folder("proband")
    (PosixPath('amt'), None)
    """
    kind, colon, folder = bank.partition(":")
    return Path(folder) if colon and kind == "clutrr" else None


def load_bank(name: str = OURS) -> Bank:
    """Our own bank ("proband") or CLUTRR's crowd templates from a folder ("clutrr:FOLDER")."""
    if name == OURS:
        return _ours()
    if (folder := crowd_folder(name)) is not None:
        return _of_the_crowd(folder)
    raise ProbandError(f"no bank {name!r}; use {OURS} or clutrr:FOLDER")


def constructions_held(hold_out: Sequence[str]) -> tuple[str, ...]:
    """
    >>> constructions_held(["names", "constructions:of+who"])
    ('of', 'who')
    """
    named = (part.removeprefix(CONSTRUCTIONS) for part in hold_out if part.startswith(CONSTRUCTIONS))
    return tuple(name for part in named for name in part.split("+"))


@lru_cache(maxsize=4)
def bank_of_build(name: str, *, hold_out: tuple[str, ...], share: float, seed: int) -> Bank:
    """The bank of a build, with the parts that are held out for the test."""
    bank = load_bank(name)
    if constructions := constructions_held(hold_out):
        bank = bank.hold_out_constructions(constructions)
    return bank.hold_out(share, seed) if "paraphrases" in hold_out else bank


@lru_cache(maxsize=1)
def _ours() -> Bank:
    folder = DATA / "kinship" / "bank"
    files = sorted(folder.glob("*.toml"))
    occasions = [each for file in files for each in parse_occasions(read_utf8(file), name=file.name)]
    _, *parts = FAMILY.split(read_utf8(folder / "frames.txt"))
    frames = [frame for name, text in zip(parts[::2], parts[1::2]) for frame in parse_frames(text, family=name)]
    return Bank(OURS, tuple(frames), tuple(occasions))


@lru_cache(maxsize=4)
def _of_the_crowd(folder: Path) -> Bank:
    """The crowd's templates that state exactly their facts."""
    rows = {f"clutrr.{row.id}": row for row in load_crowd(folder, longest=LONGEST)}
    patterns = {name: tuple(NEUTRAL[word] for word in row.words) for name, row in rows.items()}
    frames = tuple(Frame(name, name, row.text, patterns[name], row.genders) for name, row in rows.items())
    return completed(Bank(f"clutrr:{folder}", frames, split={name: row.split for name, row in rows.items()}))


def completed(bank: Bank) -> Bank:
    """The bank with plain frames of ours for single facts that it lacks (the crowd has no siblings-in-law)."""
    single = {frame.pattern for frame in bank.frames}
    lacking = [n for n in NEUTRALS if not single & {(n,), (INVERSE[n],)}]
    added = tuple(Frame.parse(text, family=f"bare-{n}", pattern=(n,)) for n in lacking for text in BARE)
    return replace(bank, frames=bank.frames + added)


def parse_occasions(text: str, *, name: str) -> list[Occasion]:
    """The occasions of a file."""
    try:
        occasions = [
            Occasion(
                each["name"],
                tuple(each["openings"]),
                tuple(each["moments"]),
                tuple(Phrase.parse(line) for line in each["phrases"].strip().splitlines()),
            )
            for each in tomllib.loads(text)["occasion"]
        ]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise ProbandError(f"not a file of occasions: {error}", file=name) from None
    except ProbandError as error:
        raise ProbandError(str(error), file=name) from None
    for occasion in occasions:
        if not occasion.openings or len(occasion.phrases) < FEWEST:
            raise ProbandError(f"occasion {occasion.name!r} needs an opening and at least {FEWEST} phrases", file=name)
    return occasions


def parse_frames(text: str, *, family: str) -> list[Frame]:
    """The frames of one construction. The headers `== *` and `== * *` give the number of facts of the frames below; `#`
    begins a comment.

    >>> [frame.facts for frame in parse_frames("== *\\n{1} is {0}'s {1 of 0}.", family="copula")]
    [1]
    """
    frames: list[Frame] = []
    pattern: Row = ()
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("=="):
            pattern = tuple(line.split()[1:])
        elif not line.startswith("#"):
            frames.append(Frame.parse(line, family=family, pattern=pattern))
    return frames
