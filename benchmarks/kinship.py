"""Speed and memory of the kinship generator.

    python benchmarks/kinship.py rates [--tasks clean,all --k 3,4,6,10 --stories 20000]
    python benchmarks/kinship.py start          CPU seconds of a process that builds one story per task and k
    python benchmarks/kinship.py memory         peak memory against the number of stories
    python benchmarks/kinship.py hundred        100,000 stories, k 2..10, two workers
    python benchmarks/kinship.py agree 20000    closure and search on so many stories over all tasks and k
    python benchmarks/kinship.py certify        items per second with --certify full

Everything is CPU time of one process (os.times of the child), so that other work on the machine counts little; rates
are marginal, (stories of the long run - of the short run) / (its CPU - the short run's), and start-up stands apart.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

OURS = """
import json, resource, sys
from proband.suites.kinship.build import build
task, k, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
size = sum(len(line) for line in build(seed=0, task=task, k=k, per_k=count, certify="none").items)
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"rows": count, "cpu": usage.ru_utime + usage.ru_stime, "mb": usage.ru_maxrss / 1024, "size": size}))
"""


def child(python: str, code: str, *arguments: object) -> dict[str, float]:
    """What a process says of itself on its last line."""
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([python, "-c", code, *map(str, arguments)], capture_output=True, text=True, env=env)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    said: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return said


def marginal(short: dict[str, float], long: dict[str, float]) -> float:
    return (long["rows"] - short["rows"]) / (long["cpu"] - short["cpu"])


def rates(given: argparse.Namespace) -> None:
    """Stories per CPU second."""
    print("| task | k | stories/s | start-up |\n|---|---|---|---|")
    for task in given.tasks.split(","):
        for k in given.k.split(","):
            short, long = (child(sys.executable, OURS, task, k, n) for n in (1, given.stories))
            print(f"| {task} | {k} | {marginal(short, long):,.0f} | {short['cpu']:.2f} s |", flush=True)


def start(given: argparse.Namespace) -> None:
    best = min(child(sys.executable, OURS, "clean", "3", 1)["cpu"] for _ in range(5))
    print(f"start-up with one story: {best:.2f} s of CPU")


def memory(given: argparse.Namespace) -> None:
    for count in (1_000, 10_000, 50_000):
        print(
            f"{count:>7,} stories: {child(sys.executable, OURS, 'clean', '3', count)['mb']:.0f} MB at most", flush=True
        )


def hundred(given: argparse.Namespace) -> None:
    import proband

    with tempfile.TemporaryDirectory() as folder:
        began, before = time.monotonic(), os.times()
        manifest: dict[str, Any] = proband.build(
            "kinship", out=folder, seed=0, k="2..10", per_k=11_112, workers=given.workers
        )
        wall, after = time.monotonic() - began, os.times()
        cpu = sum(after[:4]) - sum(before[:4])
        print(f"{manifest['items']:,} stories: {wall:.0f} s of wall clock, {cpu:.0f} s of CPU, {given.workers} workers")


def agree(given: argparse.Namespace) -> None:
    """The closure's answer against the search for a counter-family, on stories of every task and length."""
    from proband.suites.kinship import certify
    from proband.suites.kinship.build import build
    from proband.suites.kinship.plan import TASKS

    per_k = -(-given.count // (len(TASKS) * 9))
    began, right, total = time.process_time(), 0, 0
    for line in build(seed=given.seed, task=",".join(TASKS), k="2..10", per_k=per_k, certify="none").items:
        facts = json.loads(str(line))["facts"]
        edges = [(i, word, j) for i, word, j in facts["edges"]]
        x, z = facts["query"]
        found = certify.entailed(facts["genders"], edges, (x, z), facts["target"])
        right, total = right + found, total + 1
        if not found:
            print("disagree:", line)
    print(f"closure and search agree on {right:,} of {total:,} stories; {time.process_time() - began:.0f} s of CPU")


def certified(given: argparse.Namespace) -> None:
    from proband.suites.kinship.build import build

    for k in (2, 3, 4, 5, 6):
        began = time.process_time()
        count = sum(1 for _ in build(seed=1, k=k, per_k=1000, certify="full").items)
        print(f"k={k}: {count / (time.process_time() - began):,.0f} certified in full per CPU second", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    for name, run in (("rates", rates), ("start", start), ("memory", memory), ("certify", certified)):
        verbs.add_parser(name).set_defaults(run=run)
    for name, kind, default in (
        ("--tasks", str, "clean,all"),
        ("--k", str, "3,4,6,10"),
        ("--stories", int, 20_000),
    ):
        verbs.choices["rates"].add_argument(name, type=kind, default=default)
    many = verbs.add_parser("hundred")
    many.add_argument("--workers", type=int, default=2)
    many.set_defaults(run=hundred)
    both = verbs.add_parser("agree")
    both.add_argument("count", type=int)
    both.add_argument("--seed", type=int, default=2026)
    both.set_defaults(run=agree)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
