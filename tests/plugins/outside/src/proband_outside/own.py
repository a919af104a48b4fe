"""What the suite `more` declares besides items: a command and an auditor."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from proband.core.files import read_items, write_json
from proband.core.suite import Audit


def largest(
    items: Annotated[Path, Meta(description="Folder of items.")],
    /,
    *,
    top: Annotated[int, Meta(title="N", ge=1, description="How many to print.")] = 3,
) -> dict[str, Any]:
    """Print the largest numbers of an item set.

    Example: proband more largest items --top 5
    """
    numbers = {int(choice) for item in read_items(items) for choice in item.choices}
    return {"largest": sorted(numbers, reverse=True)[:top]}


def reads(source: str) -> bool:
    """A CSV file of the columns a, b and larger."""
    path = Path(source)
    return path.suffix == ".csv" and path.is_file() and path.read_text().splitlines()[:1] == ["a,b,larger"]


def audit(source: str, *, out: Path) -> Mapping[str, Any]:
    path = Path(source)
    rows = list(csv.DictReader(path.read_text().splitlines()))
    right = Counter(max(int(row["a"]), int(row["b"])) == int(row["larger"]) for row in rows)
    verdicts = {"true": right[True], "false": right[False]}
    write_json(out / "summary.json", verdicts)
    return {"rows": len(rows), "verdicts": verdicts, "page": {"title": path.name, "verdicts": verdicts}}


AUDIT = Audit(reads=reads, run=audit, page="proband_outside:audit.html")
