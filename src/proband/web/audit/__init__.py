"""The page of an audit: a template per kind of audit, and their style."""
