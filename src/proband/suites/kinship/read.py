"""`solver:read`: parse the story back to facts, then solve them (the text in, no facts given).

Our own stories are read strictly, and every fact comes back. Other people's are read freely: a pronoun without a
topic of its gender means the nearest person it can. What was read is closed under the item's rule base, as
`solver:symbolic` does with the true facts.

>>> Reader().read("Ben rang his aunt Ann. Ann is married to Carl.", names=["Ben", "Ann", "Carl"])
[('Ben', 'aunt', 'Ann'), ('Ann', 'husband', 'Carl')]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.suites.kinship.grammar import Fact, read_facts
from proband.suites.kinship.names import GENDER_OF
from proband.suites.kinship.prove import close
from proband.suites.kinship.questions import story_of
from proband.suites.kinship.relations import FEMALE, GENDER, MALE, NEUTRAL
from proband.suites.kinship.rules import Rules, load
from proband.suites.kinship.solve import scores

Edge = tuple[int, str, int]
TRIPLE = re.compile(r"\((.+?), (.+?), (.+?)\)\s*")


@dataclass(frozen=True)
class Reader:
    """Reads English; with a rule base of another world, the sentences that rule base says facts in."""

    rules: Rules | None = None

    def read(self, story: str, *, names: Mapping[str, str | None] | Iterable[str]) -> list[Fact]:
        """The facts of a story as (owner, word, person). `names` may give genders; else ours are known by name."""
        known = dict(names) if isinstance(names, Mapping) else {name: GENDER_OF.get(name) for name in names}
        if TRIPLE.match(story):
            return [(a, relation, b) for a, relation, b in TRIPLE.findall(story)]
        if self.rules is not None and self.rules.world != "family":
            return read_sentences(story, names=list(known), rules=self.rules)
        strict = read_facts(story, known, strict=True)
        return strict.facts if not strict.problems else read_facts(story, known).facts


def read_sentences(story: str, *, names: Sequence[str], rules: Rules) -> list[Fact]:
    """Sentences in the words of a rule base that is not about families.

    >>> read_sentences("The farm lies east of the forge.", names=["the farm", "the forge"], rules=load("grid"))
    [('the forge', 'east', 'the farm')]
    """
    who = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    words = "|".join(re.escape(w) for w in sorted(rules.code, key=len, reverse=True))
    slots = {"i": rf"\[?(?P<i>{who})\]?", "j": rf"\[?(?P<j>{who})\]?", "word": f"(?P<word>{words})"}
    forms = [re.escape(form).replace(r"\{", "{").replace(r"\}", "}").format(**slots) for form in rules.sentences]
    spelling = {name.lower(): name for name in names}
    found: list[Fact] = []
    at = 0
    while at < len(story):
        matches = [m for m in (re.compile(form + r"\s*", re.IGNORECASE).match(story, at) for form in forms) if m]
        if not matches:
            at = story.find(". ", at) + 2 if ". " in story[at:] else len(story)
            continue
        best = max(matches, key=lambda m: m.end())
        found.append((spelling[best["i"].lower()], best["word"].lower(), spelling[best["j"].lower()]))
        at = best.end()
    return found


def told_genders(facts: Sequence[Fact], names: Sequence[str]) -> list[str]:
    """Genders from the facts alone: kin words, spouses, and our own names.

    >>> told_genders([("@1", "wife", "@2"), ("@2", "son", "@3")], ["@1", "@2", "@3"])
    ['male', 'female', 'male']
    """
    genders = {name: GENDER_OF.get(name) for name in names}
    for owner, relation, person in facts:
        genders[person] = GENDER.get(relation, genders.get(person))
        if NEUTRAL.get(relation) == "spouse":
            genders[owner] = MALE if GENDER[relation] == FEMALE else FEMALE
    return [genders[name] or MALE for name in names]


def path_between(edges: Sequence[Edge], query: tuple[int, int]) -> list[Edge]:
    """The facts of a shortest path between the two people asked about; none if nothing connects them.

    >>> path_between([(0, "son", 1), (2, "wife", 3), (1, "wife", 2)], (0, 2))
    [(0, 'son', 1), (1, 'wife', 2)]
    """
    came: dict[int, list[Edge]] = {query[0]: []}
    waiting = [query[0]]
    for here in waiting:  # grows while we walk: breadth first
        for edge in edges:
            for there in {edge[0], edge[2]} - came.keys() if here in (edge[0], edge[2]) else ():
                came[there] = [*came[here], edge]
                waiting.append(there)
    return came.get(query[1], [])


def solve(rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]) -> list[str]:
    """What the second person of the query can be to the first.

    All facts together, if they agree and settle it; else those of the shortest path; else, taken in order, all that do
    not contradict those before.
    """
    i, j = query
    whole = close(rules, genders, edges)
    if whole.consistent and len(whole.answers(i, j)) == 1:
        return whole.answers(i, j)
    path = close(rules, genders, path_between(edges, query))
    if path.consistent and len(path.answers(i, j)) == 1:
        return path.answers(i, j)
    kept: list[Edge] = []
    for edge in edges if not whole.consistent else ():
        if close(rules, genders, [*kept, edge]).consistent:
            kept.append(edge)
    return (whole if whole.consistent else close(rules, genders, kept)).answers(i, j)


class Read:
    """The model `solver:read`: items in, answers out; uses the text, the names and, where an item has them, genders."""

    name = "solver:read"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": "read", "method": "grammar and forward closure"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [self._solve(item) for item in items]

    def _solve(self, item: Item) -> Answer:
        facts = item.facts
        if "names" not in facts or "query" not in facts:
            raise ProbandError(f"item {item.id!r} cannot be read: 'names' and 'query' are missing")
        rules = load(str(facts.get("rules", "sound")))
        names: list[str] = list(facts["names"])
        given = facts.get("genders")
        known = dict(zip(names, given)) if given and rules.gendered else names
        read = Reader(rules).read(story_of(item), names=known)
        place = {name: i for i, name in enumerate(names)}
        edges = [(place[a], relation, place[b]) for a, relation, b in read if a in place and b in place]
        words = solve(rules, given or told_genders(read, names), edges, tuple(facts["query"]))
        return Answer(item_id=item.id, scores=scores(item, words), text="|".join(words))


def load_model() -> Read:
    """
    >>> load_model().name
    'solver:read'
    """
    return Read()
