"""Texts as trees of prefixes against the texts alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.models.lm.conftest import EVERY_FAMILY, FAMILIES, VOCABULARY, naive, network_of

from proband.models.lm import continuation_scores
from proband.models.lm.continuation_scores import obeys_trees
from proband.models.lm.network import Ints, Network


def families_of_texts() -> tuple[list[str], list[Ints], list[Ints]]:
    """Three contexts with several endings each, some the beginning of others, and two texts by themselves; of the
    third context's texts the last tokens do not count."""
    rng = np.random.default_rng(3)
    keys, rows, positions = [], [], []
    for name, length, counted in (("a", 40, None), ("b", 25, None), ("c", 30, 2), ("d", 9, None), ("e", 5, None)):
        context = rng.integers(5, VOCABULARY, length)
        tails = rng.integers(5, VOCABULARY, (6 if name in "abc" else 1, 4))
        tails[1:3, 0] = tails[0, 0]
        for i, tail in enumerate(tails):
            row = np.concatenate([context, tail[: 2 + i % 3]])
            keys.append(name)
            rows.append(row)
            positions.append(np.arange(length, len(row))[:counted])
    return keys, rows, positions


@EVERY_FAMILY
def test_texts_as_trees_are_the_texts_alone(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU: each context once, with a tree of its own behind it, several contexts in a batch."""
    network = network_of(family)
    keys, rows, positions = families_of_texts()
    widths: list[int] = []
    honest = network.states

    def seen(ids: Any, *rest: Any, **given: Any) -> Any:
        widths.append(len(ids))
        return honest(ids, *rest, **given)

    monkeypatch.setattr(network, "states", seen)
    obeys_trees(network)
    widths.clear()
    found = continuation_scores.text_logprobs(network, keys, rows, positions)
    for total, row, where in zip(found, rows, positions):
        first = int(where[0])
        assert total == pytest.approx(naive(network, row[:first], row[where].tolist()), abs=1e-4)
    if FAMILIES[family][1]:
        assert widths == [3, 2]  # three trees in one batch, then what stands by itself


@pytest.mark.parametrize(
    ("family", "longest", "trees"), [("gemma2", 4096, 1), ("gemma3_text", 4096, 1), ("gemma2", 30, 0)]
)
def test_long_trees_and_windows_are_read_otherwise(
    family: str, longest: int, trees: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three trees two go beyond the window; the third is too long a row where rows are to be shorter."""
    monkeypatch.setattr(continuation_scores, "LONGEST_ROW", longest)
    network = network_of(family, sliding_window=29)
    keys, rows, positions = families_of_texts()
    read: list[int] = []
    honest = continuation_scores._read_trees

    def counted(network: Network, rows: Any, *rest: Any) -> None:
        read.append(len(rows))
        honest(network, rows, *rest)

    monkeypatch.setattr(continuation_scores, "_read_trees", counted)
    found = continuation_scores.text_logprobs(network, keys, rows, positions)
    for total, row, where in zip(found, rows, positions):
        assert total == pytest.approx(naive(network, row[: where[0]], row[where].tolist()), abs=1e-4)
    assert read == [trees]


def test_texts_that_begin_alike_without_a_context_are_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer stands first and several subjects behind it: what they share is read once, and scores stay."""
    network = network_of("llama")
    rng = np.random.default_rng(0)
    answers, subjects = rng.integers(5, 60, (4, 6)), rng.integers(5, 60, (5, 2))
    rows = [np.r_[1, answer, subject] for answer in answers for subject in subjects]
    rows.append(np.r_[1, rng.integers(5, 60, 7)])
    positions = [np.arange(1, len(row)) for row in rows]
    obeys_trees(network)
    read: list[int] = []
    honest = network.states

    def counted(ids: Any, *rest: Any, **given: Any) -> Any:
        read.append(ids.numel())
        return honest(ids, *rest, **given)

    monkeypatch.setattr(network, "states", counted)
    totals = continuation_scores.text_logprobs(network, [""] * len(rows), rows, positions)
    assert sum(read) == 4 * (1 + 6 + 5) + len(rows[-1])  # of each answer: BOS, itself, a token of each subject
    for total, row in zip(totals, rows):
        assert total == pytest.approx(naive(network, row[:1], row[1:].tolist()), abs=1e-4)
