"""All tables of schema.py; answers that the database itself refuses to change.

Until the first release there is one schema, and a change of it changes this revision. A release freezes it: then the
tables are written out here, and what changes afterwards is its own revision.
"""

from __future__ import annotations

from alembic import op

from proband_annotate.store.schema import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    metadata.create_all(op.get_bind())
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
