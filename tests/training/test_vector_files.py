"""Word-vector files: every published format against gensim, and damage."""

from __future__ import annotations

import gzip
import random
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.models.vectors.conftest import WORDS, as_text, example_rows

from proband.core.errors import ProbandError
from proband.training.vector_files import open_vectors

ROWS = example_rows()


def read(path: Path) -> tuple[str, list[str], list[Any]]:
    """The format of a file, its words and its rows."""
    with open_vectors(path) as (form, blocks):
        each = list(blocks)
    return form, [word for words, _ in each for word in words], [row for _, rows in each for row in rows]


def check(path: Path, form: str) -> None:
    found, words, rows = read(path)
    assert (found, words) == (form, WORDS)
    np.testing.assert_array_equal(rows, ROWS)


@pytest.mark.parametrize("binary", [False, True])
def test_reads_what_gensim_writes(tmp_path: Path, binary: bool) -> None:
    from gensim.models import KeyedVectors

    path, theirs = tmp_path / "table.any", KeyedVectors(vector_size=ROWS.shape[1])
    theirs.add_vectors(WORDS, ROWS)
    theirs.save_word2vec_format(str(path), binary=binary)
    check(path, "word2vec-bin" if binary else "word2vec-text")


def test_word2vec_binary_of_the_original_tool_ends_rows_with_a_newline(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"  # the ending lies
    body = b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(WORDS, ROWS))
    path.write_bytes(f"{len(WORDS)} {ROWS.shape[1]}\n".encode() + body)
    check(path, "word2vec-bin")


def test_glove_text_has_no_header(tmp_path: Path) -> None:
    path = tmp_path / "glove.bin"
    path.write_text(as_text(ROWS, header=False), encoding="utf-8")
    check(path, "glove-text")


def test_fasttext_text_ends_lines_with_a_space_and_windows_adds_a_return(tmp_path: Path) -> None:
    path = tmp_path / "wiki.vec"
    path.write_bytes(as_text(ROWS, header=True).replace("\n", " \r\n").encode())
    check(path, "word2vec-text")


def test_glove_words_with_spaces(tmp_path: Path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text("the 1 2\n. . . 3 4\nat name@domain.com 5 6\n")
    assert read(path)[1] == ["the", ". . .", "at name@domain.com"]


def test_gzip_gives_the_same_table_and_archives_are_refused(tmp_path: Path) -> None:
    (tmp_path / "table.bin").write_bytes(gzip.compress(as_text(ROWS, header=True).encode(), mtime=0))
    check(tmp_path / "table.bin", "word2vec-text")
    with zipfile.ZipFile(tmp_path / "glove.txt", "w") as archive:
        archive.writestr("glove.7d.txt", as_text(ROWS, header=False))
    with pytest.raises(ProbandError, match=r"glove.txt: is a zip archive: unpack it first"):
        read(tmp_path / "glove.txt")


# ---- malformed files -------------------------------------------------------------------------------------------------


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
def test_a_malformed_file_is_one_line_that_names_the_place(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "table.vec"
    path.write_bytes(content)
    with pytest.raises(ProbandError) as error:
        read(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_bad_utf8_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "table.vec"
    path.write_bytes(b"caf\xe9 1 2\nb 3 4\n")
    assert read(path)[1] == ["caf\ufffd", "b"]


def test_mutations_never_give_a_traceback_or_a_number_that_is_not_finite(tmp_path: Path) -> None:
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
            rows = read(path)[2]
        except ProbandError as error:
            refusals.append(str(error))
        else:
            assert np.isfinite(rows).all()
    assert len(refusals) > 100
    assert all("\n" not in refusal for refusal in refusals)
