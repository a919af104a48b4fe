"""What a clause of a reply says of kin: the sentences it stands for, and their facts by the reader of stories.

Replies write `Ann + Bo → Cy`, `Ann's mother: Bea`, `they have child David`; each is put as a sentence that the reader
knows. A form that can be taken in two ways (`Ann → Bea: mother`) has two readings.

>>> reader = ReplyReader({"Ann": "female", "Bo": "male", "Cy": "male"})
>>> reader.read("Ann + Bo → Cy")
[(Fact(who='Cy', relation='child', of='Ann', gender=None, negated=False, sentence=-1), \
Fact(who='Cy', relation='child', of='Bo', gender=None, negated=False, sentence=-1))]
>>> [reader.read(clause)[0][0][:4] for clause in ("Ann is Cy's sister", "she is the aunt of Bo")]
[('Ann', 'sibling', 'Cy', 'female'), ('Ann', 'pibling', 'Bo', 'female')]
>>> reader.read("Perhaps")
'too short to be understood'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import combinations, islice, product
from typing import Final, NamedTuple

from proband.core.files import DATA, read_toml
from proband.core.types import Fact
from proband.suites.kinship.reading.lexicon import STORY_KIN
from proband.suites.kinship.reading.statements import Mention, Person
from proband.suites.kinship.reading.story import StoryReader

KIN: Final = "|".join(sorted((re.escape(word) for word in STORY_KIN), key=len, reverse=True))
RELATION_WORD: Final = re.compile(
    rf"(?i)(?<![\w-])(?:{KIN}|married|marries|marry|wed|couple|relatives?|cousins?|ancestors?|descendants?|offspring|great-\w+|step\w+)(?![\w-])"
    r"|→|->|⇒|=>|\w \+ \w|\b(?:have|has|had) (?=[A-Z])"
)
MASK: Final = re.compile(r"@(\d+)")
MOST_WAYS: Final = 12  # in which the pronouns of a clause are taken
PRONOUNS: Final = {
    "he": re.compile(r"\b(?:[Hh]e|[Hh]im|[Hh]is)\b"),
    "she": re.compile(r"\b(?:[Ss]he|[Hh]er)\b"),
    "they": re.compile(r"\b(?:[Tt]hey|[Tt]hem|[Tt]heir)\b"),
}


class Forms(NamedTuple):
    """Forms of clauses with the sentences they stand for; spellings within a clause and what is written instead."""

    clauses: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]
    spellings: tuple[tuple[re.Pattern[str], str], ...]


@cache
def forms() -> Forms:
    """Those of data/kinship/reply_forms.toml. Names are masked as @0, @1, ... or begin with a capital."""
    data = read_toml(DATA / "kinship" / "reply_forms.toml")
    name, kin = r"(?:@\d+|[A-Z][a-z]+(?:-[A-Z][a-z]+)?(?!\w))", f"(?:{KIN})"
    parts = {**data["parts"], "kin": kin, "k": rf"(?P<k>(?:(?:maternal|paternal|older|younger|elder) )?{kin})"}
    parts |= {each: f"(?P<{each}>{name})" for each in "abc"} | {"s": rf"(?P<s>{name}(?:(?:,? and |, |,? & ){name})*)"}

    def compiled(form: str) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{([a-z_]+)\}", lambda m: parts[m[1]], form).replace("\n", ""))

    return Forms(
        tuple((compiled(form), tuple(each["says"])) for each in data["forms"] for form in each["forms"]),
        tuple((compiled(form), each["write"]) for each in data["spelling"] for form in each["forms"]),
    )


class ReplyReader:
    """Reads a reply clause by clause. `genders`: of the people it is about, None where nothing tells.

    What the reply says of a gender does not last where the story tells another: the next clause is read afresh."""

    def __init__(self, genders: Mapping[str, str | None]) -> None:
        self.genders = dict(genders)
        self.order = list(genders)
        self.number = {name: place for place, name in enumerate(self.order)}
        longest = "|".join(re.escape(name) for name in sorted(genders, key=len, reverse=True))
        self.names = re.compile(rf"(?<!\w)(?:{longest or '(?!)'})(?!\w)")
        self.reader = StoryReader(dict.fromkeys(genders))
        self._settle()

    relation_word = RELATION_WORD

    def copy(self) -> ReplyReader:
        other = ReplyReader.__new__(ReplyReader)
        other.__dict__.update(self.__dict__, reader=self.reader.copy())
        return other

    def mention(self, names: Sequence[str]) -> None:
        people = tuple(Person(name=name) for name in names)
        if people:
            self.reader.referents.hear([Mention(one, subject=True, group=people) for one in people], self.reader.count)
            self.reader.count += 1

    def read(self, clause: str) -> Sequence[tuple[Fact, ...]] | str:
        """The ways to take a clause, each as facts; or what is not understood. A pronoun has a way for each person whom
        it may mean, the likeliest first."""
        before = self.copy() if _pronouns(clause) else None
        found = self._read(clause)
        if before is None or (isinstance(found, str) and " may mean " not in found):
            return found
        ways = [] if isinstance(found, str) else list(found)
        for named in before._named(clause):
            read = before.copy()._read(named)
            ways += () if isinstance(read, str) else [way for way in read if way not in ways]
        return ways or found

    def _named(self, clause: str) -> Iterator[str]:
        """The clause with a name for each pronoun that can have one: of those whom the last sentences speak of."""
        heard = [one.one.name for each in reversed(self.reader.referents.before[-2:]) for one in each.everyone]
        names = [name for name in dict.fromkeys((*self.names.findall(clause), *heard)) if name in self.genders]
        groups = [
            [one.one.name for one in group] for each in self.reader.referents.before[-2:] for group in each.groups
        ]
        pairs = [" and ".join(group) for group in groups] + [f"{a} and {b}" for a, b in combinations(names[:4], 2)]
        for choice in islice(product(*(self._who(word, names, pairs) for word in _pronouns(clause))), MOST_WAYS):
            text = clause
            for word, who in zip(_pronouns(clause), choice):
                text = PRONOUNS[word].sub(partial(_instead, who), text)
            yield text

    def _who(self, word: str, names: Sequence[str], pairs: Sequence[str]) -> Sequence[str]:
        if word == "they":
            return list(dict.fromkeys(pairs))
        gender = "male" if word == "he" else "female"
        return [name for name in names if self.genders[name] in (None, gender)]

    def _read(self, clause: str) -> Sequence[tuple[Fact, ...]] | str:
        clause = re.sub(r"^(?:The|An?|His|Her|Their|They|She|He|To|For)\b", lambda m: m[0].lower(), clause)
        masked = self.names.sub(lambda m: f"@{self.number[m[0]]}", clause)
        for form, says in forms().clauses:
            if match := form.fullmatch(masked):
                if not says:
                    return [()]
                ways = [self._facts(MASK.sub(lambda m: self.order[int(m[1])], _filled(each, match))) for each in says]
                understood = [way for way in ways if not isinstance(way, str)]
                if understood:
                    return understood
        why = ""
        for attempt in dict.fromkeys((respelled(clause), clause)):
            found = self._facts(attempt)
            if not isinstance(found, str):
                return [found]
            why = why or found
        return why

    def _facts(self, text: str) -> tuple[Fact, ...] | str:
        told = self.reader.sentence(f"{text[:1].upper() if text[:1].islower() else text[:1]}{text[1:]}.")
        self._settle()
        if told.not_understood:
            return told.not_understood
        if not told.facts:
            return "it states no fact"
        return tuple(Fact(f.person, f.relation, f.owner, f.gender, f.negated) for f in told.facts)

    def _settle(self) -> None:
        """The genders of the story again; whoever was described (`Ann's mother`) is not called so from now on."""
        people = self.reader.referents.named
        for name in [name for name in people if name not in self.genders and ("'s " in name or name[:8] == "somebody")]:
            del people[name]
        for name, gender in self.genders.items():
            somebody = self.reader.referents.named[name]
            somebody.known, somebody.presumed = None, gender or somebody.known or somebody.presumed


def _pronouns(clause: str) -> list[str]:
    return [word for word, pattern in PRONOUNS.items() if pattern.search(clause)]


def _instead(who: str, match: re.Match[str]) -> str:
    return f"{who}'s" if _owns(match) else who


def _owns(match: re.Match[str]) -> bool:
    word, behind = match[0].lower(), match.string[match.end() :]
    return word in ("his", "their") or (
        word == "her" and re.match(r" \w", behind) is not None and not re.match(r" (?:is|and|as)\b", behind)
    )


def respelled(clause: str) -> str:
    """The clause in the words of stories.

    >>> respelled("they have child David"), respelled("Ann and Bo's son is Cy")
    ('they have a child called David', 'the son of Ann and Bo is Cy')
    """
    for pattern, instead in reversed(forms().spellings):
        clause = pattern.sub(instead, clause)
    return clause


def _filled(sentence: str, match: re.Match[str]) -> str:
    groups = {name: text or "" for name, text in match.groupdict().items()}
    several = re.search(r" and |, | & ", groups.get("s", "")) is not None
    if several:
        *others, last = re.split(r",? and |, | & ", groups["s"])
        groups["s"] = f"{', '.join(others)} and {last}"
    if several and "{s} be the {k}" in sentence:
        sentence = sentence.replace("the {k}", "the {k}" if STORY_KIN[groups["k"].split()[-1]].plural else "the {k}s")
    if sentence.startswith("{p}"):  # his relation to her is husband
        he, other = {"his": ("he", "her"), "her": ("she", "his")}.get(groups["p"].lower(), ("they", "their"))
        sentence = f"{he} is the {{k}} of {{b}}" if groups["b"] else f"{he} is {other} {{k}}"
    sentence = sentence.replace("{s} be the child", "{s} are the children" if several else "{s} is the child")
    return sentence.replace(" be ", " are " if several else " is ").format(**groups)
