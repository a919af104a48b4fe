"""Memory and time of every verb at 20,000, 200,000 and 2,000,000 kinship stories.

    python benchmarks/scale.py 20000 200000 [2000000] [--folder DIR] [--verbs run-majority,report]

Prints one Markdown table per size: wall seconds, CPU seconds (children included), peak memory of the largest process,
and the size of what was written. Items are built once per folder; every other verb starts afresh, without the answer
cache. The command is `proband` of the environment that runs this script.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LENGTHS = "2,3,4"  # the default of `build kinship`: 1.2 kB an item


def measured(words: list[str], folder: Path) -> tuple[float, float, float]:
    """(wall seconds, CPU seconds, peak MB) of a command; it must succeed."""
    environment = {**os.environ, "PROBAND_CACHE": str(folder / ".cache"), "OMP_NUM_THREADS": "1"}
    began = time.monotonic()
    child = subprocess.Popen(
        [sys.executable, "-m", "proband", *words], cwd=folder, env=environment, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"proband {' '.join(words)} failed")
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes there, in KiB here
    return time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss * unit / 1e6


def size(path: Path) -> float:
    """Megabytes of a file or of all files below a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def verbs(count: int) -> dict[str, tuple[list[str], str]]:
    """name -> (arguments, what it writes)."""
    per_k = str(-(-count // 3))
    return {
        "build, two workers": (
            ["build", "kinship", "-o", "items", "--k", LENGTHS, "--per-k", per_k, "--workers", "2"],
            "items/items.jsonl",
        ),
        "run baseline:majority": (["run", "items", "-m", "baseline:majority", "-o", "runs/majority"], "runs/majority"),
        "run solver:symbolic": (["run", "items", "-m", "solver:symbolic", "-o", "runs/symbolic"], "runs/symbolic"),
        "report of one run": (["report", "runs/majority", "-o", "report"], "report"),
        "compare": (["compare", "runs/majority", "runs/symbolic"], ""),
        "export --to hf": (["export", "items", "--to", "hf", "-o", "hf"], "hf"),
        "show one item": (["show", "items", "{last}"], ""),
        "audit of our own items": (["audit", "items", "-o", "audit"], "audit"),
    }


def last_id(items: Path) -> str:
    """The id of the last item: the worst case of `show`."""
    with open(items, "rb") as file:
        file.seek(max(0, items.stat().st_size - 100_000))
        return file.read().splitlines()[-1].split(b'"', 4)[3].decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="+", type=int)
    parser.add_argument("--folder", type=Path, help="where to work (default: a temporary folder)")
    parser.add_argument("--verbs", help="only verbs whose name contains one of these, comma-separated")
    given = parser.parse_args()
    for count in given.sizes:
        folder = (given.folder or Path(tempfile.mkdtemp(prefix="scale-"))) / str(count)
        folder.mkdir(parents=True, exist_ok=True)
        print(
            f"\n{count:,} stories, k {LENGTHS}\n\n| verb | wall s | CPU s | peak MB | written MB |",
            "|---|---:|---:|---:|---:|",
            sep="\n",
            flush=True,
        )
        for name, (words, written) in verbs(count).items():
            items = folder / "items" / "items.jsonl"
            wanted = given.verbs is None or any(part in name for part in given.verbs.split(","))
            if not wanted and not (name.startswith("build") and not items.exists()):
                continue
            if written and not name.startswith("build"):
                shutil.rmtree(folder / written, ignore_errors=True)
            words = [last_id(items) if word == "{last}" else word for word in words]
            wall, cpu, memory = measured(words, folder)
            out = f"{size(folder / written):,.1f}" if written else ""
            print(f"| {name} | {wall:.1f} | {cpu:.1f} | {memory:,.0f} | {out} |", flush=True)
        if given.folder is None:
            shutil.rmtree(folder.parent)


if __name__ == "__main__":
    main()
