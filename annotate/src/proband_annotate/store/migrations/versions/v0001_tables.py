"""All tables; answers that the database itself refuses to change."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "agreements",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agreements")),
    )
    op.create_table(
        "erasures",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("answers", sa.Integer(), nullable=False),
        sa.Column("by_platform", sa.Text(), nullable=False),
        sa.Column("bonus", sa.Text(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erasures")),
    )
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
        "owners",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_owners")),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), server_default="owner", nullable=False),
        sa.Column("until", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
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
        "adjudications",
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name=op.f("fk_adjudications_unit_id")),
        sa.PrimaryKeyConstraint("unit_id", "part", name=op.f("pk_adjudications")),
    )
    op.create_table(
        "exclusions",
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name=op.f("fk_exclusions_unit_id")),
        sa.PrimaryKeyConstraint("unit_id", "worker", name=op.f("pk_exclusions")),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("agreement_id", sa.Integer(), nullable=True),
        sa.Column("signals", sa.Integer(), server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("understood", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("outcome", sa.Text(), server_default="", nullable=False),
        sa.Column("finished", sa.Float(), nullable=True),
        sa.Column("decision", sa.Text(), server_default="", nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["agreement_id"], ["agreements.id"], name=op.f("fk_people_agreement_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("worker", name=op.f("uq_people_worker")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "slots",
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("taken", sa.Integer(), server_default="0", nullable=False),
        sa.Column("shuffle", sa.Integer(), nullable=False),
        sa.Column("added", sa.Text(), server_default="", nullable=False),
        sa.CheckConstraint("place >= 1", name=op.f("ck_slots_from_one")),
        sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name=op.f("fk_slots_unit_id")),
        sa.PrimaryKeyConstraint("unit_id", "panel", "place", name=op.f("pk_slots")),
    )
    op.create_index("ix_slots_free", "slots", ["panel", "taken", "place", "shuffle"], unique=False)
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
        "assignments",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=False),
        sa.Column("panel", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("started", sa.Float(), nullable=False),
        sa.Column("until", sa.Float(), nullable=False),
        sa.Column("seen", sa.Float(), nullable=True),
        sa.Column("active", sa.Float(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_assignments_person_id")),
        sa.ForeignKeyConstraint(
            ["unit_id", "panel", "place"],
            ["slots.unit_id", "slots.panel", "slots.place"],
            name=op.f("fk_assignments_unit_id_panel_place"),
        ),
        sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name=op.f("fk_assignments_unit_id")),
        sa.PrimaryKeyConstraint("person_id", "unit_id", name=op.f("pk_assignments")),
        sa.UniqueConstraint("unit_id", "panel", "place", name=op.f("uq_assignments_unit_id_panel_place")),
    )
    op.create_index("ix_assignments_leases", "assignments", ["state", "until"], unique=False)
    op.create_table(
        "bonuses",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("amount", sa.Float(), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_bonuses_person_id")),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_bonuses")),
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
        "remarks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("unit_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), server_default="", nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("settled", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_remarks_person_id")),
        sa.ForeignKeyConstraint(["unit_id"], ["units.id"], name=op.f("fk_remarks_unit_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_remarks")),
    )
    op.create_index("ix_remarks_person", "remarks", ["person_id"], unique=False)
    op.create_table(
        "checks",
        sa.Column("answer_id", sa.Text(), nullable=False),
        sa.Column("share", sa.Float(), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.id"], name=op.f("fk_checks_answer_id")),
        sa.PrimaryKeyConstraint("answer_id", name=op.f("pk_checks")),
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE TRIGGER answers_stay BEFORE UPDATE ON answers "
            "BEGIN SELECT RAISE(ABORT, 'answers are never changed'); END"
        )
        return
    op.execute(
        "CREATE FUNCTION answers_stay() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'answers are never changed'; END $$"
    )
    op.execute("CREATE TRIGGER answers_stay BEFORE UPDATE ON answers FOR EACH ROW EXECUTE FUNCTION answers_stay()")
