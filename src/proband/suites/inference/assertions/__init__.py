"""Assertions (subject, relation, object, count): extracted from trees or imported, kept in a store with an index."""
