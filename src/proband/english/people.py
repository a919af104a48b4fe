"""The people of a text: full names, parts of names and pronouns, each resolved to a person.

A full name comes first, a part of it later: *Kate Miller ... Kate's father*. If a part of a name or a pronoun fits two
people, no referent is guessed: the text is unread (`NotRead`).

>>> people = People("Kate Miller is the mother of Sam. Kate's father is Tom Miller.", "What is Tom to Sam?")
>>> people.names, people.mask("Kate's father is Tom Miller.")
(('Kate Miller', 'Sam', 'Tom Miller'), "@0's father is @2.")
>>> People("Ann Hill met Ann Lee. Ann left.", "").mask("Ann left.")
Traceback (most recent call last):
proband.english.tokens.NotRead: 'Ann' may mean Ann Hill or Ann Lee
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final

from proband.english.domain import FEMALE, MALE
from proband.english.first_names import gender_of_name, is_first_name
from proband.english.things import BRACKETED, NO_NAMES, TITLES, Shape
from proband.english.tokens import NotRead, normalised, sentences
from proband.english.unreal import UNREAL, listed

RUN: Final = re.compile(r"(?<![\w@'])[A-Z][\w-]*(?:'[A-Z][\w-]*)?(?: [A-Z][\w-]*(?:'[A-Z][\w-]*)?)*")
MARK: Final = r"[@#]\d+"
SENTENCES_BACK: Final = 2  # sentences in which a pronoun looks for its referent
PRONOUNS: Final = {"he": MALE, "him": MALE, "his": MALE, "she": FEMALE, "her": FEMALE, "hers": FEMALE}
THEY: Final = ("they", "their", "them")
NAMES_TOO: Final = listed("Will May April June August Miss Christian Summer")  # names inside a sentence or before *is*
PLACE: Final = re.compile(r"(?:^|\s)(?:in|at|on|near|through|towards?) $", re.IGNORECASE)


class People:
    """The people that a text and its question name. `genders`: from the source; `nobody_else`: the list is complete."""

    def __init__(
        self,
        text: str,
        question: str = "",
        genders: Mapping[str, str | None] | None = None,
        *,
        nobody_else: bool = False,
    ) -> None:
        self.given = dict(genders or {})
        plain = normalised(text)
        if nobody_else:
            mentioned: dict[str, None] = dict.fromkeys(self.given)
        elif bracketed := BRACKETED.findall(plain):
            mentioned = dict.fromkeys(bracketed)
        else:
            mentioned = dict.fromkeys([*_runs(plain, self.given), *self.given])
            mentioned |= {n: None for n in _runs(normalised(question), {*self.given, *mentioned}) if _occurs(n, plain)}
        mentioned = {name: None for name in mentioned if _occurs(name, plain) or name in self.given}
        self.names = tuple(name for name in mentioned if not _is_part(name, mentioned))
        self.order = {name: place for place, name in enumerate(mentioned)}
        self.number = {name: place for place, name in enumerate(self.names)}
        shorter = {part for name in self.names for part in _parts(name)}
        every = sorted({*self.names, *mentioned, *shorter}, key=lambda name: (-len(name), name))
        self.pattern = (
            re.compile(r"(?<![\w@])\[?(" + "|".join(map(re.escape, every)) + r")\]?(?!\w)") if every else None
        )

    def mask(self, text: str) -> str:
        """A text with its people as @0, @1, ...; NotRead if a name is ambiguous."""
        return self.pattern.sub(lambda m: f"@{self.meant(m[1])}", text) if self.pattern else text

    def shape(self, sentence: str) -> Shape:
        """A sentence in lower case with its people numbered in order."""
        order: dict[str, int] = {}
        masked = re.sub(r"@(\d+)", lambda m: f"@{order.setdefault(m[1], len(order))}", self.mask(sentence))
        return Shape(masked.lower().rstrip(".!? "), tuple(self.names[int(each)] for each in order))

    def meant(self, name: str) -> int:
        """The number of the person that a name, or a part of one, means."""
        if name in self.number:
            return self.number[name]
        whole = [known for known in self.names if name in _parts(known)]
        if len(whole) != 1:
            raise NotRead(f"{name!r} may mean {' or '.join(whole[:2])}" if whole else f"{name!r} is not a known name")
        early = name in self.order and self.order[name] < self.order[whole[0]]
        if early or (name == whole[0].split()[-1] and is_first_name(name)):
            raise NotRead(f"{name!r} may be another person than {whole[0]}")
        return self.number[whole[0]]

    def gender(self, person: int) -> str | None:
        """The gender from the source, or from a name that is certain."""
        name = self.names[person] if person < len(self.names) else ""
        return self.given.get(name) or (gender_of_name(name, certain=True) if name else None)


def _runs(text: str, known: Collection[str]) -> Iterator[str]:
    """Runs of capitalised words, without those that only begin a sentence."""
    whole = sentences(text)
    inside = {word for each in whole for match in RUN.finditer(each, 1) if match.start() for word in match[0].split()}
    for sentence in whole:
        for match in RUN.finditer(sentence):
            words, begins = match[0].split(), match.start() == 0 or sentence[match.start() - 1] in "\"'("
            words = [*words[:begins], *takewhile(_may_be_name, words[begins:])]  # *Emma, NOT*
            while words and words[0] in NO_NAMES and words[0] not in known:
                if words[0] in TITLES and len(words) > 1:
                    break
                is_subject = re.match(r"'s | (?:is|was|has) ", sentence[match.end() :])  # *May is*, unlike *May I*
                if words[0] in NAMES_TOO and (not begins or words[0] in inside or is_subject):
                    break
                words, begins = words[1:], False
            odd = words and not (is_first_name(words[0]) or words[0] in {*inside, *known, *TITLES})
            if begins and len(words) > 1 and odd:
                words, begins = words[1:], False  # *Supposedly Fergus*
            ordinary = begins and len(words) == 1 and not (words[0] in {*inside, *known} or is_first_name(words[0]))
            if ordinary and not re.match(r"(?:'s| (?:is|was|has|and)\b|,)", sentence[match.end() :]):
                continue
            if words and (is_first_name(words[0]) or words[0] in known or not PLACE.search(sentence[: match.start()])):
                yield " ".join(words)


def _may_be_name(word: str) -> bool:
    return word.lower() not in UNREAL or word in NAMES_TOO or is_first_name(word)


def _parts(name: str) -> list[str]:
    """Short forms of a full name: the first word, the last, or all but the middle ones.

    >>> _parts("Kate Ann Miller"), _parts("Dr Ann Hill"), _parts("Kate")
    (['Kate', 'Miller', 'Kate Ann', 'Kate Miller'], ['Ann Hill', 'Ann', 'Hill', 'Dr Hill'], [])
    """
    words, rest = name.split(), name.partition(" ")[2]
    if len(words) < 2:
        return []
    own = [rest, *_parts(rest)] if words[0] in NO_NAMES else [words[0], words[-1], " ".join(words[:-1])]
    return [each for each in dict.fromkeys([*own, f"{words[0]} {words[-1]}"]) if each != name]


def _is_part(name: str, names: Collection[str]) -> bool:
    return any(name in _parts(other) for other in names)


def _occurs(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


class Discourse:
    """Resolves pronouns. A pronoun means the only person of its gender mentioned before it in its sentence, or
    else in the nearest earlier sentence with such a person. `topical`: if there are several, it means the first, the
    topic of the sentence, as in our own stories."""

    def __init__(self, genders: Mapping[int, str | None], *, topical: bool = False) -> None:
        self.genders, self.topical = dict(genders), topical
        self.before: list[list[int]] = []

    def refer(self, pronoun: str, here: Sequence[int], name: Mapping[int, str]) -> tuple[int, ...]:
        """The person that a pronoun means, or the two of *they*."""
        word = pronoun.lower()
        places = [here, *reversed(self.before[-SENTENCES_BACK:])]
        if word in THEY:
            for place in places[:2]:
                people = tuple(dict.fromkeys(place))
                if len(people) == 2 or (people and self.topical):
                    return people[:2]
                if people:
                    break
            raise NotRead(f"{pronoun!r} may mean several people")
        for place in places:
            fits = [one for one in dict.fromkeys(place) if self.fits(word, one)]
            if len(fits) > 1 and not self.topical:
                raise NotRead(f"{pronoun!r} may mean {name.get(fits[0], 'one')} or {name.get(fits[1], 'another')}")
            if fits:
                self.genders[fits[0]] = PRONOUNS[word]
                return (fits[0],)
        raise NotRead(f"{pronoun!r} has no referent")

    def fits(self, pronoun: str, one: int) -> bool:
        """Does the person have the pronoun's gender, or an unknown one?"""
        return self.genders.get(one) in (None, PRONOUNS[pronoun])

    def end_sentence(self, people: Sequence[int]) -> None:
        if people:
            self.before.append(list(dict.fromkeys(people)))
