"""Of how many test stories do the facts tell the gender of the person asked for? The others can only be guessed by whoever
is given no genders: `uncle` and `aunt` are one answer then.

    proband build kinship -o items --k 2,3,4 --per-k 5000 --hold-out clauses,paraphrases --test-k 2..10 --test-per-k 800
    python experiments/kinship/genders.py items
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from proband.core.files import read_items
from proband.suites.kinship.world.relations import NEUTRAL

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("items", type=Path)
gendered, stories = Counter[int](), Counter[int]()
for item in read_items(parser.parse_args().items):
    if item.split == "test":
        asked_for, k = item.facts["query"][1], int(item.tags["k"])
        stories[k] += 1
        gendered[k] += any(
            j == asked_for or (i == asked_for and NEUTRAL[relation] == "spouse")
            for i, relation, j in item.facts["edges"]
        )
for k, count in sorted(stories.items()):
    print(f"k = {k}: stated in {100 * gendered[k] / count:.1f} %; right at best {50 + 50 * gendered[k] / count:.1f} %")
print(
    f"all: stated in {100 * gendered.total() / stories.total():.1f} %; right at best {50 + 50 * gendered.total() / stories.total():.1f} %"
)
