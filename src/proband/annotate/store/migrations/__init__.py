"""Alembic's folder: one file per change of the schema."""
