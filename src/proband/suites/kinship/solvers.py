"""`solver:symbolic` closes the told facts of an item under its rule base; `solver:read` parses the story back to facts
first (the text in, no facts given)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.suites.kinship.logic.closure import close, shortest_path
from proband.suites.kinship.reading.grammar import Fact
from proband.suites.kinship.reading.reader import read_story
from proband.suites.kinship.telling.stories import story_of
from proband.suites.kinship.world.families import GENDER_OF
from proband.suites.kinship.world.relations import FEMALE, GENDER, MALE, NEUTRAL
from proband.suites.kinship.world.rules import Rules, of_item


class Symbolic:
    """Closes the told facts of an item under its rule base; every relation still possible scores 1, the others 0.

    It sees the facts, never the text: what a perfect reader would score. An item without facts cannot be solved.
    """

    name = "solver:symbolic"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "solver", "name": "symbolic", "method": "forward closure"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [self._solve(item) for item in items]

    def _solve(self, item: Item) -> Answer:
        facts = item.facts
        if "edges" not in facts or "query" not in facts:
            raise ProbandError(f"item {item.id!r} has no fact graph: 'edges' and 'query' are missing")
        genders, edges, (x, z) = facts["genders"], facts["edges"], facts["query"]
        words = close(of_item(item), genders, edges).answers(x, z)
        return Answer(item_id=item.id, scores=scores(item, words), text="|".join(words))


def scores(item: Item, words: Sequence[str]) -> tuple[float, ...]:
    """The possible relations as scores of the item's choices; for yes/no, how far they speak for the asked one.

    >>> item = Item(id="a", suite="kinship", prompt="...\\nIs Sharon the aunt of Arthur?", choices=("yes", "no"))
    >>> scores(item, ["aunt"]), scores(item, ["mother"])
    ((1.0, 0.0), (0.0, 1.0))
    """
    if item.choices == ("yes", "no"):
        asked = item.prompt.rsplit("\n", 1)[-1]
        true = [w for w in words if f" the {w} of " in asked or f" {w} of " in asked]
        yes = len(true) / len(words) if words else 0.0
        return (yes, 1.0 - yes)
    return tuple(1.0 if choice in words else 0.0 for choice in item.choices)


Edge = tuple[int, str, int]


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


def solve(rules: Rules, genders: Sequence[str], edges: Sequence[Edge], query: tuple[int, int]) -> list[str]:
    """What the second person of the query can be to the first.

    All facts together, if they agree and settle it; else those of the shortest path; else, taken in order, all that do
    not contradict those before.
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
        rules = of_item(item)
        names: list[str] = list(facts["names"])
        given = facts.get("genders")
        known = dict(zip(names, given)) if given and rules.gendered else names
        read = read_story(story_of(item), names=known, rules=rules)
        place = {name: i for i, name in enumerate(names)}
        edges = [(place[a], relation, place[b]) for a, relation, b in read if a in place and b in place]
        words = solve(rules, given or told_genders(read, names), edges, tuple(facts["query"]))
        return Answer(item_id=item.id, scores=scores(item, words), text="|".join(words))
