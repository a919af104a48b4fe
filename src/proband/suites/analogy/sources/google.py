"""Google's `questions-words.txt`: sections `: name`, lines `a b c d`. A section's tuples are its distinct pairs."""

from __future__ import annotations

from pathlib import Path

from proband.core.errors import ProbandError
from proband.suites.analogy.relations import Relation, Tuple
from proband.suites.analogy.sources.bats import decode

DERIVED = ("gram1-adjective-to-adverb", "gram2-opposite", "gram6-nationality-adjective")


def looks_like(path: Path) -> bool:
    return path.suffix == ".txt" and decode(path).startswith(": ")


def group_of(section: str) -> str:
    """
    >>> group_of("capital-world"), group_of("gram3-comparative"), group_of("gram2-opposite")
    ('ES', 'IM', 'DM')
    """
    if not section.startswith("gram"):
        return "ES"
    return "DM" if section in DERIVED else "IM"


def read(path: Path) -> list[Relation]:
    sections: dict[str, dict[str, dict[str, None]]] = {}
    name = ""
    for number, line in enumerate(decode(path).splitlines(), start=1):
        words = line.split()
        if line.startswith(":") and len(words) == 2:
            name = words[1]
            sections.setdefault(name, {})
        elif len(words) == 4 and name:
            for head, tail in (words[:2], words[2:]):
                sections[name].setdefault(head.replace("_", " "), {})[tail.replace("_", " ")] = None
        elif words:
            raise ProbandError("must be ': section' or four words", file=path, line=number)
    return [
        Relation(section, group_of(section), tuple(Tuple(head, tuple(tails)) for head, tails in pairs.items()))
        for section, pairs in sections.items()
    ]
