"""Are labels of reasoning-gym's `aiw` false by one reading only? Every way to count Matilda, and the man as a brother.

    python benchmarks/aiw_readings.py DATA/published_replies/reasoning_gym/aiw.jsonl.gz

A question that stands at both levels counts once.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter

from proband_puzzles.circles import read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", metavar="AIW.jsonl.gz")
    with gzip.open(parser.parse_args().rows, "rt", encoding="utf-8") as lines:
        labels = {row["question"]: int(row["label"]) for row in map(json.loads, lines)}
    counts: Counter[str] = Counter()
    for question, label in labels.items():
        said = read(question)
        if said is None:
            continue
        counts[said.kind] += 1
        if said.kind != "colleagues":
            counts[f"{said.kind}: label is her women and herself"] += label == said.women + 1
            if said.kind == "stranger":
                counts["stranger: she has one brother"] += said.men == 1
            continue
        both = said.women + said.others - 1
        for name, right in (("both numbers", both), ("one number", both + 1), ("neither", both + 2)):
            counts[f"colleagues: label right, Matilda in {name}"] += label == right
        counts["colleagues: label false in every way"] += label not in (both, both + 1, both + 2)
    for name, count in sorted(counts.items()):
        print(f"{count:4} {name}")


if __name__ == "__main__":
    main()
