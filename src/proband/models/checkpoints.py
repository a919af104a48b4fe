"""Checkpoints: finding a model's files (a folder, a snapshot in the hub cache, or one GGUF file) and opening them with
transformers.

Weights are read from safetensors (pickle only on request) and code that comes with a model is never run. Every failure
to read a file becomes one line.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from unittest import mock

import numpy as np
from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.files import cache_folder, read_json, sha256_file, sha256_text

TOKENIZER = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "spiece.model",
    "spm.model",
    "tokenizer.model",
    "sentencepiece.bpe.model",
)
VOCABULARY = set(TOKENIZER) - {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}
WANTED = ["*.json", "*.txt", "*.model", "*.safetensors"]  # what is fetched from the hub


@dataclass(frozen=True)
class Files:
    """A model on disk. `gguf` is the name of a GGUF file inside the folder, or None."""

    folder: Path
    revision: str = ""
    gguf: str | None = None
    pickle: bool = False

    def named(self, name: str) -> Callable[[], Mapping[str, str]]:
        """The identity of a model of that name, computed when it is first needed."""
        return functools.cache(lambda: {"name": name, **self.identity()})

    def identity(self) -> Mapping[str, str]:
        """Hashes of everything that determines the answers: weights, tokenizer, configuration."""
        if self.gguf is not None:
            whole = sha256_file(self.folder / self.gguf)
            return {"revision": self.revision, "weights": whole, "tokenizer": whole, "config": whole}
        return {
            "revision": self.revision,
            "weights": _together(_weights(self.folder, "bin" if self.pickle else "safetensors")),
            "tokenizer": _together(self.folder / name for name in TOKENIZER if (self.folder / name).exists()),
            "config": _together([self.folder / "config.json"]),
        }


def find(rest: str, *, name: str, revision: str | None = None, allow_pickle: bool = False) -> Files:
    """The files of a model called `name` (hf:rest, relbert:rest), downloaded only if they are not in the hub cache
    and downloads are allowed."""
    path = Path(rest).expanduser()
    if name.startswith("gguf:") or rest.lower().endswith(".gguf"):
        if not path.is_file():
            raise ProbandError("no such file", file=path)
        return Files(path.parent, gguf=path.name)
    if path.is_dir():
        return _check(Files(path, revision or ""), name=name, allow_pickle=allow_pickle)
    if path.is_absolute() or rest.startswith((".", "~")) or rest.count("/") > 1:
        raise ProbandError("no such folder", file=path)
    folder = _snapshot(rest, kind=name.partition(":")[0], revision=revision, allow_pickle=allow_pickle)
    return _check(Files(folder, folder.name), name=name, allow_pickle=allow_pickle)


def _snapshot(repo: str, *, kind: str, revision: str | None, allow_pickle: bool) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    wanted = [*WANTED, "*.bin"] if allow_pickle else WANTED
    try:
        folder = Path(snapshot_download(repo, revision=revision, local_files_only=True))
        if _complete(folder, "model.safetensors") or (allow_pickle and _complete(folder, "pytorch_model.bin")):
            return folder
    except (LocalEntryNotFoundError, OSError):
        pass  # not in the cache: fetch it below
    except HFValidationError:
        raise ProbandError(f"{repo!r} is neither a folder here nor a name on the hub (OWNER/NAME)") from None
    advice = (
        f"fetch it once with `hf download {repo}` on a machine with a network, or name a folder: {kind}:/path/to/model"
    )
    if os.environ.get("HF_HUB_OFFLINE", "0").upper() in {"1", "ON", "YES", "TRUE"}:
        raise ProbandError(f"{repo} is not in the hub cache and HF_HUB_OFFLINE is set; {advice}")
    try:
        return Path(snapshot_download(repo, revision=revision, allow_patterns=wanted))
    except HfHubHTTPError as error:
        raise ProbandError(f"{repo} cannot be downloaded: {str(error).splitlines()[0]}; {advice}") from None
    except (LocalEntryNotFoundError, OSError, RuntimeError):
        raise ProbandError(f"{repo} is not in the hub cache and the hub cannot be reached; {advice}") from None


def _complete(folder: Path, weights: str) -> bool:
    """Whether a snapshot has configuration, vocabulary and all shards; an interrupted download leaves a part."""
    index = folder / f"{weights}.index.json"
    shards = set(read_json(index)["weight_map"].values()) if index.is_file() else {weights}
    there = {path.name for path in folder.iterdir()}
    return "config.json" in there and bool(VOCABULARY & there) and (shards <= there or weights in there)


def _check(files: Files, *, name: str, allow_pickle: bool) -> Files:
    if not (files.folder / "config.json").is_file():
        raise ProbandError(f"{name}: the folder has no config.json", file=files.folder)
    if any(_weights(files.folder, "safetensors")):
        return files
    if not any(_weights(files.folder, "bin")):
        raise ProbandError(f"{name}: the folder has no *.safetensors weights", file=files.folder)
    if not allow_pickle:
        raise ProbandError(
            f"{name}: only pickled weights (*.bin), which can run code when read; "
            "convert them to safetensors or set allow_pickle",
            file=files.folder,
        )
    return Files(files.folder, files.revision, pickle=True)


def _weights(folder: Path, kind: str) -> list[Path]:
    stem = "model*.safetensors" if kind == "safetensors" else "pytorch_model*.bin"
    return sorted(folder.glob(stem))


def _together(paths: Iterable[Path]) -> str:
    """One hash of the names and hashes of several files."""
    lines = [f"{path.name} {sha256_file(path)}" for path in sorted(paths)]
    return sha256_text("\n".join(lines))


# ---- opening a checkpoint: options that all networks share, configuration, tokenizer, weights ------------------------


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
    """Options for folders and the hub."""

    revision: Annotated[str | None, Meta(description="a branch, tag or commit on the hub")] = None
    allow_pickle: Annotated[bool, Meta(description="read weights that are not safetensors")] = False


def read_config(files: Files, *, name: str) -> Any:
    from transformers import AutoConfig

    with one_line(name):
        return AutoConfig.from_pretrained(files.folder, trust_remote_code=False, local_files_only=True)


def read_tokenizer(files: Files, *, name: str) -> Any:
    from transformers import AutoTokenizer

    if not any((files.folder / file).is_file() for file in VOCABULARY):
        # transformers would make one with an empty vocabulary
        raise ProbandError(f"{name}: the folder has no tokenizer (tokenizer.json or the like)", file=files.folder)
    with one_line(f"{name}: no tokenizer"):
        return AutoTokenizer.from_pretrained(files.folder, trust_remote_code=False, local_files_only=True)


def read_network(auto: Any, files: Files, config: Any, *, name: str, options: NetworkOptions) -> tuple[Any, list[str]]:
    """(the network on its device, names of the weights that the files lack); `auto` is a class of transformers."""
    import torch
    from transformers import GgufConfig

    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.device(device)
    except RuntimeError:
        raise ProbandError(f"{name}: no device {device!r}; a device is cpu, cuda or cuda:NUMBER") from None
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ProbandError(f"device {device!r}: torch finds no GPU")
    dtype = options.dtype or ("bfloat16" if device.startswith("cuda") else "float32")
    given: dict[str, Any] = {"use_safetensors": not files.pickle}
    reading: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    if files.gguf is not None:
        given = {"gguf_file": files.gguf, "quantization_config": GgufConfig(dequantize=True)}
        reading = _fast_reader()
    with one_line(f"{name}: its weights cannot be read"), reading:
        model, info = auto.from_pretrained(
            files.folder,
            config=config,
            dtype=getattr(torch, dtype),
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
            **given,
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
    """Switch off transformers' progress bars and loading reports within this block."""
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


# ---- GGUF files: configuration and tokenizer are kept as a folder, weights are read from the file each time ---------


LAYOUT = 3  # version of the folder; increased when its content changes


def unpack_gguf(file: Path, *, name: str) -> Path:
    """The folder with the configuration and the tokenizer of a GGUF file."""
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
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    with tempfile.TemporaryDirectory(dir=target.parent, prefix="part-") as made:
        with one_line(f"{name}: cut off, damaged, or not a GGUF file that transformers knows"), _fast_reader():
            config = AutoConfig.from_pretrained(file.parent, gguf_file=file.name)
            tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
            if not knows_its_words(tokenizer):
                raise ProbandError("its tokenizer does not produce the words of its own vocabulary")
            begin_as_recorded(tokenizer, file)
            tokenizer.save_pretrained(made)
            # no GGUF file contains the architecture, by which models are distinguished
            config.architectures = [AutoModelForCausalLM._model_mapping[type(config)].__name__]
        config.save_pretrained(made)
        Path(made).chmod(0o755)
        with contextlib.suppress(OSError):  # another process was faster; its folder is equivalent
            Path(made).rename(target)
            Path(made).mkdir()


def knows_its_words(tokenizer: Any) -> bool:
    """Does the tokenizer keep words of its vocabulary whole, or nearly so, instead of splitting them into letters?"""
    pieces = (tokenizer.decode([i]).strip() for i in range(0, len(tokenizer), 1 + len(tokenizer) // 2000))
    words = [word for word in pieces if len(word) > 3 and word.isascii() and word.isalpha()]
    return sum(map(len, tokenizer(words, add_special_tokens=False)["input_ids"])) <= 2 * len(words) if words else True


def begin_as_recorded(tokenizer: Any, file: Path) -> None:
    """Make the tokenizer add the BOS that its GGUF file asks for, which transformers ignores (Gemma needs its BOS). If
    the file does not specify it, llama.cpp's rule applies: sentence-piece models have a BOS."""
    import gguf
    from tokenizers.processors import TemplateProcessing

    fields = gguf.GGUFReader(file).fields
    kind, first, adds = (
        fields[key].contents() if (key := f"tokenizer.ggml.{name}") in fields else None
        for name in ("model", "bos_token_id", "add_bos_token")
    )
    if tokenizer.bos_token is None and first is not None:
        tokenizer.bos_token = tokenizer.convert_ids_to_tokens(int(first))
    bos, own = tokenizer.bos_token, tokenizer.bos_token_id
    if (kind == "llama" if adds is None else adds) and bos is not None and tokenizer("a")["input_ids"][:1] != [own]:
        tokenizer.add_bos_token = True
        tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
            single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, own)]
        )


@contextlib.contextmanager
def _fast_reader() -> Iterator[None]:
    """Speed up how transformers reads a GGUF file. It parses the file for the configuration, the tokenizer and the
    weights, and maps names for every layer; here each step runs once. gguf's own reader makes a memory-mapped array
    of every token and merge, which takes most of the time; this reader makes bytes."""
    import gguf

    class HeaderReader(gguf.GGUFReader):  # type: ignore[misc]
        def _get_field_parts(self, orig_offs: int, raw_type: int) -> Any:
            if raw_type != gguf.GGUFValueType.ARRAY:
                return super()._get_field_parts(orig_offs, raw_type)
            kind, length = self._get(orig_offs, np.uint32), self._get(orig_offs + 4, np.uint64)
            kinds = [gguf.GGUFValueType(raw_type), gguf.GGUFValueType(kind[0])]
            at, items = orig_offs + 12, int(length[0])
            number = self.gguf_scalar_to_np.get(kinds[1])
            parts: list[Any] = []
            if number is not None:
                values = self._get(at, number, items)
                at, parts = at + values.nbytes, values.reshape(-1, 1).tolist()
            elif kinds[1] == gguf.GGUFValueType.STRING:
                order = ">Q" if self.byte_order == "S" else "<Q"
                for _ in range(items):
                    (size,) = struct.unpack_from(order, self.data, at)
                    parts.append(self.data[at + 8 : at + 8 + size].tobytes())
                    at += 8 + size
            else:
                return super()._get_field_parts(orig_offs, raw_type)
            return at - orig_offs, [kind, length, *parts], list(range(2, 2 + len(parts))), kinds

    made_once: dict[str, Any] = {
        "GGUFReader": functools.cache(HeaderReader),
        "get_tensor_name_map": functools.cache(gguf.get_tensor_name_map),
    }
    silence = contextlib.redirect_stderr(io.StringIO())  # transformers always draws its progress bar
    with mock.patch.multiple(gguf, **made_once), silence:
        yield
