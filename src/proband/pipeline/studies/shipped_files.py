"""The files that ship with Proband and decide a result, as fingerprints: keys of stages and reports contain them."""

from __future__ import annotations

import hashlib
import sys
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


@cache
def sources(package: str) -> str:
    """Of everything in an imported package, or of its one module: code, page templates, printed figures."""
    place = Path(str(sys.modules[package].__file__))
    if place.name != "__init__.py":
        return together(place.parent, [place])
    return together(place.parent, (path for path in place.parent.rglob("*") if path.suffix != ".pyc"))


def together(folder: Path, paths: Iterable[Path]) -> str:
    """Of the names and contents of files below a folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{sha256_file(path)}\n".encode())
    return digest.hexdigest()
