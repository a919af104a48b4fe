"""Strict JSON lines in and out, manifests, hashes, atomic writes; tables and pages for people.

Every reader reports invalid input in one sentence that names the file, the line and the field. Output is canonical
(fixed field order, fixed spacing, `\\n` ends each line), so that equal objects give equal bytes. Items and
answers are streams: nothing here holds a whole file in memory.

Jinja templates: pages use autoescape, so text from items, models or suites is never markup. Other files (cards, tasks
of other tools) are written without escaping.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import math
import os
import re
import secrets
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from proband.core.errors import ProbandError, in_words, why, with_key
from proband.core.types import Answer, Item, Run

Kind = TypeVar("Kind", bound=msgspec.Struct)
Key = TypeVar("Key")
Value = TypeVar("Value")
ARRAY = "a JSON array; what is wanted is JSON lines, one object a line and no brackets around them"
LARGEST_NUMBER = 1e300  # accepted, and beyond every score: arithmetic on larger ones overflows
DATA = Path(__file__).parents[1] / "data"  # what ships
BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some editors put it at the beginning; it is ignored
MODULUS = 1 << 256
FORMULA = re.compile(r"\s*[=+\-@|%]|[\t\r\n]")  # the beginning of a cell that a spreadsheet may run as a formula
LONGEST_LINE = 32 * 1024 * 1024  # longer lines are refused, to protect the memory


# ---- writing -------------------------------------------------------------------------------------------------------


def encode(value: Any) -> bytes:
    """Canonical JSON of a record or a plain value, as bytes.

    >>> encode(Answer(item_id="a", scores=(1.0, 0.5)))
    b'{"item_id":"a","scores":[1.0,0.5],"text":null,"blanks":[],"status":""}'
    """
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        raise ProbandError("cannot write text with a lone surrogate, which is not a character") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return value.tolist()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


_ENCODER = msgspec.json.Encoder(enc_hook=_plain, order=None)


def without_surrogates(text: str) -> str:
    """The text with lone surrogates replaced.

    >>> without_surrogates("aunt \\ud83d")
    'aunt \ufffd'
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if not text.isascii() else text


def dumps(value: Any) -> str:
    """Canonical JSON as text."""
    return encode(value).decode("utf-8")


@contextmanager
def atomic(path: Path, *, mode: str = "w") -> Iterator[IO[Any]]:
    """Write `path` whole or not at all: a temporary file in the same folder is flushed to disk, then renamed.

    `mode` is "w" for text (UTF-8, lines end with \\n) or "wb" for bytes.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    text: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    try:
        with naming(path), open(scratch, mode, **text) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, path)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    try:
        with atomic(path) as file:
            file.write(text)
    except UnicodeEncodeError:
        raise ProbandError("cannot write text with a lone surrogate, which is not a character", file=path) from None


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Add the file name to write errors (such as a full disk), because the system omits it."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def write_json(path: Path, value: Any) -> None:
    """Write one JSON object, indented for people."""
    plain = msgspec.to_builtins(value, enc_hook=_plain)
    try:
        text = json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=2, default=_plain)
    except ValueError:
        raise ProbandError("cannot write a value that is not a finite number", file=path) from None
    write_text(path, text + "\n")


def write_jsonl(path: Path, rows: Iterable[Any]) -> int:
    """Write a line of canonical JSON per row; returns their number."""
    count = 0
    with atomic(path, mode="wb") as file:
        for row in rows:
            file.write(encode(row) + b"\n")
            count += 1
    return count


# ---- hashes --------------------------------------------------------------------------------------------------------


def sha256_file(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_files(folder: Path, paths: Iterable[Path]) -> str:
    """One hash for the names and contents of files below a folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{sha256_file(path)}\n".encode())
    return digest.hexdigest()


def sha256_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class Fingerprint:
    """A hash of the content of a data set that does not depend on file names or the order of records: the sum of the
    sha256 of all records, as 64 hexadecimal digits.

    >>> one, other = Fingerprint(), Fingerprint()
    >>> for record in ("a", "b"): one.add(record)
    >>> for record in ("b", "a"): other.add(record)
    >>> one.hex() == other.hex() != Fingerprint().hex()
    True
    """

    def __init__(self) -> None:
        self.sum = 0

    def add(self, *fields: object) -> None:
        text = "\x1f".join(map(str, fields))
        self.sum = (self.sum + int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")) % MODULUS

    def hex(self) -> str:
        return f"{self.sum:064x}"


# ---- reading -------------------------------------------------------------------------------------------------------


def raw_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """(line number, bytes) of a JSON-lines file whose last line is complete."""
    with file_errors(path), open(path, "rb") as file:
        for number, raw in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1):
            if len(raw) > LONGEST_LINE:
                raise ProbandError(f"longer than {LONGEST_LINE // 2**20} MiB", file=path, line=number)
            if number == 1:
                raw = raw.removeprefix(BYTE_ORDER_MARK)
            if not raw.endswith(b"\n"):
                raw = _last_line(raw, path, number)
            yield number, raw


def _last_line(raw: bytes, path: Path, number: int) -> bytes:
    """Return a last line without a newline, as some editors leave it; an error if it is not complete JSON."""
    try:
        msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ProbandError("truncated: the last line is incomplete", file=path, line=number) from None
    return raw + b"\n"


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn errors of reading a file into one line with its name."""
    try:
        yield
    except OSError as error:
        raise ProbandError(error.strerror or "cannot be read", file=path) from None


def read_json(path: Path) -> dict[str, Any]:
    """One JSON object."""
    with file_errors(path):
        value = decode(Any, path.read_bytes().removeprefix(BYTE_ORDER_MARK), file=path)
    if not isinstance(value, dict):
        raise ProbandError("not a JSON object", file=path)
    return value


def read_utf8(path: Path) -> str:
    """The text of a UTF-8 file."""
    try:
        with file_errors(path):
            return path.read_bytes().removeprefix(BYTE_ORDER_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProbandError(f"not UTF-8 at byte {error.start + 1}", file=path) from None


def read_toml(path: Path) -> dict[str, Any]:
    return parse_toml(read_utf8(path), file=path)


def data_rows(name: str) -> list[dict[str, str]]:
    """The rows of a CSV file that ships."""
    return list(csv.DictReader(read_utf8(DATA / name).splitlines()))


def parse_toml(text: str, *, file: object) -> dict[str, Any]:
    """
    >>> parse_toml("a = 1\\nb =", file="x.toml")
    Traceback (most recent call last):
    proband.core.errors.ProbandError: x.toml line 2: not TOML: Invalid value
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"(.*) \(at line (\d+)", str(error))
        line = int(match[2]) if match else text.count("\n") + 1
        why_not = match[1] if match else str(error).removesuffix(" (at end of document)")
        raise ProbandError(f"not TOML: {why_not}", file=file, line=line) from None


def read_manifest(folder_or_file: Path) -> dict[str, Any]:
    """manifest.json in the folder of built items; empty if it does not exist."""
    path = (folder_or_file if folder_or_file.is_dir() else folder_or_file.parent) / "manifest.json"
    return read_json(path) if path.exists() else {}


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def decode(kind: Any, raw: bytes, *, file: object, line: int | None = None) -> Any:
    """A value of a type from its JSON; an error names what does not fit.

    >>> decode(Answer, b'{"item_id": "a", "scores": ["high"]}', file="answers.jsonl", line=3)
    Traceback (most recent call last):
    proband.core.errors.ProbandError: answers.jsonl line 3: 'scores' [0] must be a number, not text
    """
    try:
        return _decoder(kind).decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if raw.lstrip()[:1] == b"[":
            wrong = ARRAY
        elif isinstance(error, msgspec.ValidationError):
            wrong = in_words(with_key(str(error), kind, raw))
        else:
            wrong = f"not a JSON object: {why(raw, error)}"
        raise ProbandError(wrong, file=file, line=line) from None


def parse(kind: type[Kind], raw: bytes, *, file: object, line: int | None = None) -> Kind:
    """A checked record from its JSON."""
    record: Kind = decode(kind, raw, file=file, line=line)
    if wrong := inconsistent(record):
        raise ProbandError(wrong, file=file, line=line)
    return record


def inconsistent(record: Any) -> str | None:
    """What is wrong with a record beyond the types of its fields, or None."""
    if isinstance(record, Item):
        if not record.id.strip() or not record.suite.strip():
            return f"{'suite' if record.id.strip() else 'id'!r} is empty"
        if record.gold is not None and not 0 <= record.gold < len(record.choices):
            return f"'gold' is {record.gold} but there are {len(record.choices)} choices"
        if not isinstance(record.facts.get("clusters", []), list):
            return "'clusters' in 'facts' must be a list"
    elif isinstance(record, Answer):
        if not record.item_id.strip():
            return "'item_id' is empty"
        if not -LARGEST_NUMBER < sum(record.scores) < LARGEST_NUMBER:  # one sum finds any number that is not finite
            return "'scores' has a value that is not a finite number"
        if record.logprob is not msgspec.UNSET and not math.isfinite(record.logprob):
            return "'logprob' is not a finite number"
        if record.blanks and not _finite(record.blanks):
            return "'blanks' has a value that is not a finite number"
    return None


def _finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    return all(map(_finite, value)) if isinstance(value, (list, tuple)) else True


def read_records(path: Path, kind: type[Kind], *, key: str | None = None) -> Iterator[Kind]:
    """Checked records of a JSON-lines file; with `key`, a duplicate key is an error."""
    lines: dict[str, int] = {}
    for number, raw in raw_lines(path):
        record = parse(kind, raw, file=path, line=number)
        if key is not None:
            name = getattr(record, key)
            if lines.setdefault(name, number) != number:
                raise ProbandError(f"{key!r} {name!r} is already on line {lines[name]}", file=path, line=number)
        yield record


def read_items(
    folder_or_file: Path, kind: Any = Item, *, check: Callable[[Item], str | None] | None = None
) -> Iterator[Any]:
    """The checked items of a built folder (or of an items.jsonl). `kind`: another struct with `id` and `suite`, if not
    all fields are needed. `check`: the suite's own (`Suite.check`)."""
    path = items_path(folder_or_file)
    first = ""
    for number, item in enumerate(read_records(path, kind, key="id"), start=1):
        first = first or item.suite
        if item.suite != first:
            raise ProbandError(f"'suite' is {item.suite!r} but the first item's is {first!r}", file=path, line=number)
        if check is not None and kind is Item and (wrong := check(item)):
            raise ProbandError(f"item {item.id!r}: {wrong}", file=path, line=number)
        yield item
    if not first:
        raise ProbandError("contains no items", file=path)


def items_path(folder_or_file: Path) -> Path:
    if folder_or_file.is_dir():
        folder_or_file = folder_or_file / "items.jsonl"
    if not folder_or_file.exists():
        raise ProbandError("no such file; `proband build SUITE -o DIR` makes one", file=folder_or_file)
    return folder_or_file


def read_answers(path: Path) -> Iterator[Answer]:
    return read_records(path, Answer, key="item_id")


def read_run(path: Path) -> Run:
    with file_errors(path):
        run: Run = parse(Run, path.read_bytes().removeprefix(BYTE_ORDER_MARK), file=path)
    return run


def run_folders(paths: Sequence[str | Path]) -> list[Path]:
    """The run folders among and below the given ones, each once."""
    results: list[Path] = []
    for path in map(Path, paths):
        if (path / "run.json").exists():
            results.append(path)
        elif path.is_dir():
            below = sorted(note.parent for note in path.glob("**/run.json"))
            if not below:
                raise ProbandError("contains no run; `proband run` makes one", file=path)
            results.extend(below)
        else:
            raise ProbandError("no such folder", file=path)
    return list({os.path.realpath(folder): folder for folder in results}.values())


def items_of(folder: Path, run: Run, named: str | Path | None = None) -> Path:
    """The items that a run answered, checked by their hash. The user names their path, or run.json does,
    relative to the folder as named or, if the folder is a link, to its target."""
    noted = [Path(os.path.normpath(start / run.items)) for start in (folder, folder.resolve())]
    place = Path(named) if named is not None else next((each for each in noted if each.exists()), None)
    if place is None:
        raise ProbandError(f"no such file; the run in {folder} used these items", file=noted[-1])
    path = items_path(place)
    if sha256_file(path) != run.items_sha:
        raise ProbandError(f"not the items of the run in {folder} (their SHA-256 differs)", file=path)
    return path


def count_lines(path: Path, *, torn: bool = True) -> int:
    """The number of lines; `torn`: count a last line without an end, too."""
    count, last = 0, b"\n"
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            count, last = count + block.count(b"\n"), block[-1:]
    return count + (torn and last != b"\n")


def whole_lines(path: Path) -> Iterator[Answer]:
    """The complete lines of a file that another process may be writing."""
    if path.exists():
        with file_errors(path), open(path, "rb") as file:
            for line in file:
                with suppress(ProbandError):
                    if line.endswith(b"\n"):
                        yield decode(Answer, line, file=path)


def group_by_key(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key, in order.

    >>> group_by_key((len(word), word) for word in ("aunt", "son", "niece", "mum"))
    {4: ['aunt'], 3: ['son', 'mum'], 5: ['niece']}
    """
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def cache_folder(*parts: str) -> Path:
    """A folder under $PROBAND_CACHE, or under proband in the user's cache folder."""
    import platformdirs

    named = os.environ.get("PROBAND_CACHE")
    root = Path(named).expanduser() if named else platformdirs.user_cache_path("proband", appauthor=False)
    return root.joinpath(*parts)


# ---- for people: figures, tables in CSV and Markdown, pages ----------------------------------------------------------


def figure(value: float, unit: str = "share", *, sign: str = "") -> str:
    """Format a number of a table: shares in percent with one decimal, others with two.

    >>> figure(0.125, sign="+"), figure(1.5, "nats"), figure(-0.0001)
    ('+12.5', '1.50', '0.0')
    """
    text = f"{100 * value:{sign}.1f}" if unit == "share" else f"{value:{sign}.2f}"
    return text.lstrip("-+") if float(text) == 0 else text


def minus(text: str) -> str:
    """Put the typographic minus sign before numbers, for people (gpt-2: −1.5); files for machines keep the hyphen."""
    return re.sub(r"(?<![\w.)\]/-])-(?=\.?\d)", "\N{MINUS SIGN}", text)


def format_p(p: float) -> str:
    """
    >>> format_p(0.0312), format_p(0.00001), format_p(1.0)
    ('0.031', '<0.001', '1.000')
    """
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def slug(name: str) -> str:
    """A name for files and anchors.

    >>> slug("Groups × probes / v1"), slug("hf:FacebookAI/roberta-base")
    ('groups-probes-v1', 'hf-facebookai-roberta-base')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x"


def csv_lines(rows: Iterable[Iterable[Any]], *, guarded: bool = True) -> Iterator[str]:
    """The lines of a CSV file. `guarded`: cells that a spreadsheet would run as formulas are escaped.

    >>> list(csv_lines([("id", "text", "score"), (1, "a, =b", -0.5), (2, "=1+1", None)]))
    ['id,text,score\\n', '1,"a, =b",-0.5\\n', "2,'=1+1,\\n"]
    """
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    for row in rows:
        writer.writerow([guarded_cell(cell) for cell in row] if guarded else row)
        yield line.getvalue()
        line.seek(0)
        line.truncate()


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Iterable[Any]]) -> int:
    """Write a CSV file for people; returns the number of rows."""
    with atomic(path) as file:
        lines = 0
        for line in csv_lines(itertools.chain([header], rows)):
            file.write(line)
            lines += 1
    return lines - 1


def guarded_cell(cell: Any) -> Any:
    """Prefix a text that a spreadsheet would run as a formula with an apostrophe.

    >>> guarded_cell("=HYPERLINK(1)"), guarded_cell("-1.5"), guarded_cell("m"), guarded_cell(-0.5)
    ("'=HYPERLINK(1)", '-1.5', 'm', -0.5)
    """
    if not isinstance(cell, str) or not FORMULA.match(cell):
        return cell
    try:
        float(cell)
    except ValueError:
        return "'" + cell
    return cell


def markdown_table(head: Sequence[str], body: Iterable[Sequence[str]], *, right: int = 0) -> str:
    """A pipe table of Markdown cells; the last `right` columns are right-aligned.

    >>> print(markdown_table(["a", "b"], [["x", "1"]], right=1))
    | a | b |
    | --- | ---: |
    | x | 1 |
    """
    rule = ["---"] * (len(head) - right) + ["---:"] * right
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *body))


def md(text: str) -> str:
    r"""Escape text for Markdown.

    >>> print(md("a|b *c* <img>"))
    a\|b \*c\* &lt;img&gt;
    """
    flat = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", flat)


@cache
def environment(*packages: str) -> Any:
    """The Jinja environment of some packages, in order of precedence, with the shared templates of `proband.web`
    (`layout.html`). The filter `json` writes a value for JSON and YAML."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=ChoiceLoader([PackageLoader(package, package_path="") for package in (*packages, "proband.web")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"thousands": lambda number: f"{number:,}", "breakable": breakable, "json": dumps}
    return made


def breakable(name: str) -> Any:
    """Allow line breaks after the separators of a name.

    >>> str(breakable("net:a/b<c"))
    'net:<wbr>a/<wbr>b&lt;c'
    """
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(escape(part) for part in re.split(r"(?<=[:/@=_])(?=[^\s])", name))


def render(package: str, name: str, **values: Any) -> str:
    return str(environment(package).get_template(name).render(**values))


def render_text(package: str, name: str, **values: Any) -> str:
    """A file other than a page, from the template NAME.jinja of a package."""
    plain = environment(package).overlay(autoescape=False, keep_trailing_newline=True)
    return str(plain.get_template(f"{name}.jinja").render(**values))


def asset(package: str, name: str) -> str:
    """The text of a style sheet or a script in the folder of the templates."""
    return files(package).joinpath(name).read_text("utf-8")
