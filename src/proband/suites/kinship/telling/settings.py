"""Settings: a place and a time with openings and doings; frames tell facts of the people who do them.

A doing is a verb phrase that is complete without any person, so that every construction can use it; a frame is a
template of the template language with <past>, <ing>, <base> and <done> for the forms of a doing, and <past2> and so on
for those of a second one. A sentence of a story is a frame with doings of its setting, each told once.

>>> fill_doings("It was Ann's uncle Ben who <past>.", [Doing.parse("light the smoker")])
"It was Ann's uncle Ben who lit the smoker."
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from proband.core.errors import ProbandError
from proband.suites.kinship.telling.paraphrases import VERBS, inflect

DOING: Final = re.compile(r"<(base|past|ing|done)(2?)>")
FAMILY: Final = re.compile(r"^## (\w+)\n", re.MULTILINE)
AND: Final = "+"  # between the id of a frame and those of its doings


@dataclass(frozen=True)
class Doing:
    """A verb phrase in all its forms."""

    id: str
    forms: Mapping[str, str]

    @classmethod
    def parse(cls, line: str) -> Doing:
        verb, _, rest = line.partition(" ")
        if not rest:
            raise ProbandError(f"a doing is a verb in its base form and more words, not {line!r}")
        forms = {form: f"{word} {rest}" for form, word in inflect(verb, VERBS).items()}
        return cls(hashlib.sha256(line.encode()).hexdigest()[:8], {"base": line, **forms})


@dataclass(frozen=True)
class Setting:
    name: str
    openings: tuple[str, ...]
    doings: tuple[Doing, ...] = field(repr=False)

    def again(self, used: Collection[str]) -> Setting:
        """The setting of a story that is there already and has used some of its doings."""
        return replace(self, openings=("",), doings=tuple(each for each in self.doings if each.id not in used))


def doings_in(text: str) -> int:
    """How many doings a frame has.

    >>> doings_in("Ann <past>. Her uncle Ben <past2>.")
    2
    """
    return len({match[2] for match in DOING.finditer(text)})


def fill_doings(text: str, doings: Sequence[Doing]) -> str:
    return DOING.sub(lambda match: doings[bool(match[2])].forms[match[1]], text)


def parse_settings(text: str, *, name: str) -> list[Setting]:
    """The settings of a file: `== name`, openings (with a capital letter) and doings, one to a line.

    >>> [setting] = parse_settings("== bees\\nThe hives were full.\\nlight the smoker\\nbrush off bees", name="mine")
    >>> setting.openings, setting.doings[1].forms["ing"]
    (('The hives were full.',), 'brushing off bees')
    """
    settings = []
    for block in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        title, *lines = [line.strip() for line in block.splitlines() if line.strip()]
        openings = tuple(line for line in lines if line[0].isupper())
        doings = tuple(Doing.parse(line) for line in lines if line[0].islower())
        if not openings or len(doings) < 2:
            raise ProbandError(f"setting {title!r} needs an opening and at least two doings", file=name)
        settings.append(Setting(title, openings, doings))
    return settings


def parse_families(text: str) -> dict[str, str]:
    """The text under each `## family` of a file of frames.

    >>> parse_families("## cleft\\n== *\\nIt was {1}, {0}'s {1 of 0}, who <past>.\\n")["cleft"].splitlines()[0]
    '== *'
    """
    _, *parts = FAMILY.split(text)
    return dict(zip(parts[::2], parts[1::2]))
