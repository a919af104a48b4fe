"""Chat templates after the formats of four families (written for this test, not copies): what a model reads, character
for character, and token for token as transformers itself renders it, without a second BOS."""

from __future__ import annotations

from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from proband.models.lm.chat import ChatCausal

SYSTEM, QUESTION, REPLY = "Be brief.", "Who is Ann?", "An aunt."
CHAT = (("system", SYSTEM), ("user", QUESTION), ("assistant", REPLY), ("user", "And Bo?"))
LLAMA = (
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n"
    "{{ m['content'] | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
QWEN = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
GEMMA = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
    "{% for m in messages %}<start_of_turn>{{ 'model' if m['role'] == 'assistant' else m['role'] }}\n"
    "{{ m['content'] | trim }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
MISTRAL = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system role') }}"
    "{% elif m['role'] == 'user' %}[INST] {{ m['content'] }} [/INST]"
    "{% else %} {{ m['content'] }}{{ eos_token }}{% endif %}"
    "{% endfor %}"
)
EXPECTED = {
    "llama": (
        LLAMA,
        "<s><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\n"
        "Who is Ann?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nAn aunt.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nAnd Bo?<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "qwen": (
        QWEN,
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWho is Ann?<|im_end|>\n"
        "<|im_start|>assistant\nAn aunt.<|im_end|>\n<|im_start|>user\nAnd Bo?<|im_end|>\n<|im_start|>assistant\n",
    ),
    "gemma": (
        GEMMA,
        "<s><start_of_turn>user\nBe brief.\n\nWho is Ann?<end_of_turn>\n<start_of_turn>model\nAn aunt.<end_of_turn>\n"
        "<start_of_turn>user\nAnd Bo?<end_of_turn>\n<start_of_turn>model\n",
    ),
    "mistral": (MISTRAL, "<s>[INST] Be brief.\n\nWho is Ann? [/INST] An aunt.</s>[INST] And Bo? [/INST]"),
}


def chat_model(template: str) -> Any:
    """A chat model as far as its tokenizer, which adds a BOS to plain texts."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={"<s>": 0, "</s>": 1, **{c: i + 2 for i, c in enumerate(alphabet)}}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    wrap: Any = PreTrainedTokenizerFast
    model = ChatCausal.__new__(ChatCausal)
    model.name, model.tokenizer = "tiny", wrap(tokenizer_object=made, bos_token="<s>", eos_token="</s>")
    model.tokenizer.chat_template = template
    return model


@pytest.mark.parametrize("family", list(EXPECTED))
def test_the_text_is_that_of_the_format(family: str) -> None:
    template, expected = EXPECTED[family]
    assert chat_model(template).rendered(CHAT) == expected


@pytest.mark.parametrize("family", list(EXPECTED))
def test_the_tokens_are_those_of_transformers(family: str) -> None:
    template, _ = EXPECTED[family]
    model = chat_model(template)
    first, second = CHAT[1:2], (("user", f"{SYSTEM}\n\n{QUESTION}"), *CHAT[2:])
    for chat in (first, second):
        messages = [{"role": role, "content": content} for role, content in chat]
        theirs = model.tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=True, return_dict=True
        )
        ours = model._tokens(model.rendered(chat)).tolist()
        assert ours == list(theirs["input_ids"])
        assert ours.count(0) == (family != "qwen")  # one BOS where the template has one
