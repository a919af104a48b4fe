"""GGUF files, unpacked once.

transformers reads a GGUF file by dequantising every tensor and parsing the vocabulary three times over, which takes
longer than most runs. The result (fp32 weights and a tokenizer, an ordinary model folder) is kept under the user's
cache, by the hash of the GGUF file, and read from there afterwards.
"""

from __future__ import annotations

import contextlib
import copy
import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

from proband.core.cache import cache_folder
from proband.core.errors import ProbandError
from proband.core.files import sha256_file
from proband.models.checkpoints.opening import one_line

LAYOUT = 1  # raised when what is kept changes


def unpacked(file: Path, *, name: str) -> Path:
    """The model folder made from a GGUF file."""
    cache = cache_folder("gguf")
    target = cache / f"{sha256_file(file)[:32]}-{LAYOUT}"
    if not (target / "config.json").is_file():
        try:
            cache.mkdir(parents=True, exist_ok=True)
            _unpack(file, target, name=name)
        except OSError as error:
            raise ProbandError(f"{name}: cannot be unpacked to {cache}: {error.strerror or error}") from None
    return target


def _unpack(file: Path, target: Path, *, name: str) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="part-") as made:
        model, tokenizer = _read(file, name)
        _plain(model).save_pretrained(made)
        tokenizer.save_pretrained(made)
        Path(made).chmod(0o755)
        with contextlib.suppress(OSError):  # another process was first: its folder is as good
            Path(made).rename(target)
            Path(made).mkdir()
    if not (target / "config.json").is_file():
        shutil.rmtree(target, ignore_errors=True)
        raise ProbandError(f"{name}: could not be unpacked", file=file)


def _read(file: Path, name: str) -> tuple[Any, Any]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    named = {"gguf_file": file.name, "local_files_only": True, "trust_remote_code": False}
    silence = contextlib.redirect_stderr(io.StringIO())  # the reader draws its progress bar whatever is asked of it
    with one_line(f"{name}: transformers cannot read it"), silence:
        model = AutoModelForCausalLM.from_pretrained(file.parent, dtype=torch.float32, **named)
        tokenizer = AutoTokenizer.from_pretrained(file.parent, **named)
    return model, tokenizer


def _plain(model: Any) -> Any:
    """The same weights in a model that does not know they were once quantised, and so can be saved."""
    from transformers import AutoModelForCausalLM

    config = copy.deepcopy(model.config)
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    plain: Any = AutoModelForCausalLM.from_config(config)  # type: ignore[no-untyped-call]
    plain.load_state_dict(model.state_dict())
    return plain
