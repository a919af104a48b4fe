"""Runs commands of `proband`, given as lines of JSON on stdin, each in a process of its own (a fork, so that a command
costs no second of imports); gives the status of each as a line."""

from __future__ import annotations

import importlib
import json
import os
import sys

LOADED = ("commands", "erasing", "backup", "result_commands", "results.reading", "store.migrate", "tasks", "tokens")


def run(words: list[str], output: str) -> int:
    from proband.cli import main

    child = os.fork()
    if not child:
        file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, 1)
        os.dup2(file, 2)
        sys.exit(main(words))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    for name in LOADED:
        importlib.import_module(f"proband_annotate.{name}")
    sys.modules["proband_annotate.tasks"].names()  # of all suites, which it imports
    for line in sys.stdin:
        given = json.loads(line)
        print(run(given["words"], given["output"]), flush=True)
