"""Small nets."""

from __future__ import annotations

from pathlib import Path

from proband.core.files import dumps, write_text
from proband.core.types import Item

SMALL = {"epochs": 2, "hidden": 4, "width": 4, "min_count": 1, "device": "cpu"}


def build(folder: Path, items: list[Item]) -> Path:
    write_text(folder / "items.jsonl", "".join(dumps(each) + "\n" for each in items))
    write_text(folder / "whitelist.txt", "knife\nwhisk\npot\n")
    return folder
