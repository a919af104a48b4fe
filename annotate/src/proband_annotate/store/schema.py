"""The tables. Bodies are canonical JSON in text columns, times are seconds since 1970.

Overlap is exact by constraint: a unit has as many `slots` as answers are wanted of each panel; an assignment that
counts holds one slot (`UNIQUE (unit_id, panel, place)`, a foreign key to `slots`), and a person has one assignment
on a unit (the primary key). A lease that ran out gives its slot back; an answer that comes later is kept, and counts
only if a slot is still free.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    ColumnElement,
    Connection,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    FromClause,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    and_,
    func,
    select,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

units = Table(
    "units",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),  # its number: what a browser may see of it
    Column("name", Text, nullable=False, unique=True),  # its id in the file it came from
    Column("role", Text, nullable=False),  # main | trial | gold | attention
    Column("body", Text, nullable=False),
    Column("gold", Text),
)

exclusions = Table(  # who must not see a unit
    "exclusions",
    metadata,
    Column("unit_id", Integer, ForeignKey("units.id"), primary_key=True),
    Column("worker", Text, primary_key=True),
)

agreements = Table(  # versions of what people agree to
    "agreements",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("body", Text, nullable=False),
)

people = Table(
    "people",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("worker", Text, nullable=False, unique=True),  # keyed hash of the id a platform gave
    Column("source", Text, nullable=False),  # prolific | mturk | url | link
    Column("panel", Text, nullable=False),  # crowd | expert
    Column("created", Float, nullable=False),
    Column("agreement_id", Integer, ForeignKey("agreements.id")),  # NULL: the answers came from another tool
    Column("signals", Integer, nullable=False, server_default="0"),  # agreed to signals of machine-written text
    Column("attempts", Integer, nullable=False, server_default="0"),  # at the comprehension questions
    Column("understood", Integer, nullable=False, server_default="0"),
    Column("failed", Integer, nullable=False, server_default="0"),  # gold questions and attention checks
    Column(
        "outcome", Text, nullable=False, server_default=""
    ),  # done | stopped | returned | screened_out | failed_checks
    Column("finished", Float),
    Column("decision", Text, nullable=False, server_default=""),  # approved | rejected
    Column("reason", Text, nullable=False, server_default=""),
    Column("quota", Text, nullable=False, server_default=""),  # the group whose quota the person is in
    sqlite_autoincrement=True,  # numbers of erased people are not reused
)

slots = Table(
    "slots",
    metadata,
    Column("unit_id", Integer, ForeignKey("units.id"), primary_key=True),
    Column("panel", Text, primary_key=True),
    Column("place", Integer, primary_key=True),  # the number of the slot
    Column("taken", Integer, nullable=False, server_default="0"),  # a hint for the search; assignments decide
    Column("shuffle", Integer, nullable=False),
    Column("added", Text, nullable=False, server_default=""),  # edited: after its unit was complete | disputed
    CheckConstraint("place >= 1", name="from_one"),
    Index("ix_slots_free", "panel", "taken", "place", "shuffle"),
)

assignments = Table(
    "assignments",
    metadata,
    Column("person_id", Integer, ForeignKey("people.id"), primary_key=True),
    Column("unit_id", Integer, ForeignKey("units.id"), primary_key=True),
    Column("panel", Text, nullable=False),
    Column("place", Integer),  # of the slot it holds; NULL: a unit without slots, or an expired lease
    Column("state", Text, nullable=False),  # open | done | expired | skipped
    Column("started", Float, nullable=False),
    Column("until", Float, nullable=False),
    Column("seen", Float),  # the last heartbeat; NULL without the script
    Column("active", Float, nullable=False, server_default="0"),  # seconds of work until then
    UniqueConstraint("unit_id", "panel", "place"),
    ForeignKeyConstraint(["unit_id", "panel", "place"], ["slots.unit_id", "slots.panel", "slots.place"]),
    Index("ix_assignments_leases", "state", "until"),
)

answers = Table(
    "answers",
    metadata,
    Column("id", Text, primary_key=True),  # made in the browser
    Column("person_id", Integer, ForeignKey("people.id"), nullable=False),
    Column("unit_id", Integer, ForeignKey("units.id"), nullable=False),
    Column("revision", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("signals", Text, nullable=False, server_default="{}"),
    Column("created", Float, nullable=False),
    UniqueConstraint("person_id", "unit_id", "revision"),
    Index("ix_answers_unit", "unit_id"),
)

drafts = Table(
    "drafts",
    metadata,
    Column("person_id", Integer, ForeignKey("people.id"), primary_key=True),
    Column("unit_id", Integer, ForeignKey("units.id"), primary_key=True),
    Column("body", Text, nullable=False),
    Column("saved", Float, nullable=False),
)

checks = Table(  # results of answers to trial, gold or attention units
    "checks",
    metadata,
    Column("answer_id", Text, ForeignKey("answers.id"), primary_key=True),
    Column("share", Float, nullable=False),
    Column("passed", Integer, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("person_id", Integer),
    Column("kind", Text, nullable=False),
    Column("detail", Text, nullable=False, server_default=""),
)

adjudications = Table(  # the owner's label for a part of a unit on which people disagree
    "adjudications",
    metadata,
    Column("unit_id", Integer, ForeignKey("units.id"), primary_key=True),
    Column("part", Text, primary_key=True),
    Column("label", Text, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("at", Float, nullable=False),
)

sessions = Table(  # dashboard sessions; signing out and a new password end them
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False, server_default="owner"),
    Column("until", Float, nullable=False),
)

remarks = Table(  # remarks of people on a unit or on the study
    "remarks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", Integer, ForeignKey("people.id"), nullable=False),
    Column("unit_id", Integer, ForeignKey("units.id")),
    Column("kind", Text, nullable=False),  # skip | problem | comment
    Column("text", Text, nullable=False, server_default=""),
    Column("at", Float, nullable=False),
    Column("settled", Integer, nullable=False, server_default="0"),  # an owner has dealt with it
    Index("ix_remarks_person", "person_id"),
)

owners = Table(  # further owners; the first one's password is among the settings
    "owners",
    metadata,
    Column("name", Text, primary_key=True),
    Column("password", Text, nullable=False),  # Argon2
    Column("role", Text, nullable=False),  # owner | assistant | viewer
    Column("created", Float, nullable=False),
)

erasures = Table(  # amounts still due to erased people, without their identity
    "erasures",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Float, nullable=False),
    Column("answers", Integer, nullable=False),
    Column("by_platform", Text, nullable=False),  # already paid by the completion code; to the cent
    Column("bonus", Text, nullable=False),  # what is still to be paid
    Column("receipt", Text, nullable=False),  # known only to the person
    Column("outcome", Text, nullable=False),  # of the visit, or `rejected`: decides the code
    Column("currency", Text, nullable=False),
)

transfers = Table(  # bonuses paid through a platform's API; rows stay when a person is erased
    "transfers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", Integer, nullable=False),
    Column("amount", Text, nullable=False),  # in cents' precision
    Column("state", Text, nullable=False),  # planned | ready | paying | paid
    Column("batch", Text, nullable=False),  # the platform's id of the batch
    Column("at", Float, nullable=False),
)

SENT = ("paying", "paid")  # states of a transfer that may have reached its person

bonuses = Table(  # what an owner grants in addition to the pay per unit
    "bonuses",
    metadata,
    Column("person_id", Integer, ForeignKey("people.id"), primary_key=True),
    Column("amount", Float, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("at", Float, nullable=False),
)


# ---- what many queries share; values of conditions may be columns of another table, for joins -----------------------


def of_person(table: FromClause, person_id: Any, unit_id: Any) -> ColumnElement[bool]:
    """The condition for one person on one unit."""
    return and_(table.c.person_id == person_id, table.c.unit_id == unit_id)


def count_rows(connection: Connection, table: Table, *conditions: ColumnElement[bool]) -> int:
    return connection.scalar(select(func.count()).select_from(table).where(*conditions)) or 0


def at_slot(unit_id: Any, panel: Any, place: Any) -> ColumnElement[bool]:
    return and_(slots.c.unit_id == unit_id, slots.c.panel == panel, slots.c.place == place)
