"""Schemathesis over every address of the web app: whatever is sent, no answer is a 5xx.

python benchmarks/annotate_api.py --requests 5000
"""

from __future__ import annotations

import argparse
from collections import Counter

from annotate_parts import load_average
from fuzzing import fuzz
from servers import Process
from visitors import judge_study


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    given_words = parser.parse_args()
    statuses: Counter[int] = Counter()
    with judge_study(None, units=20, candidates=3, settings={"people": {"overlap": 5}}) as folder:
        process = Process(folder)
        process.start()
        turn = 0
        while sum(statuses.values()) < given_words.requests:
            statuses += fuzz(
                process.url, folder, given_words.requests - sum(statuses.values()), given_words.seed + turn
            )
            turn += 100
        process.stop()
    shown = ", ".join(f"{status}: {count:,}" for status, count in sorted(statuses.items()))
    print(f"{sum(statuses.values()):,} requests, none answered by a 5xx ({shown}; {load_average()})")
    assert sum(statuses.values()) >= given_words.requests
    assert statuses[200] + statuses[303] > given_words.requests // 10, "too few got past the door"


if __name__ == "__main__":
    main()
