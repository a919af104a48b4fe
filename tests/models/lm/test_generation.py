"""Generation: greedy, drawn and stopped, the same in any batch."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.models.lm.conftest import Tiny, at_night

from proband.models import load


@pytest.mark.parametrize("family", ["gpt2", "gemma2"])
def test_greedy_generation_is_transformers_own(family: str, tiny: Tiny) -> None:
    model = load(f"hf:{tiny(family)}", {"device": "cpu"})
    prompts = ["The capital of", "What Paris is to France, Rome is", "A river"]
    found = model.generate(prompts, max_tokens=8, temperature=0, seed=0)
    for prompt, text in zip(prompts, found):
        ids = torch.tensor([model.tokenizer(prompt)["input_ids"]])
        made = model.network.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=8,
            do_sample=False,
            pad_token_id=0,
            eos_token_id=model.tokenizer.eos_token_id,
        )
        assert text == model.tokenizer.decode(made[0, ids.shape[1] :], skip_special_tokens=True)


# positions that are learned, and positions that are turned with a window of attention
@pytest.mark.parametrize("family", ["gpt2", "gemma2", *at_night("llama", "gemma", "qwen2", "qwen3")])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_text_does_not_depend_on_its_batch(family: str, temperature: float, tiny: Tiny) -> None:
    """Padding at the left, other lengths, other neighbours: the same text, character for character."""
    model = load(f"hf:{tiny(family)}", {"device": "cpu"})
    text = "The capital of Italy is Rome and a river runs through it, what Paris is to France"
    prompts = [text[: 5 + 17 * i % len(text)] for i in range(9)]
    settings = {"max_tokens": 12, "temperature": temperature, "seed": 4}
    together = model.generate(prompts, **settings)
    assert [model.generate([prompt], **settings)[0] for prompt in prompts] == together
    assert model.generate(prompts[::-2], **settings) == together[::-2]
    assert len(set(together)) > 1


def test_drawing_depends_on_seed_and_prompt_only(gpt2: Any) -> None:
    prompts = ["The capital of", "Rome is to it", "A river"]
    settings = {"max_tokens": 6, "temperature": 1.0}
    first = gpt2.generate(prompts, seed=1, **settings)
    assert gpt2.generate(prompts[::-1], seed=1, **settings)[::-1] == first
    assert gpt2.generate(prompts[1:2], seed=1, **settings) == first[1:2]
    assert gpt2.generate(prompts, seed=2, **settings) != first


def test_draws_follow_the_distribution(gpt2: Any) -> None:
    """The share of each first token over many seeds is its probability."""
    from proband.models.lm.generation import _stream, noise

    logits = torch.tensor([0.0, 1.0, 2.0])
    drawn = [int((logits.numpy() + noise(_stream("p", seed), 3, 2.0)).argmax()) for seed in range(4000)]
    expected = (logits / 2).softmax(-1).tolist()
    for token, share in enumerate(expected):
        assert drawn.count(token) / len(drawn) == pytest.approx(share, abs=0.03)


def test_stop_texts_end_generation(gpt2: Any) -> None:
    whole = gpt2.generate(["The capital of"], max_tokens=8, temperature=0, seed=0)[0]
    assert len(whole) > 3
    stop = whole[2:4]
    assert gpt2.generate(["The capital of"], max_tokens=8, temperature=0, seed=0, stop=[stop]) == [
        whole[: whole.index(stop)]
    ]


def test_a_text_that_only_repeats_itself_ends_before_its_limit(gpt2: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from proband.models.lm import generation

    monkeypatch.setattr(generation._Writer, "_chosen", lambda self, live, logits: [5] * len(live))
    text = gpt2.generate(["The capital of"], max_tokens=100, temperature=0, seed=0)[0]
    assert len(gpt2.tokenizer(text)["input_ids"]) < 60
