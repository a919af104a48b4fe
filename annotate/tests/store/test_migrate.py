"""Migrations with data, on both databases."""

from __future__ import annotations

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, select, text, update
from sqlalchemy.exc import DBAPIError

from proband_annotate.store.database import Database, create
from proband_annotate.store.migrate import NEWEST, configuration, current, migrate
from proband_annotate.store.schema import answers

ROWS = (  # a person with an answer
    "INSERT INTO units (id, name, role, body) VALUES (1, 'u1', 'main', '{}')",
    "INSERT INTO slots (unit_id, panel, place, taken, shuffle) VALUES (1, 'crowd', 1, 1, 5), (1, 'crowd', 2, 0, 6)",
    "INSERT INTO people (id, worker, source, panel, created) VALUES (1, 'w', 'url', 'crowd', 9.0)",
    "INSERT INTO assignments (person_id, unit_id, panel, place, state, started, until) "
    "VALUES (1, 1, 'crowd', 1, 'done', 10.0, 20.0)",
    "INSERT INTO answers (id, person_id, unit_id, revision, body, seconds, created) "
    "VALUES ('answer-one', 1, 1, 1, :body, 2.5, 12.5)",
)


def fill(database: Database) -> None:
    """A person with an answer."""
    for row in ROWS:
        given = {"body": '{"story":"Zoë ≠ 𝒵"}'} if ":body" in row else {}
        database.write(lambda c, row=row, given=given: c.execute(text(row), given))  # type: ignore[misc]


def test_data_survive_a_migration(address: str) -> None:
    database = create(address)
    try:
        migrate(database)
        fill(database)
        with database.engine.connect() as connection:
            before = [tuple(row) for row in connection.execute(select(answers))]
        migrate(database)  # again changes nothing
        with database.engine.connect() as connection:
            newest = ScriptDirectory.from_config(configuration(connection)).get_current_head()
            assert current(connection) == NEWEST == newest
            assert [tuple(row) for row in connection.execute(select(answers))] == before
            assert before[0][4] == '{"story":"Zoë ≠ 𝒵"}'
            assert inspect(connection).has_table("adjudications")
    finally:
        database.close()


def test_an_answer_is_never_changed(address: str) -> None:
    database = create(address)
    try:
        migrate(database)
        fill(database)
        with pytest.raises(DBAPIError, match="never changed"):
            database.write(lambda c: c.execute(update(answers).values(body="{}")))
        with database.engine.connect() as connection:
            assert connection.scalar(text("SELECT body FROM answers")) == '{"story":"Zoë ≠ 𝒵"}'
    finally:
        database.close()
