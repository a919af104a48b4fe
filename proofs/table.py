"""Table.v from a rule table:  python proofs/table.py TABLE.toml > Table.v

The shipped tables (src/proband/data/kinship/sound.toml, wide.toml and blended.toml) give Table.v, wide/Table.v and
blended/Table.v beside this file, byte for byte; the first line has the table's sha256, which every kinship item carries
(`facts.table`)."""

from __future__ import annotations

import argparse
import hashlib
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DEFINED = (
    "parent", "sibling", "spouse", "grandparent", "pibling", "parent-in-law", "sibling-in-law", "great-grandparent",
    "cousin", "half-sibling", "step-parent", "step-sibling",
)  # fmt: skip


def constructor(name: str) -> str:
    """
    >>> constructor("parent-in-law")
    'ParentInLaw'
    """
    return "".join(word.capitalize() for word in name.split("-"))


def outcome(name: str) -> str:
    return "None" if name == "other" else f"Some {constructor(name)}"


def meaning(name: str, inverse: str) -> str:
    """A relation that World.v defines, or the inverse of one.

    >>> meaning("nibling", "pibling")
    '(pibling_kin, true)'
    """
    turned = name not in DEFINED
    return f"({(inverse if turned else name).replace('-', '_')}_kin, {str(turned).lower()})"


def lines(toml: bytes) -> Iterator[str]:
    raw: dict[str, Any] = tomllib.loads(toml.decode())
    names = list(raw["relations"])
    yield f"(* made by table.py from the rule table with the sha256 {hashlib.sha256(toml).hexdigest()};"
    yield "   None is `other` *)"
    yield "Require Import List World. Import ListNotations."
    yield ""
    yield "Inductive relation :="
    yield f"  {' | '.join(map(constructor, names))}."
    yield f"Definition everyone : list relation := [{'; '.join(map(constructor, names))}]."
    yield ""
    yield "(* the definition of World.v, and whether it is read from the other end *)"
    yield "Definition meaning (r : relation) : kin * bool :="
    yield "  match r with"
    for a in names:
        yield f"  | {constructor(a)} => {meaning(a, raw['relations'][a]['inverse'])}"
    yield "  end."
    yield ""
    yield "Definition table (a b : relation) : list (option relation) :="
    yield "  match a, b with"
    for a in names:
        for b in names:
            entry = raw["compose"].get(a, {}).get(b, [*names, "other"])
            gives = entry["gives"] if isinstance(entry, dict) else entry
            listed = [gives] if isinstance(gives, str) else gives
            yield f"  | {constructor(a)}, {constructor(b)} => [{'; '.join(map(outcome, listed))}]"
    yield "  end."
    yield ""
    yield "Definition inverse (r : relation) : relation :="
    yield "  match r with"
    for a in names:
        yield f"  | {constructor(a)} => {constructor(raw['relations'][a]['inverse'])}"
    yield "  end."
    yield ""
    yield f"Definition opposite : list relation := [{'; '.join(map(constructor, raw.get('opposite', [])))}]."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    print("\n".join(lines(parser.parse_args().table.read_bytes())))
