"""Holt 2018, the author's files: `premise<TAB>hypothesis<TAB>True|False`, LEFT entails RIGHT (Levy/Holt's files are the
other way round). In `directional_implications.tsv` True means left to right only and False right to left only, so
that a row is two examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from proband.core.errors import ProbandError
from proband.suites.inference.datasets.levy_holt import is_straight, rows
from proband.suites.inference.items import BACKWARD, FORWARD, Example, Triple, instantiate, likeness

FILES = ("implications_instantiated.tsv", "implications.tsv", "directional_implications.tsv")


def read(path: Path) -> Iterator[Example]:
    """One of the files; of a folder the instantiated one."""
    if path.is_dir():
        results = [path / name for name in FILES if (path / name).exists()]
        if not results:
            raise ProbandError(f"contains none of {', '.join(FILES)}", file=path)
        path = results[0]
    given = rows(path)
    used = Counter(triple for left, right, _ in given for triple in (left, right))
    directional = path.name.startswith("directional")
    for left, right, label in given:
        yield example(left, right, label, used, directional=directional)
        if directional:
            yield example(right, left, not label, used, directional=True)


def example(
    premise: Triple, hypothesis: Triple, entailed: bool, used: Counter[Triple], *, directional: bool
) -> Example:
    """The question is the triple that stands in more rows; its type is filled in where the arguments differ."""
    forward = used[hypothesis] >= used[premise]
    question, answer = (hypothesis, premise) if forward else (premise, hypothesis)
    filled = question if same_arguments(question, answer) else instantiate(question, answer)[0]
    premise, hypothesis = (answer, filled) if forward else (filled, answer)
    return Example(
        premise=premise,
        hypothesis=hypothesis,
        entailed=entailed,
        straight=is_straight(premise, hypothesis),
        question=", ".join(question),
        direction=FORWARD if forward else BACKWARD,
        source="holt",
        directional=directional,
    )


def same_arguments(one: Triple, other: Triple) -> bool:
    """
    >>> same_arguments(Triple("PERSON", "abandon", "HERO"), Triple("PERSON", "became", "A HERO"))
    True
    """
    straight = min(likeness(one.subject, other.subject), likeness(one.object, other.object))
    swapped = min(likeness(one.subject, other.object), likeness(one.object, other.subject))
    return max(straight, swapped) > 0.99
