"""Models by name: `KIND:REST`, one file per kind of model.

    hf:NAME_OR_PATH  vec:PATH  relbert:NAME_OR_PATH  openai:MODEL@BASE_URL  baseline:random|majority  embedded:NAME

(`net:MODELDIR` and `solver:NAME` belong to a suite; the command line resolves them.)
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from proband.core.errors import ProbandError

# kind -> (module with a function `load(rest, *, name, **settings)`, what it is)
KINDS = {
    "hf": ("proband.models.hf", "masked and causal language models of Hugging Face, by name, folder or GGUF file"),
    "vec": ("proband.models.vectors.loading", "word vectors: fastText, word2vec and GloVe files"),
    "relbert": ("proband.models.relbert", "relation embeddings (RelBERT)"),
    "openai": ("proband.models.remote.chat_model", "any OpenAI-compatible endpoint: openai:MODEL@BASE_URL"),
    "baseline": ("proband.models.baseline", "random, majority"),
    "embedded": ("proband.models.embedded", "what installs with Proband and works offline"),
    "fake": ("proband.models.fake", "scripted answers, for tests"),
}


def loader(kind: str) -> Callable[..., Any]:
    found: Callable[..., Any] = import_module(KINDS[kind][0]).load
    return found


def load(spec: str, **settings: Any) -> Any:
    """The model a user named. Settings are passed on to the kind's `load` (device, dtype, batch, ...)."""
    kind, colon, rest = spec.partition(":")
    if not colon or kind not in KINDS or not rest:
        known = ", ".join(f"{k}:..." for k in KINDS if k != "fake")
        raise ProbandError(f"no model {spec!r}: a model is named KIND:NAME with one of {known}, net:DIR, solver:NAME")
    return loader(kind)(rest, name=spec, **settings)
