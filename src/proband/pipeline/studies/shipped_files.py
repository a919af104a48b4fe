"""The files that ship with Proband and decide a result, as fingerprints: keys of stages and reports contain them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

from proband.core.files import sha256_file

DATA = Path(str(files("proband"))) / "data"


@cache
def suite_data(suite: str) -> str:
    """Of what a build of the suite may read: template banks, rules, names, word lists. A .csv file holds printed
    figures of a paper, which reports alone read."""
    return together(DATA / suite, (path for path in (DATA / suite).rglob("*") if path.suffix != ".csv"))


def together(folder: Path, paths: Iterable[Path]) -> str:
    """Of the names and contents of files below a folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{sha256_file(path)}\n".encode())
    return digest.hexdigest()
