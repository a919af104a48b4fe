"""What a sentence says: people as it refers to them, kinship between them, and who is the same person.

A sentence is parsed before anybody knows whom its pronouns mean; `referents.py` finds out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(eq=False)
class Person:
    """Somebody as a sentence refers to him or her: by name, by a pronoun (he, she, they, I, you), or by kin alone.

    `plural`: several people whom a kin word names together (`Ann's parents`), until their names are told.
    """

    name: str = ""
    pronoun: str = ""
    gender: str | None = None  # told by the words of the sentence
    plural: bool = False
    relation: str = ""  # of whom kin alone tells: what he or she is of `owners`
    owners: tuple[Person, ...] = ()
    count: int = 0  # of several: how many
    own: bool = False  # `her own`: the clause's subject
    talking: tuple[Person, ...] = ()  # in a quotation: who speaks and who is spoken to; no pronoun he or she means them
    definite: bool = False  # `the niece`, `that brother`: the one of whom it was told
    oblique: bool = False  # `him`, `her`, `them`: not the subject of its own clause

    def __repr__(self) -> str:
        return self.name or self.pronoun or f"{'/'.join(map(repr, self.owners))}'s {self.relation or '?'}"


@dataclass(frozen=True)
class Kinship:
    """`person` is the `relation` of `owner`: (Ann, parent, Bea) says that Bea is a parent of Ann."""

    owner: Person
    relation: str
    person: Person
    gender: str | None = None
    negated: bool = False
    past: bool = False  # told of a time that may be over: `was the husband of`

    def __repr__(self) -> str:
        return f"{self.person} is {'not ' if self.negated else ''}the {self.relation} of {self.owner}"


@dataclass(frozen=True)
class Same:
    """Two references to one person: `Ann's mother is Bea`."""

    one: Person
    other: Person


@dataclass(frozen=True)
class Mention:
    """A person is mentioned; `subject`: as the one the clause is about; `group`: as one of these."""

    person: Person
    subject: bool = False
    group: tuple[Person, ...] = ()


@dataclass(frozen=True)
class NewClause:
    """A clause begins: who is mentioned from here on is nearer than who was before."""


@dataclass(frozen=True)
class Members:
    """The names of people whom a kin word spoke of before, without names: `two brothers. One is Adam, ...`."""

    people: tuple[Person, ...]


Event = Kinship | Same | Mention | NewClause | Members
