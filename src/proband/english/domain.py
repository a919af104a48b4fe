"""A domain: its relations, their words, phrases that state facts, questions, and the meaning of each relation.

A domain is a TOML file (`data/domains/`, guide: docs/extending.md). Its `prover` derives what follows from
facts: `differences` (differences.py), for relations that are conditions on coordinates, or a suite's own (`family`).

>>> grid = load("grid")
>>> grid.word("Top-left"), grid.word("aunt"), grid.inverse["upper-left"]
(Word(relation='upper-left', gender=None), None, 'lower-right')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from proband.core.errors import ProbandError
from proband.core.files import DATA, parse_toml, read_utf8
from proband.core.types import Fact

SHIPPED: Final = ("kinship", "grid", "temporal", "allen", "sizes")
OTHER: Final = "none"  # the answer if no relation of the domain holds
CONDITION: Final = re.compile(r"([ab])\.(\w+) (<=|>=|<|>|=) ([ab])\.(\w+)(?: ([+-]) (\d+))?")
WORDS_KEPT: Final = 10_000
MALE, FEMALE = "male", "female"
GENDERED: Final = ((MALE, "male"), (FEMALE, "female"), (None, "words"))  # the key of a relation's words for each gender


class Word(NamedTuple):
    """The meaning of a word: a relation, and for kin the gender of the person."""

    relation: str
    gender: str | None = None


@dataclass(frozen=True, kw_only=True)
class Domain:
    """`words`: regular expressions, by relation and gender. `means` and `step`: conditions on coordinates."""

    name: str
    prover: str
    worlds: Mapping[str, str]
    inverse: Mapping[str, str]
    words: Mapping[Word, re.Pattern[str]]
    shown: Mapping[Word, str]  # the word used in answers and corrected labels
    phrases: tuple[tuple[str, str], ...]  # (form, what it states)
    mentions: tuple[tuple[str, str], ...]  # the same for parts of a sentence that mention a person by a relation
    plurals: Mapping[str, Word]
    beyond: Mapping[str, Word]  # words for relations outside the domain: cousin
    steps_beyond: Mapping[str, tuple[tuple[str, str], ...]]  # pairs of steps that lead to such a relation
    questions: Mapping[str, tuple[str, ...]]  # kind of question -> forms
    most: Mapping[Word, re.Pattern[str]]  # relation -> superlatives: tallest, leftmost
    slots: Mapping[str, tuple[str, ...]]
    combine: Mapping[tuple[str, str], str]
    thing: str
    nouns: bool  # things are any nouns, not only names
    other: bool
    raw: Mapping[str, Any] = field(repr=False)
    _known: dict[str, Word | None] = field(default_factory=dict, repr=False, compare=False)

    def word(self, text: str) -> Word | None:
        """The meaning of an answer; None if it is not a word of the domain, or ambiguous."""
        if text in self._known:
            return self._known[text]
        plain = re.sub(r"\s+", " ", text.strip().strip(".!\"'").lower().replace("_", "-"))
        plain = re.sub(r"^(?:the|a|an|to the|on the) ", "", plain)
        spellings = {plain, plain.replace("-", " ")}
        meanings = [word for word, pattern in self.words.items() if any(map(pattern.fullmatch, spellings))]
        meaning = meanings[0] if len(meanings) == 1 else None
        if len(self._known) < WORDS_KEPT:
            self._known[text] = meaning
        return meaning

    def word_for(self, word: Word) -> str:
        beyond = (shown for shown, own in self.beyond.items() if own == word)
        return OTHER if word.relation == OTHER else self.shown.get(word) or next(beyond, word.relation)

    def sentence(self, fact: Fact) -> str:
        """A fact as the domain's file says it (`spoken`).

        >>> kin, grid = load("kinship"), load("grid")
        >>> kin.sentence(Fact("Ann", "pibling", "Bo", "female")), kin.sentence(Fact("Ann", "pibling", "Bo"))
        ('Ann is an aunt of Bo', 'Ann is an uncle or aunt of Bo')
        >>> grid.sentence(Fact("lamp", "left", "chair", negated=True)), grid.sentence(Fact("A", "above", "B"))
        ('lamp is not left of chair', 'A is above B')
        """
        entry = self.raw["relations"].get(fact.relation, {})
        by_gender = [entry[key][0] for key in ("male", "female") if entry.get(key)]
        word = self.shown.get(Word(fact.relation, fact.gender), fact.relation)
        if by_gender and not fact.gender and word not in entry.get("words", ()):
            word = " or ".join(by_gender)
        spoken = str(entry.get("spoken") or self.raw.get("spoken", "{word}"))
        stated = spoken.format(word=word, a="an" if word[0] in "aeiou" else "a")
        return f"{fact.who} is {'not ' if fact.negated else ''}{stated} {fact.of}"

    def expand(self, form: str) -> str:
        """A form with its macros expanded."""
        return _expanded(form, self.raw)


@cache
def load(name: str) -> Domain:
    """Load a domain by name, or from a TOML file."""
    if name in SHIPPED:
        return parse(read_utf8(DATA / "domains" / f"{name}.toml"), file=f"{name}.toml")
    path = Path(name)
    if not path.is_file():
        raise ProbandError(f"no domain {name!r}: neither a file nor one of {', '.join(SHIPPED)}")
    return parse(read_utf8(path), file=path)


def parse(text: str, *, file: object) -> Domain:
    """Parse the text of a TOML file and check the domain.

    >>> parse('name = "x"', file="x.toml")
    Traceback (most recent call last):
    proband.core.errors.ProbandError: x.toml: 'relations' is missing or empty
    """
    raw = parse_toml(text, file=file)
    try:
        return _domain(raw)
    except re.error as error:
        raise ProbandError(f"{error.pattern!r} is not a regular expression: {error}", file=file) from None
    except ProbandError as error:
        raise ProbandError(str(error), file=file) from None
    except (AttributeError, KeyError, TypeError) as error:
        raise ProbandError(f"not in the form of a domain (docs/extending.md): {error}", file=file) from None


def _domain(raw: Mapping[str, Any]) -> Domain:
    for key in ("relations", "name", "prover", "worlds", "phrases", "questions"):
        if not raw.get(key):
            raise ProbandError(f"{key!r} is missing or empty")
    relations: Mapping[str, Mapping[str, Any]] = raw["relations"]
    for name, entry in relations.items():
        if relations.get(entry.get("inverse", ""), {}).get("inverse") != name:
            raise ProbandError(f"relation {name!r}: 'inverse' must name a relation whose inverse is {name!r}")
    if "coordinates" in raw:
        _check_conditions(raw)
    words: dict[Word, re.Pattern[str]] = {}
    shown: dict[Word, str] = {}
    for name, entry in relations.items():
        for gender, key in GENDERED:
            spellings = entry.get(key) or ()
            shown[Word(name, gender)] = name if gender is None else next(iter(spellings), name)
            own = [name] if gender is None and name not in spellings else []
            if spellings or own:
                either = "|".join([*(_expanded(each, raw) for each in spellings), *map(re.escape, own)])
                words[Word(name, gender)] = re.compile(either)
    most = {
        Word(name): re.compile("|".join(_expanded(each, raw) for each in entry["most"]))
        for name, entry in relations.items()
        if entry.get("most")
    }
    plurals = {_plural(each, raw["plurals"]): word for each, word in _spelled(relations)} if "plurals" in raw else {}
    table: Mapping[str, Mapping[str, Any]] = raw.get("beyond", {})
    steps = {name: tuple((one, two) for one, two in map(str.split, entry["steps"])) for name, entry in table.items()}
    if unknown := {each for pairs in steps.values() for pair in pairs for each in pair} - set(relations):
        raise ProbandError(f"'beyond' names {min(unknown)!r}, which is not a relation")
    slots = {"r": tuple(relations), "s": tuple(relations), **{k: tuple(v) for k, v in raw.get("slots", {}).items()}}
    for group in (*raw["phrases"], *raw.get("mentions", ())):
        named = {each for own in re.findall(r"\w+ (\S+) \w+", group["says"]) for each in own.split("+")}
        for each in sorted(named - {*relations, *slots, "same"}):
            if not any(pattern.fullmatch(each) for pattern in words.values()):
                raise ProbandError(f"a phrase says {each!r}, which is neither a relation nor a slot")
    return Domain(
        name=raw["name"],
        prover=raw["prover"],
        worlds=raw["worlds"],
        inverse={name: entry["inverse"] for name, entry in relations.items()},
        words=words,
        shown=shown,
        phrases=tuple((form, group["says"]) for group in raw["phrases"] for form in group["forms"]),
        mentions=tuple((form, group["says"]) for group in raw.get("mentions", ()) for form in group["forms"]),
        plurals=plurals,
        beyond=dict(_spelled(table)),
        steps_beyond=steps,
        questions={kind: tuple(forms) for kind, forms in raw["questions"].items()},
        most=most,
        slots=slots,
        combine=_combinations(raw.get("combine", {}), relations),
        thing=raw.get("thing", ""),
        nouns=bool(raw.get("nouns", True)),
        other=bool(raw.get("other", False)),
        raw=raw,
    )


def _expanded(form: str, raw: Mapping[str, Any]) -> str:
    for _ in range(8):
        wider = re.sub(r"\{(\w+)\}", lambda m: raw.get("macros", {}).get(m[1], m[0]), form)
        if wider == form:
            return form
        form = wider
    raise ProbandError(f"domain {raw['name']}: macros of {form[:60]!r} refer to each other")


def _spelled(table: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Word]]:
    """Pairs of each word for a relation in the table and the meaning of the word."""
    for name, entry in table.items():
        yield from ((word, Word(name, gender)) for gender, key in GENDERED for word in entry.get(key) or ())


def _plural(word: str, irregular: Mapping[str, str]) -> str:
    """The plural of a word; irregular ones are listed in the file: children, sons-in-law."""
    first, law, rest = word.partition("-in-law")
    return irregular.get(first, f"{first}s") + law + rest


def _check_conditions(raw: Mapping[str, Any]) -> None:
    """Check that conditions are valid and use existing coordinates."""
    for name, entry in raw["relations"].items():
        if not entry.get("means"):
            raise ProbandError(f"relation {name!r}: 'means' is missing or empty")
        if "step" in entry and raw.get("step_world") not in raw["worlds"]:
            raise ProbandError(f"relation {name!r} has a 'step', and 'step_world' names none of the worlds")
        for key in ("means", "step", *raw["worlds"]):
            for text in entry.get(key, ()):
                _check_condition(text, raw["coordinates"], where=f"relation {name!r}, {key!r}")
    for text in raw.get("always", ()):
        _check_condition(text, raw["coordinates"], where="'always'")


def _check_condition(text: object, coordinates: Sequence[str], *, where: str) -> None:
    match = CONDITION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ProbandError(f"{where}: {text!r} is not a condition such as 'a.x < b.x' or 'a.x = b.x + 1'")
    if unknown := next((x for x in (match[2], match[5]) if x not in coordinates), None):
        raise ProbandError(f"{where}: {text!r} names {unknown!r}, which is none of {', '.join(coordinates)}")


def _combinations(table: Mapping[str, str], relations: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    both: dict[tuple[str, str], str] = {}
    for pair, result in table.items():
        first, _, second = pair.partition(" ")
        for each in (first, second, result):
            if each not in relations:
                raise ProbandError(f"'combine' names {each!r}, which is not a relation")
        both[first, second] = both[second, first] = result
    return both
