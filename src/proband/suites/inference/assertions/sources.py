"""Sources of assertions: files of several formats, split into units of work for any machine, in any order.

A unit is a file, or a range of bytes of a plain file; it contains the lines (for CoNLL-U, the sentences) that begin in
the range. The result of a unit does not depend on the process or on earlier units.
"""

from __future__ import annotations

import codecs
import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import IO, Literal, TypeVar, cast

from proband.core.errors import ProbandError
from proband.english.extraction.plain_text import OURS, TextParser, continues, join, paragraphs
from proband.english.extraction.syntactic_ngrams import NgramReader
from proband.english.extraction.tally import Assertion
from proband.suites.inference.assertions.records import of_sentence, read_tsv

Format = Literal["auto", "ngrams", "conllu", "text", "tsv"]
ENDINGS = {".conllu": "conllu", ".conll": "conllu", ".txt": "text", ".tsv": "tsv"}
# bytes of a unit: some seconds to a minute of work, so an interruption loses little
UNIT = {"text": 1_000_000, "conllu": 16_000_000}
UNIT_OTHERWISE = 64_000_000
Counted = Iterator[tuple[Assertion, int]]
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class ExtractionOptions:
    """The options that decide the assertions of a unit."""

    format: Format = "auto"
    pipeline: str = OURS


@dataclass(frozen=True, kw_only=True)
class SourceUnit:
    path: Path
    format: str
    start: int
    end: int | None  # None: to the end of a compressed file
    name: str


def units(sources: list[Path], options: ExtractionOptions) -> list[SourceUnit]:
    """The units of work, in order; a folder contributes all files that are not hidden."""
    work: list[SourceUnit] = []
    for source in sources:
        if not source.exists():
            raise ProbandError("no such file or folder", file=source)
        files = [source] if source.is_file() else sorted(path for path in source.rglob("*") if _visible(path, source))
        for path in files:
            kind = options.format if options.format != "auto" else guess(path)
            work += _of_file(path, kind)
    if not work:
        raise ProbandError("no file to read in " + ", ".join(map(str, sources)))
    return work


def _visible(path: Path, root: Path) -> bool:
    return path.is_file() and not any(part.startswith(".") for part in path.relative_to(root).parts)


def _of_file(path: Path, kind: str) -> Iterator[SourceUnit]:
    size = path.stat().st_size
    # the name depends on the file and its size, not on its folder: work done on another machine counts here
    stem = hashlib.blake2b(f"{path.name} {size} {_sample(path)}".encode(), digest_size=6).hexdigest()
    if path.suffix == ".gz":
        yield SourceUnit(path=path, format=kind, start=0, end=None, name=f"{stem}-all")
        return
    step = UNIT.get(kind, UNIT_OTHERWISE)
    for start in range(0, size, step):
        end = min(size, start + step)
        yield SourceUnit(path=path, format=kind, start=start, end=end, name=f"{stem}-{start // step:05}")


def _sample(path: Path) -> str:
    """A hash of the file's two ends, which detects a changed file."""
    with path.open("rb") as file:
        head = file.read(65536)
        file.seek(max(0, path.stat().st_size - 65536))
        return hashlib.blake2b(head + file.read(), digest_size=8).hexdigest()


def guess(path: Path) -> str:
    """The format of a file by its name, or by its first line.

    >>> guess(Path("biarcs.07-of-99.gz")), guess(Path("news.conllu"))
    ('ngrams', 'conllu')
    """
    name = path.name.removesuffix(".gz")
    if "arcs" in name or name.startswith(("nounargs", "verbargs")):
        return "ngrams"
    if (kind := ENDINGS.get(Path(name).suffix, "")) == "conllu":
        return kind
    with _open(path) as file:
        raw = file.readline(100_000)
    if raw.startswith((b'{"', b"[{")) or b"\0" in raw:
        raise ProbandError("is JSON or binary; needed: syntactic n-grams, CoNLL-U, plain text or triples", file=path)
    first = raw.decode("utf-8", "replace").strip().split("\t")
    if len(first) >= 3 and all(each.count("/") >= 3 for each in first[1].split(" ")):
        return "ngrams"
    kind = kind or ("tsv" if len(first) in (3, 4) else "text")
    if kind == "text" and (len(first) > 1 or name.endswith(".csv")):
        raise ProbandError("is a table; needed: syntactic n-grams, CoNLL-U, plain text or triples (.tsv)", file=path)
    return kind


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    try:
        with cast(IO[bytes], gzip.open(path, "rb")) if path.suffix == ".gz" else path.open("rb") as file:
            yield file
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ProbandError(f"cannot be decompressed: {error}", file=path) from None


# ---- the lines of a unit -------------------------------------------------------------------------------------------


def lines(unit: SourceUnit) -> Iterator[tuple[int, str]]:
    """(number within the unit, line) of the lines that begin in it; empty lines are skipped."""
    with _open(unit.path) as file:
        position = _to_line_start(file, unit.start)
        for number, raw in enumerate(file, start=1):
            if unit.end is not None and position >= unit.end:
                return
            position += len(raw)
            if not raw.isspace():
                yield number, decoded(raw, unit, number)


def joined_lines(unit: SourceUnit) -> Iterator[str]:
    """The paragraphs that begin in a unit of text; a line that continues in the next is joined with it."""
    with _open(unit.path) as file:
        position = _to_line_start(file, unit.start)
        previous = _line_before(file, position)
        paragraph: str | None = None  # None: the first lines belong to the unit before
        for number, raw in enumerate(file, start=1):
            line = decoded(raw, unit, number).strip()
            if not continues(previous, line):
                if paragraph:
                    yield paragraph
                if unit.end is not None and position >= unit.end:
                    return
                paragraph = line
            elif paragraph is not None:
                paragraph = join(paragraph, line)
            previous, position = line, position + len(raw)
        if paragraph:
            yield paragraph


def _line_before(file: IO[bytes], position: int) -> str:
    """The line that ends at a position; the file position is restored afterwards."""
    file.seek(max(0, position - 4096))
    before = file.read(position - file.tell())
    return before.removesuffix(b"\n").rpartition(b"\n")[2].decode("utf-8", "replace").strip()


def sentences(unit: SourceUnit) -> Iterator[tuple[int, list[str]]]:
    """(number of its first line, lines) of the blocks between empty lines that begin in a unit."""
    with _open(unit.path) as file:
        position = _to_line_start(file, unit.start)
        block: list[str] = []
        inside = unit.start > 0 and not _after_empty_line(file, position)
        begin = 1
        for number, raw in enumerate(file, start=1):
            if not raw.strip():
                if block:
                    yield begin, block
                block, inside = [], False
            elif not inside:
                if not block:
                    if unit.end is not None and position >= unit.end:
                        return
                    begin = number
                block.append(decoded(raw, unit, number))
            position += len(raw)
        if block:
            yield begin, block


def _to_line_start(file: IO[bytes], start: int) -> int:
    """Seek to the first line that begins at `start` or later."""
    if start == 0:
        return 0
    file.seek(start - 1)
    file.readline()
    return file.tell()


def _after_empty_line(file: IO[bytes], position: int) -> bool:
    file.seek(max(0, position - 2))
    before = file.read(position - max(0, position - 2))
    return before in (b"\n", b"\n\n", b"\r\n")


def decoded(raw: bytes, unit: SourceUnit, number: int) -> str:
    if unit.start == 0 and number == 1:
        raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        return raw.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ProbandError(f"not UTF-8: {error.reason}", file=unit.path, line=first_line(unit) + number) from None


def first_line(unit: SourceUnit) -> int:
    """The number of lines before a unit, for error messages."""
    with _open(unit.path) as file:
        before = _to_line_start(file, unit.start)
        file.seek(0)
        count = 0
        while before > 0 and (piece := file.read(min(before, 1 << 20))):
            count += piece.count(b"\n")
            before -= len(piece)
        return count


# ---- the assertions of a unit --------------------------------------------------------------------------------------

Read = Callable[[SourceUnit], Counted]


def reader(options: ExtractionOptions) -> Read:
    """A function that reads units; parsers are loaded when first needed, and kept."""
    parser, ngram_reader_once = cache(lambda: TextParser(options.pipeline)), cache(NgramReader)

    def text(unit: SourceUnit) -> Counted:
        return ((one, 1) for one in parser().assertions(paragraphs(joined_lines(unit))))

    def ngrams(unit: SourceUnit) -> Counted:
        ngram_reader = ngram_reader_once()
        ngram_reader.file = unit.path
        for number, line in lines(unit):
            try:
                yield from ngram_reader.read(line, number)
            except ProbandError:
                _placed(unit, number, partial(ngram_reader.read, line))

    def conllu(unit: SourceUnit) -> Counted:
        for number, rows in sentences(unit):
            assertions = _placed(unit, number, partial(of_sentence, rows, unit.path))
            yield from ((one, 1) for one in assertions)

    def tsv(unit: SourceUnit) -> Counted:
        for number, line in lines(unit):
            yield _placed(unit, number, partial(read_tsv, line, unit.path))

    readers: dict[str, Read] = {"text": text, "ngrams": ngrams, "conllu": conllu, "tsv": tsv}
    return lambda unit: readers[unit.format](unit)


def _placed(unit: SourceUnit, number: int, read: Callable[[int], T]) -> T:
    """Return `read(number)`; raise its errors again with the line counted from the beginning of the file."""
    try:
        return read(number)
    except ProbandError:
        return read(first_line(unit) + number)
