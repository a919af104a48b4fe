"""Verbs that come before `build inference`: assertions and candidates."""
