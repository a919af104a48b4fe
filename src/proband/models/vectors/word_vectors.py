"""A table of word vectors (`vec:PATH`): how a word is looked up, and how a table is opened.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as cache:
...     table = from_arrays(["king", "new_york"], [[1, 0], [0, 2]], name="vec:two", source_sha="two", cache=cache)
...     rows, known = table.vectors(["King", "New York", "queen"])
>>> rows.tolist(), known.tolist()
([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], [True, True, False])

A word is looked up (1) as it is, (2) in lower case, (3) with "_" for each space and with a space for each "_", as it is
and in lower case, then (4), with `phrases="mean"`, as the mean of its parts if all of them are found by (1) or (2).
What is left is unknown: a row of zeros.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import ArrayLike, NDArray

from proband.core.errors import ProbandError
from proband.core.files import cache_folder, sha256_file, write_json
from proband.core.plugins import ModelKind
from proband.core.progress import Progress
from proband.core.protocols import Floats
from proband.models.vectors.file_formats import binary_blocks, kind_of, open_bytes, text_blocks
from proband.models.vectors.store import BLOCK, Damaged, Ints, VectorStore, Writer, open_or_convert


class WordVectors:
    """A table of word vectors (protocol HasVectors)."""

    def __init__(
        self, store: VectorStore, *, name: str, phrases: str = "mean", redo: Callable[[], VectorStore] | None = None
    ) -> None:
        self.name, self.phrases = name, phrases
        self._store, self._redo = store, redo

    @property
    def dim(self) -> int:
        return int(self._store.matrix.shape[1])

    @property
    def vocabulary(self) -> list[str]:
        return self._store.words

    @property
    def matrix(self) -> Floats:
        """The whole table, memory-mapped; every row's checksum is verified the first time."""
        self._safely(VectorStore.verify)
        return self._store.matrix

    def identity(self) -> Mapping[str, str]:
        facts = self._store.facts
        return {
            "kind": "vec",
            "format": facts["kind"],
            "weights": facts["sha256"],
            "member": facts.get("member") or "",
            "utf8": facts.get("errors", "strict"),
            "phrases": self.phrases,
        }

    def vectors(self, words: Sequence[str]) -> tuple[Floats, NDArray[np.bool_]]:
        """A row per word, and which words are known."""
        rows: tuple[Floats, NDArray[np.bool_]] = self._safely(lambda store: self._vectors(store, list(words)))
        return rows

    def _safely(self, read: Callable[[VectorStore], Any]) -> Any:
        """Read; where a checksum fails, convert the source again and read once more."""
        try:
            return read(self._store)
        except Damaged:
            if self._redo is None:
                raise
        self._store = self._redo()
        return read(self._store)

    def _vectors(self, store: VectorStore, words: list[str]) -> tuple[Floats, NDArray[np.bool_]]:
        out = np.zeros((len(words), self.dim), dtype=np.float32)
        ids = _first_found(store, [_spellings(word) for word in words])
        known = ids >= 0
        out[known] = store.rows(ids[known])
        if self.phrases == "mean":
            _fill_phrases(store, words, out, known)
        return out, known


def _spellings(word: str) -> list[str]:
    """The forms to try, best first.

    >>> _spellings("New York")
    ['New York', 'new york', 'New_York', 'new_york']
    """
    forms = [word, word.lower()]
    for old, new in ((" ", "_"), ("_", " ")):
        forms += [word.replace(old, new), word.lower().replace(old, new)]
    return list(dict.fromkeys(forms))


def _first_found(store: VectorStore, spellings: Sequence[Sequence[str]]) -> Ints:
    """The row of each word's first spelling that the table has, else -1."""
    result = np.full(len(spellings), -1, dtype=np.int64)
    for turn in range(max(map(len, spellings), default=0)):
        open_ = [i for i in np.flatnonzero(result < 0).tolist() if turn < len(spellings[i])]
        result[open_] = store.ids([spellings[i][turn] for i in open_])
    return result


def _fill_phrases(store: VectorStore, words: Sequence[str], out: Floats, known: NDArray[np.bool_]) -> None:
    """The mean of a phrase's parts, where all of them are in the table."""
    for i in np.flatnonzero(~known).tolist():
        parts = words[i].replace("_", " ").split()
        if len(parts) < 2:
            continue
        ids = _first_found(store, [[part, part.lower()] for part in parts])
        if (ids >= 0).all():
            out[i], known[i] = store.rows(ids).mean(axis=0), True


# ---- `vec:PATH`: static word vectors, converted once to a memory-mapped form and then opened in an instant ---------


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

    def opened() -> VectorStore:
        sha = _content_sha(file, folder)
        target = folder / "-".join([sha, errors, *([_short_sha(member)] if member else [])])
        facts = {"sha256": sha, "member": member, "errors": errors, "path": str(file)}
        return open_or_convert(target, lambda writer: facts | _convert(writer, file, member, errors))

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
        for start in range(0, len(raw), BLOCK):
            writer.add(raw[start : start + BLOCK], rows[start : start + BLOCK])
        return {"kind": "arrays", "sha256": source_sha}

    return WordVectors(open_or_convert(target, fill), name=name, phrases=phrases)


def _convert(writer: Writer, file: Path, member: str | None, errors: str) -> dict[str, Any]:
    before = _stamp(file)
    with open_bytes(file, member) as reader:
        kind = kind_of(reader)
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
    return {"kind": kind}


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
