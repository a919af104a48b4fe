"""A toy language with a planted alignment, items of it, and the nets small enough to learn it in seconds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import proband
from proband.core.files import read_items
from proband.core.types import Item
from proband.suites.script.nets.batches import ScriptBatch, pad
from proband.suites.script.nets.layers import NetShape
from proband.suites.script.nets.task import KINDS
from proband.training.vocabulary import PADDING, START

TOOLS = {"cut": ["use", "a", "knife"], "mix": ["take", "the", "whisk", "now"], "boil": ["find", "one", "pot"]}
THINGS = {"egg": ["for", "eggs"], "milk": ["with", "milk", "slowly"], "rice": ["and", "rice"]}
Planted = list[tuple[list[str], list[str], list[int]]]


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def planted() -> Callable[[int, int], Planted]:
    """`planted(count, seed)`: abstract lines of two to four words out of six, each of which says one to four words
    drawn from five of its own, and the alignment that says which word said what."""

    def make(count: int, seed: int) -> Planted:
        generator = np.random.default_rng(seed)
        texts: Planted = []
        for _ in range(count):
            abstract = [f"x{k}" for k in generator.permutation(6)[: generator.integers(2, 5)]]
            sizes = generator.integers(1, 5, len(abstract))
            said = [(f"{x}-{generator.integers(5)}", i) for i, x in enumerate(abstract) for _ in range(sizes[i])]
            texts.append((abstract, [word for word, _ in said], [i for _, i in said]))
        return texts

    return make


@pytest.fixture(scope="session")
def toy() -> list[Item]:
    """Cloze items of a language in which each tool word has one tool: tools are blank; one in five is held out."""
    generator = np.random.default_rng(0)
    found = []
    for number in range(150):
        pairs = int(generator.integers(1, 3))
        abstract = [str(generator.choice(list(side))) for _ in range(pairs) for side in (TOOLS, THINGS)]
        concrete = [word for source in abstract for word in (TOOLS | THINGS)[source]]
        blanks = [[i, i + 1] for i, word in enumerate(concrete) if word in {"knife", "whisk", "pot"}]
        found.append(
            Item(
                id=f"toy-{number}",
                suite="script",
                prompt=" ".join(abstract),
                tags={"category": "tool"},
                split="valid" if number % 5 == 0 else "train",
                facts={
                    "abstract": abstract,
                    "concrete": concrete,
                    "blanks": blanks,
                    "gold": [concrete[s:e] for s, e in blanks],
                    "kinds": ["tool" for _ in blanks],
                    "clusters": [f"caption-{number // 3}"],
                },
            )
        )
    return found


@pytest.fixture(scope="session")
def fresh() -> Callable[..., Any]:
    """`fresh(kind, seed=, ...)`: an untrained net over 20 words with vectors of 6 numbers, without dropout."""

    def make(kind: str, *, seed: int = 0, **sizes: Any) -> Any:
        settings = {"vocabulary": 20, "dimension": 6, "hidden": 8, "width": 7, "dropout": 0.0, "shift": -0.5} | sizes
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return KINDS[kind](NetShape(**settings), torch.randn(settings["vocabulary"], settings["dimension"])).eval()

    return make


@pytest.fixture(scope="session")
def ragged() -> ScriptBatch:
    """Three pairs of different lengths."""
    pairs = [([5, 6, 7], [8, 9, 10, 11, 12]), ([13], [14, 15]), ([16, 17], [18, 19, 5, 6])]
    return pad(pairs, start=START, padding=PADDING)


@pytest.fixture(scope="session")
def tiny_causal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a GPT-2 of two small layers over bytes."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = {letter: n for n, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    made = Tokenizer(models.BPE(vocab={**letters, "<|endoftext|>": len(letters)}, merges=[]))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    fast: Any = transformers.PreTrainedTokenizerFast
    network: Any = transformers.GPT2LMHeadModel
    sizes: dict[str, Any] = {"n_positions": 128, "n_embd": 16, "n_layer": 2, "n_head": 2}
    torch.manual_seed(0)
    model = network(transformers.GPT2Config(vocab_size=len(letters) + 1, **sizes))
    folder = tmp_path_factory.mktemp("plain")
    model.save_pretrained(folder)
    ends = {"eos_token": "<|endoftext|>", "bos_token": "<|endoftext|>"}
    fast(tokenizer_object=made, **ends).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("script") / "items"
    proband.build("script", out=place, seed=0)
    return place


@pytest.fixture(scope="module")
def items(folder: Path) -> list[Item]:
    return list(read_items(folder))
