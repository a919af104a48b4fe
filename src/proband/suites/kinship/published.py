"""The paper's own figures, as facts: table 3.2 (people) and table 3.8 (networks under noise).

The networks of table 3.8 were trained on one kind of stories (k = 2, 3) and tested on another, so the training data
are part of the model's name. Two columns of its first block (RN and BERT trained on clean stories) cannot be told
apart in our text of the paper and are left out.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from proband.core.suite import Published
from proband.core.types import Tag


@cache
def published() -> Sequence[Published]:
    """
    >>> [p.value for p in published() if p.model == "people (time limited)"]
    [0.848, 0.773, 0.477, 0.424, 0.406]
    """
    text = (files("proband") / "data" / "kinship" / "published.csv").read_text(encoding="utf-8")
    found = []
    for row in csv.DictReader(text.splitlines()):
        group: dict[str, Tag] = {"task": row["task"]}
        if row["k"]:
            group["k"] = int(row["k"])
        source = f"Sinha 2022, table {row['table']}"
        found.append(
            Published(model=row["model"], metric="accuracy", group=group, value=float(row["value"]), source=source)
        )
    return found
