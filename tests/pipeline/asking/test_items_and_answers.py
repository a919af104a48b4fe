"""Samples of items: of those that count, in proportion, the same in every run."""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import proband
from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import dumps, read_answers, read_items, read_run, write_text
from proband.core.types import Item
from proband.pipeline.asking.items_and_answers import select_items
from proband.stats.clusters import quotas


def write(folder: Path, items: list[Item]) -> Path:
    write_text(folder / "items.jsonl", "".join(dumps(item) + "\n" for item in items))
    return folder


def lines(folder: Path, **settings: Any) -> NDArray[np.bool_]:
    """For each line, whether it is asked."""
    return select_items(folder, suite=suites.suite("analogy"), **settings).lines


def analogy(count: int, split: str = "test", name: str = "q") -> list[Item]:
    """Items of two groups (3 to 1) and three probes by turns."""
    return [
        Item(
            id=f"{name}{n}",
            suite="analogy",
            prompt="?",
            choices=("a : b", "b : a"),
            gold=0,
            tags={
                "relation": "made",
                "probe": "type",
                "group": "ES" if n % 4 else "IM",
                "paper_probe": ("random", "reverse", "type")[n % 3],
                "setting": "zero-shot",
            },
            facts={"query": ["c", "d"], "options": [["a", "b"], ["b", "a"]]},
            split=split,  # type: ignore[arg-type]
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("limit", [1, 7, 12, 100, 239, 240, 1000])
def test_a_sample_has_the_proportions_of_every_tag(tmp_path: Path, limit: int) -> None:
    items = analogy(240)
    chosen = lines(write(tmp_path, items), limit=limit)
    sample = [item for item, wanted in zip(items, chosen, strict=True) if wanted]
    assert len(sample) == min(limit, 240)
    for tag in ("group", "paper_probe"):
        every, found = (Counter(item.tags[tag] for item in each) for each in (items, sample))
        assert all(abs(found[value] - len(sample) * n / 240) < 1.01 for value, n in every.items())


def test_a_larger_sample_contains_the_smaller_one_and_not_the_first_lines(tmp_path: Path) -> None:
    write(tmp_path, analogy(240))
    small, large = (lines(tmp_path, limit=n) for n in (12, 60))
    assert large[small].all()
    assert small[:12].sum() < 6


def test_quotas_of_unequal_kinds_follow_their_sizes() -> None:
    rng = np.random.default_rng(0)
    kinds = list(product("abc", (1, 2, 3, 4)))
    sizes = rng.integers(0, 200, len(kinds))
    quota = quotas(kinds, sizes, 150)
    assert quota.sum() == 150
    assert (quota <= sizes).all()
    assert np.abs(quota - 150 * sizes / sizes.sum()).max() < 2


def test_training_items_are_not_sampled_but_learnt_from(tmp_path: Path) -> None:
    mixed = [item for pair in zip(analogy(40, "train", "t"), analogy(40)) for item in pair]
    write(tmp_path / "items", mixed)
    alone, learning = (lines(tmp_path / "items", limit=8, training=t) for t in (False, True))
    assert (alone.sum(), learning.sum()) == (8, 48)
    assert not alone[::2].any()
    assert learning[::2].all()
    proband.run(tmp_path / "items", model="baseline:random", out=tmp_path / "run", limit=8, cache=False)
    answers = list(read_answers(tmp_path / "run" / "answers.jsonl"))
    assert len(answers) == 8
    assert all(answer.item_id.startswith("q") for answer in answers)
    assert read_run(tmp_path / "run" / "run.json").settings == {"limit": 8, "split": "test", "asked": 8}


def test_a_folder_of_training_items_alone_is_sampled(tmp_path: Path) -> None:
    write(tmp_path, analogy(40, "train"))
    assert lines(tmp_path, limit=8).sum() == 8


def test_a_stopped_run_of_a_sample_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "items", analogy(700))
    for name in ("one", "two"):
        proband.run(tmp_path / "items", model="baseline:random", out=tmp_path / name, limit=600, cache=False)
    whole = (tmp_path / "one" / "answers.jsonl").read_bytes()
    (tmp_path / "two" / "answers.jsonl").unlink()
    (tmp_path / "two" / "answers.arrived.jsonl").write_bytes(
        b"".join(whole.splitlines(keepends=True)[:300]) + b'{"item'
    )
    proband.run(tmp_path / "items", model="baseline:random", out=tmp_path / "two", limit=600, cache=False)
    assert (tmp_path / "two" / "answers.jsonl").read_bytes() == whole


@pytest.mark.data
def test_a_limit_on_clutrr_leaves_test_stories(data: Path, tmp_path: Path) -> None:
    """The first rows of a release: its training stories stand first, and outnumber the others."""
    (tmp_path / "release").mkdir()
    for file in sorted((data / "clutrr" / "data_089907f8").glob("*.csv.gz")):
        rows = list(csv.reader(io.StringIO(gzip.decompress(file.read_bytes()).decode())))
        with open(tmp_path / "release" / file.name.removesuffix(".gz"), "w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(rows[: 41 if "train" in file.name else 4])
    proband.build("kinship", out=tmp_path / "items", data=str(tmp_path / "release"))
    splits = {item.id: item.split for item in read_items(tmp_path / "items")}
    assert Counter(splits.values())["train"] == 40
    proband.run(tmp_path / "items", model="solver:symbolic", out=tmp_path / "run", limit=8, cache=False)
    ids = [answer.item_id for answer in read_answers(tmp_path / "run" / "answers.jsonl")]
    assert len(ids) == 8
    assert {splits[each] for each in ids} == {"test"}


def test_a_sample_has_the_same_pairs_under_every_control(tmp_path: Path) -> None:
    proband.build("inference", out=tmp_path / "items", splits="test", control="all")
    proband.run(tmp_path / "items", model="solver:lemma", out=tmp_path / "run", limit=53)
    asked = {answer.item_id for answer in read_answers(tmp_path / "run" / "answers.jsonl")}
    pairs: dict[str, set[str]] = {}
    for item in read_items(tmp_path / "items"):
        if item.id in asked:
            pairs.setdefault(str(item.tags["control"]), set()).add(str(item.facts.get("source", item.id)))
    assert len(pairs) > 3
    assert len({frozenset(each) for each in pairs.values()}) == 1
    assert 53 - len(pairs) < len(asked) <= 53


def test_a_tag_that_no_item_has_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    folder = write(tmp_path, analogy(8))
    with pytest.raises(ProbandError, match=r"no item has a tag 'prob' \(did you mean probe\?\); there are .*relation"):
        lines(folder, where={"prob": "type"})
    with pytest.raises(ProbandError, match="--where probe=other: no item has these tags"):
        lines(folder, where={"probe": "other"})
