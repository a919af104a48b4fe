"""Pairs that hold although a relation's own list does not say so: what WordNet and lists of usual values know.

A list gives *snow : white*; that *crow : grey* or *swan : black* hold as well it may not say. Two outside sources are
asked before a pair is used as a negative:

WordNet        a link (hypernym, part of, antonym, ...) is a relation's if it holds of a fifth of its tuples or more;
               a pair with such a link is true
usual values   our own lists of the colours and materials of things and the languages of countries, for relations whose
               tails are mostly such; those relations are many-valued, whatever their lists say
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from importlib import resources

from proband.suites.analogy.relations import MANY, Pair, Relation, fold
from proband.suites.analogy.sources import listed
from proband.suites.analogy.wordnet_links import TWO_WAY, Links

MOSTLY = 0.5  # the share of tails from which on a relation is one of colours, materials or languages


class OtherTruths:
    """What is known of one relation besides its list.

    >>> from proband.suites.analogy.relations import Tuple
    >>> pairs = (("snow", "white"), ("coal", "black"), ("crow", "black"), ("dust", "grey"))
    >>> colours = OtherTruths(Relation("thing : colour", "ES", tuple(Tuple(h, (t,)) for h, t in pairs)), links=None)
    >>> colours.kind, colours.hold(("crow", "grey")), colours.hold(("snow", "black"))
    ('colour', True, False)
    """

    def __init__(self, relation: Relation, *, links: Links | None) -> None:
        self.relation, self.links = relation, links

    @cached_property
    def kind(self) -> str:
        """`colour`, `material` or `language`, or nothing."""
        return kind_of(self.relation)

    @cached_property
    def own_links(self) -> frozenset[str]:
        """The links of WordNet that stand for this relation."""
        if self.links is None:
            return frozenset()
        found: dict[str, int] = {}
        for each in self.relation.tuples:
            for link in self.links.between(each.head, each.tail):
                found[link] = found.get(link, 0) + 1
        return frozenset(link for link, count in found.items() if count >= MANY * len(self.relation.tuples))

    def hold(self, pair: Pair) -> bool:
        head, tail = fold(pair[0]), fold(pair[1])
        if self.kind and tail in usual_values()[self.kind].get(head, ()):
            return True
        if self.links is None:
            return False
        found = self.own_links & self.links.between(head, tail)
        if not self.relation.symmetric and self.relation.holds((tail, head)):
            found -= TWO_WAY  # happy : unhappy are antonyms both ways round, but un- goes one way
        return bool(found)


def kind_of(relation: Relation) -> str:
    """Whether the tails are mostly colours, materials or languages, and some of the heads known to have such."""
    for kind, values in usual_values().items():
        words = frozenset(word for tails in values.values() for word in tails)
        mostly = sum(fold(t.tail) in words for t in relation.tuples) >= MOSTLY * len(relation.tuples)
        if mostly and any(fold(t.head) in values for t in relation.tuples):
            return kind
    return ""


@cache
def usual_values() -> dict[str, dict[str, frozenset[str]]]:
    """kind -> thing -> its usual values.

    >>> sorted(usual_values()["language"]["belgium"])
    ['dutch', 'french', 'german']
    """
    with resources.as_file(resources.files("proband") / "data" / "analogy" / "usual_values.tsv") as path:
        return {
            relation.name: {fold(t.head): frozenset(map(fold, t.tails)) for t in relation.tuples}
            for relation in listed.read(path)
        }


def links_for(relations: Iterable[Relation]) -> Links | None:
    """WordNet's links among the words of these relations; None where WordNet is not installed."""
    return Links.among({fold(word) for r in relations for t in r.tuples for word in (t.head, *t.tails)})
