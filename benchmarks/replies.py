"""How many replies of a chat model can be read: `python benchmarks/replies.py -m embedded:smollm2 -o FOLDER`.

Builds a small item set per suite, runs the model on a sample of it by solver `generate`, and prints a table of accuracy
and unread share. Runs that are in the folder already are only read; `--show` prints the unread replies.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from proband.core.files import read_answers, read_run
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.pipeline.report import score

SETS: dict[str, tuple[dict[str, Any], int]] = {
    "analogy": ({"per_relation": 10}, 120),
    "kinship": ({"task": "clean,memory", "k": "2,3", "per_k": 40}, 120),
    "inference": ({}, 80),
    "script": ({}, 64),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-m", "--model", default="embedded:smollm2")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--max-tokens", type=int, default=64)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    print("| suite | items | prompt | score | chance | unread |\n|---|---:|---|---:|---:|---:|")
    for suite, (options, limit) in SETS.items():
        if not (given.out / suite / "items.jsonl").exists():
            build(suite, out=given.out / suite, **options)
        place = given.out / "runs" / suite
        if not (place / "run.json").exists():
            asked: dict[str, Any] = {"solver": "generate", "limit": limit, "options": {"max-tokens": given.max_tokens}}
            run(given.out / suite, model=given.model, out=place, **asked)
        made, found = read_run(place / "run.json"), score(place)
        chance = "" if found["chance"] is None else f"{100 * found['chance']:.1f}"
        figures = f"{100 * found['mean']:.1f} | {chance} | {100 * found['unread']:.1f} %"
        print(f"| {suite} | {found['answers']} | {made.settings['prompt']} | {figures} |")
        for answer in read_answers(place / "answers.jsonl") if given.show else ():
            if answer.status == "unread":
                print(f"  {answer.item_id}: {answer.text!r}")


if __name__ == "__main__":
    main()
