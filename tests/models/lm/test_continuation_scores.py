"""Endings behind texts, as trees and as plain rows, against one un-batched pass per text and ending."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from tests.models.lm.conftest import (
    EVERY_FAMILY,
    FAMILIES,
    VOCABULARY,
    naive,
    network_of,
)

from proband.models.lm import continuation_scores
from proband.models.lm import network as network_module
from proband.models.lm.continuation_scores import continuation_logprobs, obeys_trees, window
from proband.models.lm.network import Ints, Network


def questions(seed: int = 0) -> tuple[list[Ints], list[list[int]]]:
    """Texts of several lengths, some the beginning of others and one twice; endings that begin alike."""
    rng = np.random.default_rng(seed)
    long, other = rng.integers(5, VOCABULARY, 12), rng.integers(5, VOCABULARY, 7)
    lefts = [long[:4], long, other, long[:9], long[:4], other[:1], rng.integers(5, VOCABULARY, 30)]
    first = rng.integers(5, VOCABULARY, (12, 4)).tolist()
    endings = [row[: 1 + i % 4] for i, row in enumerate(first)] + [first[0][:1], [*first[3][:2], 7], [*first[3], 9]]
    return lefts, endings


def check(network: Network, lefts: list[Ints], endings: list[list[int]]) -> None:
    found = continuation_logprobs(network, lefts, endings)
    for i, left in enumerate(lefts):
        for j, ending in enumerate(endings):
            assert found[i, j] == pytest.approx(naive(network, left, ending), abs=1e-4), (i, j)


@EVERY_FAMILY
def test_equal_to_one_pass_per_ending(family: str) -> None:
    network = network_of(family)
    check(network, *questions())
    assert obeys_trees(network) == FAMILIES[family][1]


@pytest.mark.parametrize("family", ["llama", "mamba"])
def test_endings_of_one_token_need_no_tree(family: str) -> None:
    network = network_of(family)
    check(network, questions()[0], [[5], [6], [7]])
    assert network.obeys_trees is None  # not even tried


@pytest.mark.parametrize("family", ["gemma2", "gemma3_text"])
def test_a_text_beyond_the_window_is_read_plainly(family: str) -> None:
    network = network_of(family, sliding_window=8)
    assert window(network) == 8
    check(network, *questions())


@pytest.mark.parametrize("tokens", [1, 50, 10**6])
def test_batches_and_parts_change_nothing(tokens: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(network_module.MOST_SCORES, "cpu", 3 * VOCABULARY if tokens == 50 else 2**24)
    network = network_of("llama")
    network.budget.tokens = tokens
    check(network, *questions(seed=1))


def test_no_head_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network_module, "headless", lambda model: None)
    network = network_of("llama")
    check(network, *questions())
    assert network.head() is None


def test_a_model_that_ignores_its_mask_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_of("llama")
    honest = continuation_scores._additive
    monkeypatch.setattr(
        continuation_scores, "_additive", lambda network, sees: honest(network, np.tri(sees.shape[1]) > 0)
    )
    assert not obeys_trees(network)


def test_a_model_that_ignores_positions_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_of("llama")
    honest = network.states
    monkeypatch.setattr(network, "states", lambda *args, position_ids=None, **given: honest(*args, **given))
    assert not obeys_trees(network)


def test_memory_that_runs_out_halves_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    network = network_of("llama")
    obeys_trees(network)
    honest = network.states

    def scarce(ids: Any, *args: Any, **given: Any) -> Any:
        if len(ids) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return honest(ids, *args, **given)

    monkeypatch.setattr(network, "states", scarce)
    check(network, *questions())
