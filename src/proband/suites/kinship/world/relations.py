"""The trusted kernel: the 22 relations, the axioms of a family, and the relations read off one by their definitions.

Nothing here searches or derives. This file checks every family that `logic.search` finds: whether it is a family
(`broken`), whether every fact of the story holds in it, and whether the label does. docs/kinship.md describes the
world.

A family is a set of people, each male or female, with partial functions father and mother and a symmetric partial
function spouse, such that

1. a father is male, a mother is female, spouses are of different genders;
2. a father and a mother of one person are married to each other: if both are known they are spouses, and the spouse of
   a known parent is the other parent;
3. ancestry has no cycle;
4. spouses are of different families: they have no common ancestor and neither is an ancestor of the other;
5. different names are different people.

With p(x) the parents of x, s(x) the spouse and b(x) the siblings (others with the same parents):

    parent p    child p^-1    sibling b    spouse s    grandparent p p    grandchild its inverse
    pibling (uncle, aunt) p b, by blood    nibling (nephew, niece) b p^-1, its inverse
    parent-in-law s p    child-in-law p^-1 s, its inverse    sibling-in-law s b or b s, its own inverse

Each definition is existential, so leaving people out of a family never makes a relation true. In a family at most
one of the eleven holds between two people (rule 4 excludes the doubles).

The wide world has the same families and names for three more relations, fourteen in all, of which again at most one
holds. The blended world has other families and twelve relations (docs/kinship.md); its axioms are 1, 3, 5 and

2'. everybody has at most one father, one mother and one spouse (the current one: earlier marriages are not stated);
4'. partners (spouses, and the two parents of a person) come from different families;
6.  a step-parent of x (a partner of a parent of x who is not a parent of x) comes from a different family than x, a
    partner of x and x's other step-parents; a partner of a step-parent is a parent of x or of another family than x.

A family consists of the listed people only: two people with one father and no mother listed have exactly one parent in
common. Their mothers may be added, as two new people, and nothing else changes.

An edge [i, relation, j] means "person j is the relation of person i"; the word gives the gender of j.

A world is data (`World`): its axioms, and for each relation the paths that lead to such relatives, over the letters of
`Family.step`. Stories are built in the three worlds of `STORY_WORLDS`. Audits drop axioms of the first, to show how far
a verdict depends on them (data/domains/kinship.toml).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Final

MALE, FEMALE = "male", "female"
NO_GENDER: Final = "none"  # of everybody in a world without genders
Edge = tuple[int, str, int]  # (i, relation, j): person j is the relation of person i
NONE: Final = "none"  # two people without any of the 22 relations
UNDETERMINED: Final = "cannot be determined"  # the right answer if no relation follows

# neutral name -> (word for a man, word for a woman)
WORDS: Final = {
    "parent": ("father", "mother"),
    "child": ("son", "daughter"),
    "sibling": ("brother", "sister"),
    "spouse": ("husband", "wife"),
    "grandparent": ("grandfather", "grandmother"),
    "grandchild": ("grandson", "granddaughter"),
    "pibling": ("uncle", "aunt"),
    "nibling": ("nephew", "niece"),
    "parent-in-law": ("father-in-law", "mother-in-law"),
    "child-in-law": ("son-in-law", "daughter-in-law"),
    "sibling-in-law": ("brother-in-law", "sister-in-law"),
}
NEUTRALS: Final = tuple(WORDS)
RELATIONS: Final = tuple(word for pair in WORDS.values() for word in pair)
NEUTRAL: Final = {word: neutral for neutral, pair in WORDS.items() for word in pair}
GENDER: Final = {word: gender for pair in WORDS.values() for word, gender in zip(pair, (MALE, FEMALE), strict=True)}

# the words of all worlds; "cousin" has no gender
ALL_WORDS: Final = {
    **WORDS,
    "great-grandparent": ("great-grandfather", "great-grandmother"),
    "great-grandchild": ("great-grandson", "great-granddaughter"),
    "cousin": ("cousin", "cousin"),
    "half-sibling": ("half-brother", "half-sister"),
    "step-parent": ("stepfather", "stepmother"),
    "step-child": ("stepson", "stepdaughter"),
    "step-sibling": ("stepbrother", "stepsister"),
}
ALL_NEUTRAL: Final = {word: neutral for neutral, pair in ALL_WORDS.items() for word in pair}
ALL_GENDER: Final = {word: gender for man, woman in ALL_WORDS.values() if man != woman
                     for word, gender in ((man, MALE), (woman, FEMALE))}  # fmt: skip
_TURNED = {"parent": "child", "grandparent": "grandchild", "pibling": "nibling", "parent-in-law": "child-in-law",
           "great-grandparent": "great-grandchild", "step-parent": "step-child"}  # fmt: skip
INVERSE: Final = {**{n: n for n in ALL_WORDS}, **_TURNED, **{child: parent for parent, child in _TURNED.items()}}
BACK: Final = {kin: ALL_WORDS[INVERSE[neutral]] for kin, neutral in ALL_NEUTRAL.items()}  # from the other side
# generations from a person up to the relative
UP: Final = {"parent": 1, "child": -1, "grandparent": 2, "grandchild": -2, "pibling": 1, "nibling": -1,
             "parent-in-law": 1, "child-in-law": -1, "great-grandparent": 3, "great-grandchild": -3,
             "step-parent": 1, "step-child": -1}  # fmt: skip


def one_of(words: Sequence[str]) -> str:
    """An answer in words with several possible relations.

    >>> one_of(["aunt"]), one_of(["mother", "aunt", "sister"])
    ('aunt', 'mother, aunt or sister')
    """
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def possibilities(answer: str) -> frozenset[str]:
    """The words of an answer, one of which holds.

    >>> sorted(possibilities("mother, aunt or sister"))
    ['aunt', 'mother', 'sister']
    """
    return frozenset(answer.replace(" or ", ", ").split(", "))


def word(neutral: str, gender: str) -> str:
    """
    >>> word("pibling", "female")
    'aunt'
    """
    return ALL_WORDS[neutral][gender == FEMALE]


def turned(edge: Edge, genders: Sequence[str], back: Mapping[str, tuple[str, str]] = BACK) -> Edge:
    """The same fact from the other side; `back` is that of a rule base with words of its own.

    >>> turned((0, "uncle", 1), ["female", "male"])
    (1, 'niece', 0)
    """
    i, relation, j = edge
    return j, back[relation][genders[i] == FEMALE], i


# ---- worlds: axioms, and what each relation means --------------------------------------------------------------------

Meaning = tuple[str, tuple[str, ...]]  # a neutral relation, and the paths that lead to such relatives
CLASSIC: Final[tuple[Meaning, ...]] = (
    ("parent", ("p",)),
    ("child", ("c",)),
    ("sibling", ("b",)),
    ("spouse", ("s",)),
    ("grandparent", ("pp",)),
    ("grandchild", ("cc",)),
    ("pibling", ("pb",)),
    ("nibling", ("bc",)),
    ("parent-in-law", ("sp",)),
    ("child-in-law", ("cs",)),
    ("sibling-in-law", ("sb", "bs")),
)
MARRIED_IN: Final = {"pibling": ("pb", "pbs"), "nibling": ("bc", "sbc")}  # with uncles by marriage
LINES: Final[tuple[Meaning, ...]] = (
    ("great-grandparent", ("ppp",)),
    ("great-grandchild", ("ccc",)),
    ("cousin", ("pbc",)),
)
STEPS: Final[tuple[Meaning, ...]] = (
    *CLASSIC[:6],
    ("pibling", ("pa",)),
    ("nibling", ("ac",)),
    ("half-sibling", ("h",)),
    ("step-parent", ("t",)),
    ("step-child", ("u",)),
    ("step-sibling", ("q",)),
)


@dataclass(frozen=True, kw_only=True)
class World:
    """Which axioms hold and what relations mean. The defaults are the classic world above."""

    married_parents: bool = True  # first half of axiom 2: the two parents of a person are married to each other
    no_stepparents: bool = True  # second half of axiom 2: the spouse of a parent is the other parent
    one_spouse: bool = True
    two_genders: bool = True  # axiom 1: a father and a mother, a husband and a wife
    strangers: bool = True  # axiom 4: spouses, and parents of one child, have no common ancestor
    by_blood: bool = True  # an uncle or aunt is a parent's sibling, never a parent's sibling's spouse
    partners_apart: bool = False  # axioms 4' and 6
    shared: int = 1  # least number of parents that siblings share
    meanings: tuple[Meaning, ...] = CLASSIC
    levels: int = 3  # generations of its families
    parted: float = 0.0  # share of couples that part
    cross: float = 0.2  # share of weddings between two trees of a family

    @cached_property
    def paths(self) -> dict[str, tuple[str, ...]]:
        return {name: paths if self.by_blood else MARRIED_IN.get(name, paths) for name, paths in self.meanings}

    @property
    def neutrals(self) -> tuple[str, ...]:
        return tuple(self.paths)

    @cached_property
    def dropped(self) -> frozenset[str]:
        """The axioms of the strict world that do not hold here."""
        return frozenset(axiom for axiom in AXIOMS if not getattr(self, axiom))

    @property
    def exclusive(self) -> bool:
        """Whether it has the axioms by which at most one relation holds between two people. Gender is none of them:
        nobody marries twice, so either of a couple may be called the husband."""
        return self.dropped <= {"two_genders"}

    @cached_property
    def statement(self) -> str:
        """The axioms in one sentence, for questions that depend on them.

        >>> STRICT.statement[:80]
        'Assume that nobody marries more than once, marries someone of the same gender or'
        """
        once = "nobody marries more than once, marries someone of the same gender or marries a blood relative"
        both = "a child's parents are married to each other, so siblings have the same two parents"
        parted = "parents may have separated and then married one other person, of the opposite gender"
        uncles = "uncles and aunts are brothers and sisters of a parent"
        clauses = (
            (self.married_parents and self.one_spouse, once),
            (self.married_parents, both),
            (self.partners_apart, parted),
            (self.partners_apart, "partners and step-relatives are not related by blood"),
            (self.shared > 1, "brothers and sisters share both parents, half-brothers and half-sisters exactly one"),
            (self.by_blood, uncles if self.shared == 1 else f"{uncles}, full or half"),
        )  # fmt: skip
        *most, last = [text for holds, text in clauses if holds]
        return f"Assume that {', that '.join(most)}, and that {last}."


AXIOMS: Final = tuple(field.name for field in fields(World) if field.default is True)  # those of the strict world
STRICT: Final = World()
WIDE_WORLD: Final = World(meanings=(*CLASSIC, *LINES), levels=4)
BLENDED_WORLD: Final = World(
    married_parents=False, no_stepparents=False, partners_apart=True, shared=2, meanings=STEPS, parted=0.5, cross=0.0
)  # cross: otherwise step-siblings might marry
STORY_WORLDS: Final = (STRICT, WIDE_WORLD, BLENDED_WORLD)


@dataclass(frozen=True, kw_only=True)
class Family:
    """People 0, 1, ...: the first `named` are the people of the story, the others are unnamed.

    >>> two = Family(named=2, genders=("male", "female", "male"), father=(2, 2, None), mother=(None, None, None),
    ...              spouses=((), (), ()))
    >>> two.broken(), two.relations(0, 1), two.relations(1, 2), two.relations(2, 1)
    (None, frozenset({'sister'}), frozenset({'father'}), frozenset({'daughter'}))
    """

    named: int
    genders: tuple[str, ...]
    father: tuple[int | None, ...]
    mother: tuple[int | None, ...]
    spouses: tuple[tuple[int, ...], ...]
    world: World = STRICT

    def __len__(self) -> int:
        return len(self.genders)

    # ---- the definitions -------------------------------------------------------------------------------------------

    @cached_property
    def parents(self) -> tuple[frozenset[int], ...]:
        return tuple(frozenset({f, m} - {None}) for f, m in zip(self.father, self.mother))  # type: ignore[arg-type]

    @cached_property
    def children(self) -> tuple[frozenset[int], ...]:
        return tuple(frozenset(y for y in range(len(self)) if x in self.parents[y]) for x in range(len(self)))

    def step(self, letter: str, x: int) -> frozenset[int]:
        """The people that one letter of a path leads to from person x."""
        if (letter, x) not in self._steps:
            self._steps[letter, x] = frozenset(self._step(letter, x)) - {x}
        return self._steps[letter, x]

    @cached_property
    def _steps(self) -> dict[tuple[str, int], frozenset[int]]:
        return {}

    def _step(self, letter: str, x: int) -> Iterable[int]:
        parents, children, spouses = self.parents, self.children, self.spouses
        match letter:
            case "p":
                return parents[x]
            case "c":
                return children[x]
            case "s":
                return spouses[x]
            case "a":  # others with a parent in common
                return {y for parent in parents[x] for y in children[parent]}
            case "b":  # siblings
                return (y for y in self.step("a", x) if len(parents[x] & parents[y]) >= self.world.shared)
            case "h":  # half-siblings
                return (y for y in self.step("a", x) if len(parents[x] & parents[y]) == 1)
            case "t":  # step-parents
                return {y for parent in parents[x] for y in spouses[parent]} - parents[x]
            case "u":  # step-children
                return {y for spouse in spouses[x] for y in children[spouse] if x not in parents[y]}
            case _:  # q, step-siblings
                steps = {z for parent in parents[x] for y in spouses[parent] for z in children[y]}
                return (y for y in steps if not parents[x] & parents[y])

    def related(self, i: int, neutral: str) -> frozenset[int]:
        """All people who are the relation of person i."""
        reached = set[int]()
        for path in self.world.paths[neutral]:
            some = {i}
            for letter in path:
                some = {y for x in some for y in self.step(letter, x)}
            reached |= some
        return frozenset(reached - {i})

    def neutral_relations(self, i: int, j: int) -> Iterator[str]:
        """The relations of person j to person i, without the gender of j."""
        return (neutral for neutral in self.world.paths if j in self.related(i, neutral))

    def relations(self, i: int, j: int) -> frozenset[str]:
        """The words for the relations of person j to person i: at most one in the strict world."""
        if i == j:
            return frozenset()
        return frozenset(word(neutral, self.genders[j]) for neutral in self.neutral_relations(i, j))

    def holds(self, edge: Edge) -> bool:
        i, relation, j = edge
        return relation in self.relations(i, j)

    def renumbered(self, people: Sequence[int]) -> Family:
        """The family of these people alone, in this order."""
        number: dict[int | None, int] = {x: n for n, x in enumerate(people)}
        return Family(
            named=sum(x < self.named for x in people),
            genders=tuple(self.genders[x] for x in people),
            father=tuple(number.get(self.father[x]) for x in people),
            mother=tuple(number.get(self.mother[x]) for x in people),
            spouses=tuple(tuple(sorted(number[s] for s in self.spouses[x] if s in number)) for x in people),
            world=self.world,
        )

    # ---- the axioms ------------------------------------------------------------------------------------------------

    def broken(self) -> str | None:
        """The first axiom that is violated, or None."""
        people = range(len(self))
        if not len(self.father) == len(self.mother) == len(self.spouses) == len(self.genders) >= self.named:
            return "the arrays differ in length"
        for x in people:
            f, m = self.father[x], self.mother[x]
            wrong = (f is not None and self.genders[f] != MALE) or (m is not None and self.genders[m] != FEMALE)
            if (wrong and self.world.two_genders) or (f is not None and f == m):
                return f"axiom 1: a parent of person {x} has the wrong gender"
            for y in self.spouses[x]:
                couple = {self.genders[x], self.genders[y]} == {MALE, FEMALE} or not self.world.two_genders
                if x not in self.spouses[y] or not couple or x == y:
                    return f"axiom 1: persons {x} and {y} are no couple"
            if self.world.one_spouse and len(self.spouses[x]) > 1:
                return f"person {x} has several spouses"
            married = f is None or m is None or m in self.spouses[f]
            if not married and self.world.married_parents:
                return f"axiom 2: the parents of person {x} are not married"
            if self.world.no_stepparents and any(
                s not in self.parents[x] for p in self.parents[x] for s in self.spouses[p]
            ):
                return f"axiom 2: a parent of person {x} is married to another"
        ancestors = self.ancestors()
        if ancestors is None:
            return "axiom 3: a person is their own ancestor"
        if self.world.strangers:
            couples = [(x, y) for x in people for y in self.spouses[x]]
            couples += [(f, m) for f, m in zip(self.father, self.mother) if f is not None and m is not None]
            for x, y in couples:
                if (ancestors[x] | {x}) & (ancestors[y] | {y}):
                    return f"axiom 4: the couple {x} and {y} is of one family"
        return self._one_family(ancestors) if self.world.partners_apart else None

    def _one_family(self, ancestors: Sequence[frozenset[int]]) -> str | None:
        """The first violation of axiom 4' or 6, or None."""
        partners = [
            set(self.spouses[x]).union(*(self.parents[c] for c in self.children[x])) - {x} for x in range(len(self))
        ]

        def akin(x: int, y: int) -> bool:
            return bool((ancestors[x] | {x}) & (ancestors[y] | {y}))

        for x in range(len(self)):
            if (y := next((y for y in partners[x] if akin(x, y)), None)) is not None:
                return f"axiom 4: the partners {x} and {y} are of one family"
            steps = set[int]().union(*(partners[p] for p in self.parents[x])) - self.parents[x]
            if (y := next((y for s in steps for y in partners[s] - self.parents[x] if akin(x, y)), None)) is not None:
                return f"axiom 6: {y}, a partner of a partner of a parent of person {x}, is of their family"
            for s in steps:
                if (y := next((y for y in (x, *partners[x], *(steps - {s})) if akin(s, y)), None)) is not None:
                    return f"axiom 6: {s}, a partner of a parent of person {x}, and {y} are of one family"
        return None

    def ancestors(self) -> list[frozenset[int]] | None:
        """Everybody's ancestors, or None if ancestry has a cycle."""
        known: list[frozenset[int]] = list(self.parents)
        for _ in range(len(self)):
            wider = [above.union(*(known[p] for p in above)) if above else above for above in known]
            if wider == known:
                break
            known = wider
        return None if any(x in above for x, above in enumerate(known)) else known


def lean(family: Family, edges: Sequence[Edge], query: tuple[int, int]) -> Family:
    """The family without people that neither the facts nor the query need, for display.

    >>> big = Family(named=2, genders=("male", "female", "male", "male"), father=(2, 2, 3, None), mother=(None,) * 4,
    ...              spouses=((),) * 4)
    >>> len(lean(big, [(0, "sister", 1)], (0, 1)))
    3
    """
    held = family.relations(*query)
    for person in range(len(family) - 1, family.named - 1, -1):
        fewer = family.renumbered([x for x in range(len(family)) if x != person])
        if all(fewer.holds(edge) for edge in edges) and fewer.relations(*query) == held:
            family = fewer
    return family


def agrees(family: Family, genders: Sequence[str | None], edges: Sequence[Edge]) -> bool:
    """Is this a family in which the named people have these genders and these edges hold?"""
    return (
        family.broken() is None
        and family.named == len(genders)
        and all(g is None or g == h for g, h in zip(genders, family.genders))
        and all(family.holds(edge) for edge in edges)
    )
