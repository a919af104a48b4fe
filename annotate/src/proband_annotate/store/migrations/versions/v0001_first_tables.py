"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("signals", sa.Integer(), server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("understood", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("outcome", sa.Text(), server_default="", nullable=False),
        sa.Column("finished", sa.Float(), nullable=True),
        sa.Column("decision", sa.Text(), server_default="", nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("worker", name=op.f("uq_people_worker")),
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
    )
    op.create_table(
        "units",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("clause", sa.Text(), server_default="", nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("gold", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_units")),
        sa.UniqueConstraint("name", name=op.f("uq_units_name")),
    )
    op.create_table(
        "answers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("signals", sa.Text(), server_default="{}", nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_answers_person_id")),
        sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name=op.f("fk_answers_unit_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answers")),
        sa.UniqueConstraint("person_id", "unit_id", "revision", name=op.f("uq_answers_person_id_unit_id_revision")),
    )
    op.create_index("ix_answers_unit", "answers", ["unit_id"], unique=False)
    op.create_table(
        "bars",
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name=op.f("fk_bars_unit_id")),
        sa.PrimaryKeyConstraint("unit_id", "worker", name=op.f("pk_bars")),
    )
    op.create_table(
        "drafts",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("saved", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_drafts_person_id")),
        sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name=op.f("fk_drafts_unit_id")),
        sa.PrimaryKeyConstraint("person_id", "unit_id", name=op.f("pk_drafts")),
    )
    op.create_table(
        "places",
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("taken", sa.Integer(), server_default="0", nullable=False),
        sa.Column("shuffle", sa.Integer(), nullable=False),
        sa.CheckConstraint("place >= 1", name=op.f("ck_places_from_one")),
        sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name=op.f("fk_places_unit_id")),
        sa.PrimaryKeyConstraint("unit_id", "panel", "place", name=op.f("pk_places")),
    )
    op.create_index("ix_places_free", "places", ["panel", "taken", "place", "shuffle"], unique=False)
    op.create_table(
        "assignments",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("started", sa.Float(), nullable=False),
        sa.Column("until", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_assignments_person_id")),
        sa.ForeignKeyConstraint(
            ["unit_id", "panel", "place"],
            ["places.unit_id", "places.panel", "places.place"],
            name=op.f("fk_assignments_unit_id_panel_place"),
        ),
        sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name=op.f("fk_assignments_unit_id")),
        sa.PrimaryKeyConstraint("person_id", "unit_id", name=op.f("pk_assignments")),
        sa.UniqueConstraint("unit_id", "panel", "place", name=op.f("uq_assignments_unit_id_panel_place")),
    )
    op.create_index("ix_assignments_leases", "assignments", ["state", "until"], unique=False)
    op.create_table(
        "checks",
        sa.Column("answer_id", sa.Text(), nullable=False),
        sa.Column("share", sa.Float(), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.id"], name=op.f("fk_checks_answer_id")),
        sa.PrimaryKeyConstraint("answer_id", name=op.f("pk_checks")),
    )
