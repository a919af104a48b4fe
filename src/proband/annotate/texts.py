"""Every text that people read, from one file that can be translated (texts.toml)."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def texts() -> dict[str, str]:
    """Key -> text, keys dotted."""
    found: dict[str, str] = {}

    def walk(table: dict[str, Any], prefix: str) -> None:
        for name, value in table.items():
            if isinstance(value, dict):
                walk(value, f"{prefix}{name}.")
            else:
                found[prefix + name] = value.strip()

    walk(tomllib.loads(files("proband.annotate").joinpath("texts.toml").read_text("utf-8")), "")
    return found


def text(name: str, **values: object) -> str:
    """A text with its values put in.

    >>> text("unit.progress", done=2, all=10)
    'Task 2 of 10'
    """
    return texts()[name].format(**values)


def paragraphs(words: str) -> list[str]:
    """The paragraphs of a longer text; blank lines separate them.

    >>> paragraphs("One\\nline.\\n\\nTwo.")
    ['One line.', 'Two.']
    """
    return [" ".join(part.split()) for part in words.split("\n\n") if part.strip()]
