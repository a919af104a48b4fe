"""Tiny random models of every supported family, each with a tokenizer of its kind, saved as model folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CORPUS = [
    "What Paris is to France, Rome is to Italy.",
    "The capital of France is Paris, and the capital of Italy is Rome.",
    "Unbelievable kings and queens were reading by the river (in Europe).",
    "A river runs through it; the unreadable book is not a kingdom.",
] * 4

MASKED = ("bert", "roberta", "albert", "deberta", "deberta-v2", "modernbert")
CAUSAL = ("gpt2", "llama", "gemma", "gemma2", "qwen2", "qwen3")


def wordpiece() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=110, special_tokens=special))
    pair = [(t, made.token_to_id(t)) for t in ("[CLS]", "[SEP]")]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=pair)
    return made


def byte_level(special: list[str], *, single: str | None, trim: bool) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=340, special_tokens=special, initial_alphabet=alphabet)
    )
    steps: list[Any] = [processors.ByteLevel(trim_offsets=trim)]
    if single is not None:
        pair = [(t, made.token_to_id(t)) for t in special if t in single]
        steps.append(processors.TemplateProcessing(single=single, special_tokens=pair))
    made.post_processor = processors.Sequence(steps)
    return made


def metaspace(special: list[str], *, single: str, unk: str) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=150, special_tokens=special, unk_token=unk)
    made.train_from_iterator(CORPUS, trainer)
    pair = [(t, made.token_to_id(t)) for t in special if t in single]
    made.post_processor = processors.TemplateProcessing(single=single, special_tokens=pair)
    return made


def fast(tokenizer: Any, **named: str) -> Any:
    import transformers

    made: Any = transformers.PreTrainedTokenizerFast
    return made(tokenizer_object=tokenizer, **named)


BERT_NAMES = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
ROBERTA = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
ALBERT = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
GEMMA = ["<pad>", "<eos>", "<bos>", "<unk>"]


def tokenizer_of(family: str) -> Any:
    if family in {"bert", "modernbert"}:
        return fast(wordpiece(), **BERT_NAMES)
    if family in {"roberta", "deberta"}:
        made = byte_level(ROBERTA, single="<s> $A </s>", trim=True)
        names = dict(zip(("cls_token", "pad_token", "sep_token", "unk_token", "mask_token"), ROBERTA))
        return fast(made, **names)
    if family in {"albert", "deberta-v2"}:
        made = metaspace(ALBERT, single="[CLS] $A [SEP]", unk="<unk>")
        return fast(made, **{**BERT_NAMES, "pad_token": "<pad>", "unk_token": "<unk>"})
    if family in {"gemma", "gemma2"}:
        made = metaspace(GEMMA, single="<bos> $A", unk="<unk>")
        return fast(made, bos_token="<bos>", eos_token="<eos>", pad_token="<pad>", unk_token="<unk>")
    made = byte_level(["<|endoftext|>"], single=None, trim=family != "gpt2")
    names = {"eos_token": "<|endoftext|>"} | ({} if family.startswith("qwen") else {"bos_token": "<|endoftext|>"})
    return fast(made, **names)


def config_of(family: str, tokenizer: Any) -> Any:
    from transformers import CONFIG_MAPPING

    ends = {
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.bos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }
    shape: dict[str, Any] = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "intermediate_size": 48,
        "max_position_embeddings": 128,
        "initializer_range": 0.4,
        "initializer_cutoff_factor": 2.0,
    }
    if family == "gpt2":
        shape = {
            "vocab_size": len(tokenizer),
            "n_embd": 32,
            "n_layer": 3,
            "n_head": 4,
            "n_positions": 128,
            "initializer_range": 0.4,
        }
    if family in {"llama", "gemma", "gemma2", "qwen2", "qwen3"}:
        shape |= {"num_key_value_heads": 2, "head_dim": 8}
    if family == "gemma2":
        shape |= {"sliding_window": 8}  # shorter than the texts of the tests
    if family == "albert":
        shape |= {"embedding_size": 16}
    if family.startswith("deberta"):
        shape |= {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "type_vocab_size": 0}
    if family == "modernbert":
        shape |= {"global_attn_every_n_layers": 2, "local_attention": 8, "cls_token_id": 2, "sep_token_id": 3}
        ends = {"pad_token_id": tokenizer.pad_token_id, "bos_token_id": 2, "eos_token_id": 3}
    kind: Any = CONFIG_MAPPING[family]
    return kind(**shape, **ends)


def build(family: str, folder: Path, *, seed: int = 0) -> Path:
    """A model folder with random weights; large ones, so that scores differ and mistakes show."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    torch.manual_seed(seed)
    tokenizer = tokenizer_of(family)
    auto: Any = AutoModelForMaskedLM if family in MASKED else AutoModelForCausalLM
    model = auto.from_config(config_of(family, tokenizer))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith("bias"):  # zero at birth: a forgotten bias would not show
                parameter.normal_(0, 0.3)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """`tiny("bert")`: the folder of a tiny random model of that family, made once."""
    made: dict[str, Path] = {}

    def folder(family: str) -> Path:
        if family not in made:
            made[family] = build(family, tmp_path_factory.mktemp(family))
        return made[family]

    return folder
