"""Grammars of three domains."""

from __future__ import annotations

from proband.english.domain import load
from proband.english.phrases import Grammar

GRID, KINSHIP, TEMPORAL = (Grammar(load(name)) for name in ("grid", "kinship", "temporal"))
