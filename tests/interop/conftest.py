"""Exports of each suite, and two tiny language models with random weights: for `make interop`, which has the other
tools in an environment of its own. Elsewhere nothing here is collected."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import proband

collect_ignore_glob = [] if find_spec("lm_eval") and find_spec("inspect_ai") else ["test_*.py"]
BUILDS: dict[str, tuple[str, dict[str, Any]]] = {
    "kinship": ("kinship", {"k": "2,3", "per_k": 22, "hold_out": "clauses"}),
    "analogy": ("analogy", {"per_relation": 1}),
    "supervised": ("analogy", {"setting": "supervised", "per_relation": 2}),
    "script": ("script", {}),
}


@pytest.fixture(scope="session")
def items(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The built folders by name."""
    root = tmp_path_factory.mktemp("items")
    for name, (suite, options) in BUILDS.items():
        proband.build(suite, out=root / name, **options)
    return {name: root / name for name in BUILDS}


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run a tool from, offline, with a cache of its own."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return folder


def command(*words: str | Path) -> str:
    """Run a tool of this environment; its output."""
    done = subprocess.run(
        [sys.executable, "-m", *map(str, words)], env=os.environ, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def run_tool() -> Any:
    return command


@pytest.fixture(scope="session")
def tiny(items: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """`gpt2`: its tokenizer has a beginning-of-text token and does not add it. `llama`: its tokenizer adds it."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    root = tmp_path_factory.mktemp("tiny")
    texts = [text for folder in items.values() for text in prompts(folder)]
    shapes = {
        "gpt2": {"n_positions": 512, "n_embd": 32, "n_layer": 2, "n_head": 2},
        "llama": {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2},
    }
    torch.manual_seed(0)
    for name, shape in shapes.items():
        tokenizer = bpe(texts, bos="<|begin|>", adds=name == "llama")
        common = {"vocab_size": len(tokenizer), "bos_token_id": 0, "eos_token_id": 0, "initializer_range": 0.2}
        config = AutoConfig.for_model(name, **shape, **common)
        from_config: Any = AutoModelForCausalLM.from_config
        from_config(config).save_pretrained(root / name)
        tokenizer.save_pretrained(root / name)
    return {name: root / name for name in shapes}


def prompts(folder: Path) -> Iterator[str]:
    for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        yield from (record["prompt"], *record["choices"])


def bpe(texts: list[str], *, bos: str, adds: bool) -> Any:
    """A byte-level BPE tokenizer of 600 tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=600, special_tokens=[bos], initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(texts, trainer)
    if adds:
        made.post_processor = processors.TemplateProcessing(single=f"{bos} $A", special_tokens=[(bos, 0)])
    wrap: Any = PreTrainedTokenizerFast
    tokenizer = wrap(tokenizer_object=made, bos_token=bos, eos_token=bos)
    tokenizer.chat_template = "{{ messages[-1]['content'] }}"  # for inspect, which knows models that chat
    return tokenizer
