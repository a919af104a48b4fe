"""The things of a sentence, masked as @0, @1, ...; the rest is the shape of the sentence.

Things are the texts in brackets, if there are any. Otherwise they are names (capitalised words) or, in domains whose
things are nouns, runs of words that are neither words of the domain nor function words: "the red box", "lunch",
"box A". A sentence counts only if a phrase of the domain covers its whole shape.

>>> nouns = NounMasker(frozenset({"is", "left", "of", "to"}), "")
>>> nouns.mask("To the left of the lamp is a small table.").text
'to the left of @0 is @1'
>>> nouns.mask("To the left of the lamp is a small table.").things
('lamp', 'small table')
>>> same_things(["small table", "lamp"], ["table"])
{'small table': 'small table', 'lamp': 'lamp', 'table': 'small table'}
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from proband.english.tokens import NotRead
from proband.english.unreal import UNASSERTED, listed
from proband.lexicon.inflection import lemma

CAPITAL: Final = re.compile(r"(?<![\w'])[A-Z][\w-]*")
BRACKETED: Final = re.compile(r"\[([^\][]{1,80})\]")
TITLES: Final = listed("Mr Mrs Ms Dr Miss Sir Lady Lord Prof")
# words that may begin a sentence or line, days, months, peoples: names only if they are given as names
NO_NAMES: Final = TITLES | listed("""
    A An The I He She It They We You His Her Its Their My Our Your Him Them This That These Those There Here What Who
    Whom Whose Which Where When Why How Is Are Was Were Do Does Did Has Have Had Can Could Will Would May Might Must
    Should Shall In On At To Of From By With For And But Or Nor So As If Then Than Not No Yes All Both Each Every Some
    Any Many Most One Two Three Four Five Six After Before During While Since Because Although Though Until Once Now
    Today Yesterday Tomorrow Later Finally First Next Also Only Just Even Every Everyone Everybody Someone Somebody
    Nobody Nothing Please Answer Question Given Tell Name Complete True False Dear According About Over Under Near
    Between Among Along Across Behind Beside Let Suppose Necessity
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April June July August September
    October November December Christmas Easter English French German Spanish Italian Chinese Indian American British
    Options Option Fill Pick Choose Say State Work Find Give Write Label Target Hint Note Read Object Objects Agent
    Agents Go Seen Respond Provide Event Task Tasks Solution Therefore Hence Thus Block Blocks Box Boxes Shape Shapes
    Square Squares Building Place Meeting Job
""")
DETERMINERS: Final = frozenset(("the", "a", "an"))
STOP: Final = UNASSERTED | listed("""
    i he she it they we you his her hers him them their theirs its my our your me us this that these those who whom
    whose which what where when why how and because since while although though so than as then thus hence something
    everything about around is are was were be been being am isn't aren't wasn't weren't isnt has have had having do
    does did don't doesn't didn't can't couldn't won't wouldn't appeared looks told tell tells wish wishes imagine
    imagines dream dreams dreamt pretend pretends expects once formerly used ever still yet already again anymore
    always sometimes often usually occasionally frequently normally generally previously originally hopefully soon
    later earlier now here there yesterday today tomorrow ago former imaginary fake fictional would-be both each all
    some many few several most more less other another else same different one ones two three four of to in on at by
    for from with into onto over under above below between among through across along against near beside besides
    behind after before during until till within inside outside beyond toward towards upon off out up down away back
    too also very quite just only even exactly directly immediately right
""")
TOKEN: Final = re.compile(r"\d+:\d\d|[^\W_][\w-]*(?:['’](?!s\b)\w+)?|['’]s\b|_+|\S")
VERBS: Final = r"(?:is|and|are|was|presents|lies|sits|stands|on|to|has|overlaps?|before|after|during)\b"
ONE_WORD: Final = re.compile(r"(?<![\w@])[A-Za-z][\w-]*")  # a name of one word needs no separate pattern
LONGEST_THING: Final = 4  # words


class Shape(NamedTuple):
    """A sentence with its things numbered in order."""

    text: str
    things: tuple[str, ...]
    new: tuple[str, ...] = ()  # things with *a* or *an*, and plurals without *the*


def check_new(shapes: Iterable[Shape]) -> None:
    """Raise NotRead if *a lamp* or *lamps* follow another lamp, because they may be different lamps."""
    before: set[str] = set()
    for shape in shapes:
        if twice := before & {*shape.new}:
            raise NotRead(f"{min(twice)!r} without 'the' may mean another one than before")
        before |= {*shape.things}


def names_in(text: str, question: str = "") -> set[str]:
    """Possible names: in brackets, or else capitalised words that are not function words.

    >>> sorted(names_in("The object A is above B. A box fell.", "What is A to B?"))
    ['A', 'B']
    >>> sorted(names_in("[Ann Lee] is [Bo]'s aunt."))
    ['Ann Lee', 'Bo']
    """
    if bracketed := set(BRACKETED.findall(text)):
        return bracketed
    capitals = set(CAPITAL.findall(text)) | set(CAPITAL.findall(question))
    letters = any(len(name) == 1 for name in capitals - {"A", "I"}) or re.search(r"(?<=\w )[AI]\b", question)
    return capitals - (NO_NAMES - {"A", "I"} if letters else NO_NAMES)


def mask_names(sentence: str, names: Collection[str]) -> Shape:
    """A sentence with names of people or things masked."""
    things: dict[str, int] = {}

    def mark(match: re.Match[str]) -> str:
        name = match[0]
        if name not in names:
            return name
        if name in ("A", "I") and match.start() == 0 and not re.match(rf"(?:'s)? {VERBS}", sentence[match.end() :]):
            return name  # an article or a pronoun
        return f"@{things.setdefault(name, len(things))}"

    plain_names = all(map(ONE_WORD.fullmatch, names))
    pattern = ONE_WORD if plain_names else _names_pattern(tuple(sorted(names, key=lambda n: (-len(n), n))))
    masked = pattern.sub(mark, sentence)
    return Shape(re.sub(r"\[(@\d+)\]", r"\1", masked).lower().rstrip(".!? "), tuple(things))


@lru_cache(maxsize=4096)
def _names_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"(?<![\w@])(" + "|".join(map(re.escape, names)) + r")(?![\w])")


class NounMasker:
    """Masks nouns. `vocabulary`: words of the domain; `kinds`: a pattern of words before a name ("the object K");
    `relation`: one of its words for relations; `of`: "the box of chocolates" is one thing."""

    def __init__(
        self, vocabulary: frozenset[str], kinds: str, relation: re.Pattern[str] | None = None, *, of: bool = False
    ) -> None:
        self.known, self.relation, self.of = vocabulary | STOP, relation, of
        self.words: dict[str, bool] = {}
        self.kinds = re.compile(rf"(?:{kinds}) (?=\S)") if kinds else None

    def mask(self, sentence: str) -> Shape:
        things: dict[str, int] = {}
        parts: list[str] = []
        run: list[str] = []  # words of the current thing
        new: list[str] = []
        determiner = ""

        def close() -> None:
            nonlocal determiner
            if run:
                parts.append(f" @{things.setdefault(self._name(run), len(things))}")
                plural = not determiner and run[-1].endswith("s") and lemma(run[-1]) != run[-1]
                new.extend([self._name(run)] if plural or determiner in ("a", "an") else [])
                run.clear()
            elif determiner:
                parts.append(f" {determiner}")
            determiner = ""

        tokens = [match[0].replace("’", "'") for match in TOKEN.finditer(sentence)]
        for place, token in enumerate(tokens):
            lower = token.lower()
            letter = token in ("A", "I") and self._is_letter(tokens, place)
            if letter or self._is_content(lower):
                run.append(token if letter else lower if len(token) > 1 else token)
                continue
            if lower == "of" and run and self.of and self._continues(tokens, place):
                run.append(lower)
                continue
            if lower == "'s" and run and self._continues(tokens, place):
                run[-1] += "'s"
                continue
            close()
            if lower in DETERMINERS:
                determiner = lower
            elif lower == "'s" or not (lower[0].isalnum() or lower[0] == "_"):
                parts.append(lower)
            else:
                parts.append(f" {lower}")
        close()
        shape = "".join(parts).strip().rstrip(".!? ")
        return Shape(shape, tuple(things), tuple(new))

    def _is_content(self, lower: str) -> bool:
        """Can the word be part of a thing? It must not be, or consist of, function words or words of the domain."""
        if lower not in self.words:
            parts = lower.split("-")
            known = lower in self.known or lower in DETERMINERS or ":" in lower or all(p in self.known for p in parts)
            self.words[lower] = lower[0].isalnum() and not (known or (self.relation and self.relation.fullmatch(lower)))
        return self.words[lower]

    def _continues(self, tokens: list[str], place: int) -> bool:
        """Does a noun follow the 's, so that the owner belongs to the thing?"""
        after = tokens[place + 1] if place + 1 < len(tokens) else ""
        return bool(after) and self._is_content(after.lower())

    def _is_letter(self, tokens: list[str], place: int) -> bool:
        """Is a capital A or I the name of a thing, not an article or a pronoun?"""
        after = tokens[place + 1].lower() if place + 1 < len(tokens) else ""
        return place > 0 or not after or after in self.known or not after[0].isalnum()

    def _name(self, words: list[str]) -> str:
        name = " ".join(words)
        bare = self.kinds.sub("", name, count=1) if self.kinds else name
        return bare if len(bare) == 1 or bare.isdigit() else name  # *box K*, not *box office*


def thing_meant(phrase: str, things: Iterable[str]) -> str:
    """The thing that a phrase means: by all its words in order, or as the only one that ends with them or that they are
    the first name of; "" if there is none.

    >>> thing_meant("the box", ["red box", "lamp"]), thing_meant("box", ["red box", "blue box"])
    ('red box', '')
    >>> thing_meant("A", ["A"]), thing_meant("Ann", ["Ann Lee"]), thing_meant("table", ["table lamp"])
    ('A', 'Ann Lee', '')
    """
    words = re.findall(r"[\w'-]+", phrase.lower())
    words = words[len(words) > 1 and words[0] in DETERMINERS :]
    own = {thing: thing.lower().split() for thing in things}
    same = [thing for thing, parts in own.items() if parts == words]
    part = [
        thing
        for thing, parts in own.items()
        if words and (parts[-len(words) :] == words or (thing[0].isupper() and parts[:1] == words))
    ]
    return same[0] if same else part[0] if len(part) == 1 else ""


def same_things(phrases: Iterable[str], asked: Iterable[str] = ()) -> dict[str, str]:
    """The thing that each phrase means. In the question (`asked`) a shorter phrase means a longer one of the story with
    the same noun: *the table* is *a small table*. In the story it may be another: *the table lamp ... the lamp*."""
    meant: dict[str, str] = {}
    story = [*phrases]
    for place, phrase in enumerate((*story, *asked)):
        words = phrase.split()
        if phrase in meant:
            continue
        if len(words) > LONGEST_THING:
            raise NotRead(f"{phrase!r} is not a thing")
        noun = phrase.partition(" of ")[0].split()[-1]
        alike = [each for each in dict.fromkeys(meant.values()) if each.partition(" of ")[0].split()[-1] == noun]
        longer = [each for each in alike if set(words) < set(each.split())]
        if any(set(each.split()) < set(words) for each in alike) or len(longer) > (place >= len(story)):
            raise NotRead(f"{phrase!r} may mean several things")
        meant[phrase] = longer[0] if longer else phrase
    return meant
