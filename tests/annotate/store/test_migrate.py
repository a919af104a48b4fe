"""Migrations with data, on both databases."""

from __future__ import annotations

import pytest
from sqlalchemy import inspect, select, text, update
from sqlalchemy.exc import DBAPIError

from proband.annotate.store import people as people_store
from proband.annotate.store.answers import submit
from proband.annotate.store.database import Database
from proband.annotate.store.migrate import NEWEST, configuration, current, head, migrate
from proband.annotate.store.places import add_unit, take
from proband.annotate.store.schema import answers, metadata


def fill(database: Database) -> None:
    """A person with an answer, in a schema of whatever age."""
    unit = {"name": "u1", "role": "main", "clause": "", "body": "{}", "gold": None}
    database.write(lambda c: add_unit(c, number=1, unit=unit, overlap={"crowd": 2}))
    database.write(lambda c: people_store.arrive(c, worker="w", source="url", panel="crowd", signals=True))

    def answer(connection: object) -> None:
        person = people_store.find(connection, "w")  # type: ignore[arg-type]
        assert person is not None
        assert take(connection, person, now=10.0, until=20.0) is not None  # type: ignore[arg-type]
        submit(
            connection,  # type: ignore[arg-type]
            person,
            answer_id="answer-one",
            unit_id=1,
            body='{"story":"Zoë ≠ 𝒵"}',
            signals="{}",
            now=12.5,
        )

    database.write(answer)


def test_data_survive_every_step(address: str) -> None:
    database = Database(address)
    try:
        migrate(database, "0001")
        fill(database)
        with database.engine.connect() as connection:
            before = [tuple(row) for row in connection.execute(select(answers))]
            assert not inspect(connection).has_table("adjudications")
        migrate(database)
        migrate(database)  # again changes nothing
        with database.engine.connect() as connection:
            assert current(connection) == NEWEST == head()
            assert [tuple(row) for row in connection.execute(select(answers))] == before
            assert before[0][4] == '{"story":"Zoë ≠ 𝒵"}'
            assert inspect(connection).has_table("adjudications")
    finally:
        database.close()


def test_the_migrated_schema_is_the_one_in_the_code(address: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    database = Database(address)
    try:
        migrate(database)
        with database.engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    finally:
        database.close()
    assert configuration().get_main_option("script_location")


def test_an_answer_is_never_changed(address: str) -> None:
    database = Database(address)
    try:
        migrate(database)
        fill(database)
        with pytest.raises(DBAPIError, match="never changed"):
            database.write(lambda c: c.execute(update(answers).values(body="{}")))
        with database.engine.connect() as connection:
            assert connection.scalar(text("SELECT body FROM answers")) == '{"story":"Zoë ≠ 𝒵"}'
    finally:
        database.close()
