"""Estimates -> a page, tables and figures. `write_report` is the way in; an `ItemSet` is what it reads."""

from proband.report.numbers.sources import Answered, ItemSet
from proband.report.write import write_report

__all__ = ["Answered", "ItemSet", "write_report"]
