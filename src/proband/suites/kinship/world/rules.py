"""Rule bases as data: which relations compose to which (section 3.2.1 of the paper).

A rule base names its relations (with a word for a man and one for a woman, or one word for all), the inverse of each,
and a composition table. `compose[a][b]` is the set of relations that z can be to x when y is the `a` of x and z is
the `b` of y, for three different people: one entry is a rule, several are a disjunction, none a contradiction, and
`other` means "no relation of the list". Nothing follows from pairs that are not listed.

>>> rules = load("sound")
>>> sorted(rules.compose("parent", "sibling")), sorted(rules.compose("child", "pibling"))
(['pibling'], ['sibling', 'sibling-in-law'])
>>> sorted(load("clutrr").compose("child", "pibling"))  # the paper's own rule, which is unsound
['sibling']

Inside, relations are bits of an integer, and `table[a][b]` is the integer of a set.

The facts of a kinship item, decoded once: solvers, nets, shortcuts, checks and views take these.

An item may come from another program, so the facts in a file are checked (`check`). Only `verify` reads the
bare dictionary, because it trusts no other code, and its checker shares none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec

from proband.core.errors import ProbandError, in_words
from proband.core.files import DATA, parse_toml, read_utf8
from proband.core.types import Item
from proband.suites.kinship.world.relations import FEMALE, MALE, STORY_WORLDS, STRICT, UNDETERMINED, Edge, World

Relation = TypeVar("Relation", int, str)
OTHER = "other"
PROVED: Final = (  # the tables of proofs/Table.v, proofs/wide/Table.v and proofs/blended/Table.v
    "551fe508fd801a40e351c706566b49c01850af9104a2086e8b586c1574ef3491",
    "391457cb72b6e9be4836c02e4fd18357c9d98a24d56da25bbdcd47405d1d7f0f",
    "09fbfa82da75fa3967f75e8e6dfe2d6b3479995879a0df1fe3824bc2209aa908",
)


class Compositions(dict[int, int]):
    """(set << number of relations | set) -> the union over their members, computed when first looked up."""

    def __init__(self, table: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self.table = table

    def __missing__(self, key: int) -> int:
        first, union = key >> len(self.table), 0
        for a, row in enumerate(self.table):
            if first >> a & 1:
                for b, cell in enumerate(row):
                    if key >> b & 1:
                        union |= cell
        self[key] = union
        return union


@dataclass(frozen=True, kw_only=True, eq=False)
class Rules:
    """A rule base. Relation n (after the last) is `other`."""

    name: str
    world: str | None  # "family": stories are grounded in generated families; None: in the rules alone
    neutrals: tuple[str, ...]
    words: tuple[tuple[str, str], ...]  # for a man, for a woman; the same word if gender does not matter
    inverse: tuple[int, ...]
    opposite: int  # the set of relations that hold only between people of different gender
    full: int  # every relation, and `other` if the rule base has it
    table: tuple[tuple[int, ...], ...]
    sentences: tuple[str, ...]  # sentences for a fact, without a bank: "{j} is the {word} of {i}."
    questions: tuple[str, ...]  # in words, about {x} and {z}; empty: those of stories
    names: Mapping[str, tuple[str, ...]]  # by gender
    text: str = ""  # the TOML

    @cached_property
    def sha256(self) -> str:
        """The fingerprint of the table, stored in items: the hash of its TOML."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def proved(self) -> bool:
        """Whether its table is proved in Coq."""
        return self.sha256 in PROVED

    @cached_property
    def reference(self) -> str:
        """The rules as items store them: the name of a shipped rule base, or the whole TOML, so that items can be
        solved and checked on any machine."""
        return self.name if self.name in SHIPPED and load(self.name).text == self.text else self.text

    @cached_property
    def gendered(self) -> bool:
        return any(man != woman for man, woman in self.words)

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """Every word once: the answers of the K-way question."""
        return tuple(dict.fromkeys(word for pair in self.words for word in pair))

    @property
    def kin(self) -> World:
        """The world of families that has these relations."""
        return next((world for world in STORY_WORLDS if world.neutrals == self.neutrals), STRICT)

    @cached_property
    def code(self) -> Mapping[str, int]:
        """Word -> number of its relation."""
        return {word: r for r, pair in enumerate(self.words) for word in pair}

    @cached_property
    def gender(self) -> Mapping[str, str | None]:
        """Word -> its gender, or None."""
        return {
            word: (None if man == woman else gender)
            for man, woman in self.words
            for word, gender in ((man, MALE), (woman, FEMALE))
        }

    @cached_property
    def same(self) -> tuple[tuple[int, ...], ...]:
        """The table for x and z of the same gender, without relations that need different genders."""
        return tuple(tuple(cell & ~self.opposite for cell in row) for row in self.table)

    @cached_property
    def compositions(self) -> Compositions:
        return Compositions(self.table)

    @cached_property
    def blank(self) -> str:
        """The K-way question, with slots for the names."""
        return self.sentences[0].replace("{word}", "___")

    @cached_property
    def back(self) -> Mapping[str, tuple[str, str]]:
        """Word -> the words for a man and a woman when its fact is stated from the other side (`relations.turned`)."""
        return {word: self.words[self.inverse[r]] for word, r in self.code.items()}

    def word(self, relation: int, gender: str) -> str:
        return self.words[relation][gender == FEMALE]

    @cached_property
    def sets(self) -> tuple[int, ...]:
        """The sets of relations that chains can leave possible: single relations, then sets, smaller ones first.

        >>> rules = load("sound")
        >>> [[name for r, name in enumerate(rules.neutrals) if some >> r & 1] for some in rules.sets[-2:]]
        [['spouse', 'sibling-in-law'], ['sibling', 'spouse', 'sibling-in-law']]
        """
        some = {1 << r for r in range(len(self.neutrals))}
        while True:
            composed = {self.union(one, two) for one in some for two in some}
            both = composed | {each & ~self.opposite for each in composed}
            more = {each for each in both if each and not each >> len(self.neutrals)} - some
            if not more:
                return tuple(sorted(some, key=lambda each: (each.bit_count(), each)))
            some |= more

    def set_words(self, mask: int, gender: str) -> list[str]:
        """The words for the relations of a set, with `other` if it is a member."""
        words = [*(pair[gender == FEMALE] for pair in self.words), OTHER]
        return [word for r, word in enumerate(words) if mask >> r & 1]

    def compose(self, first: str, second: str) -> frozenset[str]:
        """The relations of z to x if y is the `first` of x and z the `second` of y; may include `other`."""
        a, b = self.neutrals.index(first), self.neutrals.index(second)
        return frozenset(name for r, name in enumerate((*self.neutrals, OTHER)) if self.table[a][b] >> r & 1)

    def union(self, first: int, second: int) -> int:
        """Composition of sets."""
        return self.compositions[first << len(self.table) | second]

    def invert(self, mask: int) -> int:
        turned = 0
        for r, back in enumerate(self.inverse):
            if mask >> r & 1:
                turned |= 1 << back
        return turned


@lru_cache(maxsize=32)
def rule_bodies(rules: Rules, *, same: bool = False) -> list[list[tuple[int, int]]]:
    """For each relation, the pairs that compose to it and nothing else, for all genders (or for ends of the `same`
    gender)."""
    n, table = len(rules.neutrals), rules.same if same else rules.table
    return [[(a, b) for a in range(n) for b in range(n) if table[a][b] == 1 << relation] for relation in range(n)]


def canonical_clause(clause: tuple[Relation, ...], inverse: Any) -> tuple[Relation, ...]:
    """One form for a clause (the relations along a path) and its reverse; relations are numbers or names.

    >>> canonical_clause((0, 2), {0: 1, 1: 0, 2: 2}), canonical_clause((2, 1), {0: 1, 1: 0, 2: 2})
    ((0, 2), (0, 2))
    """
    return min(clause, tuple([inverse[r] for r in reversed(clause)]))


SHIPPED = ("blended", "clutrr", "grid", "sound", "wide")  # rule bases inside the package


def proved_rules(world: World) -> Rules:
    """The shipped rule base of a world whose table is proved."""
    return next(rules for rules in map(load, SHIPPED) if rules.proved and rules.kin == world)


@lru_cache(maxsize=16)
def load(name_or_path: str) -> Rules:
    """A shipped rule base by name, a TOML file by path, or a value of `Rules.reference`."""
    if "\n" in name_or_path:
        return parse(name_or_path, file="the item's rules")
    if name_or_path in SHIPPED:
        return parse(read_utf8(DATA / "kinship" / f"{name_or_path}.toml"), file=f"{name_or_path}.toml")
    path = Path(name_or_path)
    if not path.is_file():
        raise ProbandError(f"no rule base {name_or_path!r}: neither a file nor one of {', '.join(SHIPPED)}")
    return parse(read_utf8(path), file=path)


def of_item(item: Item) -> Rules:
    """The rule base of an item, which is stored in the item, never as a path."""
    reference = str(item.facts.get("rules", "sound"))
    if reference not in SHIPPED and "\n" not in reference:
        raise ProbandError(
            f"item {item.id!r}: 'rules' is {reference!r}, neither {', '.join(SHIPPED)} nor the text of a rule base; "
            "build the items again"
        )
    return load(reference)


class RelationEntry(msgspec.Struct, forbid_unknown_fields=True):
    inverse: str
    word: str | None = None
    male: str | None = None
    female: str | None = None


class Outcomes(msgspec.Struct, forbid_unknown_fields=True):
    gives: str | list[str]
    why: str = ""


class RuleFile(msgspec.Struct, forbid_unknown_fields=True):
    """The fields of a TOML file (docs/kinship.md)."""

    name: str
    relations: dict[str, RelationEntry]
    compose: dict[str, dict[str, str | list[str] | Outcomes]]
    about: str = ""
    world: Literal["family"] | None = None
    other: bool = True
    opposite: list[str] = []
    sentences: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)] = ("{j} is the {word} of {i}.",)
    questions: list[str] = []
    names: dict[Literal["male", "female", "none"], list[str]] = {}


def parse(text: str, *, file: object) -> Rules:
    """A checked rule base from TOML.

    >>> parse('name = "x"', file="x.toml")
    Traceback (most recent call last):
    proband.core.errors.ProbandError: x.toml: field 'relations' is missing
    """
    raw = parse_toml(text, file=file)
    try:
        return _rules(msgspec.convert(raw, RuleFile), text)
    except msgspec.ValidationError as error:
        raise ProbandError(in_words(str(error)), file=file) from None
    except ProbandError as error:
        raise ProbandError(str(error), file=file) from None


def _rules(file: RuleFile, text: str) -> Rules:
    neutrals = tuple(file.relations)
    if not neutrals or not file.name.strip():
        raise ProbandError("'relations' is empty" if file.name.strip() else "'name' is empty")
    inverse = _inverse(file.relations, neutrals)
    full = (1 << len(neutrals)) - 1 | (file.other << len(neutrals))
    if wrong := {*file.opposite} - {*neutrals}:
        raise ProbandError(f"'opposite' names {min(wrong)!r}, which is not a relation")
    if file.world and neutrals not in [each.neutrals for each in STORY_WORLDS]:
        lists = "; or ".join(", ".join(each.neutrals) for each in STORY_WORLDS)
        raise ProbandError(f'world "family" needs these relations, in this order: {lists}')
    for given in file.names.values():
        if len({name.strip() for name in given} - {""}) < len(given):
            raise ProbandError("'names' has an empty name, or one name twice")
    rules = Rules(
        name=file.name,
        world=file.world,
        neutrals=neutrals,
        words=_words(file.relations),
        inverse=inverse,
        opposite=sum(1 << neutrals.index(name) for name in file.opposite),
        full=full,
        table=_with_other(_compositions(file.compose, neutrals, full), inverse, full),
        sentences=_forms("sentences", file.sentences, ("i", "j", "word")),
        questions=_forms("questions", file.questions, ("x", "z")),
        names={gender: tuple(given) for gender, given in file.names.items()},
        text=text,
    )
    if not any(rule_bodies(rules)):
        raise ProbandError("'compose' has no entry with a single outcome, so nothing follows from two facts")
    return rules


def _inverse(relations: Mapping[str, RelationEntry], neutrals: tuple[str, ...]) -> tuple[int, ...]:
    for name, entry in relations.items():
        if entry.inverse not in relations or relations[entry.inverse].inverse != name:
            raise ProbandError(f"relation {name!r}: 'inverse' must name a relation whose inverse is {name!r}")
    return (*(neutrals.index(entry.inverse) for entry in relations.values()), len(neutrals))


def _words(relations: Mapping[str, RelationEntry]) -> tuple[tuple[str, str], ...]:
    """The two words of each relation. Answers join words with commas and "or"."""
    seen, words = {OTHER, UNDETERMINED}, list[tuple[str, str]]()
    for name, entry in relations.items():
        word = name if entry.word is None else entry.word
        pair = (word if entry.male is None else entry.male, word if entry.female is None else entry.female)
        for each in (name, *pair):
            if not each.strip() or any(mark in each for mark in (", ", " or ", "|")):
                raise ProbandError(f'relation {name!r}: {each!r} is empty, or contains a comma, "or" or |')
        if taken := seen & {*pair, *({name} & {OTHER})}:
            raise ProbandError(f"relation {name!r}: the word {min(taken)!r} is another relation's")
        seen |= {*pair}
        words.append(pair)
    return tuple(words)


def _compositions(compose: Mapping[str, Any], neutrals: tuple[str, ...], full: int) -> list[list[int]]:
    bits = {name: 1 << r for r, name in enumerate((*neutrals, OTHER))}
    rows = [[full] * len(neutrals) for _ in neutrals]
    for first, row in compose.items():
        for second, entry in row.items():
            given = entry.gives if isinstance(entry, Outcomes) else entry
            gives = [given] if isinstance(given, str) else given
            for name in (first, second, *gives):
                if name not in bits or (name == OTHER and name in (first, second)):
                    raise ProbandError(f"'compose' {first}.{second}: {name!r} is not a relation")
            rows[neutrals.index(first)][neutrals.index(second)] = sum(bits[name] for name in set(gives)) & full
    return rows


def _forms(field: str, forms: Sequence[str], slots: tuple[str, ...]) -> tuple[str, ...]:
    """Texts with these slots and no others."""
    for text in forms:
        try:
            whole = all("{" + slot + "}" in text for slot in slots) and bool(text.format_map(dict.fromkeys(slots, "")))
        except (KeyError, IndexError, ValueError, AttributeError):
            whole = False
        if not whole:
            raise ProbandError(
                f"'{field}': {text!r} lacks {', '.join('{' + slot + '}' for slot in slots)}, or has others"
            )
    return tuple(forms)


def _with_other(rows: list[list[int]], inverse: tuple[int, ...], full: int) -> tuple[tuple[int, ...], ...]:
    """Add the row and column of `other`: z may be the t of x across it iff `other` may close the turned triangle."""
    n = len(rows)
    column = [sum(1 << t for t in range(n) if rows[inverse[r]][t] >> n & 1) | full & 1 << n for r in range(n)]
    last = [sum(1 << t for t in range(n) if rows[t][inverse[r]] >> n & 1) | full & 1 << n for r in range(n)]
    return (*((*row, column[r]) for r, row in enumerate(rows)), (*last, full))


# ---- the facts of an item --------------------------------------------------------------------------------------------


YES_NO = ("yes", "no")  # the choices of a question about one relation
FamilyRow = tuple[str, int | None, int | None, int | None]  # gender, father, mother, spouse


class StoryFacts(msgspec.Struct, frozen=True):
    """The facts that determine an answer; an item may have a story and no facts."""

    names: tuple[str, ...] = ()
    genders: tuple[Literal["male", "female", "none"], ...] = ()  # "none" in a world without genders
    edges: tuple[Edge, ...] = ()
    query: tuple[int, int] | None = None
    target: str | None = None
    asked: str | None = None  # the relation of a yes/no question
    k: int | None = None
    depth: int | None = None
    noise: tuple[tuple[tuple[int, str | None, int], str], ...] = ()  # without a relation in CLUTRR's rows
    proof: tuple[Annotated[tuple[Edge, ...], msgspec.Meta(min_length=1)], ...] = ()
    certificate: str = ""
    certified_by: tuple[str, ...] = ()
    family: tuple[FamilyRow, ...] | None = None  # a family in which the facts hold
    families: tuple[tuple[FamilyRow, ...], ...] = ()  # two families with different answers, for an open question
    rules: str = "sound"

    @property
    def pair(self) -> tuple[int, int]:
        """The two people of the question."""
        assert self.query is not None  # `facts_of` and `check` reject an item without it
        return self.query


def facts_of(item: Item) -> StoryFacts:
    """The facts of an item that has some.

    >>> facts_of(Item(id="a", suite="kinship", prompt="...", facts={"names": ["Al"], "query": ["Al", 1]}))
    Traceback (most recent call last):
    proband.core.errors.ProbandError: item 'a': 'facts': 'query' [0] must be a whole number, not text
    """
    try:
        facts = msgspec.convert(item.facts, StoryFacts)
    except msgspec.ValidationError as error:
        raise ProbandError(f"item {item.id!r}: 'facts': {in_words(str(error))}") from error
    if facts.query is None:
        raise ProbandError(f"item {item.id!r} has no 'query' in its facts")
    return facts


def asked_relation(item: Item) -> str:
    """The relation that a yes/no question asks about."""
    asked = item.facts.get("asked")
    if not isinstance(asked, str):
        raise ProbandError(f"item {item.id!r} has no 'asked' in its facts, the relation of its yes/no question")
    return asked


def check(item: Item) -> str | None:
    """The first error in the facts of an item, or None.

    >>> facts = {"names": ["Al", "Bea"], "genders": ["male", "female"], "edges": [[0, "mother", 7]], "query": [0, 1]}
    >>> check(Item(id="a", suite="kinship", prompt="...", facts=facts))
    "edge [0, 'mother', 7] is about person 7, and 'names' has 2"
    >>> check(Item(id="a", suite="kinship", prompt="...", facts={**facts, "query": None}))
    "'facts' has no 'query'"
    >>> facts |= {"edges": [[0, "mother", 1]], "noise": [[[1, None, 0], "supporting"]]}  # as CLUTRR's rows have it
    >>> check(Item(id="a", suite="kinship", prompt="...", facts=facts))
    """
    if "edges" not in item.facts and "names" not in item.facts:
        return None
    try:
        facts = msgspec.convert(item.facts, StoryFacts)
    except msgspec.ValidationError as error:
        return "'facts': " + in_words(str(error))
    return _wrong_people(facts, item.facts) or _wrong_words(facts, item)


def _wrong_people(facts: StoryFacts, given: Mapping[str, Any]) -> str | None:
    for name in ("names", "query"):
        if given.get(name) is None:
            return f"'facts' has no {name!r}"
    people = len(facts.names)
    if facts.edges and len(facts.genders) != people:
        return f"'genders' has {len(facts.genders)} entries and 'names' has {people}"
    pairs: list[tuple[str, tuple[Any, ...]]] = [("query", facts.query or ())]
    pairs += [("edge", edge) for edge in (*facts.edges, *(edge for edge, _ in facts.noise))]
    pairs += [("proof step", edge) for step in facts.proof for edge in step]
    for what, pair in pairs:
        for person in (pair[0], pair[-1]):
            if not 0 <= person < people:
                return f"{what} {list(pair)} is about person {person}, and 'names' has {people}"
    for rows in (facts.family or (), *facts.families):
        if rows and (
            len(rows) < people or any(not 0 <= one < len(rows) for row in rows for one in row[1:] if one is not None)
        ):
            return f"a family of {len(rows)} does not have the {people} people of 'names', or has one that is not in it"
    return None


def _wrong_words(facts: StoryFacts, item: Item) -> str | None:
    try:
        rules = of_item(item)
    except ProbandError:
        return None  # rules of another machine: reported where they are needed
    for edge in facts.edges:
        for word in edge[1].split("|"):
            if word not in rules.code:
                return f"edge {list(edge)} has a relation that the rules {rules.name!r} do not have: {word!r}"
    return None


def story_of(item: Item) -> str:
    """The story of an item: its prompt without the last line, the question."""
    return item.prompt.rsplit("\n", 1)[0]


def question_of(item: Item) -> str:
    return item.prompt.rsplit("\n", 1)[-1]
