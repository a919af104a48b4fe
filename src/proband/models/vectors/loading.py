"""`vec:PATH`: static word vectors, converted once to a memory-mapped form and then opened in an instant.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as cache:
...     table = from_arrays(["king", "new_york"], [[1, 0], [0, 2]], name="vec:two", source_sha="two", cache=cache)
...     rows, known = table.vectors(["King", "New York", "queen"])
>>> rows.tolist(), known.tolist()
([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], [True, True, False])
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import ArrayLike

from proband.core.cache import cache_folder
from proband.core.errors import ProbandError
from proband.core.files import sha256_file, write_json
from proband.core.progress import Progress
from proband.core.protocols import ModelKind
from proband.models.vectors import fasttext
from proband.models.vectors.byte_stream import open_bytes
from proband.models.vectors.file_formats import binary_blocks, kind_of, text_blocks
from proband.models.vectors.store import Store, open_store
from proband.models.vectors.word_vectors import WordVectors
from proband.models.vectors.writer import Writer, conversion


@dataclass(frozen=True, kw_only=True)
class VectorOptions:
    """Loading word vectors."""

    phrases: Annotated[
        Literal["mean", "none"],
        Meta(description="a phrase that is not in the table: the mean of its words, or unknown"),
    ] = "mean"
    errors: Annotated[Literal["strict", "replace"], Meta(description="what to do with bad UTF-8")] = "strict"
    cache: Annotated[Path | None, Meta(description="folder of the converted files")] = None


def load(path: str, *, options: VectorOptions) -> WordVectors:
    """The vectors of a file (`archive.zip/member` for one of several inside)."""
    file, member = locate(path)
    folder, errors = _folder(options.cache), options.errors

    def opened() -> Store:
        sha = _content_sha(file, folder)
        target = folder / "-".join([sha, errors, *([_short_sha(member)] if member else [])])
        facts = {"sha256": sha, "member": member, "errors": errors, "path": str(file)}
        return open_store(target) or _converted(target, lambda writer: _convert(writer, file, member, errors), facts)

    return WordVectors(opened(), name=f"vec:{path}", phrases=options.phrases, redo=opened)


def from_arrays(
    words: Iterable[str],
    matrix: ArrayLike,
    *,
    name: str,
    source_sha: str,
    cache: Path | str | None = None,
    phrases: str = "mean",
) -> WordVectors:
    """The same from words and rows in memory, looked at once; `source_sha` names their content and changes with it."""
    target = _folder(cache) / f"arrays-{_short_sha(source_sha)}"

    def fill(writer: Writer) -> dict[str, Any]:
        rows = np.asarray(matrix, dtype=np.float32)
        raw = [word.encode("utf-8") for word in words]
        if rows.ndim != 2 or len(rows) != len(raw) or not np.isfinite(rows).all():
            raise ProbandError(f"{name}: {len(raw)} words need as many rows of finite numbers, not shape {rows.shape}")
        writer.add(raw, rows)
        return {"kind": "arrays"}

    store = open_store(target) or _converted(target, fill, {"sha256": source_sha})
    return WordVectors(store, name=name, phrases=phrases)


def _converted(target: Path, fill: Callable[[Writer], dict[str, Any]], facts: Mapping[str, Any]) -> Store:
    with conversion(target) as writer:
        writer.finish({**facts, **fill(writer)})
    store = open_store(target)
    if store is None:
        raise ProbandError("the converted vectors cannot be opened", file=target)
    return store


def _convert(writer: Writer, file: Path, member: str | None, errors: str) -> dict[str, Any]:
    before = _stamp(file)
    with open_bytes(file, member) as reader:
        kind = kind_of(reader)
        subwords: dict[str, int] = {}
        if kind == "fasttext-bin":
            subwords = fasttext.convert(reader, writer, errors=errors)
        else:
            blocks = (
                binary_blocks(reader, errors=errors)
                if kind == "word2vec-bin"
                else text_blocks(reader, header=kind == "word2vec-text", errors=errors)
            )
            with Progress(f"converting {file.name}, once: words") as bar:
                for words, rows in blocks:
                    writer.add(words, rows)
                    bar.advance(len(words))
    if _stamp(file) != before:
        raise ProbandError("changed while it was read", file=file)
    return {"kind": kind, "subwords": subwords}


def locate(path: str) -> tuple[Path, str | None]:
    """The file, and the member where the path goes on inside a zip archive: `glove.6B.zip/glove.6B.300d.txt`."""
    whole = Path(path).expanduser()
    if whole.is_file():
        return whole, None
    for parent in whole.parents:
        if parent.is_file():
            return parent, str(whole.relative_to(parent))
    if whole.is_dir():
        raise ProbandError("is a folder, not a file of word vectors", file=path)
    raise ProbandError("no such file", file=path)


def _folder(cache: Path | str | None) -> Path:
    return cache_folder("vectors") if cache is None else Path(cache).expanduser()


def _content_sha(file: Path, folder: Path) -> str:
    """sha256 of the file, remembered under its place, size and times so that a second start need not read it."""
    note = folder / "sources" / f"{_short_sha(str(file.resolve()))}.json"
    stamp = _stamp(file)
    try:
        remembered = json.loads(note.read_bytes())
        if remembered["stamp"] == stamp and len(remembered["sha256"]) == 64:
            return str(remembered["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    try:
        sha = sha256_file(file)
        write_json(note, {"stamp": stamp, "sha256": sha})
    except OSError as error:
        raise ProbandError(error.strerror or "cannot be read", file=error.filename or file) from None
    return sha


def _stamp(file: Path) -> list[int]:
    facts = file.stat()
    return [facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino]


def _short_sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


KIND = ModelKind(name="vec", help="word vectors: fastText, word2vec and GloVe files", options=VectorOptions, load=load)
