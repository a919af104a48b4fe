"""SAT, U2, U4 and the other sets of Ushio et al. 2021b: JSON lines with stem, choice, answer, prefix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from proband.core.errors import ProbandError
from proband.core.files import decode
from proband.core.suite import Built
from proband.core.tables import read_text, text_lines
from proband.core.types import Item
from proband.suites.analogy.solvers.pseudo_perplexity import DEFAULT, pattern, question
from proband.suites.analogy.sources import clean, written

ENDINGS = (".jsonl", ".jsonl.gz")


class ChoiceQuestion(Struct):
    """One line of a file."""

    stem: tuple[str, str]
    choice: Annotated[list[tuple[str, str]], Meta(min_length=2)]
    answer: int
    prefix: Any = None


def looks_like(path: Path) -> bool:
    """Is this a JSON-lines file whose first line has a stem?"""
    if not path.is_file() or not path.name.endswith(ENDINGS):
        return False
    return '"stem"' in read_text(path).lstrip().partition("\n")[0]


def build(path: Path, *, template: str) -> Built:
    """The items keep their own order of choices, so they need no seed."""
    counts: Counter[str] = Counter()

    def stream() -> Iterator[Item]:
        pattern(template)  # an unknown name is an error
        for number, line in text_lines(path):
            item = _item(decode(ChoiceQuestion, line.encode(), file=path, line=number), path, number, template)
            counts[str(item.tags["relation"])] += 1
            yield item

    return Built(
        items=stream(), licence="as the file's own; not ours to give", summary=lambda: {"relations": dict(counts)}
    )


def _item(row: ChoiceQuestion, path: Path, number: int, template: str) -> Item:
    stem, *options = ((clean(a), clean(b)) for a, b in (row.stem, *row.choice))
    if not all(a and b for a, b in (stem, *options)):
        raise ProbandError("'stem' and 'choice' must be pairs of words", file=path, line=number)
    if not 0 <= row.answer < len(options):
        raise ProbandError(f"'answer' is {row.answer} but there are {len(options)} choices", file=path, line=number)
    name = path.name.split(".")[0]
    return Item(
        id=f"{name}.{number:04d}",
        suite="analogy",
        prompt=question(template, stem),
        choices=tuple(" : ".join(option) for option in options),
        gold=row.answer,
        tags={
            "relation": clean(row.prefix) if written(row.prefix) else name,
            "group": name.upper(),
            "probe": "multiple-choice",
            "paper_probe": "multiple-choice",
            "setting": "zero-shot",
        },
        facts={
            "query": list(stem),
            "options": [list(option) for option in options],
            **({} if template == DEFAULT else {"template": template}),
            "clusters": [f"{name}.{number:04d}"],
        },
    )
