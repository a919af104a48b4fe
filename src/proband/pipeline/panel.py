"""A panel: the frozen items of `proband evaluate`, and the capability that each set shows.

data/panels/N/panel.toml defines the builds, the solver of each set and the rows of a profile. The same folder has the
items, frozen.json (the hash of each set, and for each row the true score that gets its ✓ with 80 % power), and the
answers of the models that ship. `python benchmarks/panel.py [MODEL ...]` writes all of this.
"""

from __future__ import annotations

import lzma
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from proband import suites
from proband.core.errors import ProbandError, did_you_mean
from proband.core.files import DATA, atomic, read_json, sha256_file, write_json
from proband.reporting.profile import Capability, Move

PANELS = DATA / "panels"
LATEST = "2"
FROZEN = "frozen.json"


class PanelSet(msgspec.Struct, frozen=True, kw_only=True):
    """One item set of a panel, as the head of panel.toml explains it (benchmarks/panel.py builds it)."""

    name: str
    suite: str
    comparisons: tuple[str, ...] = ()
    control: str = ""
    ask: dict[str, dict[str, Any]] = {}
    sha256: str = ""

    @property
    def baselines(self) -> tuple[str, ...]:
        """The systems that every score is compared with: all shortcuts of the suite, and the models that the panel
        names."""
        return (*(f"baseline:{name}" for name in suites.suite(self.suite).baselines), *self.comparisons)


class Panel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: int
    quick: int
    sets: tuple[PanelSet, ...] = msgspec.field(name="set")
    capabilities: tuple[Capability, ...] = msgspec.field(name="capability")
    moves: tuple[Move, ...] = msgspec.field(name="move", default=())

    @property
    def folder(self) -> Path:
        return PANELS / str(self.version)

    def only(self, names: tuple[str, ...]) -> Panel:
        """The sets of some suites, and the capabilities that they show whole."""
        known = dict.fromkeys(each.suite for each in self.sets)
        if wrong := next((name for name in names if name not in known), None):
            raise ProbandError(f"the panel has no suite {wrong!r}{did_you_mean(wrong, known)}, only {', '.join(known)}")
        if not names:
            return self
        sets = tuple(each for each in self.sets if each.suite in names)
        kept = {each.name for each in sets}
        rows = tuple(each for each in self.capabilities if kept >= {part.set for part in each.parts})
        return msgspec.structs.replace(self, sets=sets, capabilities=rows)


def read_panel() -> Panel:
    """The panel with the hashes and the power that were written when it was frozen."""
    text = (PANELS / LATEST / "panel.toml").read_text(encoding="utf-8")
    panel = msgspec.convert(tomllib.loads(text), Panel)
    note = panel.folder / FROZEN
    known_of: dict[str, Any] = read_json(note) if note.exists() else {}
    hashes, ticked, replace = known_of.get("sets", {}), known_of.get("rows", {}), msgspec.structs.replace
    return replace(
        panel,
        sets=tuple(replace(each, sha256=hashes.get(each.name, "")) for each in panel.sets),
        capabilities=tuple(replace(each, ticked_at=ticked.get(each.does, {})) for each in panel.capabilities),
    )


def references(panel: Panel) -> Mapping[str, Any]:
    """The scores of the models that ship on the panel."""
    path = panel.folder / "references.json"
    return read_json(path)["models"] if path.exists() else {}


def place_items(panel: Panel, each: PanelSet, folder: Path) -> None:
    """The items of a set in a folder, byte for byte."""
    if not (folder / "items.jsonl").exists():
        write_json(folder / "manifest.json", read_json(panel.folder / f"{each.name}.json"))
        stored = panel.folder / f"{each.name}.jsonl.xz"
        with atomic(folder / "items.jsonl", mode="wb") as file:
            file.write(lzma.decompress(stored.read_bytes()))
    if sha256_file(folder / "items.jsonl") != each.sha256:
        raise ProbandError(f"not the items of panel {panel.version} (their SHA-256 differs)", file=folder)
