"""The licence of a folder of items, which goes along into every export."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from proband.core.files import items_path, read_json, write_text

NOT_STATED = "not stated"
# as the Hugging Face hub spells them
KNOWN = {
    "apache-2.0": r"apache[- ]2\.0",
    "mit": r"\bMIT\b",
    **{
        f"cc-{parts}-{version}": rf"cc[- ]{parts.replace('-', '[- ]')}[- ]{re.escape(version)}"
        for parts in ("by", "by-sa", "by-nc", "by-nc-sa", "by-nd", "by-nc-nd")
        for version in ("3.0", "4.0")
    },
    "cc0-1.0": r"cc0[- ]1\.0",
}


@dataclass(frozen=True, kw_only=True)
class Licence:
    """`text` as the manifest states it; `name` as the hub's licence field wants it (`other`: read the text)."""

    text: str
    name: str


def licence_of(items: Path) -> Licence:
    """From manifest.json beside the items."""
    manifest = items_path(items).with_name("manifest.json")
    stated = str(read_json(manifest).get("licence", "")) if manifest.exists() else ""
    text = " ".join(stated.split()) or NOT_STATED
    return Licence(text=text, name=hub_name(text))


def hub_name(text: str) -> str:
    """The hub's name of the licence that the text begins with, or else of the only one that it names.

    >>> hub_name("Apache-2.0 (written for Proband)"), hub_name("Google analogy test set: Apache-2.0")
    ('apache-2.0', 'apache-2.0')
    >>> hub_name("CC BY-NC 4.0 (the templates are CLUTRR's; rules and names Proband's own, Apache-2.0)")
    'cc-by-nc-4.0'
    >>> hub_name("that of the templates in mine.txt (rules and names are Proband's own, Apache-2.0)")
    'other'
    >>> hub_name("that of the files given"), hub_name(NOT_STATED)
    ('other', 'unknown')
    """
    if text == NOT_STATED:
        return "unknown"
    if text.startswith("that of"):  # somebody else's files: a licence that is named besides does not speak for them
        return "other"
    places = {name: found.start() for name, pattern in KNOWN.items() if (found := re.search(pattern, text, re.I))}
    first = min(places, key=places.__getitem__, default="other")
    return first if len(places) == 1 or places.get(first) == 0 else "other"


def write_licence(out: Path, licence: Licence, *, suite: str, items: int) -> None:
    """OUT/LICENCE for a folder; NAME.licence.txt beside a file NAME.csv."""
    path = out / "LICENCE" if out.is_dir() else out.with_name(f"{out.stem}.licence.txt")
    built = f"{items:,} items of suite {suite}, built and exported by Proband."
    write_text(path, f"{built}\nLicence of the items: {licence.text}\n")
