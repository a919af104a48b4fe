"""One training step of the script suite's nets, beside figures of the released code (script_released.json).

    OMP_NUM_THREADS=1 python benchmarks/script.py [--device cuda] [--rounds 7]

Batch of 32, abstract lines of 9 words, concrete texts of 37, 2,005 words, the released sizes (128 units, word vectors
and hidden layer of 100, dropout 0.5 before the softmax); the step as training takes it: forward, backward, clipping,
AdamW, the mean of the weights. On the processor: one thread, CPU seconds; peak memory is the resident set's growth over
a process that has already taken a small step. On a CUDA device: recorded and replayed, wall time with synchronisation,
memory reserved by the recording.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from proband.suites.script.nets.layers import NetShape
from proband.suites.script.nets.task import ScriptTask, marginal, viterbi_em
from proband.training.recipe import Recipe
from proband.training.steps import Steps

SIZE, POSITIONS, WORDS, VOCABULARY = 32, 9, 37, 2005
CASES: dict[str, tuple[str, Any]] = {
    "lm": ("lm", marginal),
    "seq2seq": ("seq2seq", marginal),
    "attention": ("attention", marginal),
    "marginal, fixed": ("transducer", marginal),
    "marginal, parameterised": ("transducer-param", marginal),
    "Viterbi EM, fixed": ("transducer", viterbi_em),
    "Viterbi EM, parameterised": ("transducer-param", viterbi_em),
}


def stepper(case: str, device: str, size: int = SIZE) -> Callable[[], None]:
    kind, objective = CASES[case]
    torch.manual_seed(0)
    draw = np.random.default_rng(0).integers(5, VOCABULARY, (size, POSITIONS + WORDS)).tolist()
    pairs = [(row[:POSITIONS], row[POSITIONS:]) for row in draw]
    shape, table = NetShape(vocabulary=VOCABULARY, shift=-1.4), torch.randn(VOCABULARY, 100)
    task = ScriptTask(kind, shape, table, pairs, pairs, recipe=Recipe(batch=size, average=0.998), device=device)
    stream = torch.cuda.Stream() if device != "cpu" else None  # type: ignore[no-untyped-call]
    steps = Steps(task, task.network().train(), device=device, stream=stream)

    def step() -> None:
        if stream is None:
            steps.learn(objective, range(size), rate=1e-3, share=0.002)
        else:
            with torch.cuda.stream(stream):
                steps.learn(objective, range(size), rate=1e-3, share=0.002)

    return step


def seconds(step: Callable[[], None], device: str, rounds: int) -> list[float]:
    step()
    found = []
    for _ in range(rounds):
        if device == "cpu":
            began = time.process_time()
            step()
            found.append(time.process_time() - began)
        else:
            torch.cuda.synchronize()
            began = time.perf_counter()
            for _ in range(40):
                step()
            torch.cuda.synchronize()
            found.append((time.perf_counter() - began) / 40)
    return found


def memory(case: str, device: str) -> float:
    """Peak megabytes of one step."""
    if device != "cpu":
        torch.cuda.empty_cache()
        step, before = stepper(case, device), torch.cuda.memory_reserved()
        step()
        return float(torch.cuda.memory_reserved() - before) / 1e6
    printed = subprocess.run(
        [sys.executable, __file__, "--memory-of", case], capture_output=True, text=True, check=True
    )
    return float(printed.stdout)


def resident(case: str) -> float:
    """Growth of this process's resident set over two steps (Linux)."""
    stepper(case, "cpu", size=2)()  # libraries loaded
    step = stepper(case, "cpu")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the highest value so far
    before = _status("VmRSS")
    step()
    step()
    return _status("VmHWM") - before


def _status(key: str) -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) * 1024 / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    args = parser.parse_args()
    torch.set_num_threads(1)
    if args.memory_of:
        print(resident(args.memory_of))
        return
    released = json.loads((Path(__file__).parent / "script_released.json").read_text(encoding="utf-8"))
    there = released["gpu" if args.device != "cpu" else "cpu"]["steps"]
    print("| step | ms, least | median | words / s | peak MB | released ms | released peak MB |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for case in CASES:
        found = seconds(stepper(case, args.device), args.device, args.rounds)
        best, other = min(found), there.get(case, {})
        cells = [best * 1e3, statistics.median(found) * 1e3, SIZE * WORDS / best, memory(case, args.device)]
        beside = [other.get("ms", ""), other.get("peak_mb", "")]
        digits = 0 if args.device == "cpu" else 2
        print(f"| {case} | " + " | ".join([f"{cell:,.{digits}f}" for cell in cells] + [str(x) for x in beside]) + " |")


if __name__ == "__main__":
    main()
