"""How long one item of a stream takes, by CPU time: items at random places up to 10^12, each made alone.

python benchmarks/reward_stream.py [--items 300]
"""

from __future__ import annotations

import argparse
import random
import time

from proband.rewards import Stream


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=300)
    items = parser.parse_args().items
    print("| k | form | median ms | 95 % below | reward of a reply, median ms |\n|---:|---|---:|---:|---:|")
    for k in ("2", "3", "4", "10"):
        for form in ("story", "facts"):
            stream, draw = Stream("kinship", k=k, form=form, seed=0), random.Random(0)
            stream.reward(stream[0], "aunt")  # rules and names are read once
            made, rewarded = [], []
            for _ in range(items):
                number = draw.randrange(10**12)
                begun = time.process_time()
                item = stream[number]
                between = time.process_time()
                stream.reward(item, f"The answer is {item.choices[number % 22]}.")
                made.append(1000 * (between - begun))
                rewarded.append(1000 * (time.process_time() - between))
            made.sort()
            rewarded.sort()
            print(
                f"| {k} | {form} | {made[items // 2]:.2f} | {made[items * 19 // 20]:.2f} | {rewarded[items // 2]:.2f} |"
            )


if __name__ == "__main__":
    main()
