"""Certificates that know no rules: a complete search for a counter-family."""
