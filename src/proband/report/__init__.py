"""Estimates -> a page, tables and figures. `write_report` is the way in."""

from proband.report.collect import Loaded
from proband.report.write import write_report

__all__ = ["Loaded", "write_report"]
