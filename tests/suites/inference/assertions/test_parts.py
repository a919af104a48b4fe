"""Parts of a store: their order, and a part that is lost, damaged or unfinished."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.suites.inference.assertions.conftest import brute, filled, flip_a_bit, triples

from proband.core.errors import ProbandError
from proband.suites.inference.assertions.store import Store, build_index


def test_the_order_of_parts_changes_nothing_that_is_read(tmp_path: Path) -> None:
    parts = [triples(seed) for seed in range(3)]
    one, other = filled(tmp_path / "a", parts), filled(tmp_path / "b", parts[::-1])
    assert sorted(map(repr, one.all())) == sorted(map(repr, other.all()))


def test_an_unfinished_unit_is_not_read(tmp_path: Path) -> None:
    store = filled(tmp_path / "s", [triples(0), triples(1)])
    (tmp_path / "s" / "parts" / "u1.done").unlink()
    build_index(tmp_path / "s")
    assert len(Store(tmp_path / "s")) == len(brute([triples(0)])) < len(store)


def test_a_part_that_is_lost_or_damaged_is_not_passed_over(tmp_path: Path) -> None:
    filled(tmp_path / "s", [triples(0), triples(1)])
    part = tmp_path / "s" / "parts" / "u1.001.parquet"
    flip_a_bit(part)
    with pytest.raises(ProbandError, match=r"u1\.001\.parquet: is damaged .*; delete u1\.done and rerun"):
        build_index(tmp_path / "s")
    part.unlink()
    with pytest.raises(ProbandError, match=r"u1\.001\.parquet: is missing; delete u1\.done and rerun"):
        build_index(tmp_path / "s")


def test_the_same_parts_give_the_same_bytes(tmp_path: Path) -> None:
    parts = [triples(seed) for seed in range(3)]
    for name in ("one", "two"):
        filled(tmp_path / name, parts)
    one, two = ((tmp_path / name / "store.json").read_bytes() for name in ("one", "two"))
    assert one == two
