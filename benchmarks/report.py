"""A report over 200,000 answers: CPU time and peak memory.

    python benchmarks/report.py [--answers 200000] [--models 5] [--json FILE]

Makes a synthetic analogy-like item set (4 groups, 40 relations, 4 probes, pairs sharing clusters) and as many runs as
asked for, as files, writes the whole report into a temporary folder and measures only `write_report`, which reads them.
The memory is the peak of the whole process (the part that made the files included).
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import resource
import tempfile
import time
from pathlib import Path

from proband.core.files import dumps, write_text
from proband.core.metrics import ACCURACY
from proband.core.plugins import NoOptions
from proband.core.suite import Built, MeasuredOn, Published, Suite, Table
from proband.core.types import Answer, Item, Run
from proband.reporting import AnsweredRun, ItemSet, write_report

GROUPS = ("ES", "LS", "DM", "IM")
ON = MeasuredOn(data="synthetic", fingerprints=frozenset())
PROBES = ("random-head", "random-tail", "reverse", "type")


def items_of(count: int) -> list[Item]:
    rng = random.Random(0)
    out = []
    for i in range(count):
        relation = i % 40
        a, b, c, d = (f"word{rng.randrange(9000)}" for _ in range(4))
        out.append(
            Item(
                id=f"analogy-{i:06d}",
                suite="analogy",
                prompt=f"{a} is to {b} as {c} is to {d}. This sentence stands for the length of a usual prompt.",
                choices=(f"{a} is to {b} as {c} is to {d}", f"{a} is to {b} as {d} is to {c}"),
                gold=i % 2,
                tags={
                    "group": GROUPS[relation % 4],
                    "relation": f"relation-{relation:02d}",
                    "probe": PROBES[i // 40 % 4],
                },
                facts={"clusters": [f"{relation}:{a}", f"{relation}:{c}"] if i % 2 else [f"{relation}:{a}"]},
            )
        )
    return out


def answers_of(items: list[Item], model: int) -> list[Answer]:
    rng = random.Random(model)
    return [
        Answer(item_id=item.id, scores=(rng.gauss(0, 1) + (item.gold == 0) * model / 4, rng.gauss(0, 1)))
        for item in items
    ]


def suite() -> Suite:
    order = {"group": GROUPS, "probe": PROBES}
    return Suite(
        name="analogy",
        question="How fast is a report?",
        cites="",
        build=lambda options, *, seed: Built(items=[], licence=""),
        options=NoOptions,
        solvers=(),
        metrics=(ACCURACY,),
        tables=(
            Table(name="groups", title="By group and probe", rows=("group",), columns=("probe",), order=order),
            Table(name="relations", title="By relation and probe", rows=("relation",), columns=("probe",), order=order),
        ),
        show=lambda item: f"{item.prompt}\n" + "\n".join(item.choices),
        published=lambda: [
            Published(
                model="p", metric="accuracy", group={"group": g, "probe": p}, value=0.7, source="synthetic", on=ON
            )
            for g in GROUPS
            for p in PROBES
        ],
    )


def files_of(folder: Path, count: int, *, models: int) -> ItemSet:
    """The items and runs as files."""
    items = items_of(count)
    write_text(folder / "items.jsonl", "".join(dumps(each) + "\n" for each in items))
    answered = []
    for m in range(models):
        write_text(folder / f"{m}.jsonl", "".join(dumps(each) + "\n" for each in answers_of(items, m)))
        run = Run(suite="analogy", solver="synthetic", model=f"m{m}", seed=0, items_sha="")
        answered.append(AnsweredRun(run=run, answers=folder / f"{m}.jsonl"))
    return ItemSet(suite=suite(), items_from=folder / "items.jsonl", answered=answered, source="synthetic")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=200_000)
    parser.add_argument("--models", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        loaded = files_of(Path(folder), options.answers // options.models, models=options.models)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        wall, cpu = time.perf_counter(), time.process_time()
        write_report([loaded], out=Path(folder) / "report")
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        size = sum(path.stat().st_size for path in (Path(folder) / "report").rglob("*") if path.is_file())
    found = {
        "answers": options.answers,
        "models": options.models,
        "cpu_s": round(cpu, 2),
        "wall_s": round(wall, 2),
        "peak_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "rss_before_mb": round(before / 1024),
        "folder_mb": round(size / 2**20, 1),
        "python": platform.python_version(),
    }
    print(json.dumps(found))
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
