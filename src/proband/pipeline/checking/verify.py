"""Re-check the certificates of a built folder, item by item, from the files alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import items_path, parse, raw_lines, read_json, sha256_file
from proband.core.progress import Progress
from proband.core.types import Item
from proband.pipeline.asking.answers_file import count_lines
from proband.pipeline.run import suite_of

SHOWN = 20  # problems that are told in full


def verify(items: str | Path) -> Mapping[str, Any]:
    """How many items were checked and how; what is wrong, with file, line and item. The caller decides what to do
    about `failed`."""
    path = items_path(Path(items))
    suite = suite_of(items)
    if suite.verify is None:
        raise ProbandError(f"items of suite {suite.name!r} carry no certificates", file=path)
    how, problems = Counter[str](), list[str]()
    if changed := _changed(path):
        problems.append(changed)
    with Progress("verify", total=count_lines(path)) as bar:
        for number, raw in raw_lines(path):
            item = parse(Item, raw, file=path, line=number)
            if item.suite != suite.name:
                raise ProbandError(
                    f"'suite' is {item.suite!r}, the first item's {suite.name!r}", file=path, line=number
                )
            found = suite.verify(item)
            how[found.how] += 1
            if found.problem and len(problems) < SHOWN:
                problems.append(f"{path} line {number}, item {item.id!r}: {found.problem}")
            bar.advance(1)
    return {"items": how.total(), "checked": dict(how.most_common()), "failed": how["failed"], "problems": problems}


def _changed(path: Path) -> str | None:
    """Whether items.jsonl is not the file that its manifest describes."""
    manifest = path.parent / "manifest.json"
    if not manifest.is_file():
        return None
    recorded = read_json(manifest).get("sha256", {}).get(path.name)
    if recorded is not None and recorded != sha256_file(path):
        return f"{path}: not the file that manifest.json describes (sha256)"
    return None
