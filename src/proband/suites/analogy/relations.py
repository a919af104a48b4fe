"""A relation R = {(h_1, t_1), (h_2, t_2), ...} (section 2 of the paper), and properties of its list of tuples:
cardinality, symmetry, number of alternatives, multi-word expressions; and the pairs of an item.

A tuple keeps every accepted tail; the first is *the* tail t_i, the others help to recognise false negatives.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import msgspec

from proband.core.errors import ProbandError, in_words
from proband.core.files import Fingerprint
from proband.core.types import Item, Tag

GROUPS = ("ES", "LS", "DM", "IM")  # encyclopedic, lexicographic; derivational, inflectional morphology
MANY_SHARE = 0.2  # least share of tuples for "to many", "many to" or symmetric
Pair = tuple[str, str]


@dataclass(frozen=True)
class Tuple:
    """(h_i, t_i) with the other right tails."""

    head: str
    tails: tuple[str, ...]

    @property
    def tail(self) -> str:
        return self.tails[0]

    @property
    def pair(self) -> Pair:
        return (self.head, self.tail)


@dataclass(frozen=True)
class Relation:
    """A named list of tuples.

    >>> capital = Relation("capital : country", "ES", (Tuple("Paris", ("France",)), Tuple("Rome", ("Italy",))))
    >>> capital.cardinality, capital.symmetric, capital.holds(("Rome", "Italy")), capital.holds(("Rome", "France"))
    ('one-to-one', False, True, False)
    """

    name: str
    group: str
    tuples: tuple[Tuple, ...]
    declared_symmetric: bool | None = None
    duplicates: int = 0  # lines of the list that repeat a tuple

    @cached_property
    def _tails_of(self) -> dict[str, set[str]]:
        tails: dict[str, set[str]] = defaultdict(set)
        for t in self.tuples:
            tails[fold(t.head)].update(fold(tail) for tail in t.tails)
        return dict(tails)

    def holds(self, pair: Pair) -> bool:
        """Is the pair in the list, with any alternative, and in either order if the relation is symmetric?"""
        head, tail = fold(pair[0]), fold(pair[1])
        tails = self._tails_of
        return tail in tails.get(head, ()) or (self.symmetric and head in tails.get(tail, ()))

    @cached_property
    def cardinality(self) -> str:
        """one-to-one, one-to-many, many-to-one or many-to-many. Spelling variants are not alternatives."""
        n = len(self.tuples)
        several = sum(len({spelling(tail) for tail in t.tails}) > 1 for t in self.tuples) / n
        shared = Counter(fold(t.tail) for t in self.tuples)
        joint = sum(count for count in shared.values() if count > 1) / n
        return f"{'many' if joint >= MANY_SHARE else 'one'}-to-{'many' if several >= MANY_SHARE else 'one'}"

    @cached_property
    def symmetric(self) -> bool:
        """Declared symmetric, listed in both orders for a fifth of the tuples, or symmetric by its name."""
        if self.declared_symmetric is not None:
            return self.declared_symmetric
        tails = self._tails_of
        both = sum(any(fold(t.head) in tails.get(fold(tail), ()) for tail in t.tails) for t in self.tuples)
        return both / len(self.tuples) >= MANY_SHARE or bool(SYMMETRIC_BY_NAME.search(self.name))

    def describe(self) -> dict[str, Tag]:
        """What is stored per relation in the manifest."""
        return {
            "relation": self.name,
            "group": self.group,
            "tuples": len(self.tuples),
            "duplicates": self.duplicates,
            "cardinality": self.cardinality,
            "symmetric": self.symmetric,
            "alternatives": round(sum(len(t.tails) for t in self.tuples) / len(self.tuples), 2),
        }


def fingerprint(relations: Sequence[Relation]) -> str:
    """A hash of all names and tuples."""
    digest = Fingerprint()
    for relation in relations:
        for each in relation.tuples:
            digest.add(relation.name, each.head, *each.tails)
    return digest.hex()


def without_duplicates(relation: Relation) -> Relation:
    """Lines with the same head and tail become one tuple with all their alternatives.

    >>> twice = Relation("capital", "ES", (Tuple("Rome", ("Italy",)), Tuple("rome", ("Italy", "Lazio"))))
    >>> without_duplicates(twice).tuples, without_duplicates(twice).duplicates
    ((Tuple(head='Rome', tails=('Italy', 'Lazio')),), 1)
    """
    kept: dict[Pair, Tuple] = {}
    for each in relation.tuples:
        key = (fold(each.head), fold(each.tail))
        known = kept.get(key)
        kept[key] = each if known is None else Tuple(known.head, tuple(dict.fromkeys((*known.tails, *each.tails))))
    return replace(relation, tuples=tuple(kept.values()), duplicates=len(relation.tuples) - len(kept))


# synonyms of another intensity (afraid : terrified) have one direction, so only plain synonyms count
SYMMETRIC_BY_NAME = re.compile(r"antonym|opposite$|synonyms?\b(?!.*intensity)|sibling|spouse", re.I)


@lru_cache(maxsize=200_000)
def fold(word: str) -> str:
    """The form for comparing words: lower case, single spaces.

    >>> fold("New_Zealand")
    'new zealand'
    """
    return " ".join(word.replace("_", " ").lower().split())


def spelling(word: str) -> str:
    """A key equal for spelling variants: hyphens, -ise/-ize, -our/-or, doubled letters.

    >>> spelling("over-organised") == spelling("overorganized"), spelling("traveller") == spelling("traveler")
    (True, True)
    """
    key = re.sub(r"[\s-]", "", fold(word))
    key = key.replace("isation", "ization").replace("yse", "yze").replace("our", "or")
    key = re.sub(r"is(e|ed|es|er|ing|able)$", r"iz\1", key)
    return re.sub(r"(.)\1", r"\1", key)


# ---- reading an item back: the pairs it is about -------------------------------------------------------------------


def query_and_options(item: Item) -> tuple[Pair, list[Pair]]:
    """The query and the options of a choice between pairs."""
    facts = facts_of(item)
    if not facts.options:
        raise ProbandError(
            f"{item.id} is not a choice between pairs; items of the setting supervised need a supervised solver"
        )
    return facts.query, facts.options


def query_and_option(item: Item) -> tuple[Pair, Pair]:
    """The query and the one option of a true/false item."""
    facts = facts_of(item)
    if facts.option is None:
        raise ProbandError(f"{item.id} is not true or false: this solver is for items built with setting supervised")
    return facts.query, facts.option


class AnalogyFacts(msgspec.Struct):
    """The pairs an item is about; the setting decides which of them are present."""

    query: tuple[str, str]
    options: list[tuple[str, str]] = []
    option: tuple[str, str] | None = None
    template: str = ""  # of the sentence, if not the default


def facts_of(item: Item) -> AnalogyFacts:
    """The facts of an item, typed; solvers, checks and views take these."""
    try:
        return msgspec.convert(item.facts, AnalogyFacts, strict=True)
    except msgspec.ValidationError as error:
        raise ProbandError(f"item {item.id!r}: 'facts': {in_words(str(error))}") from None


TAGS = ("relation", "group", "probe", "setting")  # used by solvers and reports


def check(item: Item) -> str | None:
    """The first error in an item, or None.

    >>> check(Item(id="a", suite="analogy", prompt="Which pair?", tags={"relation": "capital : country"}))
    "'tags' has no 'group'"
    """
    if missing := [name for name in TAGS if name not in item.tags]:
        return f"'tags' has no {missing[0]!r}"
    try:
        facts_of(item)
    except ProbandError as error:
        return str(error).partition(": ")[2]
    return None


def show(item: Item) -> str:
    """An item as text, with its relation and probe.

    >>> print(show(Item(id="a", suite="analogy", prompt="Which pair?", choices=("Rome : Italy", "Italy : Rome"), gold=0,
    ...     tags={"relation": "capital : country", "group": "ES", "probe": "reverse", "setting": "zero-shot"})))
    Which pair?
      > Rome : Italy
        Italy : Rome
    capital : country (ES), probe reverse, zero-shot
    """
    lines = [item.prompt]
    lines += [f"  {'>' if i == item.gold else ' '} {choice}" for i, choice in enumerate(item.choices)]
    tags = item.tags
    part = f", {tags['part']}" if "part" in tags else ""
    lines.append(f"{tags['relation']} ({tags['group']}), probe {tags['probe']}, {tags['setting']}{part}")
    return "\n".join(lines)
