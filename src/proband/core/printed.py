"""Figures printed in a paper that more than one room shows, from a file under data/."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def printed(name: str) -> Mapping[str, Mapping[int | None, float]]:
    """Figure -> k -> value, of a file with the columns table, figure, k (empty: of none) and value.

    >>> printed("kinship/people.csv")["paraphrases"]
    {1: 1868, 2: 1890, 3: 2258}
    >>> printed("kinship/people.csv")["jaccard_bigrams"]
    {None: 0.0385}
    """
    text = files("proband").joinpath("data", name).read_text(encoding="utf-8")
    found: dict[str, dict[int | None, float]] = {}
    for row in csv.DictReader(text.splitlines()):
        k = int(row["k"]) if row["k"] else None
        found.setdefault(row["figure"], {})[k] = float(row["value"]) if "." in row["value"] else int(row["value"])
    return found
