"""From a story to its facts, in any form (English, plain sentences of a rule base, triples), and `solver:read`, which
answers from these facts.

A story is read by the phrases of the domain `kinship` (proband.english.mentions); what they do not cover is unread.

>>> story = "Ben rang his aunt Ann. Ann is married to Carl."
>>> [fact[:3] for fact in read_story(story, names={"Ben": "male", "Ann": "female", "Carl": "male"})]
[('Ann', 'aunt', 'Ben'), ('Ann', 'wife', 'Carl')]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from proband.core.errors import ProbandError
from proband.core.types import Answer, Fact, Item
from proband.english.domain import load
from proband.english.mentions import read_people
from proband.english.phrases import Grammar
from proband.english.reading import Reading, Unread
from proband.suites.kinship.logic.closure import Edge, close, scores, shortest_path
from proband.suites.kinship.world import relations
from proband.suites.kinship.world.families import GENDER_OF
from proband.suites.kinship.world.relations import FEMALE, GENDER, MALE, NEUTRAL, turned, word
from proband.suites.kinship.world.rules import Rules, of_item, story_of

TRIPLE = re.compile(r"\((.+?), (.+?), (.+?)\)\s*")
GENDER_LINE = re.compile(r"\(([^,()]+), (male|female)\)")
GENDER_SENTENCE = re.compile(r"([\w@\[\]-]+) is (male|female)\.")


@cache
def _grammar() -> Grammar:
    return Grammar(load("kinship"))


def read_facts(story: str, genders: Mapping[str, str | None], *, ours: bool = False) -> Reading:
    """The facts of a story about these people, in kin words. `ours`: by our rules, where a pronoun means the topic of
    its sentence.

    >>> read_facts("Ben rang his aunt Ann.", {"Ben": "male", "Ann": "female"}).facts == (Fact("Ann", "aunt", "Ben"),)
    True
    >>> read_facts("Ben never had an aunt Ann.", {"Ben": "male", "Ann": "female"}).unread.reason
    "'never' may change the statement"
    """
    reading = read_people(_grammar(), GENDER_SENTENCE.sub("", story), list(genders), genders, ours=ours)
    if reading.unread:
        return reading
    facts: list[Fact] = []
    for fact in reading.facts:
        who, of = (genders.get(name) or reading.genders.get(name) for name in (fact.who, fact.of))
        if gender := fact.gender or who:
            if who and gender != who:
                return Reading(unread=Unread(f"{fact.who} is {who} but called a {word(fact.relation, gender)}"))
            facts.append(Fact(fact.who, word(fact.relation, gender), fact.of))
        elif of:
            facts.append(Fact(fact.of, word(relations.INVERSE[fact.relation], of), fact.who))
        else:
            return Reading(unread=Unread(f"the genders of {fact.who} and {fact.of} are unknown"))
    return Reading(facts=tuple(facts))


def read_story(story: str, *, names: Mapping[str, str | None], rules: Rules | None = None) -> list[Fact]:
    """The facts of a story, in the words of its rule base. `names`: with their genders, if known. Stories of other
    worlds use the sentences of their rule base."""
    if TRIPLE.match(story):
        return [Fact(who, kin, of) for of, kin, who in TRIPLE.findall(story)]
    if rules is not None and rules.world != "family":
        return read_sentences(story, names=list(names), rules=rules)
    return list(read_facts(story.replace("[", "").replace("]", ""), names, ours=True).facts)


def mismatch_with_facts(
    story: str,
    *,
    names: Sequence[str],
    genders: Sequence[str],
    edges: Iterable[Any],
    rules: Rules,
) -> str | None:
    """The first fact that the story lacks, or states in addition; None if it states exactly these facts.

    A fact may be stated from either side: *her brother Ben*, *his sister Ann*. Every sentence with a kin word must be
    understood.

    >>> from proband.suites.kinship.world.rules import load
    >>> people = {"names": ["Ben", "Ann"], "genders": ["male", "female"], "rules": load("sound")}
    >>> mismatch_with_facts("Ben rang his aunt Ann.", edges=[(0, "aunt", 1)], **people)
    >>> mismatch_with_facts("Ben rang his aunt Ann.", edges=[(0, "sister", 1)], **people)
    'the text does not state that Ann is the sister of Ben'
    """
    known = dict(zip(names, genders))
    if wrong := _not_understood(story, known, rules):
        return wrong
    read = set(read_story(story, names=known, rules=rules))
    stated = set[Fact]()  # a fact may be stated more than once
    for edge in edges:
        one, other = (Fact(names[j], kin, names[i]) for i, kin, j in (edge, turned(edge, genders, rules.back)))
        if not {one, other} & read:
            return f"the text does not state that {one.who} is the {one.relation} of {one.of}"
        stated |= {one, other}
    if beyond := read - stated:
        more = min(beyond, key=lambda fact: (fact.of, fact.relation, fact.who))
        return f"the text states that {more.who} is the {more.relation} of {more.of}, which is no fact of the item"
    return None


def _not_understood(story: str, known: Mapping[str, str], rules: Rules) -> str | None:
    """A retracted fact, a wrong gender, or an unread sentence with kin words; or None."""
    for name, gender in (*GENDER_LINE.findall(story), *GENDER_SENTENCE.findall(story)):
        if known.get(name.strip("[]"), gender) != gender:
            return f"the text says that {name} is {gender}"
    if TRIPLE.match(story):
        lines = [line for line in story.splitlines() if not (TRIPLE.fullmatch(line) or GENDER_LINE.fullmatch(line))]
        return f"{lines[0]!r} is no fact" if lines else None
    if rules.world != "family":
        return None
    unread = read_facts(story.replace("[", "").replace("]", ""), known, ours=True).unread
    return " | ".join(filter(None, unread)) if unread else None


def read_sentences(story: str, *, names: Sequence[str], rules: Rules) -> list[Fact]:
    """Sentences in the words of a rule base that is not about families.

    >>> from proband.suites.kinship.world.rules import load
    >>> places = {"names": ["the farm", "the forge"], "rules": load("grid")}
    >>> [fact[:3] for fact in read_sentences("The farm lies east of the forge.", **places)]
    [('the farm', 'east', 'the forge')]
    """
    who = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    words = "|".join(re.escape(w) for w in sorted(rules.code, key=len, reverse=True))
    slots = {"i": rf"\[?(?P<i>{who})\]?", "j": rf"\[?(?P<j>{who})\]?", "word": f"(?P<word>{words})"}
    forms = [re.escape(form).replace(r"\{", "{").replace(r"\}", "}").format(**slots) for form in rules.sentences]
    spelling = {name.lower(): name for name in (*rules.code, *names)}
    facts: list[Fact] = []
    at = 0
    while at < len(story):
        matches = [m for m in (re.compile(form + r"\s*", re.IGNORECASE).match(story, at) for form in forms) if m]
        if not matches:
            at = story.find(". ", at) + 2 if ". " in story[at:] else len(story)
            continue
        best = max(matches, key=lambda m: m.end())
        who, kin, of = (spelling[best[part].lower()] for part in ("j", "word", "i"))
        facts.append(Fact(who, kin, of))
        at = best.end()
    return facts


# ---- solver:read ---------------------------------------------------------------------------------------------------


class Read:
    """The model `solver:read`. It uses the text, the names and, if an item has them, genders. A story that is not fully
    understood is `unread`, not guessed."""

    name = "solver:read"
    method = "phrases of the domain and forward closure"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": self.name.removeprefix("solver:"), "method": self.method}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [self._solve(item) for item in items]

    def _solve(self, item: Item) -> Answer:
        facts = item.facts
        if "names" not in facts or "query" not in facts:
            raise ProbandError(f"item {item.id!r} cannot be read: 'names' and 'query' are missing")
        rules = of_item(item)
        names: list[str] = list(facts["names"])
        given = facts.get("genders")
        known = dict(zip(names, given)) if given and rules.gendered else dict.fromkeys(names)
        read = self.facts(item, known, rules)
        if isinstance(read, str):
            return Answer(item_id=item.id, text=read, status="unread")
        everyone = [*names, *dict.fromkeys(x for fact in read for x in (fact.of, fact.who) if x not in names)]
        place = {name: i for i, name in enumerate(everyone)}
        edges = [(place[fact.of], fact.relation, place[fact.who]) for fact in read]
        found = stated_genders(read, everyone)
        genders = [*given, *found[len(names) :]] if given else found
        words = solve(rules, genders, edges, tuple(facts["query"]))
        return Answer(item_id=item.id, scores=scores(item, words), text="|".join(words))

    def facts(self, item: Item, known: Mapping[str, str | None], rules: Rules) -> list[Fact] | str:
        """The facts of the item's story, or the words that were not understood."""
        story = story_of(item)
        if TRIPLE.match(story) or rules.world != "family":
            return read_story(story, names=known, rules=rules)
        if beyond := next(
            (w for w in rules.code if w not in NEUTRAL and re.search(rf"\b{re.escape(w)}\b", story)), None
        ):
            parts = [each for each in story.split(". ") if not GENDER_SENTENCE.fullmatch(each.rstrip(".") + ".")]
            facts = read_sentences(story, names=list(known), rules=rules)
            return facts if len(facts) == len(parts) else f"{beyond!r}, which the grammar does not know"
        reading = read_facts(story, known, ours=is_ours(item))
        return " | ".join(filter(None, reading.unread)) if reading.unread else list(reading.facts)


def is_ours(item: Item) -> bool:
    """Is the story in words of our own bank, whose pronouns follow its rules? Items without facts are those of a
    release's hidden split."""
    if "edges" not in item.facts:
        return True
    telling = item.facts.get("telling") or {}
    return bool(telling.get("scenes")) and telling.get("bank", "proband") == "proband"


def stated_genders(facts: Sequence[Fact], names: Sequence[str]) -> list[str]:
    """Genders from the facts alone: kin words, spouses, and our own names.

    >>> stated_genders([Fact("@2", "wife", "@1"), Fact("@3", "son", "@2")], ["@1", "@2", "@3"])
    ['male', 'female', 'male']
    """
    genders = {name: GENDER_OF.get(name) for name in names}
    for fact in facts:
        genders[fact.who] = GENDER.get(fact.relation, genders.get(fact.who))
        if NEUTRAL.get(fact.relation) == "spouse":
            genders[fact.of] = MALE if GENDER[fact.relation] == FEMALE else FEMALE
    return [genders[name] or MALE for name in names]


def solve(rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]) -> list[str]:
    """The possible relations of the second person of the query to the first.

    Uses all facts if they are consistent and decide the answer; else those of the shortest path; else, in order, all
    that do not contradict earlier ones.
    """
    i, j = query
    whole = close(rules, genders, edges)
    if whole.consistent and len(whole.answers(i, j)) == 1:
        return whole.answers(i, j)
    path = close(rules, genders, shortest_path(edges, query) or [])
    if path.consistent and len(path.answers(i, j)) == 1:
        return path.answers(i, j)
    kept: list[Edge] = []
    for edge in edges if not whole.consistent else ():
        if close(rules, genders, [*kept, edge]).consistent:
            kept.append(edge)
    return (whole if whole.consistent else close(rules, genders, kept)).answers(i, j)
