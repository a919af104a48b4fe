"""Clauses of replies: the readings of each, as facts about the people or things of a story.

Replies write `Ann + Bo → Cy`, `Ann's mother: Bea`, `they have child David`; each becomes a sentence that the phrases
of the domain cover (`data/domains/kinship_replies.toml`). An ambiguous form or pronoun has two readings.

>>> from proband.english.domain import load
>>> reader = clause_reader(Grammar(load("kinship")), {"Ann": "female", "Bo": "male", "Cy": "male"})
>>> [fact[:3] for fact in reader.read("Ann + Bo → Cy")[0]]
[('Cy', 'child', 'Ann'), ('Cy', 'child', 'Bo')]
>>> [reader.read(clause)[0][0][:4] for clause in ("Ann is Cy's sister", "she is the aunt of Bo")]
[('Ann', 'sibling', 'Cy', 'female'), ('Ann', 'pibling', 'Bo', 'female')]
>>> reader.read("Perhaps Ann is a mother")
"'perhaps' may change the statement"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import combinations, islice, product
from typing import Final

from proband.core.files import DATA, read_toml
from proband.core.types import Fact
from proband.english.mentions import PeopleReader
from proband.english.people import PRONOUNS, People
from proband.english.phrases import Grammar
from proband.english.things import thing_meant
from proband.english.tokens import NotRead

MASK: Final = re.compile(r"@(\d+)")
MOST_WAYS: Final = 12  # most readings of the pronouns of a clause
PRONOUN_FORMS: Final = {
    "he": re.compile(r"\b(?:[Hh]e|[Hh]im|[Hh]is)\b"),
    "she": re.compile(r"\b(?:[Ss]he|[Hh]er)\b"),
    "they": re.compile(r"\b(?:[Tt]hey|[Tt]hem|[Tt]heir)\b"),
}
HINTS: Final = (
    r"married|marries|marry|wed|couple|relatives?|cousins?|ancestors?|descendants?|offspring|great-\w+|step\w+"
)


def clause_reader(grammar: Grammar, genders: Mapping[str, str | None]) -> ClauseReader:
    """A reader of replies, clause by clause, with the previous ones as context. It gives the readings of a clause, each
    as facts, or the problem. A copy keeps the context."""
    return PeopleClauses(grammar, genders) if grammar.domain.mentions else ThingClauses(grammar, list(genders))


class ThingClauses:
    """Reads clauses about the things of the story by the phrases of a domain."""

    def __init__(self, grammar: Grammar, things: Sequence[str]) -> None:
        self.grammar, self.things = grammar, things
        self.relation_word = grammar.relation_word

    def copy(self) -> ThingClauses:
        return self

    def mention(self, things: Sequence[str]) -> None:
        """Phrases have no pronouns."""

    def read(self, clause: str) -> Sequence[tuple[Fact, ...]] | str:
        reading = self.grammar.read(f"{clause}.", set() if self.grammar.nouns else set(self.things))
        if reading.unread or not reading.facts:
            return reading.unread.reason if reading.unread else "it states no fact"
        facts: list[Fact] = []
        for fact in reading.facts:
            a, b = (thing_meant(each, self.things) for each in (fact.who, fact.of))
            if not (a and b):
                return f"the story does not mention {fact.who if not a else fact.of!r}"
            facts.append(fact._replace(who=a, of=b, sentence=-1))
        return [tuple(facts)]


Forms = tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]


@cache
def _forms(name: str, kin: str) -> tuple[Forms, Forms]:
    """The file of a domain: clause forms with their sentences, and spellings with their replacements. Names are masked
    as @0, @1, ... or begin with a capital."""
    data = read_toml(DATA / "domains" / f"{name}_replies.toml")
    person, kin = r"(?:@\d+|[A-Z][a-z]+(?:-[A-Z][a-z]+)?(?!\w))", f"(?:{kin})"
    parts = {**data["parts"], "kin": kin, "k": rf"(?P<k>(?:(?:maternal|paternal|older|younger|elder) )?{kin})"}
    parts |= {each: f"(?P<{each}>{person})" for each in "abc"}
    parts |= {"s": rf"(?P<s>{person}(?:(?:,? and |, |,? & ){person})*)"}

    def compiled(form: str) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{([a-z_]+)\}", lambda m: parts[m[1]], form).replace("\n", ""))

    clauses = tuple((compiled(form), tuple(each["says"])) for each in data["forms"] for form in each["forms"])
    return clauses, tuple((compiled(form), (each["write"],)) for each in data["spelling"] for form in each["forms"])


class PeopleClauses:
    """Reads a reply about people clause by clause. `genders`: of these people, None if unknown. A gender that a clause
    assumes does not affect the next."""

    def __init__(self, grammar: Grammar, genders: Mapping[str, str | None]) -> None:
        self.grammar, self.genders, self.order = grammar, dict(genders), list(genders)
        longest = "|".join(re.escape(name) for name in sorted(genders, key=len, reverse=True))
        self.names = re.compile(rf"(?<!\w)(?:{longest or '(?!)'})(?!\w)")
        words = sorted(
            {w for p in grammar.domain.words.values() for w in p.pattern.split("|")} | {*grammar.domain.plurals}
        )
        kin = "|".join(sorted(map(str, words), key=len, reverse=True))
        self.forms, self.spellings = _forms(grammar.domain.name, kin)
        self.relation_word = re.compile(
            rf"(?i)(?<![\w-])(?:{kin}|{HINTS})(?![\w-])|→|->|⇒|=>|\w \+ \w|\b(?:have|has|had) (?=[A-Z])"
        )
        self.heard: list[list[str]] = []

    def copy(self) -> PeopleClauses:
        other = PeopleClauses.__new__(PeopleClauses)
        other.__dict__.update(self.__dict__, heard=list(self.heard))
        return other

    def mention(self, names: Sequence[str]) -> None:
        if names:
            self.heard.append(list(names))

    def read(self, clause: str) -> Sequence[tuple[Fact, ...]] | str:
        """The readings of a clause, each as facts, or the problem. A pronoun has one reading per possible person, the
        likeliest first."""
        pronouns = [word for word, pattern in PRONOUN_FORMS.items() if pattern.search(clause)]
        ways: list[tuple[Fact, ...]] = []
        read: Sequence[tuple[Fact, ...]] | str = f"it is unclear who {pronouns[0]!r} means" if pronouns else ""
        for text in self._named(clause, pronouns) if pronouns else (clause,):
            read = self._read(text)
            ways += () if isinstance(read, str) else [way for way in read if way not in ways]
        if not ways:
            return read
        self.mention(list(dict.fromkeys(x for f in ways[0] for x in (f.who, f.of) if x in self.genders)))
        return ways

    def _named(self, clause: str, pronouns: Sequence[str]) -> Iterator[str]:
        """Versions of the clause with pronouns replaced by the names of people in the last sentences."""
        heard = [name for each in reversed(self.heard[-2:]) for name in each]
        names = [name for name in dict.fromkeys((*self.names.findall(clause), *heard)) if name in self.genders]
        pairs = [" and ".join(each) for each in reversed(self.heard[-2:]) if len(each) == 2]
        pairs += [f"{a} and {b}" for a, b in combinations(names[:4], 2)]

        def candidates(word: str) -> Sequence[str]:
            gender = PRONOUNS.get(word)
            return (
                [name for name in names if self.genders[name] in (None, gender)]
                if gender
                else list(dict.fromkeys(pairs))
            )

        for choice in islice(product(*map(candidates, pronouns)), MOST_WAYS):
            text = clause
            for word, who in zip(pronouns, choice):
                text = PRONOUN_FORMS[word].sub(partial(_instead, who), text)
            yield text

    def _read(self, clause: str) -> Sequence[tuple[Fact, ...]] | str:
        clause = re.sub(r"^(?:The|An?|To|For)\b", lambda m: m[0].lower(), clause)
        masked = self.names.sub(lambda m: f"@{self.order.index(m[0])}", clause)
        for form, says in self.forms:
            if match := form.fullmatch(masked):
                if not says:
                    return [()]
                ways = [
                    self._facts(MASK.sub(lambda m: self.order[int(m[1])], self._filled(each, match))) for each in says
                ]
                if understood := [way for way in ways if not isinstance(way, str)]:
                    return understood
        respelled = clause
        for pattern, (instead,) in reversed(self.spellings):
            respelled = pattern.sub(instead, respelled)
        why = ""
        for attempt in dict.fromkeys((respelled, clause)):
            if not isinstance(facts := self._facts(attempt), str):
                return [facts]
            why = why or facts
        return why

    def _facts(self, text: str) -> tuple[Fact, ...] | str:
        try:
            people = People(text, "", self.genders)
            reader = PeopleReader(self.grammar, people, denials=True)
            reader.sentence(people.mask(text), -1)
            facts = reader.settled(genders=False)
        except NotRead as error:
            return str(error)
        return facts or "it states no fact"

    def _filled(self, sentence: str, match: re.Match[str]) -> str:
        groups = {name: text or "" for name, text in match.groupdict().items()}
        several = re.search(r" and |, | & ", groups.get("s", "")) is not None
        if several:
            *others, last = re.split(r",? and |, | & ", groups["s"])
            groups["s"] = f"{', '.join(others)} and {last}"
        if several and "{s} be the {k}" in sentence:
            plural = groups["k"].split()[-1] in self.grammar.domain.plurals
            sentence = sentence.replace("the {k}", "the {k}" if plural else "the {k}s")
        if sentence.startswith("{p}"):  # his relation to her is husband
            he, other = {"his": ("he", "her"), "her": ("she", "his")}.get(groups["p"].lower(), ("they", "their"))
            sentence = f"{he} is the {{k}} of {{b}}" if groups["b"] else f"{he} is {other} {{k}}"
        sentence = sentence.replace("{s} be the child", "{s} are the children" if several else "{s} is the child")
        return sentence.replace(" be ", " are " if several else " is ").format(**groups)


def _instead(who: str, match: re.Match[str]) -> str:
    word, behind = match[0].lower(), match.string[match.end() :]
    before_noun = re.match(r" \w", behind) is not None and not re.match(r" (?:is|and|as)\b", behind)
    return f"{who}'s" if word in ("his", "their") or (word == "her" and before_noun) else who


ClauseReader = ThingClauses | PeopleClauses
