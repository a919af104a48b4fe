"""The sound rule base."""

from __future__ import annotations

from proband.suites.kinship.world.rules import load

SOUND = load("sound")
