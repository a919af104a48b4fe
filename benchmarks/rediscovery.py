"""Every task that a prover settles, in released versions of reasoning-gym: what is found, without being told where.

    pip download reasoning-gym==0.1.5 --no-deps -d wheels      (and 0.1.9, 0.1.16, 0.1.19, 0.1.25)
    python benchmarks/rediscovery.py wheels/*.whl [--size 100] [--write]

Each version makes its items in a process of its own, with the same seed; `proband audit` holds their labels against
what follows from their questions. Nothing here knows a report: which finding is whose is said beside the table
(experiments/replies).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import proband
from proband.core.files import write_json
from proband.proof.row_source import gym_tasks

HERE = Path(__file__).parent.parent / "experiments" / "replies"
MAKE = """
import json, sys, reasoning_gym
for task in sys.argv[2:]:
    if task in reasoning_gym.factory.DATASETS:
        data = reasoning_gym.create_dataset(task, size=int(sys.argv[1]), seed=0)
        print(json.dumps([task, [{"question": str(e["question"]), "answer": str(e["answer"])} for e in data]]))
"""


def generated(package: Path, size: int) -> dict[str, list[dict[str, str]]]:
    """The items of a version, by task; some versions do not have all."""
    environment = {**os.environ, "PYTHONPATH": str(package)}
    command = [sys.executable, "-c", MAKE, str(size), *gym_tasks()]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True)
    return dict(json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))


def audited(rows: list[dict[str, str]], domain: str, world: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        found = proband.audit(path, out=Path(folder) / "audit", domain=domain, world=world)
    second = found["second prover"]
    return {
        "verdicts": found["verdicts"],
        "second prover": f"{second['agree']} of {second['rows']}",
        "findings": [[each["rows"], each["claim"]] for each in found["finding"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheels", type=Path, nargs="+")
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    figures: dict[str, Any] = {}
    for wheel in given.wheels:
        version = wheel.name.split("-")[1]
        figures[version] = {}
        with tempfile.TemporaryDirectory() as folder:
            zipfile.ZipFile(wheel).extractall(folder)
            for task, rows in generated(Path(folder), given.size).items():
                figures[version][task] = audited(rows, *gym_tasks()[task])
                print(version, task, json.dumps(figures[version][task]), flush=True)
    if given.write:  # versions that are not given again keep their figures
        kept = json.loads((HERE / "rediscovery.json").read_text(encoding="utf-8"))
        write_json(HERE / "rediscovery.json", kept | figures)


if __name__ == "__main__":
    main()
