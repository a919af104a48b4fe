"""The tables in the code are those that the migrations make."""

from __future__ import annotations

from proband_annotate.store.database import create
from proband_annotate.store.migrate import migrate
from proband_annotate.store.schema import metadata


def test_the_migrated_schema_is_the_one_in_the_code(address: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    database = create(address)
    try:
        migrate(database)
        with database.engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    finally:
        database.close()
