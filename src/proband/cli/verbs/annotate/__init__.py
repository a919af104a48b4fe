"""`proband annotate`: studies with people, from the units to a suite's input."""

from proband.cli.verbs.annotate.steps import commands

__all__ = ["commands"]
