"""Speed and memory of the kinship generator.

    python benchmarks/kinship.py rates [--tasks clean,all --k 3,4,6,10 --stories 20000 --seeds 3]
    python benchmarks/kinship.py start          CPU seconds of a process that builds one story per task and k
    python benchmarks/kinship.py memory         peak memory against the number of stories
    python benchmarks/kinship.py hundred        100,000 stories, k 2..10, two workers
    python benchmarks/kinship.py agree 20000    closure and search on so many stories over all tasks and k
    python benchmarks/kinship.py certify        items per second with --certify full

Everything is CPU time of one process, so that other work on the machine counts little. Rates are from the first story's
line to the last's, all seeds together and the slowest and fastest of them; start-up stands apart.
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
import json, resource, sys, time
from proband.core.files import encode
from proband.suites.kinship import SUITE
task, k, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
options = SUITE.options(task=task, k=k, per_k=count, certify="none")
lines = map(encode, SUITE.build(options, seed=seed).items)
size, began = len(next(lines)), time.process_time()
size += sum(map(len, lines))
ended, mb = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"stories": count - 1, "cpu": ended - began, "start": began, "mb": mb, "size": size}))
"""


def child(task: str, k: str, count: int, seed: int = 0) -> dict[str, float]:
    """What a process that builds so many stories says of itself on its last line."""
    arguments = [sys.executable, "-c", OURS, task, k, str(count), str(seed)]
    done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    said: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return said


def rates(given: argparse.Namespace) -> None:
    """Stories per CPU second."""
    print("| task | k | stories/s | slowest to fastest seed | start-up |\n|---|---|---|---|---|")
    for task in given.tasks.split(","):
        for k in given.k.split(","):
            said = [child(task, k, given.stories, seed) for seed in range(given.seeds)]
            pooled = sum(each["stories"] for each in said) / sum(each["cpu"] for each in said)
            each = sorted(one["stories"] / one["cpu"] for one in said)
            start = min(one["start"] for one in said)
            print(f"| {task} | {k} | {pooled:,.0f} | {each[0]:,.0f} to {each[-1]:,.0f} | {start:.2f} s |", flush=True)


def start(given: argparse.Namespace) -> None:
    best = min(child("clean", "3", 1)["start"] for _ in range(5))
    print(f"start-up with one story: {best:.2f} s of CPU")


def memory(given: argparse.Namespace) -> None:
    for count in (1_000, 10_000, 50_000):
        print(f"{count:>7,} stories: {child('clean', '3', count)['mb']:.0f} MB at most", flush=True)


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
    from proband.suites.kinship.generate.build import build
    from proband.suites.kinship.generate.options import TASKS, BuildOptions
    from proband.suites.kinship.logic import search as certify

    per_k = -(-given.count // (len(TASKS) * 9))
    began, right, total = time.process_time(), 0, 0
    options = BuildOptions(task=",".join(TASKS), k="2..10", per_k=per_k, certify="none")
    for item in build(options, seed=given.seed).items:
        facts = item.facts
        edges = [(i, word, j) for i, word, j in facts["edges"]]
        x, z = facts["query"]
        found = certify.entailed(facts["genders"], edges, (x, z), facts["target"])
        right, total = right + found, total + 1
        if not found:
            print("disagree:", item.id)
    print(f"closure and search agree on {right:,} of {total:,} stories; {time.process_time() - began:.0f} s of CPU")


def certified(given: argparse.Namespace) -> None:
    from proband.suites.kinship.generate.build import build
    from proband.suites.kinship.generate.options import BuildOptions

    for k in (2, 3, 4, 5, 6):
        began = time.process_time()
        count = sum(1 for _ in build(BuildOptions(k=k, per_k=1000, certify="full"), seed=1).items)
        print(f"k={k}: {count / (time.process_time() - began):,.0f} certified in full per CPU second", flush=True)


def verified(given: argparse.Namespace) -> None:
    """`proband verify`, after the start of the program."""
    import proband

    for k in (2, 3, 6, 10):
        with tempfile.TemporaryDirectory() as folder:
            proband.build("kinship", out=folder, k=k, per_k=4000)
            began = time.process_time()
            result = proband.verify(folder)
            spent = time.process_time() - began
            print(f"k={k}: {result['items'] / spent:,.0f} items verified per CPU second", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(required=True)
    for name, run in (
        ("rates", rates),
        ("start", start),
        ("memory", memory),
        ("certify", certified),
        ("verify", verified),
    ):
        verbs.add_parser(name).set_defaults(run=run)
    for name, kind, default in (
        ("--tasks", str, "clean,all"),
        ("--k", str, "3,4,6,10"),
        ("--stories", int, 20_000),
        ("--seeds", int, 3),
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
