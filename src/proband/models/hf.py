"""`hf:NAME_OR_PATH`: language models of the Hugging Face kind, masked or causal as their configuration says.

Weights are read from safetensors (pickle only if asked for), code that comes with a model is never run, and a model
whose head is missing from its file is refused rather than filled with random numbers.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

from proband.core.errors import ProbandError
from proband.models.checkpoints.files import VOCABULARY, Files, find
from proband.models.checkpoints.gguf import unpacked
from proband.models.lm.causal import Causal
from proband.models.lm.masked import Masked


def load(
    rest: str,
    *,
    name: str,
    device: str | None = None,
    dtype: str | None = None,
    batch: int | None = None,
    revision: str | None = None,
    allow_pickle: bool = False,
    bos: str = "auto",
) -> Masked | Causal:
    """The model behind `hf:rest`. `dtype` is bfloat16 on a GPU and float32 elsewhere unless said otherwise."""
    files = find(rest, name=name, revision=revision, allow_pickle=allow_pickle)
    return open_model(files, name=name, device=device, dtype=dtype, batch=batch, bos=bos)


def open_model(
    files: Files,
    *,
    name: str,
    device: str | None = None,
    dtype: str | None = None,
    batch: int | None = None,
    bos: str = "auto",
) -> Masked | Causal:
    with quiet():
        given = files
        if files.gguf is not None:
            files = Files(unpacked(files.folder / files.gguf, name=name))
        config = _read(files, name)
        kind = masked_or_causal(config, name)
        model = _weights_of(files, config, kind, name=name, device=device, dtype=dtype)
        tokenizer = tokenizer_of(files, name)
    identity = functools.cache(lambda: {"name": name, **given.identity()})
    longest = longest_input(config, tokenizer)
    if kind == "masked":
        return Masked(model, tokenizer, name=name, identity=identity, longest=longest, batch=batch)
    return Causal(model, tokenizer, name=name, identity=identity, longest=longest, batch=batch, bos=bos)


def masked_or_causal(config: Any, name: str) -> str:
    """By the architecture the configuration names, else by what transformers builds from the model type."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    for architecture in config.architectures or ():
        if architecture.endswith(("ForMaskedLM", "ForPreTraining")):
            return "masked"
        if architecture.endswith(("ForCausalLM", "LMHeadModel")):
            return "causal"
    if config.model_type in MODEL_FOR_MASKED_LM_MAPPING_NAMES:
        return "masked"
    if config.model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return "causal"
    raise ProbandError(f"{name}: a {config.model_type!r} model is neither a masked nor a causal language model")


def _read(files: Files, name: str) -> Any:
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(files.folder, trust_remote_code=False, local_files_only=True)
    except Exception as error:  # foreign files fail in many ways, and each is a sentence to the user
        raise ProbandError(f"{name}: {_sentence(error)}") from None


def tokenizer_of(files: Files, name: str) -> Any:
    from transformers import AutoTokenizer

    if not any((files.folder / file).is_file() for file in VOCABULARY):
        # transformers would make one up that knows no words
        raise ProbandError(f"{name}: the folder has no tokenizer (tokenizer.json or the like)", file=files.folder)
    try:
        return AutoTokenizer.from_pretrained(files.folder, trust_remote_code=False, local_files_only=True)
    except Exception as error:  # foreign files fail in many ways, and each is a sentence to the user
        raise ProbandError(f"{name}: no tokenizer: {_sentence(error)}") from None


def _weights_of(files: Files, config: Any, kind: str, *, name: str, device: str | None, dtype: str | None) -> Any:
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

    device = device_of(device)
    auto = AutoModelForMaskedLM if kind == "masked" else AutoModelForCausalLM
    model, missing = _from_pretrained(auto, files, config, name=name, dtype=dtype_of(dtype, device, name))
    if missing and str(config.model_type).startswith("deberta") and getattr(config, "legacy", False):
        config.legacy = False  # the published DeBERTa checkpoints keep their head under the other name
        model, missing = _from_pretrained(auto, files, config, name=name, dtype=dtype_of(dtype, device, name))
    if missing:
        raise ProbandError(
            f"{name}: the weights lack {', '.join(missing[:3])}{' and others' if len(missing) > 3 else ''}: "
            f"this checkpoint has no trained {kind} language-model head"
        )
    return model.to(device)


def _from_pretrained(auto: Any, files: Files, config: Any, *, name: str, dtype: Any) -> tuple[Any, list[str]]:
    try:
        model, info = auto.from_pretrained(
            files.folder,
            config=config,
            dtype=dtype,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
            use_safetensors=not files.pickle,
        )
    except Exception as error:  # foreign files fail in many ways, and each is a sentence to the user
        raise ProbandError(f"{name}: {_sentence(error)}") from None
    return model, sorted(info["missing_keys"])


def device_of(device: str | None) -> str:
    import torch

    if device is None:
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ProbandError(f"device {device!r}: torch sees no GPU here")
    return device


def dtype_of(dtype: str | None, device: str, name: str) -> Any:
    import torch

    named = dtype or ("bfloat16" if device.startswith("cuda") else "float32")
    if named not in {"float32", "bfloat16", "float16"}:
        raise ProbandError(f"{name}: dtype {named!r}; there are float32, bfloat16, float16")
    return getattr(torch, named)


def longest_input(config: Any, tokenizer: Any) -> int | None:
    """Most tokens the model takes, special ones included; None where there is no limit."""
    limits = []
    positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        # the RoBERTa family numbers positions from the padding index on
        offset = (config.pad_token_id or 0) + 1 if "roberta" in config.model_type else 0
        limits.append(positions - offset)
    if tokenizer.model_max_length and tokenizer.model_max_length < 10**9:
        limits.append(int(tokenizer.model_max_length))
    return min(limits) if limits else None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """transformers' own progress bars and loading reports off, and afterwards as they were."""
    from transformers.utils import logging as untyped

    logging: Any = untyped
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _sentence(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
