"""Word vectors: spellings, unknown words, identity, the cache, memory."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.models.vectors.conftest import check

from proband.core.errors import ProbandError
from proband.models import load as load_model
from proband.models.vectors import word_vectors as vectors
from proband.models.vectors.word_vectors import WordVectors


def test_the_order_of_spellings() -> None:
    names = ["Paris", "paris", "new_york", "ice cream", "hot", "dog", "Los_Angeles"]
    table = WordVectors(names, np.eye(7), name="vec:x", identity={})

    def found(word: str) -> list[str]:
        row, known = table.vectors([word])
        return [names[i] for i in np.flatnonzero(row[0])] if known[0] else []

    assert found("Paris") == ["Paris"]
    assert found("PARIS") == ["paris"]
    assert found("New York") == ["new_york"]
    assert found("los angeles") == []
    assert found("Los Angeles") == ["Los_Angeles"]
    assert found("Ice_Cream") == ["ice cream"]
    assert found("Hot dog") == ["hot", "dog"]
    assert found("hot potato") == []
    np.testing.assert_allclose(table.vectors(["hot_dog"])[0].sum(), 1.0)
    strict = WordVectors(names, np.eye(7), name="vec:x", identity={}, phrases="none")
    assert not strict.vectors(["hot dog"])[1][0]
    assert strict.identity() != table.identity()


def test_unknown_words_are_rows_of_zeros_and_no_words_are_no_rows() -> None:
    table = WordVectors(["a"], np.array([[1.0, 2.0]]), name="vec:x", identity={})
    rows, known = table.vectors(["zzz", "a", "", "\ud800"])
    assert known.tolist() == [False, True, False, False]
    assert rows.tolist() == [[0, 0], [1, 2], [0, 0], [0, 0]]
    assert table.vectors([])[0].shape == (0, 2)


def test_the_second_start_does_not_read_the_source(
    source: Path, opened: Any, rows: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(source)
    monkeypatch.setattr(vectors, "open_vectors", None)
    monkeypatch.setattr(vectors, "sha256_file", None)
    check(opened(source), rows)


def test_identity_follows_the_content_not_the_place(source: Path, opened: Any, tmp_path: Path) -> None:
    before = opened(source).identity()
    copy = shutil.copy(source, tmp_path / "copy.txt")
    assert opened(copy).identity() == before
    assert len(list((tmp_path / "cache" / "vectors").glob("*/facts.json"))) == 1
    source.write_text(source.read_text(encoding="utf-8").replace("the ", "The ", 1), encoding="utf-8")
    assert opened(source).identity() != before
    assert opened(source).vocabulary[0] == "The"


def test_settings_are_checked(source: Path, opened: Any) -> None:
    for wrong, message in (
        ({"phrases": "sum"}, "'phrases' is 'sum'; it must be one of mean, none"),
        ({"device": "cpu"}, "vec:... has no option 'device'; it has phrases"),
    ):
        with pytest.raises(ProbandError, match=message):
            opened(source, **wrong)


def test_a_repeated_word_keeps_its_first_vector(tmp_path: Path, opened: Any) -> None:
    path = tmp_path / "table.txt"
    names = [f"w{i % 4000}" for i in range(9000)]
    path.write_text("".join(f"{name} {i} 0\n" for i, name in enumerate(names)))
    table = opened(path)
    assert list(table.vocabulary) == names[:4000]
    np.testing.assert_array_equal(table.matrix[:, 0], np.arange(4000))
    np.testing.assert_array_equal(table.vectors(["w17", "w3999"])[0][:, 0], [17, 3999])


@pytest.mark.parametrize("path", ["absent.vec", "."])
def test_no_file(opened: Any, tmp_path: Path, path: str) -> None:
    with pytest.raises(ProbandError, match=r"no such file|is a folder"):
        opened(tmp_path / path)


# ---- the cache -------------------------------------------------------------------------------------------------------


def store_of(tmp_path: Path) -> Path:
    (folder,) = [path.parent for path in (tmp_path / "cache" / "vectors").glob("*/facts.json")]
    return folder


FILES = ("rows.f4", "words.txt", "facts.json")


@pytest.mark.parametrize("name", FILES)
def test_a_short_or_missing_file_is_mended(source: Path, opened: Any, rows: Any, tmp_path: Path, name: str) -> None:
    opened(source)
    path = store_of(tmp_path) / name
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    check(opened(source), rows)
    path.unlink()
    check(opened(source), rows)


def test_a_conversion_that_fails_or_is_killed_leaves_nothing_to_be_used(
    source: Path, opened: Any, rows: Any, tmp_path: Path
) -> None:
    script = (
        "import os, sys; from pathlib import Path; from proband.models import load\n"
        "from proband.models.vectors import word_vectors as w\n"
        "write = w.write_json\n"
        "w.write_json = lambda path, facts: os.kill(os.getpid(), 9) if 'kind' in facts else write(path, facts)\n"
        "load('vec:' + sys.argv[1])"
    )
    done = subprocess.run([sys.executable, "-c", script, str(source)], check=False)
    assert done.returncode == -9
    assert len(list((tmp_path / "cache" / "vectors").glob(".converting-*"))) == 1
    assert not list((tmp_path / "cache" / "vectors").glob("*/facts.json"))
    check(opened(source), rows)


@pytest.mark.parametrize("content", [b"3 2\na 1 2\nb 3\n", b"0 2\n\n"])
def test_a_file_that_is_refused_leaves_nothing(tmp_path: Path, opened: Any, content: bytes) -> None:
    (tmp_path / "table.vec").write_bytes(content)
    with pytest.raises(ProbandError, match=r"table\.vec line 3: not a word|table\.vec: contains no word vectors"):
        opened(tmp_path / "table.vec")
    left = {path.name for path in (tmp_path / "cache" / "vectors").iterdir() if path.suffix != ".lock"}
    assert left == {"sources"}  # the checksum


def test_two_processes_convert_the_same_file_at_once(source: Path, opened: Any, rows: Any, tmp_path: Path) -> None:
    script = "import sys; from proband.models import load; load('vec:' + sys.argv[1])"
    command = [sys.executable, "-c", script, str(source)]
    for process in [subprocess.Popen(command) for _ in range(3)]:
        assert process.wait(timeout=60) == 0
    check(opened(source), rows)
    assert not list((tmp_path / "cache" / "vectors").glob(".converting-*"))


def test_an_unwritable_cache_is_one_line(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "taken"))
    with pytest.raises(ProbandError, match="taken"):
        load_model(f"vec:{source}")


# ---- memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.slow
def test_conversion_and_lookup_keep_the_memory_flat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A 160 MB table is converted and searched with less than that added to what an empty process takes."""
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "table.vec"
    with open(path, "wb") as file:
        file.write(b"100000 400\n")
        numbers = [b" ".join(b"%.3f" % x for x in row) for row in np.random.default_rng(0).normal(size=(50, 400))]
        file.writelines(b"w%d %s\n" % (i, numbers[i % 50]) for i in range(100_000))
    script = (
        "import json, resource, sys; from proband.models import load\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "table = load('vec:' + sys.argv[1])\n"
        "known = table.vectors([f'w{i}' for i in range(0, 100000, 100)])[1]\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(json.dumps([int(known.sum()), after - before]))"
    )
    for limit in (100_000, 100_000):  # the conversion; the second start
        command = [sys.executable, "-c", script, str(path)]
        found, taken = json.loads(subprocess.run(command, check=True, capture_output=True, timeout=200).stdout)
        assert found == 1000
        assert taken < limit
