"""The parts of our English pipeline, each against something that cannot share its mistake."""

from __future__ import annotations

import importlib
import runpy
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

english: Any = pytest.importorskip("proband_english", reason="weights/proband-english is not installed")
WORDS = "Aspirin relieves U.S. Dvořák anti-war 1,000 $5 n't Qwzx’s Ελλάδα e-mail ... can’t naïve"
RECIPE = Path(__file__).parents[3] / "weights" / "proband-english" / "recipe"


@pytest.fixture(scope="module")
def nlp() -> Any:
    return english.load()


def trees(words: int) -> Iterator[tuple[int, ...]]:
    """Every tree with one root; 0 is the root."""
    for heads in product(range(words + 1), repeat=words):
        if heads.count(0) != 1:
            continue
        for at in range(1, words + 1):
            steps = 0
            while at and steps <= words:
                at, steps = heads[at - 1], steps + 1
            if at:
                break
        else:
            yield heads


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_the_best_tree_is_that_of_enumeration(words: int) -> None:
    spanning_tree = importlib.import_module("proband_english.spanning_tree").spanning_tree
    rng = np.random.default_rng(words)
    for _ in range(30):
        scores = rng.normal(size=(words, words + 1)) * 5
        for at in range(words):
            scores[at, at + 1] = -1e9  # a word is not its own head
        best = max(trees(words), key=lambda heads: sum(scores[at, head] for at, head in enumerate(heads)))
        assert tuple(spanning_tree(scores)) == best


def test_pieces_are_those_of_the_tokenizer() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    mlm = pytest.importorskip("proband_mlm")
    theirs = tokenizers.Tokenizer.from_file(str(Path(mlm.path()) / "tokenizer.json"))
    ours = importlib.import_module("proband_english.pieces").Pieces(
        (Path(mlm.path()) / "vocab.txt").read_text(encoding="utf-8").split("\n")
    )
    for word in WORDS.split():
        assert ours(word) == theirs.encode(word, add_special_tokens=False).ids, word


def test_long_texts_are_read_in_windows_without_cutting_a_sentence(nlp: Any) -> None:
    sentences = [
        f"The {name} crossed the old bridge near the river." for name in ("lion", "doctor", "train", "fox")
    ] * 30
    doc = nlp(" ".join(sentences))
    assert [one.text for one in doc.sents] == sentences
    assert all(one.root.text == "crossed" for one in doc.sents)


def test_given_boundaries_are_kept(nlp: Any) -> None:
    from spacy.tokens import Doc

    words = ["Rome", "fell", ".", "The", "end", "came", ".", "It", "was", "late", "."]
    doc = Doc(nlp.vocab, words=words, sent_starts=[at == 0 for at in range(len(words))])
    assert len(list(nlp.get_pipe("parser")(doc).sents)) == 1
    assert len(list(nlp(" ".join(words)).sents)) == 3


def test_spaces_and_nothing(nlp: Any) -> None:
    assert list(nlp("").sents) == []
    doc = nlp("  Rome  invaded\n Gaul. ")
    assert [(word.text, word.pos_) for word in doc if not word.is_space] == [
        ("Rome", "PROPN"),
        ("invaded", "VERB"),
        ("Gaul", "PROPN"),
        (".", "PUNCT"),
    ]
    assert {word.pos_ for word in doc if word.is_space} == {"SPACE"}


def test_generated_sentences_are_trees() -> None:
    pytest.importorskip("lemminflect")
    writer = runpy.run_path(str(RECIPE / "sentences.py"))["Writer"](7)
    for _ in range(300):
        one = writer.sentence()
        heads = one["heads"]
        assert len({len(column) for column in one.values()}) == 1
        assert [head for head, label in zip(heads, one["labels"]) if label == "root"] == [-1]
        for at in range(len(heads)):
            path: list[int] = []
            while at >= 0:
                assert at not in path
                path.append(at)
                at = heads[at]
