"""Estimates -> a page, tables and figures. `write_report` is the way in; an `ItemSet` is what it reads."""

from proband.reporting.leaderboard import write_leaderboard
from proband.reporting.numbers.study import AnsweredRun, ItemSet
from proband.reporting.tables import check_folder
from proband.reporting.write import write_report

__all__ = ["AnsweredRun", "ItemSet", "check_folder", "write_leaderboard", "write_report"]
