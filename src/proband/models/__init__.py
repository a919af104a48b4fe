"""Models by name: `KIND:REST`, one file or folder per kind of model.

    hf:NAME_OR_PATH  gguf:FILE  vec:PATH  relbert:NAME_OR_PATH  openai:MODEL@BASE_URL  anthropic:MODEL  gemini:MODEL
    baseline:random|majority  embedded:NAME  scores:FILE

Other packages add kinds through the entry point `proband.models` (a `ModelKind`), and `package.module:Object` names any
model object for a quick try. (`net:MODELDIR` and `solver:NAME` belong to a suite; the pipeline resolves them.)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from proband.core.plugins import ModelKind, Registry, check_model_name, check_named, load_model

__all__ = ["KINDS", "ModelKind", "check_name", "check_named", "kind_of", "kinds", "load"]

# built-in kind -> where its `ModelKind` is
KINDS: Mapping[str, str] = {
    "hf": "proband.models.hf:KIND",
    "gguf": "proband.models.hf:GGUF",
    "vec": "proband.models.vectors.word_vectors:KIND",
    "relbert": "proband.models.relbert:KIND",
    "openai": "proband.models.remote.openai:KIND",
    "anthropic": "proband.models.remote.native:ANTHROPIC_KIND",
    "gemini": "proband.models.remote.native:GEMINI_KIND",
    "baseline": "proband.models.baseline:KIND",
    "embedded": "proband.models.hf:EMBEDDED",
    "scores": "proband.models.scores:KIND",
    "fake": "proband.models.fake:KIND",
}
_MODELS = Registry("proband.models", ModelKind, KINDS)

kind_of = _MODELS.get
kinds = _MODELS.all
load = partial(load_model, _MODELS)
check_name = partial(check_model_name, _MODELS)
