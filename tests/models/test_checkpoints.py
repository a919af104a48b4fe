"""GGUF files that are cut off, damaged or of an unknown kind: one line that names the file, and nothing is kept."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.models import load
from proband.models.checkpoints import find
from proband.models.hf import folder_of


@pytest.fixture(scope="module")
def whole() -> bytes:
    """SmolLM2-135M, quantised."""
    (file,) = folder_of("smollm2").glob("*.gguf")
    return file.read_bytes()


def with_quantisation(raw: bytes, tensor: bytes, number: int) -> bytes:
    """The file with another number in the place of a tensor's quantisation: name, dimensions, sizes, type, offset."""
    at = raw.index(tensor) + len(tensor)
    (dimensions,) = struct.unpack_from("<I", raw, at)
    place = at + 4 + 8 * dimensions
    return raw[:place] + struct.pack("<I", number) + raw[place + 4 :]


@pytest.mark.parametrize("kind", ["gguf", pytest.param("hf", marks=pytest.mark.nightly)])
def test_a_damaged_gguf_file_is_one_line(
    whole: bytes, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))
    damaged = {
        "empty": b"",
        "text": b"not a model at all",
        "magic": b"GGML" + whole[4:200_000],
        "version": whole[:4] + struct.pack("<I", 99) + whole[8:200_000],
        "in-the-header": whole[:100],
        "in-the-words": whole[:200_000],
        "in-the-weights": whole[: len(whole) // 2],
        "quantisation": with_quantisation(whole, b"blk.0.ffn_down.weight", 99),
    }
    for name, raw in damaged.items():
        file = tmp_path / f"{name}.gguf"
        file.write_bytes(raw)
        with pytest.raises(ProbandError) as error:
            load(f"{kind}:{file}")
        assert str(error.value).startswith(f"{kind}:{file}: cut off, damaged, or not a GGUF file")
        assert "\n" not in str(error.value)
        file.unlink()
    assert not list(tmp_path.glob("cache/gguf/*/config.json"))


def test_a_gguf_file_that_is_not_there(tmp_path: Path) -> None:
    for kind in ("gguf", "hf"):
        with pytest.raises(ProbandError, match=r"none\.gguf: no such file"):
            load(f"{kind}:{tmp_path / 'none.gguf'}")


@pytest.mark.parametrize("missing", ["config.json", "vocab.json", "model-00002-of-00002.safetensors"])
def test_an_interrupted_download_is_not_taken_for_a_model(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = [f"model-0000{n}-of-00002.safetensors" for n in (1, 2)]
    index = {"weight_map": dict(zip("ab", shards, strict=True))}
    files = dict.fromkeys(["config.json", "vocab.json", *shards], "{}")
    for name, text in (files | {"model.safetensors.index.json": json.dumps(index)}).items():
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *_, **__: str(tmp_path))
    assert find("owner/name", name="hf:owner/name").folder == tmp_path
    (tmp_path / missing).unlink()
    with pytest.raises(ProbandError, match="owner/name is not in the hub cache"):
        find("owner/name", name="hf:owner/name")
