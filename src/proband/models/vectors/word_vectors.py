"""`vec:PATH`: static word vectors, converted once to a memory-mapped form.

>>> table = WordVectors(["king", "new_york"], np.array([[1, 0], [0, 2]]), name="vec:two", identity={})
>>> rows, known = table.vectors(["King", "New York", "queen"])
>>> rows.tolist(), known.tolist()
([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]], [True, True, False])

A word is looked up (1) unchanged, (2) in lower case, (3) with "_" for each space and with a space for each "_", in both
cases, then (4), with `phrases="mean"`, as the mean of its parts if all of them are found by (1) or (2). Any other word
is unknown: its row is zero.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from proband.core.errors import ProbandError
from proband.core.files import cache_folder, file_errors, sha256_file, sha256_text, write_json
from proband.core.plugins import ModelKind
from proband.core.progress import Progress
from proband.core.protocols import Floats32
from proband.training.vector_files import open_vectors


class WordVectors:
    """A table of word vectors (protocol HasVectors)."""

    def __init__(
        self,
        words: Sequence[str],
        matrix: NDArray[Any],
        *,
        name: str,
        identity: Mapping[str, str],
        phrases: str = "mean",
    ) -> None:
        if matrix.ndim != 2 or len(matrix) != len(words):
            raise ProbandError(f"{name}: {len(words)} words need as many rows, not shape {matrix.shape}")
        self.name, self.phrases, self._identity = name, phrases, identity
        self.vocabulary, self.matrix = words, matrix

    @cached_property
    def row(self) -> dict[str, int]:
        """The row of each word; the first row of a repeated word."""
        return dict(zip(reversed(self.vocabulary), range(len(self.vocabulary) - 1, -1, -1)))

    def identity(self) -> Mapping[str, str]:
        return {"kind": "vec", **self._identity, "phrases": self.phrases}

    def vectors(self, words: Sequence[str]) -> tuple[Floats32, NDArray[np.bool_]]:
        """A row per word, and which words are known."""
        out = np.zeros((len(words), self.matrix.shape[1]), dtype=np.float32)
        rows = [self._rows(word) for word in words]
        for place, found in enumerate(rows):
            if found:
                out[place] = self.matrix[found].mean(axis=0) if len(found) > 1 else self.matrix[found[0]]
        return out, np.array([bool(found) for found in rows], dtype=np.bool_)

    def _rows(self, word: str) -> list[int]:
        """The row of a word, the rows of a phrase's parts, or no row."""
        if (whole := self._first(spellings(word))) is not None:
            return [whole]
        parts = word.replace("_", " ").split() if self.phrases == "mean" else []
        rows = [self._first((part, part.lower())) for part in parts]
        return [row for row in rows if row is not None] if len(rows) > 1 and None not in rows else []

    def _first(self, forms: Sequence[str]) -> int | None:
        return next((self.row[form] for form in forms if form in self.row), None)


def spellings(word: str) -> list[str]:
    """The forms to try, best first.

    >>> spellings("New York")
    ['New York', 'new york', 'New_York', 'new_york']
    """
    forms = [word, word.lower()]
    for old, new in ((" ", "_"), ("_", " ")):
        forms += [word.replace(old, new), word.lower().replace(old, new)]
    return list(dict.fromkeys(forms))


# ---- files, and what they are converted to: WORDS, a line each, and ROWS of float32; FACTS is written last -----------


WORDS, ROWS, FACTS = "words.txt", "rows.f4", "facts.json"


@dataclass(frozen=True, kw_only=True)
class VectorOptions:
    """Loading word vectors."""

    phrases: Annotated[
        Literal["mean", "none"],
        Meta(description="vector of a phrase that is not in the table: the mean of its words, or none"),
    ] = "mean"


def load(path: str, *, options: VectorOptions) -> WordVectors:
    from filelock import FileLock

    file, cache = Path(path).expanduser(), cache_folder("vectors")
    if not file.is_file():
        raise ProbandError("is a folder, not a file of word vectors" if file.is_dir() else "no such file", file=path)
    with file_errors(cache):
        cache.mkdir(parents=True, exist_ok=True)
        sha = _content_sha(file, cache)
        folder = cache / sha
        with FileLock(cache / f"{sha}.lock"):
            opened = open_converted(folder)
            if opened is None:
                convert(file, folder)
                opened = open_converted(folder)
    if opened is None:
        raise ProbandError("the converted vectors cannot be opened", file=folder)
    words, matrix, kind = opened
    identity = {"format": kind, "weights": sha}
    return WordVectors(words, matrix, name=f"vec:{path}", identity=identity, phrases=options.phrases)


def open_converted(folder: Path) -> tuple[list[str], Floats32, str] | None:
    """Words, rows and format; None if they do not exist or do not match."""
    try:
        facts = json.loads((folder / FACTS).read_bytes())
        words = (folder / WORDS).read_text(encoding="utf-8").split("\n")[:-1]
        matrix = np.memmap(folder / ROWS, dtype="<f4", mode="r").reshape(facts["words"], facts["dim"])
        return (words, matrix, facts["kind"]) if len(words) == len(matrix) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def convert(file: Path, folder: Path) -> None:
    """Convert whole or not at all: a scratch folder is renamed at the end. A repeated word keeps its first vector."""
    scratch = folder.with_name(f".converting-{folder.name}")
    shutil.rmtree(scratch, ignore_errors=True)  # a killed process left it
    scratch.mkdir()
    seen: set[str] = set()
    try:
        with (
            open_vectors(file) as (kind, blocks),
            open(scratch / ROWS, "wb") as rows_file,
            open(scratch / WORDS, "w", encoding="utf-8", newline="\n") as words_file,
            Progress(f"converting {file.name}, once: words") as bar,
        ):
            dim = 0
            for words, rows in blocks:
                new = []
                for word in words:
                    new.append(word not in seen)
                    seen.add(word)
                words_file.writelines(f"{word}\n" for word, is_new in zip(words, new) if is_new)
                rows_file.write(np.ascontiguousarray(rows[new], dtype="<f4").data)
                dim = rows.shape[1]
                bar.advance(len(words))
        if not seen:
            raise ProbandError("contains no word vectors", file=file)
        write_json(scratch / FACTS, {"kind": kind, "words": len(seen), "dim": dim})
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _content_sha(file: Path, cache: Path) -> str:
    """sha256 of the file, cached by its path, size and times, so that a second start need not read it."""
    note, about = cache / "sources" / f"{sha256_text(str(file.resolve()))[:32]}.json", file.stat()
    stamp = [about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino]
    try:
        remembered = json.loads(note.read_bytes())
        if remembered["stamp"] == stamp and len(remembered["sha256"]) == 64:
            return str(remembered["sha256"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    sha = sha256_file(file)
    write_json(note, {"stamp": stamp, "sha256": sha})
    return sha


ABOUT = "word vectors: fastText, word2vec and GloVe files"
KIND = ModelKind(name="vec", help=ABOUT, options=VectorOptions, load=load, open_weights=True)
