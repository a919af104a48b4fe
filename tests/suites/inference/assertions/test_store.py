"""The store gives what brute force gives, however it was filled; equal triples of different parts are one."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.lexicon.inflection import key
from proband.suites.inference.assertions import merging
from proband.suites.inference.assertions import store as store_module
from proband.suites.inference.assertions.encoded import encode
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
        encode(subjects, relations, objects, counts).save(folder / "parts" / f"u{number}.part001")
        (folder / "parts" / f"u{number}.done").write_text("{}")
    build_index(folder)
    return Store(folder)


def brute(parts: list[list[tuple[str, str, str, int]]]) -> Counter[tuple[str, str, str]]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for part in parts:
        for subject, relation, thing, count in part:
            counts[subject, relation, thing] += count
    return counts


@pytest.mark.parametrize(("segment", "bits"), [(10_000, 64), (60, 64), (1, 64), (10_000, 8)])
def test_against_enumeration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, segment: int, bits: int) -> None:
    """In one segment and in several; triples that fit into one number and triples that do not."""
    monkeypatch.setattr(store_module, "SEGMENT", segment)
    monkeypatch.setattr(merging, "BITS", bits)
    parts = [triples(seed) for seed in range(3)]
    store, expected = filled(tmp_path / "s", parts), brute(parts)
    assert {(one.subject, one.relation, one.object): one.count for one in store.all()} == expected
    assert len(store) == len(expected)
    assert store.about.occurrences == expected.total()
    assert store.about.arguments == len({text for one in expected for text in (one[0], one[2])})
    assert store.about.keys == len({key(text) for text in WORDS})
    assert store.about.segments == {10_000: 1, 60: 16, 1: 16}[segment]
    for wanted in (*WORDS, "CAT", "unknown"):
        sides: dict[str, Counter[tuple[str, str, str]]] = {"subject": Counter(), "object": Counter()}
        for part, side, rows in store.rows(wanted):
            for row in rows.tolist():
                one = store_module.as_text(part, row)
                sides[side][one.subject, one.relation, one.object] += one.count
        assert sides["subject"] == Counter({t: n for t, n in expected.items() if key(t[0]) == key(wanted)})
        assert sides["object"] == Counter({t: n for t, n in expected.items() if key(t[2]) == key(wanted)})


def test_the_order_of_parts_changes_nothing_that_is_read(tmp_path: Path) -> None:
    parts = [triples(seed) for seed in range(3)]
    one, other = filled(tmp_path / "a", parts), filled(tmp_path / "b", parts[::-1])
    assert sorted(map(repr, one.all())) == sorted(map(repr, other.all()))


def test_an_unfinished_unit_is_not_read(tmp_path: Path) -> None:
    store = filled(tmp_path / "s", [triples(0), triples(1)])
    (tmp_path / "s" / "parts" / "u1.done").unlink()
    build_index(tmp_path / "s")
    assert len(Store(tmp_path / "s")) == len(brute([triples(0)])) < len(store)


def test_counts_do_not_overflow(tmp_path: Path) -> None:
    store = filled(tmp_path / "s", [[("a", "b", "c", 2**32 - 1)], [("a", "b", "c", 5)]])
    assert [one.count for one in store.all()] == [2**32 - 1]


def test_what_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="is no store of assertions; `proband assertions"):
        Store(tmp_path)
    with pytest.raises(ProbandError, match="contains no finished part"):
        build_index(tmp_path)
    filled(tmp_path / "s", [triples(0)])
    (tmp_path / "s" / "index" / "00" / "rows.npy").unlink()
    with pytest.raises(ProbandError, match="cannot be read"):
        Store(tmp_path / "s")
