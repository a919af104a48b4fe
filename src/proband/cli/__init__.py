"""The command line: one file per verb turns arguments into one call of the pipeline and prints its result."""

from proband.cli.main import main

__all__ = ["main"]
