"""A domain: relations, the words for them, phrases that say facts, questions, and what a relation means.

A domain is a TOML file (`data/domains/`, guide: docs/extending.md). Its `prover` says who decides what follows:
`differences` (differences.py), for relations that are conditions on coordinates, or one of a suite (`family`).

>>> grid = load("grid")
>>> grid.word("Top-left"), grid.word("aunt"), grid.inverse["upper-left"]
(Word(relation='upper-left', gender=None), None, 'lower-right')
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from proband.core.errors import ProbandError
from proband.core.files import DATA, parse_toml, read_utf8

SHIPPED: Final = ("kinship", "grid", "temporal", "allen", "sizes")
OTHER: Final = "none"  # two things between which no relation of the domain holds
CONDITION: Final = re.compile(r"([ab])\.(\w+) (<=|>=|<|>|=) ([ab])\.(\w+)(?: ([+-]) (\d+))?")
WORDS_KEPT: Final = 10_000
MALE, FEMALE = "male", "female"


class Word(NamedTuple):
    """What a word says: a relation, and for kin the gender of the one who has it."""

    relation: str
    gender: str | None = None


@dataclass(frozen=True, kw_only=True)
class Domain:
    """`words` are regular expressions by relation and gender; `means` and `step` conditions on coordinates."""

    name: str
    prover: str
    worlds: Mapping[str, str]
    inverse: Mapping[str, str]
    words: Mapping[Word, re.Pattern[str]]
    shown: Mapping[Word, str]  # the word that answers and corrected labels use
    phrases: tuple[tuple[str, str], ...]  # (form, what it says)
    questions: Mapping[str, tuple[str, ...]]  # kind of question -> forms
    most: Mapping[Word, re.Pattern[str]]  # relation -> words for what is so to all others: tallest, leftmost
    slots: Mapping[str, tuple[str, ...]]
    combine: Mapping[tuple[str, str], str]
    macros: Mapping[str, str]
    thing: str
    nouns: bool  # things are any nouns, not names alone
    other: bool
    raw: Mapping[str, Any] = field(repr=False)
    _known: dict[str, Word | None] = field(default_factory=dict, repr=False, compare=False)

    def word(self, text: str) -> Word | None:
        """What an answer says; None if it is no word of the domain, or says two things."""
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

    def say(self, word: Word) -> str:
        return OTHER if word.relation == OTHER else self.shown[word]

    def expand(self, form: str) -> str:
        """A form with its macros written out."""
        for _ in range(8):
            wider = re.sub(r"\{(\w+)\}", lambda m: self.macros.get(m[1], m[0]), form)
            if wider == form:
                return form
            form = wider
        raise ProbandError(f"domain {self.name}: macros of {form[:60]!r} refer to each other")


@cache
def load(name: str) -> Domain:
    """A domain by name, or of a TOML file."""
    if name in SHIPPED:
        return parse(read_utf8(DATA / "domains" / f"{name}.toml"), file=f"{name}.toml")
    path = Path(name)
    if not path.is_file():
        raise ProbandError(f"no domain {name!r}: neither a file nor one of {', '.join(SHIPPED)}")
    return parse(read_utf8(path), file=path)


def parse(text: str, *, file: object) -> Domain:
    """A checked domain.

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
    domain = Domain(
        name=raw["name"],
        prover=raw["prover"],
        worlds=raw["worlds"],
        inverse={name: entry["inverse"] for name, entry in relations.items()},
        words={},
        shown={},
        phrases=tuple((form, group["says"]) for group in raw["phrases"] for form in group["forms"]),
        questions={kind: tuple(forms) for kind, forms in raw["questions"].items()},
        most={},
        slots={"r": tuple(relations), "s": tuple(relations), **{k: tuple(v) for k, v in raw.get("slots", {}).items()}},
        combine=_combinations(raw.get("combine", {}), relations),
        macros={**_verb_forms(raw.get("verbs", {})), **raw.get("macros", {})},
        thing=raw.get("thing", ""),
        nouns=bool(raw.get("nouns", True)),
        other=bool(raw.get("other", False)),
        raw=raw,
    )
    words: dict[Word, re.Pattern[str]] = {}
    shown: dict[Word, str] = {}
    for name, entry in relations.items():
        for gender, key in ((MALE, "male"), (FEMALE, "female"), (None, "words")):
            spellings = entry.get(key) or ()
            shown[Word(name, gender)] = name if gender is None else next(iter(spellings), name)
            own = [name] if gender is None and name not in spellings else []
            if spellings or own:
                either = "|".join([*(domain.expand(each) for each in spellings), *map(re.escape, own)])
                words[Word(name, gender)] = re.compile(either)
    most = {
        Word(name): re.compile("|".join(map(domain.expand, entry["most"])))
        for name, entry in relations.items()
        if entry.get("most")
    }
    return replace(domain, words=words, shown=shown, most=most)


def _verb_forms(verbs: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Macros for any verb of the domain: `do`, `did`, `doing`.

    >>> _verb_forms({"sing": ["sing", "sang", "singing"], "go": ["go", "went", "going"]})["did"]
    '(?:sang|went)'
    """
    if bad := next((verb for verb, forms in verbs.items() if len(forms) != 3), ""):
        raise ProbandError(f"verb {bad!r}: three forms are wanted, as sing, sang, singing")
    kinds = ("do", "did", "doing")
    return {kind: f"(?:{'|'.join(own)})" for kind, own in zip(kinds, zip(*verbs.values()))}


def _check_conditions(raw: Mapping[str, Any]) -> None:
    """Conditions are such, of coordinates that there are."""
    for name, entry in raw["relations"].items():
        if not entry.get("means"):
            raise ProbandError(f"relation {name!r}: 'means' is missing or empty")
        for key in ("means", "step", *raw["worlds"]):
            for text in entry.get(key, ()):
                _check_condition(text, raw["coordinates"], where=f"relation {name!r}, {key!r}")
    for text in raw.get("always", ()):
        _check_condition(text, raw["coordinates"], where="'always'")


def _check_condition(text: object, coordinates: Sequence[str], *, where: str) -> None:
    match = CONDITION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ProbandError(f"{where}: {text!r} is no condition such as 'a.x < b.x' or 'a.x = b.x + 1'")
    if unknown := next((x for x in (match[2], match[5]) if x not in coordinates), None):
        raise ProbandError(f"{where}: {text!r} names {unknown!r}, which is none of {', '.join(coordinates)}")


def _combinations(table: Mapping[str, str], relations: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    both: dict[tuple[str, str], str] = {}
    for pair, result in table.items():
        first, _, second = pair.partition(" ")
        for each in (first, second, result):
            if each not in relations:
                raise ProbandError(f"'combine' names {each!r}, which is no relation")
        both[first, second] = both[second, first] = result
    return both
