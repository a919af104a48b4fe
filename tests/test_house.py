"""The size of each room of the house is at most what `house.toml` allows.

python tests/test_house.py          a table: lines, budget and goal of each room
python tests/test_house.py lower    budgets fall to what the rooms have today
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "house.toml"
PLACES = ("src/proband", "annotate/src", "benchmarks", "experiments", "plugins/proband-puzzles/src")
PACKAGE = "package"


def rooms() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def room_of(file: str, table: Mapping[str, Any]) -> str:
    """The room with the longest path that leads to a file.

    >>> room_of("a/b/c.py", {"x": {"paths": ["a"]}, "y": {"paths": ["a/b"]}})
    'y'
    """
    fitting = [
        (len(path), room)
        for room, entry in table.items()
        for path in entry.get("paths", ())
        if file == path or file.startswith(f"{path}/")
    ]
    return max(fitting)[1] if fitting else ""


def lines_by_room() -> Counter[str]:
    table, lines = rooms(), Counter[str]()
    for place in PLACES:
        for path in (ROOT / place).rglob("*.py"):
            if "node_modules" in path.parts or "build" in path.parts:
                continue
            file, count = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8").count("\n")
            lines[room_of(file, table)] += count
            if place == "src/proband":
                lines[PACKAGE] += count
    return lines


def test_no_room_is_larger_than_its_budget() -> None:
    table, lines = rooms(), lines_by_room()
    over = {}
    for room, entry in table.items():
        allowed = entry["lines"] + entry.get("building", {}).get("lines", 0)
        if lines[room] > allowed:
            over[room] = f"{lines[room]} lines, {allowed} allowed"
    assert not over, f"{over}: take out what the new code replaces (house.toml, docs/decisions)"


def test_every_file_is_in_a_room() -> None:
    assert not lines_by_room()[""]


def test_every_path_of_a_room_is_there() -> None:
    paths = [path for entry in rooms().values() for path in entry.get("paths", ())]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_extra_lines_for_a_replacement_are_dated_and_say_what_they_replace() -> None:
    for room, entry in rooms().items():
        if extra := entry.get("building"):
            assert set(extra) == {"lines", "since", "replaces"}, room
            assert isinstance(extra["since"], date), room
            assert extra["replaces"], room


def lower() -> None:
    """Write the table anew with budgets no larger than the rooms; nothing else in it changes."""
    table, lines, text = rooms(), lines_by_room(), TABLE.read_text(encoding="utf-8")
    for room, entry in table.items():
        if lines[room] < entry["lines"]:
            least = min(entry["lines"], max(lines[room], entry["goal"]))
            text = re.sub(rf"(?ms)^(\[{room}\].*?^lines = )\d+", rf"\g<1>{least}", text, count=1)
    TABLE.write_text(text, encoding="utf-8")


def show() -> None:
    table, lines = rooms(), lines_by_room()
    for room, entry in table.items():
        print(f"{room:14}{lines[room]:8,}{entry['lines']:9,}{entry['goal']:9,}")


if __name__ == "__main__":
    lower() if sys.argv[1:] == ["lower"] else show()
