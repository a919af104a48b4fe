"""The world of kinship: relations, rules, families, the axioms, names."""
