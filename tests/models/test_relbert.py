"""RelBERT: a tiny random checkpoint in the published format against a plain computation, one pair at a time."""

from __future__ import annotations

import functools
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.core.protocols import EmbedsPairs
from proband.models import load, relbert

# the five prompts of the paper, with its spacing and its apostrophes
TEMPLATES = {
    "a": "Today, I finally discovered the relation between <subj> and <obj> : <subj> is the <mask> of <obj>",
    "b": "Today, I finally discovered the relation between <subj> and <obj> : <obj>  is <subj>'s <mask>",
    "c": "Today, I finally discovered the relation between <subj> and <obj> : <mask>",
    "d": "I wasn’t aware of this relationship, but I just read in the encyclopedia that <subj> is the <mask> of <obj>",
    "e": "I wasn’t aware of this relationship, but I just read in the encyclopedia that <obj>  is <subj>’s <mask>",
}
PAIRS = [
    ("Paris", "France"),
    ("dog", "puppies"),
    ("Paris", "France"),
    ("extraordinarily", "straße"),
    ("a", "b"),
    ("new york", "usa"),
]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A RoBERTa of two layers with a byte-level tokenizer, saved as RelBERT's authors save theirs."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizerFast

    folder = tmp_path_factory.mktemp("relbert")
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(
        [*TEMPLATES.values(), "Paris France dog puppies"],
        vocab_size=600,
        min_frequency=1,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
        show_progress=False,
    )
    tokenizer.save_model(str(folder))
    RobertaTokenizerFast.from_pretrained(str(folder), model_max_length=128).save_pretrained(folder)
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=600,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=140,
        initializer_range=0.5,
    )
    config.relbert_config = {"mode": "average_no_mask", "template": TEMPLATES["d"], "template_mode": "manual"}
    network: Any = RobertaModel
    network(config).save_pretrained(folder)
    return folder


def edited(checkpoint: Path, folder: Path, **entry: Any) -> Path:
    """A copy with another `relbert_config` (None removes it)."""
    shutil.copytree(checkpoint, folder)
    config = json.loads((folder / "config.json").read_text())
    config["relbert_config"] = entry or None
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@functools.cache
def opened(folder: Path) -> Any:
    from transformers import AutoModel, AutoTokenizer

    return AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


def plainly(folder: Path, pair: tuple[str, str], template: str, mode: str) -> Any:
    """The sum over the counted tokens and their number, written out for one pair without batching or padding."""
    import torch

    model, tokenizer = opened(folder)
    text = template.replace("<subj>", pair[0]).replace("<obj>", pair[1])
    assert text.count("<mask>") == 1
    encoded = tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        states = model(**encoded).last_hidden_state[0]
    ids = encoded["input_ids"][0].tolist()
    assert len(ids) <= 64
    assert (ids[0], ids[-1]) == (tokenizer.bos_token_id, tokenizer.eos_token_id)
    kept = [
        state
        for token, state in zip(ids, states)
        if mode == "average" or (token == tokenizer.mask_token_id) == (mode == "mask")
    ]
    return torch.stack(kept).sum(dim=0).numpy(), len(kept)


@pytest.mark.parametrize("mode", relbert.MODES)
@pytest.mark.parametrize("letter", "abcde")
def test_agrees_with_the_plain_computation(checkpoint: Path, tmp_path: Path, mode: str, letter: str) -> None:
    folder = edited(checkpoint, tmp_path / "m", mode=mode, template=TEMPLATES[letter], template_mode="manual")
    model = load(f"relbert:{folder}", {"device": "cpu"})
    assert isinstance(model, EmbedsPairs)
    rows = model.embed_pairs(PAIRS)
    assert rows.shape == (len(PAIRS), 16)
    for pair, row in zip(PAIRS, rows):
        expected, count = plainly(checkpoint, pair, TEMPLATES[letter], mode)
        np.testing.assert_allclose(row, expected / count, atol=1e-5)
    assert np.abs(rows[0] - rows[1]).max() > 1e-3  # the pairs do differ


def test_the_batch_and_the_order_do_not_matter(checkpoint: Path) -> None:
    rows = load(f"relbert:{checkpoint}", {"device": "cpu"}).embed_pairs(PAIRS)
    single = load(f"relbert:{checkpoint}", {"device": "cpu", "batch": 1})
    np.testing.assert_allclose(single.embed_pairs(PAIRS[::-1])[::-1], rows, atol=1e-5)
    np.testing.assert_allclose(np.concatenate([single.embed_pairs([pair]) for pair in PAIRS]), rows, atol=1e-5)
    np.testing.assert_array_equal(rows[0], rows[2])
    assert single.embed_pairs([]).shape == (0, 16)


def test_older_checkpoints_call_it_custom_template(checkpoint: Path, tmp_path: Path) -> None:
    folder = edited(checkpoint, tmp_path / "old", mode="mask", custom_template=TEMPLATES["b"])
    model = load(f"relbert:{folder}", {"device": "cpu"})
    assert (model.template, model.mode) == (TEMPLATES["b"], "mask")


def test_a_plain_masked_model_is_refused(checkpoint: Path, tmp_path: Path) -> None:
    folder = edited(checkpoint, tmp_path / "plain")
    with pytest.raises(ProbandError, match="no 'relbert_config' with a template"):
        load(f"relbert:{folder}", {"device": "cpu"})


def test_the_hub_cache(checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    snapshot = tmp_path / "hub" / "models--someone--relbert-tiny" / "snapshots" / ("0" * 40)
    snapshot.parent.mkdir(parents=True)
    shutil.copytree(checkpoint, snapshot)
    refs = tmp_path / "hub" / "models--someone--relbert-tiny" / "refs"
    refs.mkdir()
    (refs / "main").write_text("0" * 40)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    rows = load("relbert:someone/relbert-tiny", {"device": "cpu"}).embed_pairs(PAIRS)
    np.testing.assert_array_equal(rows, load(f"relbert:{checkpoint}", {"device": "cpu"}).embed_pairs(PAIRS))


def test_a_checkpoint_that_is_not_there_is_answered_with_advice_of_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ProbandError, match=r"or name a folder: relbert:/path/to/model"):
        load("relbert:someone/not-there", {})


def test_identity_tells_apart_what_answers_differently(checkpoint: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file, save_file

    settings: list[dict[str, str]] = [{}, {"dtype": "bfloat16"}]
    seen = [dict(load(f"relbert:{checkpoint}", {"device": "cpu", **each}).identity()) for each in settings]
    for mode, letter in (("average_no_mask", "a"), ("mask", "d")):
        folder = edited(checkpoint, tmp_path / mode, mode=mode, template=TEMPLATES[letter])
        seen.append({**load(f"relbert:{folder}", {"device": "cpu"}).identity(), "name": seen[0]["name"]})
    changed = shutil.copytree(checkpoint, tmp_path / "changed")
    weights = load_file(changed / "model.safetensors")
    weights["embeddings.word_embeddings.weight"][7, 3] += torch.tensor(1.0)
    save_file(weights, changed / "model.safetensors", metadata={"format": "pt"})
    seen.append({**load(f"relbert:{changed}", {"device": "cpu"}).identity(), "name": seen[0]["name"]})
    assert all(seen[i] != seen[j] for i in range(len(seen)) for j in range(i))
    assert seen[0] == load(f"relbert:{checkpoint}", {"device": "cpu"}).identity()


def test_pickled_weights_only_on_demand(checkpoint: Path, tmp_path: Path) -> None:
    import torch
    from safetensors.torch import load_file

    folder = shutil.copytree(checkpoint, tmp_path / "pickled")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ProbandError, match="pickled"):
        load(f"relbert:{folder}", {"device": "cpu"})
    rows = load(f"relbert:{folder}", {"device": "cpu", "allow_pickle": True}).embed_pairs(PAIRS)
    np.testing.assert_allclose(rows, load(f"relbert:{checkpoint}", {"device": "cpu"}).embed_pairs(PAIRS), atol=1e-6)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"mode": "cls", "template": "<subj> <obj>"}, "mode 'cls'; there are mask, average, average_no_mask"),
        ({"mode": "average", "template": "no marks"}, "lacks <subj> or <obj>"),
        ({"mode": "mask", "template": "<subj> <obj>"}, "needs a template with one <mask>"),
        ({"mode": "average", "template": {"top": [1], "mid": [2], "bottom": [3]}}, "learned prompt"),
    ],
)
def test_a_malformed_checkpoint_is_one_line(checkpoint: Path, tmp_path: Path, entry: Any, message: str) -> None:
    folder = edited(checkpoint, tmp_path / "bad", **entry)
    with pytest.raises(ProbandError) as error:
        load(f"relbert:{folder}", {"device": "cpu"})
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_weights_are_refused_not_drawn_at_random(checkpoint: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(checkpoint, tmp_path / "partial")
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.1.output.dense.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ProbandError, match=r"the weights lack encoder.layer.1.output.dense.weight"):
        load(f"relbert:{folder}", {"device": "cpu"})


def test_words_that_would_break_the_prompt(checkpoint: Path, tmp_path: Path) -> None:
    model = load(f"relbert:{checkpoint}", {"device": "cpu"})
    with pytest.raises(ProbandError, match="'<mask>' contains a placeholder"):
        model.embed_pairs([("<mask>", "x")])
    folder = edited(checkpoint, tmp_path / "masked", mode="mask", template=TEMPLATES["c"])
    masked = load(f"relbert:{folder}", {"device": "cpu"})
    with pytest.raises(ProbandError, match="the mask is cut off"):
        masked.embed_pairs([("word " * 100, "x")])
    assert np.isfinite(model.embed_pairs([("word " * 100, "x")])).all()
