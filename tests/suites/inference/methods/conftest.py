"""Files with given lines."""

from __future__ import annotations

from pathlib import Path


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path
