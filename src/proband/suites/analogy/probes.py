"""The three probes (section 2.2): ways to change a tuple (h_j, t_j) of R so that it is not in R.

    random   (h_k, t_j), h_k != h_j  [random-head]    or (h_j, t_k), t_k != t_j  [random-tail]
    reverse  (t_j, h_j)
    type     (h_j, h_k), h_j != h_k  [both heads]     or (t_j, t_k), t_j != t_k  [both tails]

A positive is an ordered pair (i, j) of tuples of one half of R: "what h_i is to t_i, h_j is to t_j"; there are n(n-1).
A negative puts a wrong tuple in the place of j. `base` is the tuple that it is made from:

    right    the right option's, j, as above
    other    any other of the half
    paper    as in section 2.2: random changes the input's, (h_k, t_i) or (h_i, t_k); reverse "simply a random
             tuple from R"; type takes "any two tuples (h_j, h_k)", whose heads (or tails) differ from the input's

With alternatives in the list (or a symmetric relation) a changed tuple may be true. `NegativeSampler` can reject
these, and those that are true by other sources (UnlistedTruths), and counts them in any case.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

from proband.core.files import DATA
from proband.core.types import Tag
from proband.lexicon.wordnet import TWO_WAY, Links
from proband.suites.analogy import sources
from proband.suites.analogy.relations import MANY_SHARE, Pair, Relation, fold

# ---- pairs that hold although the list of a relation lacks them: WordNet and lists of usual values ---------------
#
# A list has *snow : white*, but perhaps not *crow : grey* or *swan : black*, which also hold. Two other sources are
# checked before a pair is used as a negative:
#
# WordNet        a link (hypernym, part of, antonym, ...) is a relation's if it holds of a fifth of its tuples or more;
#                a pair with such a link is true
# usual values   our own lists of the colours and materials of things and the languages of countries, for relations
#                whose tails are mostly such; those relations are many-valued


MOSTLY = 0.5  # least share of such tails for a relation of colours, materials or languages


class UnlistedTruths:
    """Truths about one relation that its list lacks.

    >>> from proband.suites.analogy.relations import Tuple
    >>> pairs = (("snow", "white"), ("coal", "black"), ("crow", "black"), ("dust", "grey"))
    >>> colours = UnlistedTruths(Relation("thing : colour", "ES", tuple(Tuple(h, (t,)) for h, t in pairs)), links=None)
    >>> colours.kind, colours.holds(("crow", "grey")), colours.holds(("snow", "black"))
    ('colour', True, False)
    """

    def __init__(self, relation: Relation, *, links: Links | None) -> None:
        self.relation, self.links = relation, links

    @cached_property
    def kind(self) -> str:
        """`colour`, `material` or `language`, or empty."""
        return kind_of(self.relation)

    @cached_property
    def own_links(self) -> frozenset[str]:
        """The links of WordNet that correspond to this relation."""
        if self.links is None:
            return frozenset()
        pairs = [each.pair for each in self.relation.tuples]
        counts = Counter(link for pair in pairs for link in self.links.between(*pair))
        return frozenset(link for link, count in counts.items() if count >= MANY_SHARE * len(pairs))

    def holds(self, pair: Pair) -> bool:
        head, tail = fold(pair[0]), fold(pair[1])
        if self.kind and tail in usual_values()[self.kind].get(head, ()):
            return True
        if self.links is None:
            return False
        links = self.own_links & self.links.between(head, tail)
        if not self.relation.symmetric and self.relation.holds((tail, head)):
            links -= TWO_WAY  # happy : unhappy are antonyms in both directions, but un- has one direction
        return bool(links)


def kind_of(relation: Relation) -> str:
    """Are the tails mostly colours, materials or languages, with usual values listed for some of the heads?"""
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
    return {
        relation.name: {fold(t.head): frozenset(map(fold, t.tails)) for t in relation.tuples}
        for relation in sources.read_list(DATA / "analogy" / "usual_values.tsv")
    }


def links_for(relations: Iterable[Relation]) -> Links | None:
    """WordNet's links among the words of these relations; None if WordNet is not installed."""
    return Links.among(frozenset(fold(word) for r in relations for t in r.tuples for word in (t.head, *t.tails)))


# ---- probes ---------------------------------------------------------------------------------------------------------


PROBES = ("random-head", "random-tail", "reverse", "type")
PAPER_PROBES = ("random", "reverse", "type")  # the default of `--probes`
FAMILIES = tuple(dict.fromkeys(probe.partition("-")[0] for probe in PROBES))  # random-head and random-tail in turn


def halves(relation: Relation, *, seed: int) -> tuple[list[int], list[int]]:
    """The two halves of the tuples (section 2.3)."""
    order = list(range(len(relation.tuples)))
    random.Random(f"halves {seed} {relation.name}").shuffle(order)
    middle = len(order) // 2
    return sorted(order[:middle]), sorted(order[middle:])


def positives(half: Sequence[int]) -> list[tuple[int, int]]:
    """The n(n-1) ordered pairs of a half.

    >>> len(positives(range(25)))
    600
    """
    return [(i, j) for i in half for j in half if i != j]


@dataclass
class NegativeSampler:
    """Generates negatives for one relation."""

    relation: Relation
    others: UnlistedTruths | None = None
    faithful: bool = False
    base: str = "right"
    drawn: Counter[str] = field(default_factory=Counter)  # positives that needed a negative, by probe
    true: Counter[str] = field(default_factory=Counter)  # positives whose first draw is true by the list
    without_negative: Counter[str] = field(default_factory=Counter)  # positives without any negative

    def negatives(
        self, probe: str, at: tuple[int, int], *, half: Sequence[int], rng: random.Random, count: int = 1
    ) -> list[Pair]:
        """`count` different wrong tuples for the positive `at` = (i, j), fewer if there are no more."""
        self.drawn[probe] += 1
        right = self.relation.tuples[at[1]].pair
        negatives: dict[Pair, None] = {}
        for number, pair in enumerate(self._candidates(probe, at, half, rng)):
            listed = self.relation.holds(pair)
            true = listed or (self.others is not None and self.others.holds(pair))
            if number == 0 and listed:
                self.true[probe] += 1
            if pair == right or (not self.faithful and (true or fold(pair[0]) == fold(pair[1]))):
                continue
            negatives[pair] = None
            if len(negatives) == count:
                break
        if not negatives:
            self.without_negative[probe] += 1
        return list(negatives)

    def _candidates(self, probe: str, at: tuple[int, int], half: Sequence[int], rng: random.Random) -> Iterator[Pair]:
        """Every wrong tuple of the probe, in the order to try them."""
        i, j = at
        tuples = self.relation.tuples
        rest = [k for k in half if k not in at]
        rng.shuffle(rest)
        both_heads = rng.random() < 0.5
        side = 0 if probe == "random-head" or (probe == "type" and both_heads) else 1
        for b in self._bases(probe, i, j, rest, rng):
            own = tuples[b].pair
            if probe == "reverse":
                yield own[1], own[0]
                continue
            taken = {fold(own[side])}
            others = [k for k in rest if k != b] or rest
            if self.base == "paper":
                if probe == "type" and fold(tuples[i].pair[side]) in taken:
                    continue  # h_i != h_j
                taken.add(fold(tuples[i].pair[side]))
                others = [k for k in (*rest, j) if k != b]
                rng.shuffle(others)
            for k in others:
                new = tuples[k].pair[side]
                if fold(new) not in taken:
                    yield (new, own[1]) if probe == "random-head" else (own[side if probe == "type" else 0], new)

    def _bases(self, probe: str, i: int, j: int, rest: Sequence[int], rng: random.Random) -> Sequence[int]:
        """The tuples to change, in the order to try them."""
        if self.base != "paper":
            return [j, *rest] if self.base == "right" else [*rest, j]
        if probe.startswith("random"):
            return [i]
        every = [*rest, j, *([i] if probe == "reverse" else [])]
        return rng.sample(every, len(every))


# ---- for the manifest: how the items compare with published ones, and how many negatives were true after all ---------


NEGATIVES = {
    "paper": "as section 2.2 prints them",
    "right": "made from the right tuple",
    "other": "made from any other tuple",
}


def conditions(options: Any, *, relations: int, trained: Mapping[Any, int]) -> dict[str, Tag]:
    """The conditions, apart from the data, that published figures must share with items built by these options."""
    same: dict[str, Tag] = {
        "negatives": NEGATIVES[options.base] + ("" if options.faithful else ", true ones left out"),
        "options": options.options,
        "relations": relations,
    }
    if trained:
        same["training items per relation and probe"] = max(trained.values())
    return same


def truth_sources(samplers: Sequence[NegativeSampler]) -> list[str]:
    """The sources used to find negatives that are true."""
    others = [sampler.others for sampler in samplers if sampler.others]
    wordnet = any(each.links for each in others)
    return ["the list", *(["usual values"] if others else []), *(["WordNet"] if wordnet else [])]


def false_negative_rates(samplers: Sequence[NegativeSampler]) -> dict[str, float]:
    """The share of first draws, per probe, that are true by the list."""
    drawn = sum((sampler.drawn for sampler in samplers), Counter())
    true = sum((sampler.true for sampler in samplers), Counter())
    return {probe: round(true[probe] / drawn[probe], 4) for probe in PROBES if drawn[probe]}
