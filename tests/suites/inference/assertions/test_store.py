"""The store gives what brute force gives, however it was filled; equal triples of different parts are one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.suites.inference.assertions.conftest import WORDS, brute, filled, flip_a_bit, triples

from proband.core.errors import ProbandError
from proband.lexicon.inflection import key
from proband.suites.inference.assertions import store as store_module
from proband.suites.inference.assertions.store import Store, build_index


@pytest.mark.parametrize("rows_per_file", [10_000, 60, pytest.param(1, marks=pytest.mark.nightly)])
def test_against_enumeration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows_per_file: int) -> None:
    """In one file and in several, some of them empty."""
    monkeypatch.setattr(store_module, "ROWS_PER_FILE", rows_per_file)
    parts = [triples(seed) for seed in range(3)]
    store, expected = filled(tmp_path / "s", parts), brute(parts)
    assert {(one.subject, one.relation, one.object): one.count for one in store.all()} == expected
    assert len(store) == len(expected)
    assert store.about.occurrences == expected.total()
    assert store.about.arguments == len({text for one in expected for text in (one[0], one[2])})
    assert store.about.keys == len({key(text) for text in WORDS})
    assert store.about.relations == 3
    assert len(store.about.by_subject) == {10_000: 1, 60: 32, 1: 256}[rows_per_file]
    wanted = (*WORDS, "CAT", "unknown")
    together = store.look_up(wanted)
    for text in wanted:
        for side, at in (("subject", 0), ("object", 2)):
            found = {(a.subject, a.relation, a.object): a.count for s, a in together[text] if s == side}
            assert found == {t: n for t, n in expected.items() if key(t[at]) == key(text)}
        assert store.look_up([text])[text] == together[text]


def test_another_format_is_refused(tmp_path: Path) -> None:
    folder = filled(tmp_path / "s", [triples(0)]).folder
    note = folder / "store.json"
    note.write_text(note.read_text().replace('"format": 3', '"format": 2'))
    with pytest.raises(ProbandError, match=r"store.json: has format 2, not 3"):
        Store(folder)


def test_any_tool_reads_it(tmp_path: Path) -> None:
    """Each assertion once under by_subject, and the same rows under by_object, in the order of their keys."""
    pq = pytest.importorskip("pyarrow.parquet")
    parts = [triples(seed) for seed in range(2)]
    filled(tmp_path / "s", parts)
    tables = [pq.read_table(tmp_path / "s" / name).to_pylist() for name in ("by_subject", "by_object")]
    for rows, side in zip(tables, ("subject", "object")):
        assert {(r["subject"], r["relation"], r["object"]): r["count"] for r in rows} == brute(parts)
        assert len(rows) == len(brute(parts))
        assert [r[f"{side}_key"] for r in rows] == sorted(key(r[side]) for r in rows)


def test_counts_do_not_overflow(tmp_path: Path) -> None:
    store = filled(tmp_path / "s", [[("a", "b", "c", 2**32 - 1)], [("a", "b", "c", 5)]])
    assert [one.count for one in store.all()] == [2**32 + 4]


def test_what_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="is not a store of assertions; make one with `proband inference assertions"):
        Store(tmp_path)
    with pytest.raises(ProbandError, match="contains no finished part"):
        build_index(tmp_path)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "store.json").write_text('{"format": 2, "segments": 1}')
    with pytest.raises(ProbandError, match="unknown field 'segments'"):
        Store(tmp_path / "old")


@pytest.mark.parametrize("name", ["by_subject/000.parquet", "by_object/000.parquet"])
def test_damage_is_found_on_opening(tmp_path: Path, name: str) -> None:
    filled(tmp_path / "s", [triples(0)])
    flip_a_bit(tmp_path / "s" / name)
    with pytest.raises(ProbandError, match=r"000\.parquet: is damaged \(its checksum differs\); rerun the command"):
        Store(tmp_path / "s")
    (tmp_path / "s" / name).unlink()
    with pytest.raises(ProbandError, match=r"000\.parquet: is missing; rerun the command"):
        Store(tmp_path / "s")
    build_index(tmp_path / "s")
    assert len(Store(tmp_path / "s")) == len(brute([triples(0)]))


def test_counts_must_agree(tmp_path: Path) -> None:
    filled(tmp_path / "s", [triples(0)])
    path = tmp_path / "s" / "store.json"
    about = json.loads(path.read_text())
    path.write_text(json.dumps({**about, "assertions": about["assertions"] - 1}))
    with pytest.raises(ProbandError, match="counts disagree"):
        Store(tmp_path / "s")
