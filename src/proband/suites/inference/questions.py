"""Questions: (q_type, q_rel, q_arg), a line each: `country, borders, Ethiopia` or the same separated by tabs, with or
without the header `q_type, q_rel, q_arg`. Type `person` asks *Who*, type `thing` (anything) *What*. A file of Levy and
Dagan's (`type, rel, arg <TAB> answer <TAB> y|n`) gives its questions, each once.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from proband.core.errors import ProbandError
from proband.core.tables import text_lines

PERSON, THING = "person", "thing"


class TypedQuestion(NamedTuple):
    """
    >>> TypedQuestion("country", "borders", "Ethiopia").text, TypedQuestion("person", "invented", "the wheel").text
    ('Which country borders Ethiopia?', 'Who invented the wheel?')
    """

    q_type: str
    q_rel: str
    q_arg: str

    @property
    def text(self) -> str:
        begin = {PERSON: "Who", THING: "What"}.get(self.q_type, f"Which {self.q_type}")
        return f"{begin} {self.q_rel} {self.q_arg}?"


def read(path: Path) -> list[TypedQuestion]:
    """The questions of a file, each once; lines that begin with # and empty ones do not count."""
    questions: dict[TypedQuestion, None] = {}
    for number, line in text_lines(path):
        if line.startswith("#"):
            continue
        cells = line.split("\t")
        if len(cells) == 1 or (len(cells) == 3 and cells[2].strip() in ("y", "n")):
            cells = cells[0].split(",", 2)
        cells = [" ".join(cell.split()) for cell in cells]
        if len(cells) != 3 or not all(cells):
            raise ProbandError("must be `type, relation, argument`", file=path, line=number)
        if tuple(cells) != TypedQuestion._fields:
            questions[TypedQuestion(*cells)] = None
    if not questions:
        raise ProbandError("contains no questions", file=path)
    return list(questions)
