"""Tiny networks of every family, and one un-batched pass per text and ending."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from proband.models import load
from proband.models.lm.network import Ints, Network

Tiny = Callable[[str], Path]


def at_night(*families: str) -> list[Any]:
    """Relatives of families that `make test` reads."""
    return [pytest.param(family, marks=pytest.mark.nightly) for family in families]


@pytest.fixture(scope="module")
def gpt2(tiny: Tiny) -> Any:
    return load(f"hf:{tiny('gpt2')}", {"device": "cpu"})


MASKED = ("bert", "roberta", "albert", "deberta", "deberta-v2", "modernbert")
CAUSAL = ("gpt2", "llama", "gemma", "gemma2", "qwen2", "qwen3")
# kinds that differ in how they read, mask or score; their relatives in `make test-all`
FIRST_TIER = ("bert", "roberta", "modernbert", "gpt2", "llama", "qwen3")


@pytest.fixture(
    scope="module",
    params=[k if k in FIRST_TIER else pytest.param(k, marks=pytest.mark.nightly) for k in MASKED + CAUSAL],
)
def model(request: pytest.FixtureRequest, tiny: Tiny) -> Any:
    return load(f"hf:{tiny(request.param)}", {"device": "cpu"})


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


@cache
def one_pass(model: Any, ids: tuple[int, ...]) -> Any:
    """The log probabilities of one text by itself; several tests ask for the same."""
    with torch.no_grad():
        return model(torch.tensor([ids]), use_cache=False).logits[0].float().log_softmax(-1)


def naive(network: Network, left: Ints, ending: list[int]) -> float:
    logprobs = one_pass(network.model, (*left.tolist(), *ending))
    return float(sum(logprobs[len(left) + i - 1, token].item() for i, token in enumerate(ending)))
