"""The answer cache: damage is found and one model's answers are never another's."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.core.protocols import Score, Text
from proband.pipeline.asking.model_calls import Cached, CachedCalls

ME = {"name": "m", "weights": "1"}
HOW = {"call": "score", "method": "pll"}


def file_of(calls: CachedCalls) -> Path:
    assert calls.path is not None
    return calls.path


def cache(folder: Path, **changes: str) -> CachedCalls:
    return CachedCalls(folder, identity={**ME, **changes}, settings=HOW)


def test_a_flipped_byte_in_any_record_is_found(tmp_path: Path) -> None:
    first = cache(tmp_path)
    right = {f"sentence {i}": [-float(i), i, 1] for i in range(100)}
    for sentence, value in right.items():
        first.put([sentence], [value])
    rng = random.Random(0)
    whole = file_of(first).read_bytes()
    for _ in range(200):
        at, bit = rng.randrange(len(whole)), 1 << rng.randrange(8)
        damaged = bytearray(whole)
        damaged[at] ^= bit
        file_of(first).write_bytes(bytes(damaged))
        known = cache(tmp_path).answers
        assert {**right, **known} == right  # what is left is as it was written
        assert len(right) - len(known) in (1, 2)  # 2: the newline


def test_every_record_damaged_is_computed_anew(tmp_path: Path) -> None:
    first = cache(tmp_path)
    for i in range(1000):
        first.put([str(i)], [i])
    lines = file_of(first).read_bytes().splitlines(keepends=True)
    rng = random.Random(1)
    broken = []
    for line in lines:
        at = rng.randrange(len(line) - 1)
        broken.append(line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :])
    file_of(first).write_bytes(b"".join(broken))
    again = cache(tmp_path)
    assert again.answers == {}
    again.put(["7"], [7])
    assert cache(tmp_path).answers.get("7") == 7


def test_a_torn_tail_costs_one_record(tmp_path: Path) -> None:
    first = cache(tmp_path)
    first.put(["a"], [1])
    first.put(["b"], [2])
    whole = file_of(first).read_bytes()
    file_of(first).write_bytes(whole[:-5])
    again = cache(tmp_path)
    assert (again.answers.get("a"), again.answers.get("b")) == (1, None)
    again.put(["c"], [3])
    last = cache(tmp_path)
    assert (last.answers.get("a"), last.answers.get("b"), last.answers.get("c")) == (1, None, 3)


@pytest.mark.parametrize("change", [{"name": "other"}, {"weights": "2"}, {"tokenizer": "x"}])
def test_another_model_gets_nothing(tmp_path: Path, change: dict[str, str]) -> None:
    cache(tmp_path).put(["a"], [1])
    assert cache(tmp_path, **change).answers.get("a") is None


def test_a_file_under_the_wrong_name_serves_nothing(tmp_path: Path) -> None:
    mine, other = cache(tmp_path), cache(tmp_path, name="other")
    mine.put(["a"], [1])
    file_of(mine).rename(file_of(other))
    assert cache(tmp_path, name="other").answers.get("a") is None


def test_other_settings_get_nothing(tmp_path: Path) -> None:
    cache(tmp_path).put(["a"], [1])
    assert CachedCalls(tmp_path, identity=ME, settings={**HOW, "method": "ll"}).answers.get("a") is None


WRITER = """
import sys
from pathlib import Path
from proband.pipeline.asking.model_calls import Cached, CachedCalls
about = {"identity": {"name": "m", "weights": "1"}, "settings": {"call": "score", "method": "pll"}}
mine = CachedCalls(Path(sys.argv[1]), **about)
for i in range(int(sys.argv[2]), int(sys.argv[2]) + 200):
    mine.put([str(i)], [i])
"""


def test_two_writers_at_a_time_lose_nothing(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), start]) for start in ("0", "200")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    after = cache(tmp_path)
    assert sorted(after.answers.values()) == list(range(400))


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    class Model:
        name = "numpy"

        def identity(self) -> dict[str, str]:
            return ME

        def score(self, texts: list[Text], *, method: str) -> list[Score]:
            return [Score(np.float32(-33), np.int64(1), 1) for _ in texts]  # type: ignore[arg-type]

    model: Any = Cached(Model(), tmp_path).wrapped()
    assert model.score([Text("a")], method="ll") == [Score(-33.0, 1, 1)]
