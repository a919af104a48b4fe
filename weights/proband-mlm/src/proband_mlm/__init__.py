"""The weights of proband-mlm, a small English masked language model. `path()` is a folder transformers can load."""

from __future__ import annotations

from pathlib import Path

__version__ = "0.2.0"


def path() -> Path:
    """The folder with config.json, model.safetensors and the tokenizer.

    >>> (path() / "config.json").exists()
    True
    """
    return Path(__file__).parent
