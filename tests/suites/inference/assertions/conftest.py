"""Stores of random triples, and what brute force gives."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from proband.suites.inference.assertions.parts import write_unit
from proband.suites.inference.assertions.sources import SourceUnit
from proband.suites.inference.assertions.store import Store, build_index

WORDS = ("cat", "cats", "the cat", "dog", "the dogs", "Paris", "paris", "a house", "houses", "it", "the red house")


def triples(seed: int, n: int = 400) -> list[tuple[str, str, str, int]]:
    rng = random.Random(seed)
    relations = ("sees", "is in", "was built by")
    return [(rng.choice(WORDS), rng.choice(relations), rng.choice(WORDS), rng.randint(1, 9)) for _ in range(n)]


def filled(folder: Path, parts: list[list[tuple[str, str, str, int]]]) -> Store:
    (folder / "parts").mkdir(parents=True)
    for number, part in enumerate(parts):
        subjects, relations, objects, counts = zip(*part, strict=True)
        unit = SourceUnit(path=Path("a.txt"), format="text", start=0, end=None, name=f"u{number}")
        write_unit(folder, unit, [((subjects, relations, objects, counts), len(part))])
    build_index(folder)
    return Store(folder)


def brute(parts: list[list[tuple[str, str, str, int]]]) -> Counter[tuple[str, str, str]]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for part in parts:
        for subject, relation, thing, count in part:
            counts[subject, relation, thing] += count
    return counts


def flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
