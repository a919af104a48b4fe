"""BOS policies, generation and fine-tuning of causal models."""

from __future__ import annotations

import copy
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.models.lm.conftest import Tiny, at_night

from proband.core.errors import ProbandError
from proband.core.protocols import Text
from proband.models import load
from proband.models.lm import continuation_scores
from proband.models.lm.causal import bos_token
from proband.training.recipe import Recipe


@pytest.mark.parametrize(
    ("family", "start", "always"),
    [("gpt2", "<|endoftext|>", "none"), ("gemma", "<bos>", "<bos>"), ("qwen2", "none", "none")],
)
def test_bos_follows_the_tokenizer_and_is_recorded(tiny: Tiny, family: str, start: str, always: str) -> None:
    """GPT-2's tokenizer has a BOS and does not add it, Gemma's adds it, Qwen's has none. Only a text without context
    begins with a BOS that the tokenizer does not add."""
    model = load(f"hf:{tiny(family)}", {"device": "cpu"})
    identity = model.identity()
    assert (identity["bos"], identity["bos_without_context"]) == (always, start)
    own = model.tokenizer("The capital")["input_ids"]
    assert model.read(["The capital"], contexts=[True])[0].ids.tolist() == own
    first = [] if start in {"none", always} else [model.tokenizer.convert_tokens_to_ids(start)]
    assert model.read(["The capital"])[0].ids.tolist() == first + own
    whole, behind = model.score([Text("The capital of Italy"), Text("The capital of Italy", 14)])
    with torch.no_grad():
        ids = model.tokenizer("The capital of Italy")["input_ids"]
        logprobs = model.network.model(torch.tensor([ids])).logits[0].log_softmax(-1)
    expected = sum(logprobs[t - 1, ids[t]].item() for t in range(len(ids) - behind.tokens, len(ids)))
    assert behind.total == pytest.approx(expected, abs=1e-4)
    assert whole.tokens > behind.tokens


def test_a_bos_that_opens_chat_turns_does_not_open_documents(gpt2: Any) -> None:
    """The same file is read alike as `hf:` and as `embedded:`: the rule looks at its tokenizer alone."""
    tokenizer = copy.deepcopy(gpt2.tokenizer)
    tokenizer.add_special_tokens({"bos_token": "<|im_start|>"})
    chat = "{% for message in messages %}{{'<|im_start|>' + message['role'] + message['content']}}{% endfor %}"
    plain = "{{ bos_token }}{% for message in messages %}{{ message['content'] }}{% endfor %}"
    for template, expected in ((chat, "<|endoftext|>"), (plain, "<|im_start|>"), (None, "<|im_start|>")):
        tokenizer.chat_template = template
        assert tokenizer.convert_ids_to_tokens(bos_token(tokenizer, "auto", "m")) == expected
        assert tokenizer.convert_ids_to_tokens(bos_token(tokenizer, "always", "m")) == "<|im_start|>"


def test_bos_policies_change_score_and_identity(tiny: Tiny) -> None:
    folder = tiny("qwen2")
    seen = {}
    for policy in ("auto", "always", "never", "Ġis"):
        model = load(f"hf:{folder}", {"device": "cpu", "bos": policy})
        seen[policy] = (model.score([Text("The capital of Italy")])[0], model.identity()["bos"])
    assert seen["auto"] == seen["never"]  # this tokenizer has no BOS, so its first token does not count
    assert seen["always"][0].tokens == seen["never"][0].tokens + 1
    assert [seen[policy][1] for policy in seen] == ["none", "<|endoftext|>", "none", "Ġis"]
    with pytest.raises(ProbandError, match="none of auto, always, never"):
        load(f"hf:{folder}", {"device": "cpu", "bos": "no such token"})


def test_never_leaves_the_first_token_out(tiny: Tiny) -> None:
    with_bos = load(f"hf:{tiny('gpt2')}", {"device": "cpu"})
    without = load(f"hf:{tiny('gpt2')}", {"device": "cpu", "bos": "never"})
    text = Text("The capital of Italy")
    assert without.score([text])[0].tokens == with_bos.score([text])[0].tokens - 1
    with pytest.raises(ProbandError, match="needs some text before it"):
        without.predict_words([("", "")], ["Italy"])
    with pytest.raises(ProbandError, match="without a BOS"):
        without.generate([""], max_tokens=2, temperature=0, seed=0)


def test_offsets_with_and_without_the_space(tiny: Tiny) -> None:
    """One of these tokenizers reports the space before a word in its offsets, the other does not."""
    spaced = load(f"hf:{tiny('gpt2')}", {"device": "cpu"})
    trimmed = load(f"hf:{tiny('llama')}", {"device": "cpu"})
    text = "The capital of France"
    raw = [m.tokenizer(text, return_offsets_mapping=True)["offset_mapping"][-1][0] for m in (spaced, trimmed)]
    assert raw == [14, 15]
    for model in (spaced, trimmed):
        whole, at_space, at_word = model.score([Text(text), Text(text, 14), Text(text, 15)])
        assert at_space == at_word
        assert (whole.words, at_word.words, at_word.tokens) == (4, 1, 1)


@pytest.mark.parametrize("family", ["gpt2", "gemma2", *at_night("llama", "qwen3")])
def test_a_context_read_once_gives_the_same(family: str, tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(f"hf:{tiny(family)}", {"device": "cpu"})
    contexts = [
        "The capital of France is Paris, and what Paris is to France Rome is to Italy, so the capital of Italy is",
        "Unbelievable kings and queens were reading by the river, and the unreadable book was",
    ]
    texts = [
        Text(context + ending, len(context))
        for context in contexts
        for ending in (" Rome.", " reading.", " a river in Europe", ",", " unreadable kings and a kingdom.")
    ]
    read: list[int] = []
    honest = continuation_scores._read_trees

    def counted(network: Any, rows: Any, *rest: Any) -> None:
        read.append(len(rows))
        honest(network, rows, *rest)

    monkeypatch.setattr(continuation_scores, "_read_trees", counted)
    found = model.score(texts)
    assert read == [2 if continuation_scores.window(model.network) > 40 else 0]  # none beyond a sliding window
    alone = [model.score([text])[0] for text in texts]
    assert read[1:] == [0] * len(texts)
    assert [s.total for s in found] == pytest.approx([s.total for s in alone], abs=1e-4)
    assert [(s.tokens, s.words) for s in found] == [(s.tokens, s.words) for s in alone]


def test_errors_in_one_line(gpt2: Any, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="no method 'pll'; there is ll"):
        gpt2.score([Text("The")], method="pll")
    with pytest.raises(ProbandError, match="a blank after 130 tokens, but it reads 128 at most"):
        gpt2.predict_words([("a " * 127, "")], ["zzz"])
    with pytest.raises(ProbandError, match="no examples"):
        gpt2.finetuning([], recipe=Recipe())
    with pytest.raises(ProbandError, match="no separate token"):
        gpt2.finetuning([("The capital", "")], recipe=Recipe())
    with pytest.raises(ProbandError, match="must not be negative"):
        gpt2.generate(["a"], max_tokens=1, temperature=-1, seed=0)


def test_what_changes_an_answer_is_part_of_the_identity_and_nothing_else(tiny: Tiny, tmp_path: Path) -> None:
    """A batch size, texts that are cut, other end-of-text tokens; a default run has none of these."""
    folder = tmp_path / "copy"
    shutil.copytree(tiny("gpt2"), folder)
    default = load(f"hf:{folder}", {"device": "cpu"})
    plain = dict(default.identity())
    assert not {"batch", "cut_left", "ends"} & plain.keys()
    assert load(f"hf:{folder}", {"device": "cpu", "batch": 1}).identity() == {**plain, "batch": "1"}
    default.cut_left = True
    assert default.identity() == {**plain, "cut_left": "True"}
    (folder / "generation_config.json").write_text('{"eos_token_id": [0, 7]}')
    assert load(f"hf:{folder}", {"device": "cpu"}).identity() == {**plain, "ends": "[0, 7]"}
