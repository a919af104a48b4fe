"""The versions that stand in run.json and net.json."""

from __future__ import annotations

import platform
from importlib import metadata

from proband import __version__

PACKAGES = ("numpy", "torch", "transformers", "tokenizers", "gguf", "httpx")


def versions() -> dict[str, str]:
    """Of Python and of the packages that can change an answer, as far as they are installed."""
    found = {"python": platform.python_version(), "proband": __version__}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
