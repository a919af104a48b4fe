"""Models that come as packages: they are found, answer sensibly, and a missing one says how to get it."""

from __future__ import annotations

import hashlib
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.protocols import EmbedsSentences, EmbedsWords, HasVectors, PredictsWords, ScoresText, Text
from proband.models import hf, load, title_of
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.suites.analogy.paper.findings import family_of
from proband.suites.analogy.relations import query_and_options


def test_lists_are_complete() -> None:
    assert set(hf.LOADERS) == set(hf.PACKAGES)
    assert [name for name in hf.PACKAGES if " " in title_of(f"embedded:{name}")] == []


def test_a_missing_one_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hf, "find_spec", lambda name: None)
    for name, (_, command, _) in hf.PACKAGES.items():
        with pytest.raises(ProbandError) as caught:
            load(f"embedded:{name}")
        needed = "" if name == "glove" else "pip install 'proband[models]' && "
        assert str(caught.value).startswith(f"embedded:{name} is not installed; ")
        assert str(caught.value).endswith(f"`{needed}{command}`")
    with pytest.raises(ProbandError, match="there are mlm, mlm-large, smollm2, glove, minilm"):
        load("embedded:gpt5")


def test_packages_are_found_without_being_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, (package, _, _) in hf.PACKAGES.items():
        monkeypatch.delitem(sys.modules, package, raising=False)  # another test of this process may have imported it
        assert hf.folder_of(name).is_dir()
        assert package not in sys.modules


def test_mlm_knows_a_little() -> None:
    model = load("embedded:mlm", {"device": "cpu"})
    assert isinstance(model, ScoresText)
    assert isinstance(model, PredictsWords)
    texts = [Text(f"What Paris is to France, Rome is to {word}.") for word in ("Italy", "bread", "yellow")]
    for method in model.methods:
        right, *wrong = (score.total for score in model.score(texts, method=method))
        assert right > max(wrong)
    # figures of the model card: tokyo 0.43, osaka 0.12
    found = np.exp(model.predict_words([("The capital of Japan is ", ".")], ["Tokyo", "Osaka", "bread"])[0])
    assert found[:2] == pytest.approx([0.43, 0.12], abs=0.005)
    assert found[2] < 1e-5


def test_the_larger_mlm_knows_more(root: Path) -> None:
    large, small = (load(name, {"device": "cpu"}) for name in ("embedded:mlm-large", "embedded:mlm"))
    assert [model.network.model.config.num_hidden_layers for model in (large, small)] == [12, 6]
    assert family_of(large.name) == family_of(small.name) == "mlm"
    texts = [Text("A dictionary explains the meaning of words."), Text("The heart pumps blood through the body.")]
    totals = [sum(score.total for score in model.score(texts, method="pll")) for model in (large, small)]
    assert totals[0] > totals[1]


@pytest.mark.parametrize("name", ["mlm", "mlm-large"])
def test_mlm_weights_are_those_of_the_distribution(name: str, root: Path) -> None:
    source = root / "weights" / f"proband-{name}" / "src" / hf.PACKAGES[name][0]
    files = [path.name for path in source.glob("model*")]
    assert files
    for file in files:
        hashes = [hashlib.sha256((folder / file).read_bytes()).digest() for folder in (source, hf.folder_of(name))]
        assert hashes[0] == hashes[1]


def test_glove_is_the_package_s_table() -> None:
    model = load("embedded:glove")
    assert isinstance(model, HasVectors)
    found, known = model.vectors(["the", "paris", "zzzqqq"])
    assert known.tolist() == [True, True, False]
    matrix = np.load(hf.folder_of("glove") / "data" / "glove_6B_50d_emb.npy", mmap_mode="r")
    assert found[0] == pytest.approx(matrix[0])  # "the" is GloVe's first word
    capitals, _ = model.vectors(["paris", "france", "rome", "italy", "banana"])
    unit = capitals / np.linalg.norm(capitals, axis=1, keepdims=True)
    analogy = unit[1] - unit[0] + unit[2]
    assert analogy @ unit[3] > analogy @ unit[4]


def test_minilm_is_mean_pooling() -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    model = load("embedded:minilm", {"device": "cpu"})
    assert isinstance(model, EmbedsSentences)
    assert isinstance(model, EmbedsWords)
    texts = ["A man is eating food.", "Someone eats.", "Shares fell sharply on Monday after the bank's warning.", "Hm"]
    found = model.embed_sentences(texts)
    folder = hf.folder_of("minilm") / "model"
    net: Any = AutoModel.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    for text, vector in zip(texts, found):
        with torch.no_grad():
            mean = net(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(0)
        assert vector == pytest.approx((mean / mean.norm()).numpy(), abs=1e-4)
    assert found[0] @ found[1] > 0.6 > 0.2 > found[0] @ found[2]
    assert model.embed_sentences(["word " * 600]).shape == (1, 384)  # cut, not refused
    assert model.embed(["A man eats."], [[(2, 5)]], layers=[-1]).shape == (1, 1, 1, 384)


def test_minilm_embeds_once_what_items_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build("analogy", out=tmp_path / "items", per_relation=16, relations="capital")
    asked = [query_and_options(item) for item in read_items(tmp_path / "items")]
    model = load("embedded:minilm", {"device": "cpu"})
    batch, rows = model.network.batch, 0

    def counting(texts: Any, pad: int) -> Any:
        nonlocal rows
        rows += len(texts)
        return batch(texts, pad)

    monkeypatch.setattr(model.network, "batch", counting)
    run(tmp_path / "items", model=model, out=tmp_path / "run", solver="sentence-cosine")
    assert rows == len({pair for query, options in asked for pair in (query, *options)})


@pytest.mark.slow
@pytest.mark.nightly
def test_smollm2_answers() -> None:
    model = load("embedded:smollm2", {"device": "cpu"})
    texts = [Text(f"The capital of France is {word}.") for word in ("Paris", "London", "bread")]
    scores = [score.total for score in model.score(texts, method="ll")]
    assert scores == sorted(scores, reverse=True)
    words = model.predict_words([("The capital of France is ", "")], ["Paris", "London", "bread"])[0]
    assert words[0] > max(words[1:])
    assert math.exp(words[0]) > 0.3
    assert "Paris" in model.generate(["The capital of France is"], max_tokens=4, temperature=0, seed=0)[0]
    identity = model.identity()
    assert (identity["bos"], identity["bos_without_context"]) == ("none", "<|endoftext|>")


@pytest.mark.nightly
@pytest.mark.slow
def test_smollm2_weights_are_those_of_the_gguf_file() -> None:
    """Against the reader of the format's own authors, on tensors of each kind."""
    from gguf import GGUFReader
    from gguf.quants import dequantize

    state = load("embedded:smollm2", {"device": "cpu"}).network.model.state_dict()
    (file,) = hf.folder_of("smollm2").glob("*.gguf")
    names = {
        "token_embd.weight": "model.embed_tokens.weight",
        "output_norm.weight": "model.norm.weight",
        "blk.0.ffn_down.weight": "model.layers.0.mlp.down_proj.weight",
        "blk.29.attn_v.weight": "model.layers.29.self_attn.v_proj.weight",
    }
    found = {tensor.name: tensor for tensor in GGUFReader(file).tensors if tensor.name in names}
    for theirs, ours in names.items():
        expected = dequantize(found[theirs].data, found[theirs].tensor_type)
        assert np.array_equal(state[ours].numpy(), expected)


def test_glove_has_every_word_once() -> None:
    words = load("embedded:glove").vocabulary
    assert len(words) == len(set(words)) == 400_000
    assert words[:4] == ["the", ",", ".", "of"]
    assert words[-1] == "sandberger"
