"""Strict JSON lines in and out, manifests, hashes, atomic writes.

Every reader fails at the edge, in one sentence that names the file, the line and the field. Output is canonical
(fixed field order, no spaces to vary, `\\n` ends each line), so that the same objects are the same bytes.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

from proband.core.errors import ProbandError
from proband.core.types import Answer, Estimate, Item, Judgment, Run

Record = TypeVar("Record", Item, Answer, Judgment, Run, Estimate)
LARGEST = 1e300  # of a number: beyond it arithmetic overflows
LONGEST_LINE = 32 * 1024 * 1024  # a line beyond this is not one of ours; refuse it instead of filling the memory


# ---- writing -------------------------------------------------------------------------------------------------------


def dumps(value: Any) -> str:
    """Canonical JSON of a record or a plain value.

    >>> dumps(Answer(item_id="a", scores=(1.0, 0.5)))
    '{"item_id":"a","scores":[1.0,0.5],"text":null,"blanks":[]}'
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    except ValueError as error:
        raise ProbandError(f"cannot write a value that is not a finite number: {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


@contextmanager
def atomic(path: Path) -> Iterator[IO[str]]:
    """Write `path` whole or not at all: a temporary neighbour, flushed to the disk, takes its name at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    with atomic(path) as file:
        file.write(text)


def write_json(path: Path, value: Any) -> None:
    """One JSON object, indented for people."""
    plain = json.loads(dumps(value))
    write_text(path, json.dumps(plain, ensure_ascii=False, indent=2) + "\n")


def write_lines(path: Path, records: Iterable[Any]) -> int:
    """JSON lines; returns how many."""
    count = 0
    with atomic(path) as file:
        for record in records:
            file.write(dumps(record) + "\n")
            count += 1
    return count


# ---- hashes --------------------------------------------------------------------------------------------------------


def sha256_file(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


# ---- reading -------------------------------------------------------------------------------------------------------


def read_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """(line number, value) for each line of a JSON-lines file; blank lines are refused like any other non-JSON."""
    for number, text in read_text_lines(path):
        try:
            yield number, json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else _short(error)
            raise ProbandError(f"not a JSON object: {reason}", file=path, line=number) from None


def read_text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(line number, text) of a UTF-8 file whose last line is complete."""
    try:
        file = open(path, "rb")  # noqa: SIM115 (closed below; opening alone may fail)
    except OSError as error:
        raise ProbandError(error.strerror or "cannot be opened", file=path) from None
    with file:
        number = 0
        while True:
            try:
                raw = file.readline(LONGEST_LINE + 1)
            except OSError as error:
                raise ProbandError(error.strerror or "cannot be read", file=path) from None
            if not raw:
                return
            number += 1
            if len(raw) > LONGEST_LINE:
                raise ProbandError(f"longer than {LONGEST_LINE // 2**20} MiB", file=path, line=number)
            if not raw.endswith(b"\n"):
                raise ProbandError("truncated: the last line has no end", file=path, line=number)
            try:
                yield number, raw[:-1].decode("utf-8")
            except UnicodeDecodeError as error:
                raise ProbandError(f"not UTF-8 at byte {error.start + 1}", file=path, line=number) from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a finite number")


def _short(error: ValueError) -> str:
    return str(error).splitlines()[0][:120] if str(error) else "malformed"


def read_json(path: Path) -> dict[str, Any]:
    """One JSON object."""
    try:
        value = json.loads(path.read_bytes().decode("utf-8"), parse_constant=_no_constant)
    except OSError as error:
        raise ProbandError(error.strerror or "cannot be opened", file=path) from None
    except UnicodeDecodeError as error:
        raise ProbandError(f"not UTF-8 at byte {error.start + 1}", file=path) from None
    except RecursionError:
        raise ProbandError("nested too deeply", file=path) from None
    except ValueError as error:
        raise ProbandError(f"not JSON: {_short(error)}", file=path) from None
    if not isinstance(value, dict):
        raise ProbandError("not a JSON object", file=path)
    return value


# A field's check says what is wrong with a value, or nothing.
Check = Callable[[Any], str | None]


def _is(kind: type | tuple[type, ...], word: str) -> Check:
    def check(value: Any) -> str | None:
        fits = isinstance(value, kind) and not (isinstance(value, bool) and bool not in _kinds(kind))
        return None if fits else f"must be {word}, not {_kind_of(value)}"

    return check


def _kinds(kind: type | tuple[type, ...]) -> tuple[type, ...]:
    return kind if isinstance(kind, tuple) else (kind,)


def _kind_of(value: Any) -> str:
    names = {type(None): "null", bool: "a boolean", dict: "an object", list: "a list", str: "text"}
    return names.get(type(value), "a number")


def _list_of(check: Check) -> Check:
    def every(value: Any) -> str | None:
        if not isinstance(value, list):
            return f"must be a list, not {_kind_of(value)}"
        return next((f"[{i}] {wrong}" for i, each in enumerate(value) if (wrong := check(each))), None)

    return every


def _object_of(check: Check) -> Check:
    def every(value: Any) -> str | None:
        if not isinstance(value, dict):
            return f"must be an object, not {_kind_of(value)}"
        return next((f"[{k!r}] {wrong}" for k, each in value.items() if (wrong := check(each))), None)

    return every


def _or_null(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def _name(value: Any) -> str | None:
    if not isinstance(value, str):
        return f"must be text, not {_kind_of(value)}"
    return None if value.strip() else "is empty"


def _number(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"must be a number, not {_kind_of(value)}"
    return None if abs(value) <= LARGEST else "is not a finite number"


def _whole(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return f"must be a whole number, not {_kind_of(value)}"
    return None if abs(value) < 2**63 else "has more than 63 bits"


_TEXT, _INT, _NUMBER = _is(str, "text"), _whole, _number
_TAG = _is((str, int, float, bool), "text, a number or a boolean")
_ANY_OBJECT = _object_of(lambda value: None)

FIELDS: Mapping[type, Mapping[str, Check]] = {
    Item: {
        "id": _name,
        "suite": _name,
        "prompt": _TEXT,
        "choices": _list_of(_TEXT),
        "gold": _or_null(_INT),
        "tags": _object_of(_TAG),
        "facts": _ANY_OBJECT,
    },
    Answer: {
        "item_id": _name,
        "scores": _list_of(_NUMBER),
        "text": _or_null(_TEXT),
        "blanks": _list_of(_ANY_OBJECT),
    },
    Judgment: {"item_id": _name, "worker": _name, "value": _TEXT, "seconds": _NUMBER},
    Run: {
        "suite": _name,
        "solver": _name,
        "model": _name,
        "seed": _INT,
        "items_sha": _TEXT,
        "items": _TEXT,
        "versions": _object_of(_TEXT),
        "identity": _object_of(_TEXT),
        "settings": _ANY_OBJECT,
        "usage": _object_of(_NUMBER),
    },
    Estimate: {
        "metric": _name,
        "group": _object_of(_TAG),
        "mean": _NUMBER,
        "low": _NUMBER,
        "high": _NUMBER,
        "n": _INT,
        "clusters": _INT,
    },
}


def parse(kind: type[Record], value: Any, *, file: object, line: int | None = None) -> Record:
    """A checked record from a JSON value.

    >>> parse(Answer, {"item_id": "a", "scores": ["high"]}, file="answers.jsonl", line=3)
    Traceback (most recent call last):
    proband.core.errors.ProbandError: answers.jsonl line 3: 'scores' [0] must be a number, not text
    """
    if not isinstance(value, dict):
        raise ProbandError(f"must be an object, not {_kind_of(value)}", file=file, line=line)
    checks = FIELDS[kind]
    for name in value:
        if name not in checks:
            raise ProbandError(f"unknown field {name!r}", file=file, line=line)
    for field in dataclasses.fields(kind):
        if field.name not in value:
            if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
                raise ProbandError(f"field {field.name!r} is missing", file=file, line=line)
        elif wrong := checks[field.name](value[field.name]):
            raise ProbandError(f"{field.name!r} {wrong}", file=file, line=line)
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in value.items()}
    record = kind(**fields)
    if wrong := _inconsistent(record):
        raise ProbandError(wrong, file=file, line=line)
    return record


def _inconsistent(record: Any) -> str | None:
    if isinstance(record, Item) and record.gold is not None and not 0 <= record.gold < len(record.choices):
        return f"'gold' is {record.gold} but there are {len(record.choices)} choices"
    return None


def read_records(path: Path, kind: type[Record], *, key: str | None = None) -> Iterator[Record]:
    """Checked records of a JSON-lines file; with `key`, a second record of the same key is an error.

    Items of one file must belong to one suite.
    """
    seen: dict[str, int] = {}
    for number, value in read_lines(path):
        record = parse(kind, value, file=path, line=number)
        if key is not None:
            name = getattr(record, key)
            if name in seen:
                raise ProbandError(f"{key!r} {name!r} stood on line {seen[name]} already", file=path, line=number)
            seen[name] = number
        yield record


def read_items(folder_or_file: Path) -> list[Item]:
    """The items of a built folder (or of an items.jsonl), checked."""
    path = items_path(folder_or_file)
    items = list(read_records(path, Item, key="id"))
    if not items:
        raise ProbandError("holds no items", file=path)
    for number, item in enumerate(items, start=1):
        if item.suite != items[0].suite:
            raise ProbandError(
                f"'suite' is {item.suite!r} but the first item's is {items[0].suite!r}", file=path, line=number
            )
    return items


def items_path(folder_or_file: Path) -> Path:
    if folder_or_file.is_dir():
        folder_or_file = folder_or_file / "items.jsonl"
    if not folder_or_file.exists():
        raise ProbandError("no such file; `proband build SUITE -o DIR` makes one", file=folder_or_file)
    return folder_or_file


def read_answers(path: Path) -> list[Answer]:
    return list(read_records(path, Answer, key="item_id"))


def read_run(path: Path) -> Run:
    return parse(Run, read_json(path), file=path)
