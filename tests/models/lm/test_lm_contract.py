"""What every local language model must keep to, checked against plain, un-batched transformers code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from proband.core.protocols import EmbedsWords, FineTunes, Generates, Model, PredictsWords, ScoresText, Text
from proband.models import load

TEXTS = [
    Text("What Paris is to France, Rome is to Italy."),
    Text("What Paris is to France, Rome is to river.", 24),
    Text("The unbelievable queens (in Europe)."),
    Text("The unbelievable queens (in Europe).", 17),
    Text("A river."),
    Text("The capital of France is Paris, and the capital of Italy is Rome, not Paris; unreadable kingdoms."),
]
Tiny = Callable[[str], Path]


def visible(text: str, begin: int, end: int) -> int:
    """Where a token begins, not counting the space some tokenizers put into its offsets."""
    letters = text[begin:end]
    return begin + (len(letters) - len(letters.lstrip()) if letters.strip() else 0)


def plain_masked(model: Any, text: Text, method: str) -> tuple[float, int]:
    """One forward pass per token, whole vocabulary at every position."""
    tokenizer, net = model.tokenizer, model.network.model
    read = tokenizer(text.text, return_offsets_mapping=True, return_special_tokens_mask=True)
    ids, words = torch.tensor([read["input_ids"]]), read.word_ids()
    total, count = 0.0, 0
    for t, ((begin, end), special) in enumerate(zip(read["offset_mapping"], read["special_tokens_mask"])):
        if special or visible(text.text, begin, end) < text.start:
            continue
        masked = ids.clone()
        for j, word in enumerate(words):
            if j == t or (word == words[t] and (method == "pll-whole-word" or (method == "pll-word-l2r" and j > t))):
                masked[0, j] = tokenizer.mask_token_id
        total += one_pass(net, tuple(masked[0].tolist()))[t, ids[0, t]].item()
        count += 1
    return total, count


@cache
def one_pass(net: Any, ids: tuple[int, ...]) -> Any:
    """The log probabilities of one text by itself; texts and methods have many masked texts in common."""
    with torch.no_grad():
        return net(torch.tensor([ids])).logits[0].log_softmax(-1)


def plain_causal(model: Any, text: Text) -> tuple[float, int]:
    read = model.tokenizer(text.text, return_offsets_mapping=True, add_special_tokens=False)
    bos = model.tokenizer.bos_token_id
    needed = text.start == 0 or model.tokenizer("a")["input_ids"][0] == bos  # without context, or as the tokenizer does
    first = [bos] if bos is not None and needed else []
    ids = torch.tensor([first + read["input_ids"]])
    with torch.no_grad():
        logprobs = model.network.model(ids).logits[0].log_softmax(-1)
    total, count = 0.0, 0
    for i, (begin, end) in enumerate(read["offset_mapping"]):
        t = i + len(first)
        if visible(text.text, begin, end) >= text.start and t > 0:
            total, count = total + logprobs[t - 1, ids[0, t]].item(), count + 1
    return total, count


def test_has_the_protocols(model: Any) -> None:
    wanted: list[type] = [Model, ScoresText, EmbedsWords, PredictsWords]
    if model.methods == ("ll",):
        wanted += [Generates, FineTunes]
    assert all(isinstance(model, protocol) for protocol in wanted)


def test_agrees_with_plain_code(model: Any) -> None:
    for method in model.methods:
        for text, score in zip(TEXTS, model.score(TEXTS, method=method)):
            total, count = plain_causal(model, text) if method == "ll" else plain_masked(model, text, method)
            assert (score.total, score.tokens) == (pytest.approx(total, abs=1e-4), count), (method, text)


def test_a_batch_is_the_sum_of_its_parts_in_any_order(model: Any) -> None:
    method = model.methods[-1]
    together = model.score(TEXTS, method=method)
    alone = [model.score([text], method=method)[0] for text in TEXTS]
    backwards = model.score(TEXTS[::-1], method=method)[::-1]
    for scores in (alone, backwards):
        assert [s.total for s in scores] == pytest.approx([s.total for s in together], abs=1e-4)
        assert [(s.tokens, s.words) for s in scores] == [(s.tokens, s.words) for s in together]
    assert model.score(TEXTS, method=method) == together  # to the last bit


def test_a_small_batch_gives_the_same(model: Any) -> None:
    method, tokens = model.methods[0], model.network.budget.tokens
    together = model.score(TEXTS, method=method)
    model.network.budget.tokens = 64
    try:
        small = model.score(TEXTS, method=method)
    finally:
        model.network.budget.tokens = tokens
    assert [s.total for s in small] == pytest.approx([s.total for s in together], abs=1e-4)


def test_head_alone_equals_the_whole_model(model: Any) -> None:
    """The vocabulary projection at chosen positions is that of the full forward pass."""
    assert model.network.head() is not None, "this family fell back to full scores"
    ids = torch.arange(6, 26).view(2, 10)
    rows, positions, targets = torch.tensor([0, 0, 1]), torch.tensor([2, 9, 4]), torch.tensor([7, 8, 9])
    fast = model.network.logprobs(ids, None, rows, positions, targets)
    with torch.no_grad():
        whole = model.network.model(ids).logits.log_softmax(-1)[rows, positions, targets]
    assert torch.allclose(fast, whole, atol=1e-5)


def test_words_for_a_blank(model: Any) -> None:
    words = ["Italy", "France", "kingdom", "queens", "unreadable"]
    blanks = [("The capital of ", " is Rome."), ("What Paris is to ", ", Rome is to Italy."), ("", " is a river.")]
    if getattr(model, "bos", 0) is None:
        blanks = blanks[:2]
    found = model.predict_words(blanks, words)
    plain = plain_fill if model.methods != ("ll",) else plain_continue
    for i, (left, right) in enumerate(blanks):
        for j, word in enumerate(words):
            assert found[i, j] == pytest.approx(plain(model, left, word, right), abs=1e-4), (left, word)
    assert model.predict_words(blanks[:1], words[:1])[0, 0] == pytest.approx(found[0, 0], abs=1e-4)


def pieces(model: Any, left: str, word: str) -> tuple[list[int], list[int]]:
    """The word's tokens behind `left`, by tokenising both as one text and cutting at the word."""
    read = model.tokenizer(left + word, add_special_tokens=False, return_offsets_mapping=True)
    cut = len(model.tokenizer(left.rstrip(), add_special_tokens=False)["input_ids"])
    return read["input_ids"][:cut], read["input_ids"][cut:]


def plain_continue(model: Any, left: str, word: str, right: str) -> float:
    before, after = pieces(model, left, word)
    first = model.bos_in_context if left.strip() else model.bos
    before = ([] if first is None else [first]) + before
    with torch.no_grad():
        logprobs = model.network.model(torch.tensor([before + after])).logits[0].log_softmax(-1)
    return float(sum(logprobs[len(before) + i - 1, token].item() for i, token in enumerate(after)))


def plain_fill(model: Any, left: str, word: str, right: str) -> float:
    mask = model.tokenizer.mask_token_id
    ids = model.tokenizer(left.rstrip() + model.tokenizer.mask_token + right)["input_ids"]
    at, tokens = ids.index(mask), pieces(model, left, word)[1]
    ids[at : at + 1] = [mask] * len(tokens)
    with torch.no_grad():
        logprobs = model.network.model(torch.tensor([ids])).logits[0].log_softmax(-1)
    return float(sum(logprobs[at + i, token].item() for i, token in enumerate(tokens)))


def word_model(folder: Path, words: Sequence[str], *, causal: bool) -> Path:
    """A model whose vocabulary is a list of whole words, so that a sum over it can be spelled out."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    hf: Any = transformers
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    made = Tokenizer(models.WordLevel({w: i for i, w in enumerate([*special, *words])}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if not causal:
        ends = [("[CLS]", 2), ("[SEP]", 3)]
        made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
    names |= {"bos_token": "[CLS]"} if causal else {"cls_token": "[CLS]", "sep_token": "[SEP]"}
    hf.PreTrainedTokenizerFast(tokenizer_object=made, **names).save_pretrained(folder)
    torch.manual_seed(1)
    size = len(words) + len(special)
    if causal:
        net = hf.GPT2LMHeadModel(hf.GPT2Config(vocab_size=size, n_embd=16, n_layer=2, n_head=2, n_positions=32))
    else:
        shape = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
        net = hf.BertForMaskedLM(hf.BertConfig(vocab_size=size, initializer_range=0.5, **shape))
    net.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("causal", [False, True])
def test_probabilities_sum_to_one(causal: bool, tmp_path: Path) -> None:
    words = ["the", "cat", "sat", "a", "mat", "on"]
    everything = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    model = load(f"hf:{word_model(tmp_path / 'm', words, causal=causal)}", {"device": "cpu"})
    scores = model.score([Text(f"the cat {word}", 8) for word in everything], method=model.methods[0])
    assert all(score.tokens == 1 for score in scores)
    assert sum(np.exp(score.total) for score in scores) == pytest.approx(1, abs=1e-5)
    assert np.exp(model.predict_words([("the cat ", "" if causal else " sat")], everything)).sum() == pytest.approx(
        1, abs=1e-5
    )


def test_identity_tells_models_apart(tiny: Tiny, tmp_path: Path) -> None:
    import shutil

    def copy(name: str) -> Path:
        return shutil.copytree(tiny("roberta"), tmp_path / name)

    original = load(f"hf:{copy('same')}", {"device": "cpu"}).identity()
    again = dict(load(f"hf:{copy('again')}", {"device": "cpu"}).identity())
    again["name"] = original["name"]
    assert again == dict(original)  # another place, the same model

    weights, words, setting = copy("weights"), copy("words"), copy("setting")
    raw = bytearray((weights / "model.safetensors").read_bytes())
    raw[-3] ^= 1
    (weights / "model.safetensors").write_bytes(raw)
    config = (words / "tokenizer_config.json").read_text()
    (words / "tokenizer_config.json").write_text(config.replace("{", '{"note": "changed",', 1))
    shape = (setting / "config.json").read_text()
    (setting / "config.json").write_text(shape.replace('"gelu"', '"relu"'))
    changed = {
        "weights": load(f"hf:{weights}", {"device": "cpu"}),
        "tokenizer": load(f"hf:{words}", {"device": "cpu"}),
        "config": load(f"hf:{setting}", {"device": "cpu"}),
        "dtype": load(f"hf:{copy('dtype')}", {"device": "cpu", "dtype": "bfloat16"}),
    }
    for field, model in changed.items():
        differing = {key for key in original if model.identity()[key] != original[key]} - {"name"}
        assert differing == {field}
