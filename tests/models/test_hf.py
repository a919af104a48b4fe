"""Where models are found, what is refused, and that the families are told apart."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from proband.core.errors import ProbandError
from proband.core.protocols import Text
from proband.models import load
from proband.models.hf import Masked, masked_or_causal
from proband.models.lm.causal import Causal

Tiny = Callable[[str], Path]


def refused(spec: str, **settings: Any) -> str:
    with pytest.raises(ProbandError) as caught:
        load(spec, settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_masked_and_causal_are_told_apart(tiny: Tiny) -> None:
    assert isinstance(load(f"hf:{tiny('bert')}", {"device": "cpu"}), Masked)
    assert isinstance(load(f"hf:{tiny('llama')}", {"device": "cpu"}), Causal)


def test_by_model_type_where_no_architecture_is_named() -> None:
    from transformers import BertConfig, LlamaConfig, ViTConfig

    assert masked_or_causal(BertConfig(), "m") == "masked"
    assert masked_or_causal(BertConfig(architectures=["BertLMHeadModel"]), "m") == "causal"
    assert masked_or_causal(LlamaConfig(), "m") == "causal"
    with pytest.raises(ProbandError, match="neither a masked nor a causal"):
        masked_or_causal(ViTConfig(), "m")


def test_names_that_lead_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    assert "not in the hub cache" in refused("hf:nobody/nothing-at-all")
    assert "hf download nobody/nothing-at-all" in refused("hf:nobody/nothing-at-all")
    assert "no such folder" in refused(f"hf:{tmp_path}/absent")
    assert "no such file" in refused(f"hf:{tmp_path}/absent.gguf")
    assert "no config.json" in refused(f"hf:{tmp_path}")
    assert "neither a folder here nor a name on the hub" in refused("hf:two words")


def test_from_the_hub_cache(tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    repo = tmp_path / "models--someone--tiny-bert"
    shutil.copytree(tiny("bert"), repo / "snapshots" / ("0" * 40))
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text("0" * 40)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub._snapshot_download.constants.HF_HUB_CACHE", str(tmp_path))
    model = load("hf:someone/tiny-bert", {"device": "cpu"})
    assert model.identity()["revision"] == "0" * 40
    folder = load(f"hf:{tiny('bert')}", {"device": "cpu"})
    assert model.score([Text("The queens.")]) == folder.score([Text("The queens.")])


def test_pickle_only_if_asked_for(tiny: Tiny, tmp_path: Path) -> None:
    from safetensors.torch import load_file

    folder = shutil.copytree(tiny("bert"), tmp_path / "m")
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    assert "no *.safetensors" in refused(f"hf:{folder}")
    torch.save(weights, folder / "pytorch_model.bin")
    assert "allow_pickle" in refused(f"hf:{folder}")
    model = load(f"hf:{folder}", {"device": "cpu", "allow_pickle": True})
    whole = load(f"hf:{tiny('bert')}", {"device": "cpu"})
    assert model.score([Text("The queens.")]) == whole.score([Text("The queens.")])
    assert model.identity()["weights"] != whole.identity()["weights"]


def test_a_head_that_is_missing_is_not_made_up(tiny: Tiny, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(tiny("bert"), tmp_path / "m")
    weights = load_file(folder / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if not name.startswith("cls.predictions.transform")}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    assert "no trained masked language-model head" in refused(f"hf:{folder}", device="cpu")


def test_code_that_comes_with_a_model_is_not_run(tiny: Tiny, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny("bert"), tmp_path / "m")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "strange", "auto_map": {"AutoConfig": "mine.Config", "AutoModelForMaskedLM": "mine.Net"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    refused(f"hf:{folder}")
    assert not (tmp_path / "ran").exists()


def test_deberta_with_its_published_head(tmp_path: Path, tiny: Tiny) -> None:
    """Checkpoints of DeBERTa keep the head as lm_predictions and do not say so in their configuration."""
    from transformers import AutoConfig, AutoModelForMaskedLM

    folder = shutil.copytree(tiny("deberta-v2"), tmp_path / "m")
    config = AutoConfig.from_pretrained(folder)
    config.legacy = False
    auto: Any = AutoModelForMaskedLM
    made = auto.from_config(config)
    made.save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text())
    config.pop("legacy", None)
    (folder / "config.json").write_text(json.dumps(config))
    model = load(f"hf:{folder}", {"device": "cpu"})
    ids = torch.tensor([model.tokenizer("The queens.")["input_ids"]])
    with torch.no_grad():
        assert torch.allclose(model.network.model(ids).logits, made.eval()(ids).logits, atol=1e-5)
    assert model.network.head() is not None


def test_settings_that_cannot_be(tiny: Tiny) -> None:
    assert "float32, bfloat16, float16" in refused(f"hf:{tiny('bert')}", dtype="int8")
    if not torch.cuda.is_available():
        assert "no GPU" in refused(f"hf:{tiny('bert')}", device="cuda")


def test_a_broken_file_is_one_line(tiny: Tiny, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny("bert"), tmp_path / "m")
    (folder / "config.json").write_text("{")
    refused(f"hf:{folder}")
    folder = shutil.copytree(tiny("bert"), tmp_path / "n")
    (folder / "model.safetensors").write_bytes(b"\x00" * 100)
    refused(f"hf:{folder}")
    folder = shutil.copytree(tiny("bert"), tmp_path / "o")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    refused(f"hf:{folder}")
    (tmp_path / "x.gguf").write_bytes(b"GGUF nothing")
    refused(f"hf:{tmp_path}/x.gguf")
    refused(f"gguf:{tmp_path}/x.gguf")
    (tmp_path / "text.gguf").write_text("hello")
    assert "not a GGUF file" in refused(f"gguf:{tmp_path}/text.gguf")
    assert "no such file" in refused(f"gguf:{tmp_path}/absent.gguf")


def test_what_transformers_makes_of_a_gguf_file_again_and_again_is_made_once() -> None:
    import gguf

    from proband.models.checkpoints import _fast_reader

    plain = gguf.get_tensor_name_map
    llama = gguf.MODEL_ARCH.LLAMA
    with _fast_reader():
        assert gguf.get_tensor_name_map(llama, 2) is gguf.get_tensor_name_map(llama, 2)
    assert gguf.get_tensor_name_map is plain


@pytest.mark.parametrize(("config", "begins"), [({"adds": True}, True), ({"adds": False}, False), ({}, True)])
def test_a_gguf_file_says_what_stands_in_front_of_a_text(
    config: dict[str, bool], begins: bool, tiny: Any, tmp_path: Path
) -> None:
    """transformers drops the setting, and Gemma is no model of language without its first token."""
    import gguf
    from transformers import AutoTokenizer

    from proband.models.checkpoints import begin_as_recorded

    tokenizer = AutoTokenizer.from_pretrained(tiny("gpt2"))
    assert tokenizer("a")["input_ids"][:1] != [tokenizer.bos_token_id]
    writer = gguf.GGUFWriter(tmp_path / "a.gguf", "llama")
    writer.add_tokenizer_model("llama")
    writer.add_bos_token_id(tokenizer.bos_token_id)
    if config:
        writer.add_add_bos_token(config["adds"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    begin_as_recorded(tokenizer, tmp_path / "a.gguf")
    tokenizer.save_pretrained(tmp_path / "saved")
    for each in (tokenizer, AutoTokenizer.from_pretrained(tmp_path / "saved")):
        assert (each("a")["input_ids"][:1] == [each.bos_token_id]) is begins
        assert each("a", add_special_tokens=False)["input_ids"][:1] != [each.bos_token_id]


def test_a_tokenizer_of_single_letters_does_not_know_its_words() -> None:
    """As transformers 5.17 makes of Gemma's files: -424 nats where -59 is right."""
    from tokenizers import Tokenizer, models, normalizers
    from transformers import PreTrainedTokenizerFast

    from proband.models.checkpoints import knows_its_words

    tokens = {token: i for i, token in enumerate(["<unk>", "\u2581", *"paris", "pa", "ri", "pari", "paris"])}
    merges = [("p", "a"), ("r", "i"), ("pa", "ri"), ("pari", "s")]
    for made, knows in ((merges, True), ([], False)):
        backend = Tokenizer(models.BPE(tokens, made, unk_token="<unk>"))
        backend.normalizer = normalizers.Replace(" ", "\u2581")
        assert knows_its_words(PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="<unk>")) is knows


def test_the_fast_reader_reads_what_gguf_s_own_reads(tmp_path: Path) -> None:
    import gguf

    from proband.models.checkpoints import _fast_reader

    writer = gguf.GGUFWriter(tmp_path / "a.gguf", "llama")
    writer.add_array("words", ["a", "", "née", "b" * 300])
    writer.add_array("scores", [0.5, -1.25])
    writer.add_array("kinds", [1, 2, 3])
    writer.add_array("flags", [True, False])
    writer.add_array("many", list(range(20_000)))
    writer.add_uint32("size", 7)
    writer.add_tensor("w", np.arange(64, dtype=np.float32).reshape(2, 32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    theirs = gguf.GGUFReader(tmp_path / "a.gguf")
    with _fast_reader():
        ours = gguf.GGUFReader(tmp_path / "a.gguf")
    assert ours.tensors[0].data.tolist() == theirs.tensors[0].data.tolist()
    for name, field in theirs.fields.items():
        values = [bytes(ours.fields[name].parts[at]) for at in ours.fields[name].data] if name == "words" else []
        assert values == ([bytes(field.parts[at]) for at in field.data] if name == "words" else [])
        if name in ("scores", "kinds", "flags", "many", "size"):
            numbers = [ours.fields[name].parts[at][0] for at in ours.fields[name].data]
            assert numbers == [field.parts[at][0] for at in field.data]
