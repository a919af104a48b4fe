"""A story back to its facts, in whichever form it is told: English, plain sentences of a rule base, or triples.

Our own stories are read strictly, and every fact comes back. Other people's are read freely: a pronoun without a
topic of its gender means the nearest person it can.

>>> read_story("Ben rang his aunt Ann. Ann is married to Carl.", names=["Ben", "Ann", "Carl"])
[('Ben', 'aunt', 'Ann'), ('Ann', 'husband', 'Carl')]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from proband.suites.kinship.reading.doubt import doubt
from proband.suites.kinship.reading.grammar import Fact, read_facts
from proband.suites.kinship.world.families import GENDER_OF
from proband.suites.kinship.world.rules import Rules

TRIPLE = re.compile(r"\((.+?), (.+?), (.+?)\)\s*")
GENDER_LINE = re.compile(r"\(([^,()]+), (male|female)\)")
GENDER_SENTENCE = re.compile(r"([\w@\[\]-]+) is (male|female)\.")


def read_story(
    story: str, *, names: Mapping[str, str | None] | Iterable[str], rules: Rules | None = None
) -> list[Fact]:
    """The facts of a story as (owner, word, person). `names` may give genders; else ours are known by name. With a rule
    base of another world, the story is in the sentences that rule base says facts in."""
    known = dict(names) if isinstance(names, Mapping) else {name: GENDER_OF.get(name) for name in names}
    if TRIPLE.match(story):
        return TRIPLE.findall(story)
    if rules is not None and rules.world != "family":
        return read_sentences(story, names=list(known), rules=rules)
    strict = read_facts(story, known, strict=True)
    return strict.facts if not strict.problems else read_facts(story, known).facts


def unfaithful(
    story: str,
    *,
    names: Sequence[str],
    genders: Sequence[str],
    edges: Iterable[Sequence[Any]],
    rules: Rules,
    strict: bool = False,
) -> str | None:
    """What the story does not tell of the facts, or tells beyond them; None for a story that tells just these.

    A fact may be told from either side: *her brother Ben*, *his sister Ann*. What is denied, believed, possible or
    remarked on is not told (doubt.py). `strict`: nothing may be left that speaks of kin and was not understood.

    >>> from proband.suites.kinship.world.rules import load
    >>> people = {"names": ["Ben", "Ann"], "genders": ["male", "female"], "rules": load("sound")}
    >>> unfaithful("Ben rang his aunt Ann.", edges=[(0, "aunt", 1)], **people)
    >>> unfaithful("Ben rang his aunt Ann.", edges=[(0, "sister", 1)], **people)
    'the text does not tell that Ann is the sister of Ben'
    """
    known = dict(zip(names, genders))
    if wrong := _not_understood(story, known, rules, strict=strict):
        return wrong
    read = set(read_story(story, names=known, rules=rules))
    told = set[Fact]()  # a fact may be stated more than once
    for i, word, j in edges:
        back = rules.word(rules.inverse[rules.code[word]], genders[i])
        sides = {(names[i], word, names[j]), (names[j], back, names[i])}
        if not sides & read:
            return f"the text does not tell that {names[j]} is the {word} of {names[i]}"
        told |= sides
    if beyond := read - told:
        owner, word, person = min(beyond)
        return f"the text tells that {person} is the {word} of {owner}, which is no fact of the item"
    return None


def _not_understood(story: str, known: Mapping[str, str], rules: Rules, *, strict: bool) -> str | None:
    """What takes facts back, states a wrong gender or, strictly read, is neither a fact nor without kin words."""
    for name, gender in (*GENDER_LINE.findall(story), *GENDER_SENTENCE.findall(story)):
        if known.get(name.strip("[]"), gender) != gender:
            return f"the text says that {name} is {gender}"
    if TRIPLE.match(story):
        lines = [line for line in story.splitlines() if not (TRIPLE.fullmatch(line) or GENDER_LINE.fullmatch(line))]
        return f"{lines[0]!r} is no fact" if lines else None
    if rules.world != "family":
        return None
    if wrong := doubt(story, known):
        return wrong
    problems = read_facts(story.replace("[", "").replace("]", ""), known, strict=True).problems if strict else []
    return problems[0] if problems else None


def read_sentences(story: str, *, names: Sequence[str], rules: Rules) -> list[Fact]:
    """Sentences in the words of a rule base that is not about families.

    >>> from proband.suites.kinship.world.rules import load
    >>> read_sentences("The farm lies east of the forge.", names=["the farm", "the forge"], rules=load("grid"))
    [('the forge', 'east', 'the farm')]
    """
    who = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    words = "|".join(re.escape(w) for w in sorted(rules.code, key=len, reverse=True))
    slots = {"i": rf"\[?(?P<i>{who})\]?", "j": rf"\[?(?P<j>{who})\]?", "word": f"(?P<word>{words})"}
    forms = [re.escape(form).replace(r"\{", "{").replace(r"\}", "}").format(**slots) for form in rules.sentences]
    spelling = {name.lower(): name for name in (*rules.code, *names)}
    found: list[Fact] = []
    at = 0
    while at < len(story):
        matches = [m for m in (re.compile(form + r"\s*", re.IGNORECASE).match(story, at) for form in forms) if m]
        if not matches:
            at = story.find(". ", at) + 2 if ". " in story[at:] else len(story)
            continue
        best = max(matches, key=lambda m: m.end())
        found.append((spelling[best["i"].lower()], spelling[best["word"].lower()], spelling[best["j"].lower()]))
        at = best.end()
    return found
