"""A panel: the frozen items that `proband evaluate` asks, and which of them show which capability.

data/panels/N/panel.toml says what was built, how each set is asked and what each row of a profile is made of; the items
stand beside it. `python -m proband.pipeline.panel N DIR` builds them again into DIR.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import DATA, encode, read_items, read_json, read_manifest, sha256_file, write_json
from proband.core.suite import Suite
from proband.core.version import __version__
from proband.pipeline.asking.items_and_answers import select_items
from proband.pipeline.build import build
from proband.pipeline.vary import vary
from proband.reporting.profile import Capability, Contrasts

PANELS = DATA / "panels"
LATEST = "1"
RECIPE = "recipe.json"  # beside items that were built anew: by what


class PanelSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One item set of a panel, as the head of panel.toml explains it."""

    name: str
    suite: str
    seed: int
    options: dict[str, Any]
    full: dict[str, Any] = {}
    vary: tuple[str, ...] = ()
    test: int | None = None
    baselines: tuple[str, ...] = ()
    control: str = ""
    ask: dict[str, dict[str, Any]] = {}
    sha256: str = ""


class Panel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: int
    quick: int
    sets: tuple[PanelSet, ...] = msgspec.field(name="set")
    capabilities: tuple[Capability, ...] = msgspec.field(name="capability")
    contrasts: Contrasts = msgspec.field(name="contrast")

    @property
    def folder(self) -> Path:
        return PANELS / str(self.version)

    def only(self, names: tuple[str, ...]) -> Panel:
        """The sets of some suites, and the capabilities that they show whole."""
        known = dict.fromkeys(each.suite for each in self.sets)
        if wrong := next((name for name in names if name not in known), None):
            raise ProbandError(f"panel {self.version} has no suite {wrong!r}; it has {', '.join(known)}")
        if not names:
            return self
        sets = tuple(each for each in self.sets if each.suite in names)
        kept = {each.name for each in sets}
        rows = tuple(each for each in self.capabilities if kept >= {part.set for part in each.parts})
        return msgspec.structs.replace(self, sets=sets, capabilities=rows)


def read_panel(version: str = LATEST) -> Panel:
    path = PANELS / version / "panel.toml"
    if not path.exists():
        known = ", ".join(sorted(each.parent.name for each in PANELS.glob("*/panel.toml")))
        raise ProbandError(f"no panel {version!r}; there are {known}")
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Panel)


def references(panel: Panel) -> Mapping[str, Any]:
    """What the models that are installed with Proband reach on the panel: references.json, written by `evaluate`."""
    path = panel.folder / "references.json"
    return read_json(path) if path.exists() else {}


def place_items(panel: Panel, each: PanelSet, folder: Path, *, full: bool = False) -> Path:
    """The items of a set in a folder: those of the panel, byte for byte, or (`full`) more of the same, built anew."""
    if full:
        recipe = {"proband": __version__, **msgspec.json.decode(msgspec.json.encode(each))}
        if not (folder / RECIPE).exists() or read_json(folder / RECIPE) != recipe:  # building takes minutes
            if (folder / "items.jsonl").exists() and sha256_file(folder / "items.jsonl") == each.sha256:
                raise ProbandError(
                    f"has the items of panel {panel.version}: --size full needs another folder", file=folder
                )
            write_json(built_again(each, folder, full=True) / RECIPE, recipe)
        return folder
    stored = panel.folder / f"{each.name}.jsonl.gz"
    if not (folder / "items.jsonl").exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / "manifest.json", read_json(panel.folder / f"{each.name}.json"))
        (folder / "items.jsonl").write_bytes(gzip.decompress(stored.read_bytes()))
    if sha256_file(folder / "items.jsonl") != each.sha256:
        raise ProbandError(f"these are not the items of panel {panel.version} (their sha256 differs)", file=folder)
    return folder


def built_again(each: PanelSet, folder: Path, *, full: bool = False) -> Path:
    """The set by its options: build, vary, and of the test items so many as it takes."""
    options = {**each.options, **(each.full if full else {})}
    given = {name.replace("-", "_"): value for name, value in options.items()}
    if not each.vary and (full or each.test is None):
        build(each.suite, out=folder, seed=each.seed, **given)
        return folder
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary) / each.name
        build(each.suite, out=source, seed=each.seed, **given)
        if each.vary:
            vary(source, out=folder, as_=each.vary, seed=each.seed)
        else:
            take_sample(source, folder, suites.suite(each.suite), int(each.test or 0))
    return folder


def take_sample(source: Path, folder: Path, suite: Suite, count: int) -> None:
    """The training items and a sample of the others, as `run --limit` draws it."""
    chosen = select_items(source, suite=suite, limit=count, training=True)
    picked = chosen.lines if chosen.lines is not None else [True] * sys.maxsize
    kept = [item for item, wanted in zip(read_items(source), picked, strict=False) if wanted]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "items.jsonl").write_bytes(b"".join(encode(item) + b"\n" for item in kept))
    splits = {split: sum(item.split == split for item in kept) for split in dict.fromkeys(item.split for item in kept)}
    counts = {"items": len(kept), "splits": splits, "sample": count}
    sha = {"sha256": {"items.jsonl": sha256_file(folder / "items.jsonl")}}
    write_json(folder / "manifest.json", {**read_manifest(source), **counts, **sha})


def freeze(version: str, out: Path) -> dict[str, str]:
    """Build every set of a panel; the files that stand beside panel.toml, and the hashes of the items."""
    hashes = {}
    for each in read_panel(version).sets:
        with tempfile.TemporaryDirectory() as temporary:
            made = built_again(each, Path(temporary) / each.name)
            out.mkdir(parents=True, exist_ok=True)
            raw = (made / "items.jsonl").read_bytes()
            (out / f"{each.name}.jsonl.gz").write_bytes(gzip.compress(raw, compresslevel=9, mtime=0))
            write_json(out / f"{each.name}.json", read_manifest(made))
            hashes[each.name] = sha256_file(made / "items.jsonl")
    return hashes


if __name__ == "__main__":
    for name, digest in freeze(sys.argv[1], Path(sys.argv[2])).items():
        print(f"{name}: {digest}")
