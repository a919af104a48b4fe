"""The files that ship with Proband and decide a result, as fingerprints: keys of stages and reports contain them."""

from __future__ import annotations

import sys
from functools import cache
from importlib.resources import files
from pathlib import Path

from proband.core.files import sha256_files

DATA = Path(str(files("proband"))) / "data"


@cache
def suite_data(suite: str) -> str:
    """Of what a build of the suite may read: template banks, rules, names, word lists. A .csv file holds printed
    figures of a paper, which reports alone read."""
    return sha256_files(DATA / suite, (path for path in (DATA / suite).rglob("*") if path.suffix != ".csv"))


@cache
def sources(package: str) -> str:
    """Of everything in an imported package, or of its one module: code, page templates, printed figures."""
    place = Path(str(sys.modules[package].__file__))
    if place.name != "__init__.py":
        return sha256_files(place.parent, [place])
    return sha256_files(place.parent, (path for path in place.parent.rglob("*") if path.suffix != ".pyc"))
