"""Endings behind texts, as trees and as plain rows, against one un-batched pass per text and ending."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from proband.models.lm import continuation_scores
from proband.models.lm import network as network_module
from proband.models.lm.continuation_scores import continuation_logprobs, obeys_trees, window
from proband.models.lm.network import Ints, Network

VOCABULARY = 90
SHAPE = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48}
# family -> (settings, whether trees are read as trees)
FAMILIES: dict[str, tuple[dict[str, Any], bool]] = {
    "gpt2": ({"n_embd": 32, "n_layer": 3, "n_head": 4}, True),
    "llama": (SHAPE | {"num_key_value_heads": 2}, True),
    "gemma2": (SHAPE | {"num_key_value_heads": 2, "head_dim": 8, "sliding_window": 64}, True),
    "gemma3_text": (  # two masks and two scales of positions, by kind of layer
        SHAPE
        | {"num_key_value_heads": 2, "head_dim": 8, "sliding_window": 64}
        | {"layer_types": ["sliding_attention", "full_attention", "sliding_attention"]},
        True,
    ),
    "qwen3": (SHAPE | {"num_key_value_heads": 2, "head_dim": 8}, True),
    "gpt_neox": (SHAPE, True),
    "bloom": ({"hidden_size": 32, "n_layer": 3, "n_head": 4}, False),  # distances come from the mask
    "mamba": ({"hidden_size": 32, "num_hidden_layers": 3, "state_size": 8}, False),  # no attention at all
    "opt": (SHAPE | {"ffn_dim": 48, "word_embed_proj_dim": 32}, True),
}
# families that differ in positions, windows, masks or attention; their relatives in `make test-all`
FIRST_TIER = ("gpt2", "llama", "gemma2", "gemma3_text", "bloom", "mamba")
EVERY_FAMILY = pytest.mark.parametrize(
    "family", [name if name in FIRST_TIER else pytest.param(name, marks=pytest.mark.nightly) for name in FAMILIES]
)


@cache
def model_of(family: str, **more: Any) -> Any:
    from transformers import CONFIG_MAPPING, AutoModelForCausalLM

    torch.manual_seed(0)
    kind: Any = CONFIG_MAPPING[family]
    config = kind(vocab_size=VOCABULARY, initializer_range=0.4, **{**FAMILIES[family][0], **more})
    auto: Any = AutoModelForCausalLM
    return auto.from_config(config)


def network_of(family: str, **more: Any) -> Network:
    return Network(model_of(family, **more))


def questions(seed: int = 0) -> tuple[list[Ints], list[list[int]]]:
    """Texts of several lengths, some the beginning of others and one twice; endings that begin alike."""
    rng = np.random.default_rng(seed)
    long, other = rng.integers(5, VOCABULARY, 12), rng.integers(5, VOCABULARY, 7)
    lefts = [long[:4], long, other, long[:9], long[:4], other[:1], rng.integers(5, VOCABULARY, 30)]
    first = rng.integers(5, VOCABULARY, (12, 4)).tolist()
    endings = [row[: 1 + i % 4] for i, row in enumerate(first)] + [first[0][:1], [*first[3][:2], 7], [*first[3], 9]]
    return lefts, endings


@cache
def one_pass(model: Any, ids: tuple[int, ...]) -> Any:
    """The log probabilities of one text by itself; several tests ask for the same."""
    with torch.no_grad():
        return model(torch.tensor([ids]), use_cache=False).logits[0].float().log_softmax(-1)


def naive(network: Network, left: Ints, ending: list[int]) -> float:
    logprobs = one_pass(network.model, (*left.tolist(), *ending))
    return float(sum(logprobs[len(left) + i - 1, token].item() for i, token in enumerate(ending)))


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
    monkeypatch.setitem(network_module.CHUNK, "cpu", 3 * VOCABULARY if tokens == 50 else 2**24)
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


# ---- texts with one context in common --------------------------------------------------------------------------------


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
