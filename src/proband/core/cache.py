"""What models have said before, on disk.

One append-only file per model identity. A line is a record: a checksum, a space, and JSON

    {"about": {...}, "keys": [...], "values": [...]}

that holds the answers of one batch of requests. A batch is the unit: a model's last digits depend on what a sentence
was batched with, so a batch is either served whole or computed again whole, and a resumed run gives the same bytes.
A torn or altered line fails its checksum, is left out, and is computed anew. `about` repeats the model's identity
and the settings; a record is served only where both are equal, letter for letter. Nothing is unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import dumps

DIGEST = 32  # hexadecimal digits of the checksum before each record


def cache_folder(*parts: str) -> Path:
    """A place under $PROBAND_CACHE, or under proband in the user's cache folder."""
    import platformdirs

    named = os.environ.get("PROBAND_CACHE")
    root = Path(named).expanduser() if named else platformdirs.user_cache_path("proband", appauthor=False)
    return root.joinpath(*parts)


def checksum(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:DIGEST]


class Cache:
    """The answers of one model under one setting.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> Cache(folder, identity={"name": "m"}, settings={"method": "pll"}).put(["a b"], [[-1.5, 2]])
    >>> Cache(folder, identity={"name": "m"}, settings={"method": "pll"}).known["a b"]
    [-1.5, 2]
    >>> Cache(folder, identity={"name": "other"}, settings={"method": "pll"}).known
    {}
    """

    def __init__(self, folder: Path, *, identity: Mapping[str, str], settings: Mapping[str, Any]) -> None:
        self.about = json.loads(dumps({"identity": dict(identity), "settings": dict(settings)}))
        name = hashlib.sha256(msgspec.json.encode(self.about, order="sorted")).hexdigest()[:40]
        self.path = folder / "answers" / f"{name}.log"
        self.known: dict[str, Any] = {}
        self._read()

    def put(self, keys: Sequence[str], values: Sequence[Any]) -> None:
        """Append one record and flush it to the disk; only then are its answers known."""
        from filelock import FileLock

        body = dumps({"about": self.about, "keys": list(keys), "values": list(values)}).encode()
        line = checksum(body).encode() + b" " + body + b"\n"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # two runs of one model may append at a time
            with FileLock(self.path.with_suffix(".lock")), open(self.path, "ab") as file:
                if file.tell() and not _ends_with_newline(self.path):
                    line = b"\n" + line  # a killed writer left a torn line: close it, its checksum will fail
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise ProbandError(f"the answer cache cannot be written: {error.strerror}", file=self.path) from None
        self.known.update(zip(keys, json.loads(body)["values"], strict=True))

    def _read(self) -> None:
        try:
            with open(self.path, "rb") as file:
                for record in filter(None, map(self._checked, file)):
                    self.known.update(zip(record["keys"], record["values"], strict=True))
        except FileNotFoundError:
            return
        except OSError as error:
            raise ProbandError(f"the answer cache cannot be read: {error.strerror}", file=self.path) from None

    def _checked(self, line: bytes) -> dict[str, Any] | None:
        body = line[DIGEST + 1 :].rstrip(b"\n")
        if line[: DIGEST + 1] != checksum(body).encode() + b" ":
            return None
        record: dict[str, Any] = json.loads(body)
        return record if record["about"] == self.about else None


def _ends_with_newline(path: Path) -> bool:
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
