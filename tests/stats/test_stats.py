"""The public statistics: the numbers of `proband compare`, without the rest of the package."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

from proband import stats
from proband.core.errors import ProbandError
from proband.pipeline.compare import compare
from proband.pipeline.plan import plan

RNG = np.random.default_rng(28)
TEXTS = [f"text {i // 3}" for i in range(120)]
A, B = ((RNG.random(120) < share).astype(float) for share in (0.7, 0.55))


def table(path: Path, values: np.ndarray) -> Path:
    rows = [f"q{i},{value:g},{text}" for i, (value, text) in enumerate(zip(values, TEXTS))]
    path.write_text("\n".join(["item,correct,cluster", *rows]) + "\n", encoding="utf-8")
    return path


def test_differences_are_those_of_compare(tmp_path: Path) -> None:
    (group,) = compare(table(tmp_path / "a.csv", A), table(tmp_path / "b.csv", B))["groups"]
    found = stats.difference(A, B, clusters=TEXTS)
    for theirs, ours in (("difference", "value"), *((name, name) for name in ("low", "high", "p", "detectable"))):
        assert getattr(found, ours) == pytest.approx(group[theirs], abs=1e-12)
    assert (found.n, found.clusters) == (group["n"], group["clusters"]) == (120, 40)
    assert (found.p or 1.0) < 0.05 or found.low <= 0 <= found.high
    alone = stats.difference(A, B)
    assert alone.clusters == 120
    against = stats.difference(A, B, clusters=TEXTS, margin=found.low)
    assert against.p == pytest.approx(0.05, abs=1e-6)


def test_means_follow_units_and_clusters() -> None:
    plain, shared = stats.mean(A), stats.mean(A, clusters=TEXTS)
    assert plain.low < plain.mean < plain.high
    assert shared.high - shared.low >= plain.high - plain.low
    assert stats.mean([1.0] * 20).high == 1.0  # a share stays inside [0, 1]
    seconds = stats.mean(A * 30)
    assert seconds.high > 1
    assert stats.mean(A[:5]).few
    crossed = stats.mean(A, clusters=[(text, f"template {i % 7}") for i, text in enumerate(TEXTS)])
    assert crossed.high - crossed.low >= shared.high - shared.low


def test_training_seeds_are_a_second_source_of_chance() -> None:
    runs = [np.clip(A + shift, 0, 1) for shift in (0, 0, 0)]
    runs[1] = np.where(np.arange(120) < 20, 0.0, runs[1])
    runs[2] = np.where(np.arange(120) >= 100, 0.0, runs[2])
    one = stats.mean(np.mean(runs, axis=0))
    several = stats.mean(runs)
    assert several.mean == pytest.approx(one.mean)
    assert several.from_seeds is not None
    assert several.high - several.low > one.high - one.low
    assert stats.difference(A, B, seeds=True).note == "one seed: training chance unknown"
    assert stats.difference(runs, B).note == ""


def test_plans_are_those_of_the_pipeline(tmp_path: Path) -> None:
    from proband.pipeline.build import build

    build("analogy", out=tmp_path / "items", per_relation=2)
    expected = plan(tmp_path / "items", difference=0.05)
    rows = [json.loads(line) for line in (tmp_path / "items" / "items.jsonl").read_text().splitlines()]
    tested = [frozenset(row["facts"]["clusters"]) for row in rows if row["split"] == "test"]
    found = stats.plan(0.05, clusters=tested)
    assert expected["more_clusters"] is not None
    assert found.items == expected["more_clusters"]["items"]
    assert found.power == pytest.approx(expected["now"]["power"])
    assert found.detectable == pytest.approx(expected["now"]["detectable"])
    one = stats.plan(0.1, a=A, clusters=TEXTS)
    assert 0 < (one.detectable or 0.0) < 1
    pilot = stats.plan(0.1, a=A, b=B, clusters=TEXTS)
    assert pilot.items is not None
    assert pilot.items > 60


FORMS: dict[str, Callable[[list[list[int]]], Any]] = {  # of the columns of clusters
    "tuples of integers": lambda columns: list(zip(*columns)),
    "an array": lambda columns: np.array(columns).T,
    "a pandas frame": lambda columns: pd.DataFrame({str(at): each for at, each in enumerate(columns)}),
    "a polars frame": lambda columns: pl.DataFrame({str(at): each for at, each in enumerate(columns)}),
    "a mapping": lambda columns: {str(at): each for at, each in enumerate(columns)},
}


@pytest.mark.parametrize("form", FORMS)
def test_naming_a_further_kind_by_codes_never_makes_a_result_more_significant(form: str) -> None:
    """Codes of two kinds both begin at 0: they are different clusters; a row of an array is no cluster of its own."""
    rng, make = np.random.default_rng(0), FORMS[form]
    for _ in range(40):
        n = int(rng.integers(40, 120))
        columns = [[i // 6 for i in range(n)], rng.integers(0, int(rng.integers(3, 20)), n).tolist()]
        effects = sum(rng.normal(size=max(column) + 1)[column] for column in columns)
        a, b = ((effects + rng.normal(size=n) < q).astype(float) for q in (0.5, 0.0))
        one, two = (stats.difference(a, b, clusters=make(columns[:count])) for count in (1, 2))
        assert two.p is None or two.p >= (one.p or 0.0) - 1e-12
        assert two.few >= one.few
        assert two == stats.difference(a, b, clusters=[(f"x{i}", f"y{j}") for i, j in zip(*columns)])
        assert one == stats.difference(a, b, clusters=columns[0])


def test_clusters_of_one_kind_are_a_set_of_names() -> None:
    pairs = [(i, j) for i in range(8) for j in range(8) if i != j]
    x = [float((i + j) % 3 > 0) for i, j in pairs]
    alike = stats.mean(x, clusters=[{i, j} for i, j in pairs])
    apart = stats.mean(x, clusters=pairs)
    assert (alike.clusters, apart.clusters) == (8, 8)
    assert apart.effective <= alike.effective


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: stats.mean([]), "one number per item"),
        (lambda: stats.mean([1, None]), "item 1 is nan"),
        (lambda: stats.mean(["yes"]), "one number per item"),
        (lambda: stats.mean([1, 0], clusters=["a"]), "1 clusters for 2 items"),
        (lambda: stats.difference([1, 0], [1]), "a has 2 items and b 1"),
        (lambda: stats.plan(0.05), "two pilot systems"),
        (lambda: stats.plan(0.05, a=[1, 0], b=[1, 0]), "do not differ"),
    ],
)
def test_errors_in_one_line(call: object, words: str) -> None:
    with pytest.raises(ProbandError, match=words):
        call()  # type: ignore[operator]


def test_nothing_else_is_imported() -> None:
    program = (
        "import sys, json, time\n"
        "from proband import stats\n"
        "stats.difference([1, 0, 1] * 9, [0, 0, 1] * 9, clusters=list('abc') * 9)\n"
        "print(json.dumps([m for m in sys.modules if m.startswith('proband.') or '.' not in m]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = json.loads(done.stdout)
    assert not {"torch", "transformers", "polars", "pandas"} & set(loaded)
    rooms = {name.split(".")[1] for name in loaded if name.startswith("proband.")}
    assert rooms == {"core", "stats"}
    assert not any(name.startswith(("proband.core.suite", "proband.core.protocols")) for name in loaded)
