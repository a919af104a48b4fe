"""Where a model's files are, and what they are: a folder, a snapshot in the hub cache, or one GGUF file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import sha256_file

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

    def identity(self) -> Mapping[str, str]:
        """Hashes of everything that decides the answers: weights, tokenizer, configuration."""
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
    """The files of `hf:rest`, downloaded only if the hub cache lacks them and the network is not switched off."""
    path = Path(rest).expanduser()
    if rest.lower().endswith(".gguf"):
        if not path.is_file():
            raise ProbandError("no such file", file=path)
        return Files(path.parent, gguf=path.name)
    if path.is_dir():
        return _checked(Files(path, revision or ""), name=name, allow_pickle=allow_pickle)
    if path.is_absolute() or rest.startswith((".", "~")) or rest.count("/") > 1:
        raise ProbandError("no such folder", file=path)
    folder = _snapshot(rest, revision=revision, allow_pickle=allow_pickle)
    return _checked(Files(folder, folder.name), name=name, allow_pickle=allow_pickle)


def _snapshot(repo: str, *, revision: str | None, allow_pickle: bool) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    wanted = [*WANTED, "*.bin"] if allow_pickle else WANTED
    try:
        folder = Path(snapshot_download(repo, revision=revision, local_files_only=True))
        if any(_weights(folder, "safetensors")) or (allow_pickle and any(_weights(folder, "bin"))):
            return folder
    except (LocalEntryNotFoundError, OSError):
        pass  # not in the cache: fetch it below
    except HFValidationError:
        raise ProbandError(f"{repo!r} is neither a folder here nor a name on the hub (OWNER/NAME)") from None
    advice = f"fetch it once with `hf download {repo}` where there is a network, or name a folder: hf:/path/to/model"
    if os.environ.get("HF_HUB_OFFLINE", "0").upper() in {"1", "ON", "YES", "TRUE"}:
        raise ProbandError(f"{repo} is not in the hub cache and HF_HUB_OFFLINE is set; {advice}")
    try:
        return Path(snapshot_download(repo, revision=revision, allow_patterns=wanted))
    except HfHubHTTPError as error:
        raise ProbandError(f"the hub does not give {repo}: {str(error).splitlines()[0]}; {advice}") from None
    except (LocalEntryNotFoundError, OSError, RuntimeError):
        raise ProbandError(f"{repo} is not in the hub cache and the hub cannot be reached; {advice}") from None


def _checked(files: Files, *, name: str, allow_pickle: bool) -> Files:
    if not (files.folder / "config.json").is_file():
        raise ProbandError(f"{name}: the folder has no config.json", file=files.folder)
    if any(_weights(files.folder, "safetensors")):
        return files
    if not any(_weights(files.folder, "bin")):
        raise ProbandError(f"{name}: the folder has no *.safetensors weights", file=files.folder)
    if not allow_pickle:
        raise ProbandError(
            f"{name}: only pickled weights (*.bin), which can run code when read; "
            "convert them to safetensors or ask for them with allow_pickle",
            file=files.folder,
        )
    return Files(files.folder, files.revision, pickle=True)


def _weights(folder: Path, kind: str) -> list[Path]:
    stem = "model*.safetensors" if kind == "safetensors" else "pytorch_model*.bin"
    return sorted(folder.glob(stem))


def _together(paths: Iterable[Path]) -> str:
    """One hash for several files: of their names and their hashes."""
    lines = [f"{path.name} {sha256_file(path)}" for path in sorted(paths)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
