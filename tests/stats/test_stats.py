"""The public statistics: the numbers of `proband compare`, without the rest of the package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from proband import stats
from proband.core.errors import ProbandError
from proband.pipeline.compare import compare

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
        (lambda: stats.plan(5, items=400), "a difference of shares is below 1"),
        (lambda: stats.plan(0.05, a=[1, 0] * 50, agreement=5), "agreement is 5; it must lie between -1 and 1"),
        (lambda: stats.plan(0.05, items=400, tests=0), "tests is 0; it must be 1 or more"),
        (lambda: stats.mean([1, 0, 1], clusters={"doc": "abc", "page": "ab"}), "differ in length: 'doc' 3, 'page' 2"),
        (lambda: stats.mean([1, 0] * 2, clusters=["a", None, "b", "b"]), "item 1 has no cluster name"),
        (lambda: stats.mean([1, 0], clusters=[("a", 1), ("a", np.nan)]), "item 1 has no cluster name"),
        (lambda: stats.mean([1, 0], clusters=stats.Clusters.named(None, 3)), "3 clusters for 2 items"),
        (lambda: stats.Scores.of([]), "one number per item"),
        (lambda: stats.Scores.of([[1, 0], [1]]), "one number per item"),
        (lambda: stats.Scores.of([1, 0], tags={"k": [1, 2]}).where(k=3).interval(), "a selection without items"),
        (lambda: stats.Scores.of([1, np.nan]), "item 1 is nan, which is not a score"),
        (lambda: stats.Scores.of([1, 0, 1], tags={"k": [0.5, 1.5]}), "2 names for 3 items"),
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
