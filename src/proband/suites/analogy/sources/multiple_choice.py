"""SAT, U2, U4 and the other sets of Ushio et al. 2021b: JSON lines with stem, choice, answer, prefix."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.suite import Built
from proband.core.types import Item
from proband.suites.analogy.relations import Pair
from proband.suites.analogy.sources.bats import clean, written
from proband.suites.analogy.templates import fill, pattern

ENDINGS = (".jsonl", ".jsonl.gz")


def looks_like(path: Path) -> bool:
    """A JSON-lines file whose first line has a stem."""
    if not path.is_file() or not path.name.endswith(ENDINGS):
        return False
    try:
        first = next(iter(_lines(path)), (0, "{}"))[1]
        return '"stem"' in first
    except (ProbandError, EOFError):
        return False


def build(path: Path, *, template: str) -> Built:
    """The items keep their own order of choices, so they need no seed."""
    counts: Counter[str] = Counter()

    def stream() -> Iterator[Item]:
        shape = pattern(template)
        for number, line in _lines(path):
            item = _item(line, path, number, shape)
            counts[str(item.tags["relation"])] += 1
            yield item

    return Built(
        items=stream(), licence="as the file's own; not ours to give", summary=lambda: {"relations": dict(counts)}
    )


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    raw = path.read_bytes()
    try:
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ProbandError(f"cannot be read as UTF-8 lines: {error}", file=path) from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


def _item(line: str, path: Path, number: int, shape: str) -> Item:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProbandError(f"is not JSON: {error}", file=path, line=number) from error
    if not isinstance(row, dict):
        raise ProbandError("must be an object", file=path, line=number)
    stem, options, gold = _pair(row.get("stem")), row.get("choice"), row.get("answer")
    if stem is None:
        raise ProbandError("'stem' must be two words", file=path, line=number)
    pairs = [_pair(option) for option in options] if isinstance(options, list) else []
    if len(pairs) < 2 or None in pairs:
        raise ProbandError("'choice' must be a list of pairs", file=path, line=number)
    if not isinstance(gold, int) or isinstance(gold, bool) or not 0 <= gold < len(pairs):
        raise ProbandError(f"'answer' is {gold!r} but there are {len(pairs)} choices", file=path, line=number)
    known = [pair for pair in pairs if pair is not None]
    name = path.name.split(".")[0]
    section = row.get("prefix")
    return Item(
        id=f"{name}.{number:04d}",
        suite="analogy",
        prompt="Which pair completes the analogy? " + fill(shape, stem, ("___", "___")),
        choices=tuple(" : ".join(option) for option in known),
        gold=gold,
        tags={
            "relation": clean(str(section)) if written(section) else name,
            "group": name.upper(),
            "probe": "multiple-choice",
            "paper_probe": "multiple-choice",
            "setting": "zero-shot",
        },
        facts={
            "query": list(stem),
            "options": [list(option) for option in known],
            "clusters": [f"{name}.{number:04d}"],
        },
    )


def _pair(value: Any) -> Pair | None:
    if isinstance(value, list) and len(value) == 2 and all(written(w) for w in value):
        return clean(value[0]), clean(value[1])
    return None
