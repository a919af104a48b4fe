"""fastText's binary format: in-vocabulary and unseen words against gensim, n-grams against a plain enumeration."""

from __future__ import annotations

import gzip
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proband.core.errors import ProbandError
from proband.models import load
from proband.models.vectors.fasttext import Subwords
from proband.models.vectors.word_vectors import WordVectors


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., WordVectors]:
    return lambda path: load(f"vec:{path}", {"cache": tmp_path / "cache"})


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A small model trained by gensim and saved in Facebook's format."""
    from gensim.models.fasttext import FastText, save_facebook_model

    rng = random.Random(0)
    names = [f"{a}{b}" for a in ("straße", "run", "東京", "naïve", "Ж", "a") for b in ("", "s", "ing", "駅", "ed", "n")]
    text = [[rng.choice(names) for _ in range(8)] for _ in range(200)]
    model = FastText(text, vector_size=12, min_count=1, min_n=2, max_n=5, bucket=300, epochs=2, seed=1, workers=1)
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    save_facebook_model(model, str(path))
    return path, model


UNSEEN = ["running", "straßenbahn", "東京都", "zebra", "ß", "it's", "Ж😀Ж", "q" * 50]


def test_fasttext_binary_agrees_with_gensim(trained: tuple[Path, Any], opened: Any) -> None:
    path, model = trained
    table = opened(path)
    names = list(model.wv.index_to_key)
    assert list(table.vocabulary) == names
    got, known = table.vectors(names + UNSEEN)
    assert known.all()
    np.testing.assert_allclose(got, np.stack([model.wv[name] for name in names + UNSEEN]), atol=1e-6)


def test_phrases_none_gives_a_phrase_no_vector_of_its_letters(trained: tuple[Path, Any], tmp_path: Path) -> None:
    path, model = trained
    table = load(f"vec:{path}", {"cache": tmp_path / "cache", "phrases": "none"})
    got, known = table.vectors(["runs ing", "runs_ing", "zebra"])
    assert known.tolist() == [False, False, True]
    np.testing.assert_allclose(got[2], model.wv["zebra"], atol=1e-6)


def test_fasttext_packed(trained: tuple[Path, Any], tmp_path: Path, opened: Any) -> None:
    path, model = trained
    (tmp_path / "model.vec").write_bytes(gzip.compress(path.read_bytes()))
    np.testing.assert_allclose(opened(tmp_path / "model.vec").vectors(UNSEEN)[0], model.wv[UNSEEN], atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.text(st.characters(codec="utf-8"), max_size=12), min_size=1, max_size=5))
def test_ngrams_are_those_of_gensim(words: list[str]) -> None:
    from gensim.models.fasttext_inner import compute_ngrams_bytes, ft_hash_bytes

    ids, counts = Subwords(minn=2, maxn=4, bucket=1000).of([word.encode() for word in words])
    expected = [[ft_hash_bytes(gram) % 1000 for gram in compute_ngrams_bytes(word, 2, 4)] for word in words]
    assert counts.tolist() == [len(each) for each in expected]
    assert ids.tolist() == [bucket for each in expected for bucket in each]


def reference_ngrams(word: str, minn: int, maxn: int) -> list[bytes]:
    """All n-grams of <word>, except a boundary sign alone."""
    text = f"<{word}>"
    return [
        text[i : i + n].encode()
        for i in range(len(text))
        for n in range(minn, maxn + 1)
        if i + n <= len(text) and not (n == 1 and i in (0, len(text) - 1))
    ]


def fnv(gram: bytes) -> int:
    state = 2166136261
    for byte in gram:
        state = ((state ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) % 2**32
    return state


def test_single_letters_without_the_boundary_signs() -> None:
    ids, counts = Subwords(minn=1, maxn=3, bucket=977).of(["né".encode(), b"a", b"</s>", b""])
    grams = [reference_ngrams(word, 1, 3) for word in ("né", "a")] + [[], reference_ngrams("", 1, 3)]
    assert counts.tolist() == [len(each) for each in grams]
    assert ids.tolist() == [fnv(gram) % 977 for each in grams for gram in each]


def test_a_quantised_file_is_refused(trained: tuple[Path, Any], tmp_path: Path, opened: Any) -> None:
    raw = bytearray(trained[0].read_bytes())
    place = raw.index(struct.pack("<qq", len(trained[1].wv) + 300, 12)) - 1
    raw[place] = 1
    (tmp_path / "model.ftz").write_bytes(raw)
    with pytest.raises(ProbandError, match=r"model.ftz: is quantised \(.ftz\)"):
        opened(tmp_path / "model.ftz")


def test_every_cut_of_a_fasttext_file_is_refused_in_one_line(
    trained: tuple[Path, Any], tmp_path: Path, opened: Any
) -> None:
    raw = trained[0].read_bytes()
    needed = raw.index(struct.pack("<qq", len(trained[1].wv) + 300, 12)) + 16 + (len(trained[1].wv) + 300) * 48
    rng = random.Random(2)
    for cut in [5, 30, *(rng.randrange(needed) for _ in range(20)), needed - 1]:
        path = tmp_path / f"cut{cut}.bin"
        path.write_bytes(raw[:cut])
        with pytest.raises(ProbandError, match=r"cut\d+.bin") as error:
            opened(path)
        assert "\n" not in str(error.value)


def test_mutations_are_refused_in_one_line_or_give_finite_vectors(
    trained: tuple[Path, Any], tmp_path: Path, opened: Any
) -> None:
    """Random damage to header, dictionary and matrix."""
    whole, rng, refusals = trained[0].read_bytes(), random.Random(3), []
    path = tmp_path / "mutant"
    for turn in range(80):
        raw = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(120 if turn % 2 else len(raw))
            raw[place : place + rng.randint(0, 2)] = rng.randbytes(rng.randint(0, 2))
        path.write_bytes(raw)
        try:
            table = opened(path)
        except ProbandError as error:
            refusals.append(str(error))
        else:
            assert np.isfinite(table.matrix).all()
    assert len(refusals) > 20
    assert all("\n" not in refusal for refusal in refusals)
