"""Run by Alembic: migrates over the connection it is given."""

from __future__ import annotations

from alembic import context

from proband_annotate.store.schema import metadata


def run() -> None:
    context.configure(
        connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True
    )
    with context.begin_transaction():
        context.run_migrations()


if hasattr(context, "config"):  # otherwise this file was imported without Alembic
    run()
