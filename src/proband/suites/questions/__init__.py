"""Suite `questions`: anybody's own questions, from a spreadsheet, JSON lines, Parquet or a Hugging Face folder.

tables.py    rows of a file or folder, whatever wrote it
columns.py   which column is the question, the choices, the right answer; guessed by name, or named by the user
build.py     rows -> items
replies.py   replies to open questions, matched with the accepted answers
"""

from __future__ import annotations

from proband.core.suite import Suite, Table
from proband.solvers import DIRECT
from proband.suites.questions.build import BuildOptions, build
from proband.suites.questions.replies import ACCURACY, CHOOSE, EXACT, GENERATE, LIKELIHOOD, OPEN, show

SUITE = Suite(
    name="questions",
    question="Your own questions: CSV, JSON lines, Parquet or a Hugging Face folder.",
    cites="",
    build=build,
    options=BuildOptions,
    solvers=(DIRECT, LIKELIHOOD, GENERATE, CHOOSE, OPEN),
    metrics=(ACCURACY, EXACT),
    tables=(Table(name="questions", title="Accuracy", rows=(), columns=()),),
    show=show,
)
