"""The versions that stand in run.json and net.json."""

from __future__ import annotations

import platform
from importlib import metadata

PACKAGES = ("proband", "numpy", "torch", "transformers", "tokenizers", "gguf", "httpx")


def versions() -> dict[str, str]:
    """Of Python and of the packages that can change an answer, as far as they are installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
