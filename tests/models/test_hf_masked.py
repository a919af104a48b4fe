"""Masked variants by hand, running out of memory, and errors in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from proband.core.errors import ProbandError
from proband.core.protocols import Text
from proband.models import load
from proband.models.hf import METHODS, variants
from proband.models.lm.network import Tokens

Tiny = Callable[[str], Path]


def tokens(ids: list[int], words: list[int]) -> Tokens:
    """A text of one character per token."""
    places = np.array([i if word >= 0 else -1 for i, word in enumerate(words)])
    return Tokens("x" * len(ids), np.array(ids), places, places + (places >= 0), np.array(words))


@pytest.fixture
def roberta(tiny: Tiny) -> Any:
    return load(f"hf:{tiny('roberta')}", {"device": "cpu"})


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("pll", {(0, 9, 6, 7, 2), (0, 5, 9, 7, 2), (0, 5, 6, 9, 2)}),
        ("pll-word-l2r", {(0, 9, 9, 7, 2), (0, 5, 9, 7, 2), (0, 5, 6, 9, 2)}),
        ("pll-whole-word", {(0, 9, 9, 7, 2), (0, 5, 6, 9, 2)}),
    ],
)
def test_what_is_masked(method: str, expected: set[tuple[int, ...]]) -> None:
    """Token 5 6 is one word, 7 another; 0 and 2 are special, 9 is the mask."""
    text = tokens([0, 5, 6, 7, 2], [-1, 0, 0, 1, -1])
    block = variants([text], [text.counted(0)], np.array([0]), METHODS[method], 9)
    assert {tuple(row) for row in block.rows.tolist()} == expected
    row, position, target, owner = block.queries
    assert sorted(zip(position.tolist(), target.tolist())) == [(1, 5), (2, 6), (3, 7)]
    assert (block.rows[row, position] == 9).all()
    assert set(owner.tolist()) == {0}


def test_shared_variants_run_once() -> None:
    """Two texts that differ in their last word have one variant in common: that with the last word masked."""
    pair = [tokens([0, 5, 6, last, 2], [-1, 0, 1, 2, -1]) for last in (7, 8)]
    block = variants(pair, [text.counted(0) for text in pair], np.array([0, 1]), METHODS["pll"], 9)
    assert (len(block.rows), len(block.queries[0])) == (5, 6)


def test_memory_that_runs_out_halves_the_batch(roberta: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [Text("What Paris is to France, Rome is to Italy."), Text("The capital of Europe is unreadable.")]
    expected = roberta.score(texts, method="pll")
    honest, sizes = roberta.network.logprobs, []

    def scarce(ids: Any, *rest: Any) -> Any:
        sizes.append(len(ids))
        if len(ids) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return honest(ids, *rest)

    monkeypatch.setattr(roberta.network, "logprobs", scarce)
    found = roberta.score(texts, method="pll")
    assert [s.total for s in found] == pytest.approx([s.total for s in expected], abs=1e-4)
    assert max(sizes) > 3
    assert sizes[-1] <= 3
    failures = sum(size > 3 for size in sizes)
    roberta.score(texts, method="pll")
    assert sum(size > 3 for size in sizes) == failures  # it has learnt


def test_memory_for_not_even_one_text(roberta: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*args: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(roberta.network, "logprobs", none)
    with pytest.raises(ProbandError, match="out of memory on a single text of"):
        roberta.score([Text("The queens.")], method="pll")


def test_other_errors_pass(roberta: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any) -> Any:
        raise RuntimeError("something else")

    monkeypatch.setattr(roberta.network, "logprobs", broken)
    with pytest.raises(RuntimeError, match="something else"):
        roberta.score([Text("The queens.")], method="pll")


def test_full_scores_where_the_body_cannot_be_taken_out(roberta: Any) -> None:
    texts = [Text("What Paris is to France, Rome is to Italy."), Text("The queens.")]
    expected = roberta.score(texts, method="pll-word-l2r")
    words = roberta.predict_words([("The capital of ", " is Rome.")], ["Italy", "unreadable"])
    roberta.network._head = (None,)
    assert [s.total for s in roberta.score(texts, method="pll-word-l2r")] == pytest.approx(
        [s.total for s in expected], abs=1e-4
    )
    assert roberta.predict_words([("The capital of ", " is Rome.")], ["Italy", "unreadable"]) == pytest.approx(
        words, abs=1e-4
    )


def test_start_at_the_space_or_at_the_word(roberta: Any) -> None:
    """The space before a word belongs to it, wherever the caller puts the boundary."""
    text = "The capital of France"
    at_space, at_word = roberta.score([Text(text, 14), Text(text, 15)], method="pll")
    assert at_space == at_word
    assert at_word.words == 1
    assert roberta.score([Text(text, 11)], method="pll")[0].words == 2
    whole = roberta.score([Text(text)], method="pll")[0]
    before = roberta.score([Text(text, 0)], method="pll")[0]
    assert whole == before
    assert whole.words == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.score([Text("The queens.")], method="ll"), "no method 'll'; there are pll,"),
        (
            lambda m: m.score([Text("The queens.", 40)], method="pll"),
            "no token of 'The queens.' begins at character 40",
        ),
        (lambda m: m.score([Text("")], method="pll"), "no token of '' begins"),
        (lambda m: m.score([Text("queens " * 200)], method="pll"), "tokens is longer than the model's 126"),
        (lambda m: m.embed(["The queens."], [[(4, 4)]], layers=[0]), "no token at characters 4 to 4"),
        (lambda m: m.embed(["The queens."], [[(4, 10)]], layers=[7]), "hidden states 0 to 3"),
        (lambda m: m.predict_words([("a <mask> b ", "")], ["queens"]), "before a blank must not contain <mask>"),
    ],
)
def test_errors_in_one_line(roberta: Any, call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ProbandError) as caught:
        call(roberta)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
