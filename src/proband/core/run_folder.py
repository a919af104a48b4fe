"""Reading runs back: which folders hold one, and the items it answered."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.files import items_path, sha256_file
from proband.core.types import Run

PathLike = str | Path


def run_folders(paths: Sequence[PathLike]) -> list[Path]:
    """The run folders among and below the given ones, each once."""
    found: list[Path] = []
    for path in map(Path, paths):
        if (path / "run.json").exists():
            found.append(path)
        elif path.is_dir():
            below = sorted(note.parent for note in path.glob("**/run.json"))
            if not below:
                raise ProbandError("contains no run; `proband run` makes one", file=path)
            found.extend(below)
        else:
            raise ProbandError("no such folder", file=path)
    return list({os.path.realpath(folder): folder for folder in found}.values())


def items_of(folder: Path, run: Run, named: PathLike | None = None) -> Path:
    """The items a run answered: where run.json says they are, or where the user says; checked by their hash."""
    path = items_path(Path(named) if named is not None else _noted(folder, run))
    if sha256_file(path) != run.items_sha:
        raise ProbandError(f"these are not the items that {folder} answered (their sha256 differs)", file=path)
    return path


def _noted(folder: Path, run: Run) -> Path:
    """Where run.json says the items are, beside the folder as it was named or, if that is a link, as it is."""
    places = [Path(os.path.normpath(start / run.items)) for start in (folder, folder.resolve())]
    for place in places:
        if place.exists():
            return place
    raise ProbandError(f"no such file; the items that {folder} answered were there", file=places[-1])
