"""Opening a checkpoint with transformers: the options that all networks share, configuration, tokenizer, weights.

Weights are read from safetensors (pickle only if asked for) and code that comes with a model is never run. Foreign
files fail in many ways; each failure becomes one line.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from proband.core.errors import ProbandError
from proband.models.checkpoints.files import VOCABULARY, Files


@dataclass(frozen=True, kw_only=True)
class NetworkOptions:
    """Where and how a network computes."""

    device: Annotated[str | None, Meta(description="cpu, cuda, cuda:1 (default: a GPU if there is one)")] = None
    dtype: Annotated[
        Literal["float32", "bfloat16", "float16"] | None,
        Meta(description="arithmetic (default: bfloat16 on a GPU, float32 elsewhere)"),
    ] = None
    batch: Annotated[
        Annotated[int, Meta(ge=1)] | None, Meta(description="sequences per batch (default: chosen automatically)")
    ] = None


@dataclass(frozen=True, kw_only=True)
class CheckpointOptions(NetworkOptions):
    """What is read from a folder or from the hub."""

    revision: Annotated[str | None, Meta(description="branch, tag or commit on the hub")] = None
    allow_pickle: Annotated[bool, Meta(description="read weights that are not safetensors")] = False


def read_config(files: Files, *, name: str) -> Any:
    from transformers import AutoConfig

    with one_line(name):
        return AutoConfig.from_pretrained(files.folder, trust_remote_code=False, local_files_only=True)


def read_tokenizer(files: Files, *, name: str) -> Any:
    from transformers import AutoTokenizer

    if not any((files.folder / file).is_file() for file in VOCABULARY):
        # transformers would make one up that knows no words
        raise ProbandError(f"{name}: the folder has no tokenizer (tokenizer.json or the like)", file=files.folder)
    with one_line(f"{name}: no tokenizer"):
        return AutoTokenizer.from_pretrained(files.folder, trust_remote_code=False, local_files_only=True)


def read_network(auto: Any, files: Files, config: Any, *, name: str, options: NetworkOptions) -> tuple[Any, list[str]]:
    """(the network on its device, names of the weights that the files lack); `auto` is a class of transformers."""
    import torch

    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.device(device)
    except RuntimeError:
        raise ProbandError(f"{name}: no device {device!r}; a device is cpu, cuda or cuda:NUMBER") from None
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ProbandError(f"device {device!r}: torch sees no GPU here")
    dtype = options.dtype or ("bfloat16" if device.startswith("cuda") else "float32")
    with one_line(name):
        model, info = auto.from_pretrained(
            files.folder,
            config=config,
            dtype=getattr(torch, dtype),
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
            use_safetensors=not files.pickle,
        )
    return model.to(device), sorted(info["missing_keys"])


def some_of(names: list[str]) -> str:
    """
    >>> some_of(["a", "b", "c", "d"])
    'a, b, c and others'
    """
    return ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")


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


@contextlib.contextmanager
def one_line(what: str) -> Iterator[None]:
    try:
        yield
    except ProbandError:
        raise
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise ProbandError(f"{what}: {lines[0] if lines else type(error).__name__}") from None
