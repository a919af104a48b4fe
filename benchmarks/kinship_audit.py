"""Speed of the counter-family search and of the audit.

    python benchmarks/kinship_audit.py [--per-k 400] [--data FOLDER_WITH_CLUTRR_RELEASES]

Builds clean stories and stories with all noise, then asks for each whether its label is entailed: first in a fresh
process (loading the solvers included), then with them loaded and the memory of patterns emptied, so that every story is
searched for, then from memory. With --data, audits the folder too. Times are CPU seconds (user + system, children
included), which a busy machine disturbs less than the clock.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ONE = """
import json, sys, time
from pathlib import Path
from proband.core.files import read_items
from proband.suites.kinship.logic import search as certify
items = list(read_items(Path(sys.argv[1])))
asked = [(i.facts["genders"], [tuple(e) for e in i.facts["edges"]], tuple(i.facts["query"]), i.facts["target"])
         for i in items]
def rate():
    began = time.process_time()
    wrong = [i.id for i, a in zip(items, asked) if not certify.entailed(*a)]
    assert not wrong, wrong
    return len(asked) / (time.process_time() - began)
cold = rate()
certify._entailed.cache_clear(); certify._consistent.cache_clear()
certify._entailed, certify._consistent = certify._entailed.__wrapped__, certify._consistent.__wrapped__
warm = rate()
from functools import lru_cache
certify._entailed, certify._consistent = lru_cache(None)(certify._entailed), lru_cache(None)(certify._consistent)
rate()
print(json.dumps({"task": items[0].tags["task"], "k": items[0].tags["k"], "stories": len(asked),
                  "patterns": len({certify.parts(*a[:3])[0] for a in asked}),
                  "fresh process": round(cold), "searched": round(warm), "remembered": round(rate())}))
"""


def run(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def certifier(per_k: int) -> list[dict[str, Any]]:
    found = []
    for task in ("clean", "all"):
        for k in (2, 3, 4, 5, 6, 8, 10):
            with tempfile.TemporaryDirectory() as folder:
                wanted = ["--task", task, "--k", str(k), "--per-k", str(per_k), "--certify", "none", "--seed", "7"]
                run([sys.executable, "-m", "proband", "build", "kinship", "-o", folder, *wanted])
                found.append(json.loads(run([sys.executable, "-c", ONE, folder])))
            print("|", " | ".join(str(value) for value in found[-1].values()), "|", flush=True)
    return found


def cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def auditor(data: Path) -> dict[str, Any]:
    from proband.pipeline.checking import audit

    with tempfile.TemporaryDirectory() as folder:
        began, clock = cpu(), time.monotonic()
        figures = audit(data, out=Path(folder))
        return {
            "rows": figures["rows"],
            "CPU seconds": round(cpu() - began, 1),
            "seconds by the clock": round(time.monotonic() - clock, 1),
            "verdicts": figures["verdicts"],
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-k", type=int, default=400)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {platform.system()}\n")
    print("| task | k | stories | patterns | fresh process, stories / CPU s | searched | remembered |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    certifier(options.per_k)
    if options.data:
        print("\n" + json.dumps(auditor(options.data), indent=2))


if __name__ == "__main__":
    main()
