"""Sizes that are told as numbers: *Rex weighs 30 kilos*, *Ben is 8 years old*, *it is 2 meters longer than Ann's rope*.

A clause gives a thing a number of a unit; the things are then ordered on their scale. What is no such clause is read by
the phrases of the domain. Units of one family are converted; of different ones, and two equal numbers, nothing is said.

>>> from proband.english.domain import load
>>> from proband.auditing.grammar import Grammar
>>> reader = MeasureReader(Grammar(load("sizes")))
>>> reading = reader("Rex weighs 30 kilos and Bella weighs 12 kilos.", "Which dog is the heaviest?", {})
>>> [(fact.who, fact.relation, fact.of) for fact in reading.facts], reading.question.word.relation
([('rex', 'heavier', 'bella')], 'heavier')
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from proband.auditing.grammar import Grammar, split
from proband.auditing.things import AmbiguousThing, same_things
from proband.core.types import Fact
from proband.english.reading import Reading, Unread

_WORDS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen
    """
_TENS = {
    word: 10 * n
    for n, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2)
}
NUMBERS: Final = (
    {word: n for n, word in enumerate(_WORDS.split(), start=1)}
    | _TENS
    | {
        f"{tens}-{ones}": ten + one
        for tens, ten in _TENS.items()
        for one, ones in enumerate(_WORDS.split()[:9], start=1)
    }
)
NUMBER: Final = rf"(?P<n>\d[\d,]*(?:\.\d+)?|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})"
LENGTH: Final[dict[str, float]] = {
    "mm": 0.001,
    "cm": 0.01,
    "centimeter": 0.01,
    "centimetre": 0.01,
    "m": 1,
    "meter": 1,
    "metre": 1,
} | {
    "km": 1000,
    "kilometer": 1000,
    "kilometre": 1000,
}
FEET: Final[dict[str, float]] = {"inch": 1, "inche": 1, "foot": 12, "feet": 12, "yard": 36, "mile": 63360}
WEIGHT: Final[dict[str, float]] = {
    "g": 0.001,
    "gram": 0.001,
    "kg": 1,
    "kilo": 1,
    "kilogram": 1,
    "ton": 1000,
    "tonne": 1000,
}
POUNDS: Final[dict[str, float]] = {"pound": 16, "lb": 16, "ounce": 1}
YEARS: Final[dict[str, float]] = {"year": 12, "month": 1}
UNITS: Final[dict[str, dict[str, float]]] = {"m": LENGTH, "ft": FEET, "kg": WEIGHT, "lb": POUNDS, "year": YEARS}
_UNIT = "|".join(sorted((unit for family in UNITS.values() for unit in family), key=len, reverse=True))
UNIT: Final = rf"(?P<u>{_UNIT})s?"
# which relation is "more" on the scale that a word names
SCALES: Final = {
    "long": "taller",
    "tall": "taller",
    "high": "taller",
    "old": "older",
    "deep": "deeper",
    "wide": "wider",
}
_LENGTH = "|".join(sorted((*LENGTH, *FEET), key=len, reverse=True))
_WEIGHT = "|".join(sorted((*WEIGHT, *POUNDS), key=len, reverse=True))
LEFT_OUT: Final = re.compile(rf"(?P<t>.+?) {NUMBER} ?{UNIT}", re.IGNORECASE)  # the spire 112 metres
FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?P<t>.+?) (?:is|was|are) (?:only |just |exactly )?{NUMBER}[ -]{UNIT}[ -](?P<s>{'|'.join(SCALES)})",
        rf"(?P<t>.+?) (?:measures?|measured|stands?|stood) {NUMBER} ?(?P<u>{_LENGTH})s?(?: (?P<s>{'|'.join(SCALES)}))?",
        rf"(?P<t>.+?)(?: (?:is|was)|:) {NUMBER} ?(?P<u>{_WEIGHT})s?",
        rf"(?P<t>.+?) (?:weighs?|weighed) (?:only |just |exactly )?{NUMBER} ?{UNIT}",
        rf"(?P<t>.+?) (?:costs?|cost) (?:only |just |exactly )?(?P<c>[$€£]){NUMBER}",
        rf"(?P<t>.+?) (?:costs?|cost) (?:only |just |exactly )?{NUMBER} (?P<c>dollars|euros|pounds|cents)",
    )
)
BARE: Final = re.compile(rf"(?P<t>[^\d]+?) is (?:only |just )?{NUMBER}", re.IGNORECASE)
MORE: Final = re.compile(rf"(?P<t>.+?) (?:is|was|are) {NUMBER} {UNIT} (?P<r>[a-z]+er) than (?P<b>.+)", re.IGNORECASE)
CLAUSES: Final = re.compile(r",\s*(?:and|but|while)\s+|;\s*|,\s+|\s+(?:and|but|while)\s+")


class _NotMeasured(Exception):
    """Why numbers do not tell an order."""


class MeasureReader:
    """Reads rows of the domain of sizes that have numbers."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.past: set[bool] = set()

    def __call__(self, text: str, question: str, genders: Mapping[str, str | None], /) -> Reading:
        sentences = split(text)
        self.past.clear()
        values: dict[tuple[str, str], dict[str, float]] = {}  # by relation and family of units
        facts: list[Fact] = []
        try:
            for number, sentence in enumerate(sentences):
                facts += [fact._replace(sentence=number) for fact in self._sentence(sentence, values)]
            facts += self._ordered(values)
            if not values:
                raise _NotMeasured("no phrase of the domain covers the sentence")
        except _NotMeasured as error:
            return Reading(unread=Unread(str(error), text[:200]), sentences=tuple(sentences))
        asked = self.grammar.question(question, set())
        if isinstance(asked, Unread):
            return Reading(unread=asked)
        try:
            meant = same_things([t for f in facts for t in (f.who, f.of)], [*filter(None, (*asked.pair, *asked.among))])
        except AmbiguousThing as error:
            return Reading(unread=Unread(str(error)))
        told = tuple(dict.fromkeys(f._replace(who=meant[f.who], of=meant[f.of]) for f in facts))
        things = {thing for fact in told for thing in (fact.who, fact.of)}
        a, b = (meant.get(each, "") for each in asked.pair)
        among = tuple(meant[each] for each in asked.among)
        if unknown := next((each for each in (a, b, *among) if each and each not in things), ""):
            return Reading(unread=Unread(f"the story says nothing of {unknown!r}", question))
        settled = self.grammar.settled(asked._replace(who=a, of=b, among=among), told)
        if isinstance(settled, Unread):
            return Reading(unread=settled)
        return Reading(facts=told, sentences=tuple(sentences), question=settled)

    def _sentence(self, sentence: str, values: dict[tuple[str, str], dict[str, float]]) -> list[Fact]:
        plain = " ".join(sentence.strip().rstrip(".!").split())
        clauses = [part for part in CLAUSES.split(plain) if part]
        before = {scale: dict(own) for scale, own in values.items()}
        if all(self._clause(clause, values) for clause in clauses):
            return []
        values.clear()
        values.update(before)
        reading = self.grammar.read(sentence, set())
        words = set(re.findall(r"[a-z]+", sentence.lower()))
        told = any(thing.split()[-1] in words for own in values.values() for thing in own)
        if not (reading.unread or reading.facts or told or words & set(NUMBERS) or re.search(r"\d", sentence)):
            return []  # Please sign here.
        if reading.unread or not reading.facts:
            raise _NotMeasured("no phrase of the domain covers the sentence")
        return list(reading.facts)

    def _clause(self, clause: str, values: dict[tuple[str, str], dict[str, float]]) -> bool:
        if match := MORE.fullmatch(clause):
            return self._relative(match, values)
        for form in FORMS:
            if match := form.fullmatch(clause):
                groups = match.groupdict()
                self._same_time(clause)
                family, factor = _unit(groups["u"]) if groups.get("u") else ((groups["c"] or "").lower(), 1.0)
                by_unit = "taller" if family in ("m", "ft") else "heavier" if groups.get("u") else "dearer"
                scale = SCALES.get((groups.get("s") or "").lower(), by_unit)
                return self._set(match["t"], scale, family, _number(match["n"]) * factor, values)
        if (match := LEFT_OUT.fullmatch(clause)) and len(values) == 1:
            (scale, known), (family, factor) = next(iter(values)), _unit(match["u"])
            if family == known and scale != "older":
                return self._set(match["t"], scale, family, _number(match["n"]) * factor, values)
        if (match := BARE.fullmatch(clause)) and ("older", "year") in values:
            return self._set(match["t"], "older", "year", _number(match["n"]) * YEARS["year"], values)
        return False

    def _same_time(self, clause: str) -> None:
        """What something weighed is not what it weighs."""
        self.past.add(re.search(r"\b(?:was|were|weighed)\b", clause) is not None)
        if len(self.past) > 1:
            raise _NotMeasured("sizes of several times")

    def _relative(self, match: re.Match[str], values: dict[tuple[str, str], dict[str, float]]) -> bool:
        """`2 meters longer than Ling's rope`: a number, where the other one has one."""
        word = self.grammar.domain.word(match["r"])
        family, factor = _unit(match["u"])
        if word is None:
            return False
        less = self.grammar.domain.inverse[word.relation]
        more = word.relation if (word.relation, family) in values else less
        base = values.get((more, family), {}).get(self._thing(match["b"]))
        if base is None:
            return False
        amount = _number(match["n"]) * factor
        return self._set(match["t"], more, family, base + (amount if more == word.relation else -amount), values)

    def _set(
        self, text: str, scale: str, family: str, value: float, values: dict[tuple[str, str], dict[str, float]]
    ) -> bool:
        thing = self._thing(text)
        if not thing:
            return False
        if values.setdefault((scale, family), {}).setdefault(thing, value) != value:
            raise _NotMeasured(f"{thing!r} has two sizes")
        return True

    def _thing(self, text: str) -> str:
        shape = self.grammar.shape(text, set())
        return shape.things[0] if shape.text == "@0" else ""

    def _ordered(self, values: Mapping[tuple[str, str], Mapping[str, float]]) -> list[Fact]:
        scales = [scale for scale, _ in values]
        if len(set(scales)) != len(scales):
            raise _NotMeasured("units that are not compared")
        facts: list[Fact] = []
        for (scale, _), own in values.items():
            ordered = sorted(own, key=lambda thing: -own[thing])
            for one, other in pairwise(ordered):
                if own[one] == own[other]:
                    raise _NotMeasured(f"{one!r} and {other!r} are equal")
                facts.append(Fact(one, scale, other))
        return facts


def _number(text: str) -> float:
    return float(NUMBERS.get(text.lower()) or text.replace(",", ""))


def _unit(text: str) -> tuple[str, float]:
    return next((name, float(family[text.lower()])) for name, family in UNITS.items() if text.lower() in family)
