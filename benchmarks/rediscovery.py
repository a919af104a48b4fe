"""Faults that others reported, looked for in released versions of reasoning-gym without being told where they are.

    pip download reasoning-gym==0.1.5 --no-deps -d wheels      (and 0.1.9, 0.1.16, 0.1.19, 0.1.25)
    python benchmarks/rediscovery.py wheels/*.whl [--size 200] [--write]

Each version makes its items in a process of its own, with the same seed; every label is held against what follows from
the question alone: `proband audit` for families and syllogisms, here a sorted list for numbers and every solution for
4 x 4 sudokus.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from itertools import permutations, product
from pathlib import Path
from typing import Any

import proband
from proband.core.files import write_json

HERE = Path(__file__).parent.parent / "experiments" / "replies"
MAKE = """
import json, sys, reasoning_gym
data = reasoning_gym.create_dataset(sys.argv[1], size=int(sys.argv[2]), seed=0)
print(json.dumps([{"question": str(e["question"]), "answer": str(e["answer"])} for e in data]))
"""
AUDITED = {"family_relationships": ("kinship", ""), "syllogism": ("syllogism", "inhabited")}


def made(package: Path, task: str, size: int) -> list[dict[str, str]]:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(
        [sys.executable, "-c", MAKE, task, str(size)], capture_output=True, text=True, env=environment, check=False
    )
    rows: list[dict[str, str]] = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else []
    return rows


def audited(rows: list[dict[str, str]], domain: str, world: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        found = proband.audit(path, out=Path(folder) / "audit", domain=domain, world=world)
    return {"verdicts": found["verdicts"], "findings": [[each["rows"], each["claim"]] for each in found["finding"]]}


def sorting(rows: list[dict[str, str]]) -> dict[str, Any]:
    """A label is right if it has the numbers of the question, in order."""
    wrong = []
    for row in rows:
        match = re.match(r"Sort these numbers in (\w+) order: (.+)", row["question"])
        if not match:
            continue
        numbers = sorted(map(float, match[2].split(", ")), reverse=match[1] == "descending")
        if numbers != [float(each) for each in ast.literal_eval(row["answer"])]:
            wrong.append(f"{match[0]} -> {row['answer']}")
    return {"rows": len(rows), "wrong": len(wrong), "example": wrong[0] if wrong else ""}


def sudokus(rows: list[dict[str, str]]) -> dict[str, Any]:
    """Every way to fill a 4 x 4 board: rows, columns and squares have each number once."""
    boards = [board for board in product(permutations(range(1, 5)), repeat=4) if _is_sudoku(board)]
    several = []
    for row in rows:
        lines = [re.findall(r"[1-4_]", line) for line in re.findall(r"(?m)^(?:[1-4_] ?){4}\s*$", row["question"])][-4:]
        fits = [
            b for b in boards if all(c in ("_", str(n)) for given, own in zip(lines, b) for c, n in zip(given, own))
        ]
        if len(fits) != 1:
            several.append(len(fits))
    return {"rows": len(rows), "several solutions": sum(n > 1 for n in several), "most": max(several, default=1)}


def _is_sudoku(board: tuple[tuple[int, ...], ...]) -> bool:
    squares = [{board[y + a][x + b] for a in (0, 1) for b in (0, 1)} for x in (0, 2) for y in (0, 2)]
    return all(len(set(column)) == 4 for column in zip(*board)) and all(len(each) == 4 for each in squares)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", type=Path, nargs="+")
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    figures: dict[str, Any] = {}
    for wheel in given.wheels:
        version = wheel.name.split("-")[1]
        with tempfile.TemporaryDirectory() as folder:
            zipfile.ZipFile(wheel).extractall(folder)
            found: dict[str, Any] = {
                "number_sorting": sorting(made(Path(folder), "number_sorting", given.size)),
                "mini_sudoku": sudokus(made(Path(folder), "mini_sudoku", given.size)),
            }
            for task, (domain, world) in AUDITED.items():
                found[task] = audited(made(Path(folder), task, given.size), domain, world)
        figures[version] = found
        print(version, json.dumps(found), flush=True)
    if given.write:  # versions that are not given again keep their figures
        kept = json.loads((HERE / "rediscovery.json").read_text(encoding="utf-8"))
        write_json(HERE / "rediscovery.json", kept | figures)


if __name__ == "__main__":
    main()
