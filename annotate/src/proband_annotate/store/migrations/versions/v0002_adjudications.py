"""The owner's decisions on disputed labels; answers that the database itself refuses to change."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
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
