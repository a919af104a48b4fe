"""Word vectors: every published format against gensim, damage, memory."""

from __future__ import annotations

import gzip
import json
import random
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.models.vectors.conftest import WORDS, as_text, check

from proband.core.errors import ProbandError
from proband.models import load as load_model


def keyed(rows: np.ndarray[Any, Any]) -> Any:
    from gensim.models import KeyedVectors

    table = KeyedVectors(vector_size=rows.shape[1])
    table.add_vectors(WORDS, rows)
    return table


# ---- formats -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("binary", [False, True])
def test_reads_what_gensim_writes(tmp_path: Path, opened: Any, rows: Any, binary: bool) -> None:
    path = tmp_path / "table.any"
    keyed(rows).save_word2vec_format(str(path), binary=binary)
    check(opened(path), rows)


def test_word2vec_binary_of_the_original_tool_ends_rows_with_a_newline(tmp_path: Path, opened: Any, rows: Any) -> None:
    path = tmp_path / "table.txt"  # the ending lies
    body = b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(WORDS, rows))
    path.write_bytes(f"{len(WORDS)} {rows.shape[1]}\n".encode() + body)
    check(opened(path), rows)


def test_glove_text_has_no_header(tmp_path: Path, opened: Any, rows: Any) -> None:
    path = tmp_path / "glove.bin"
    path.write_text(as_text(rows, header=False), encoding="utf-8")
    table = opened(path)
    check(table, rows)
    assert table.identity()["format"] == "glove-text"


def test_fasttext_text_ends_lines_with_a_space_and_windows_adds_a_return(
    tmp_path: Path, opened: Any, rows: Any
) -> None:
    path = tmp_path / "wiki.vec"
    path.write_bytes(as_text(rows, header=True).replace("\n", " \r\n").encode())
    check(opened(path), rows)


def test_glove_words_with_spaces(tmp_path: Path, opened: Any) -> None:
    path = tmp_path / "glove.txt"
    path.write_text("the 1 2\n. . . 3 4\nat name@domain.com 5 6\n")
    assert list(opened(path).vocabulary) == ["the", ". . .", "at name@domain.com"]


def test_gzip_gives_the_same_table_and_archives_are_refused(tmp_path: Path, opened: Any, rows: Any) -> None:
    (tmp_path / "table.bin").write_bytes(gzip.compress(as_text(rows, header=True).encode(), mtime=0))
    check(opened(tmp_path / "table.bin"), rows)
    with zipfile.ZipFile(tmp_path / "glove.txt", "w") as archive:
        archive.writestr("glove.7d.txt", as_text(rows, header=False))
    with pytest.raises(ProbandError, match=r"glove.txt: is a zip archive: unpack it first"):
        opened(tmp_path / "glove.txt")


def test_a_repeated_word_keeps_its_first_vector(tmp_path: Path, opened: Any) -> None:
    path = tmp_path / "table.txt"
    names = [f"w{i % 4000}" for i in range(9000)]
    path.write_text("".join(f"{name} {i} 0\n" for i, name in enumerate(names)))
    table = opened(path)
    assert list(table.vocabulary) == names[:4000]
    np.testing.assert_array_equal(table.matrix[:, 0], np.arange(4000))
    np.testing.assert_array_equal(table.vectors(["w17", "w3999"])[0][:, 0], [17, 3999])


# ---- the cache -----------------------------------------------------------------------------------------------------


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


# ---- malformed files -----------------------------------------------------------------------------------------------

GOOD = "a 1 2\nb 3 4\nc 5 6\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"3 2\n", "line 1: ends after its first line"),
        (b"3 2\na 1 2\nb 3\nc 5 6\n", "line 3: not a word with 2 numbers"),
        (b"3 2\na 1 2\nb 3 4 5\nc 5 6\n", "line 3: not a word with 2 numbers"),
        (b"a 1 2\nb 3\n", "line 2: not a word with 2 numbers"),
        (b"3 2\na 1 2\nb 3 x4\nc 5 6\n", "line 3: has a value that is not a finite number"),
        (b"3 2\na 1 2\nb 3 1-2\nc 5 6\n", "line 3: has a value that is not a finite number"),
        (b"3 2\na 1 2\nb  4\nc 5 6\n", "line 3: has a value that is not a finite number"),
        (b"3 2\na 1 2\nb 3 nan\nc 5 6\n", "line 3: has a value that is not a finite number"),
        (b"3 2\na 1 2\nb 3 1e39\nc 5 6\n", "line 3: has a value that is not a finite number"),
        (b"4 2\n" + GOOD.encode(), "line 1: the header declares 4 words, but there are 3"),
        (b"2 2\n" + GOOD.encode(), "line 4: continues after the 2 words that its header declares"),
        (b"3 2\na 1 2\n\nc 5 6\n", "line 3: not a word with 2 numbers"),
        (b"3 2\na 1 2\n 3 4\nc 5 6\n", "line 3: not a word with 2 numbers"),
        (b"3 0\na\nb\nc\n", "0 dimensions"),
        (b"just one line of words\n", "line 1: has a value that is not a finite number"),
        (b"word\n", "line 1: 0 dimensions"),
        (b"\x00\x01\x02\x03", "neither text nor a known binary format"),
        (b"2 2\na " + struct.pack("<2f", 1, 2) + b"b " + struct.pack("<f", 3), "ends within word 2 of 2"),
        (b"2 2\na " + struct.pack("<2f", 1, 2), "ends within word 2 of 2"),
        (b"1 2\na " + struct.pack("<2f", 1, 2) + b"b " + struct.pack("<2f", 3, 4), "continues after the 1 words"),
        (b"1 2\na " + struct.pack("<2f", 1, float("nan")), "word 1 has a number that is not finite"),
        (gzip.compress(GOOD.encode(), mtime=0)[:-9], "damaged or cannot be read"),
        (b"PK\x03\x04nothing", "is a zip archive"),
    ],
)
def test_a_malformed_file_is_one_line_that_names_the_place(
    tmp_path: Path, opened: Any, content: bytes, message: str
) -> None:
    path = tmp_path / "table.vec"
    path.write_bytes(content)
    with pytest.raises(ProbandError) as error:
        opened(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)
    assert "\n" not in str(error.value)
    assert not list((tmp_path / "cache" / "vectors").glob("*/facts.json"))


def test_bad_utf8_is_replaced(tmp_path: Path, opened: Any) -> None:
    path = tmp_path / "table.vec"
    path.write_bytes(b"caf\xe9 1 2\nb 3 4\n")
    assert list(opened(path).vocabulary) == ["caf\ufffd", "b"]


def test_mutations_never_give_a_traceback_or_a_number_that_is_not_finite(tmp_path: Path, opened: Any) -> None:
    """Random damage to good files of each format: a one-line refusal, or a finite table."""
    rng = random.Random(3)
    binary = b"3 2\n" + b"".join(w + b" " + struct.pack("<2f", 1, 2) for w in (b"a", b"b", b"c"))
    good = [b"3 2\n" + GOOD.encode(), GOOD.encode(), binary, gzip.compress(GOOD.encode(), mtime=0)]
    path, refusals = tmp_path / "mutant", []
    for turn in range(300):
        raw = bytearray(good[turn % len(good)])
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(min(len(raw), 400))
            raw[place : place + rng.randint(0, 2)] = rng.randbytes(rng.randint(0, 2))
        path.write_bytes(raw)
        try:
            table = opened(path)
        except ProbandError as error:
            refusals.append(str(error))
        else:
            assert np.isfinite(table.matrix).all()
    assert len(refusals) > 100
    assert all("\n" not in refusal for refusal in refusals)


@pytest.mark.parametrize("path", ["absent.vec", "."])
def test_no_file(opened: Any, tmp_path: Path, path: str) -> None:
    with pytest.raises(ProbandError, match=r"no such file|is a folder"):
        opened(tmp_path / path)


# ---- memory --------------------------------------------------------------------------------------------------------


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
