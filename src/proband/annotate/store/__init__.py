"""What people did, in SQLite or PostgreSQL: one schema; answers are never changed, no place is given twice."""
