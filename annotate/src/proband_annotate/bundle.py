"""Imports from outside: folders, files and zip archives. What points out of its folder, is a link, or unpacks to far
more than it weighs is refused."""

from __future__ import annotations

import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from proband.core.errors import ProbandError

LARGEST = 2 * 1024**3  # bytes unpacked
FILES = 100_000
RATIO = 200  # bytes unpacked per byte packed, for files over a megabyte
MEDIUM = 200 * 1024**2
MEDIA = {  # ending -> first bytes of such a file, and their position
    ".png": ((0, b"\x89PNG\r\n\x1a\n"),),
    ".jpg": ((0, b"\xff\xd8\xff"),),
    ".jpeg": ((0, b"\xff\xd8\xff"),),
    ".gif": ((0, b"GIF8"),),
    ".webp": ((0, b"RIFF"), (8, b"WEBP")),
    ".mp4": ((4, b"ftyp"),),
    ".webm": ((0, b"\x1aE\xdf\xa3"),),
}


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """A file or folder as it is; a zip archive is extracted into a temporary folder."""
    if path.suffix.lower() != ".zip":
        if not path.exists():
            raise ProbandError("no such file or folder", file=path)
        yield path
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unpack(path, folder)
        inside = list(folder.iterdir())
        yield inside[0] if len(inside) == 1 else folder


def unpack(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > FILES:
                raise ProbandError(f"{len(entries):,} files; at most {FILES:,} are unpacked", file=path)
            if sum(entry.file_size for entry in entries) > LARGEST:
                raise ProbandError(f"unpacks to more than {LARGEST // 1024**3} GiB", file=path)
            for entry in entries:
                _unpack_entry(archive, entry, folder, path)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise ProbandError(f"cannot be read as a zip archive: {error}", file=path) from None


def _unpack_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, path: Path) -> None:
    if unsafe(entry.filename):
        raise ProbandError(f"{entry.filename!r} points out of the archive", file=path)
    mode = entry.external_attr >> 16
    if mode and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_IFMT(mode) == 0):
        raise ProbandError(f"{entry.filename!r} is a link or a device", file=path)
    if entry.file_size > 1_000_000 and entry.file_size > RATIO * max(1, entry.compress_size):
        raise ProbandError(f"{entry.filename!r} unpacks to more than {RATIO} times its size", file=path)
    target = folder / PurePosixPath(entry.filename)
    if entry.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    left = entry.file_size
    with archive.open(entry) as inside, open(target, "xb") as file:
        while chunk := inside.read(1 << 16):
            left -= len(chunk)
            if left < 0:
                raise ProbandError(f"{entry.filename!r} is longer than its header states", file=path)
            file.write(chunk)


def unsafe(name: str) -> bool:
    r"""Does a name lead out of its folder?

    >>> [unsafe(name) for name in ("a/b.png", "../a", "/etc/passwd", "a/../../b", "c:\\x", "a\0b", "")]
    [False, True, True, True, True, True, True]
    """
    parts = PurePosixPath(name).parts
    return not parts or name.startswith("/") or ".." in parts or "\\" in name or ":" in name or "\0" in name


def copy_medium(base: Path, name: str, folder: Path) -> None:
    """Copy a picture or clip, by its name below `base`; an error if its content does not match its ending."""
    source = base / name
    if unsafe(name) or source.is_symlink() or not source.resolve().is_relative_to(base.resolve()):
        raise ProbandError(f"'media' {name!r} points out of the folder or is a link", file=base)
    if not source.is_file():
        raise ProbandError("no such picture or clip", file=source)
    marks = MEDIA.get(source.suffix.lower())
    if marks is None:
        raise ProbandError(f"is none of {', '.join(MEDIA)}", file=source)
    if source.stat().st_size > MEDIUM:
        raise ProbandError(f"is larger than {MEDIUM // 1024**2} MiB", file=source)
    with open(source, "rb") as file:
        head = file.read(64)
    if any(head[place : place + len(mark)] != mark for place, mark in marks):
        raise ProbandError(f"does not begin like a {source.suffix} file", file=source)
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
