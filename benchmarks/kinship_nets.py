"""How long the kinship nets take: preparing the data, and an epoch of each net, in CPU-seconds.

python benchmarks/kinship_nets.py ITEMS [--nets bilstm-mean,rmc] [--stories 1000]

ITEMS is a folder that `proband build kinship` made, of our stories or of CLUTRR's rows (`--data`). One thread.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

import torch

from proband.suites.kinship import SUITE
from proband.suites.kinship.nets.task import KinshipTask, task
from proband.training.fit import fit

NETS = (
    "bilstm-mean",
    "bilstm-attention",
    "relation-network",
    "mac",
    "rmc",
    "gat",
    "composer",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("items", type=Path)
    parser.add_argument("--nets", default=",".join(NETS))
    parser.add_argument("--stories", type=int, default=1000, help="training stories of the timed epoch")
    given = parser.parse_args()
    torch.set_num_threads(1)
    for kind in given.nets.split(","):
        options = replace(SUITE.net(kind).options(), epochs=1, held_out=0.0, device="cpu")
        began = time.process_time()
        plan = task(given.items, kind=kind, options=options, seed=0)
        prepared = time.process_time() - began
        part = KinshipTask(kind, plan.options, plan.vocabulary, plan.train[: given.stories], ())
        began = time.process_time()
        fit(part, seed=0)
        took = time.process_time() - began
        print(f"{kind:18} {len(plan.train):6,} stories prepared in {prepared:6.2f} s; ", end="")
        print(f"an epoch of {part.size:,}: {took:7.2f} s, {1000 * took / part.size:6.2f} ms a story", flush=True)


if __name__ == "__main__":
    main()
