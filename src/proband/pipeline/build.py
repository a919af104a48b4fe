"""A suite's builder in, items.jsonl and manifest.json out; the same seed and options give the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import atomic, encode, inconsistent, read_json, sha256_file, write_json, write_text
from proband.core.options import read_options, settings
from proband.core.progress import track
from proband.core.suite import Built
from proband.pipeline.versions import versions


def build(suite: str, *, out: str | Path, seed: int = 0, **options: Any) -> dict[str, Any]:
    """Write OUT/items.jsonl and OUT/manifest.json; returns the manifest."""
    found, folder = suites.suite(suite), Path(out)
    chosen = read_options(found.options, options, of=f"build {suite}")
    if (folder / "run.json").exists():
        raise ProbandError("is the folder of a run; name another one", file=folder)
    built = found.build(chosen, seed=seed)
    count = write_items(folder / "items.jsonl", built, suite=suite)
    labels = {}
    for name, text in built.files().items():
        write_text(folder / name, text)
        labels[name] = sha256_file(folder / name)
    manifest = {
        "suite": suite,
        "seed": seed,
        "options": settings(chosen),
        "items": count,
        "licence": built.licence,
        "sha256": {"items.jsonl": sha256_file(folder / "items.jsonl"), **labels},
        "versions": {"proband": versions().get("proband", "")},
        **built.summary(),
    }
    write_json(folder / "manifest.json", manifest)
    return read_json(folder / "manifest.json")


def write_items(path: Path, built: Built, *, suite: str) -> int:
    """The items as a stream; returns how many. Nothing is left behind where there are none."""
    count = 0
    with atomic(path, mode="wb") as file:
        for item in track(built.items, f"building {suite}"):
            if isinstance(item, bytes):
                file.write(item + b"\n")
            elif wrong := inconsistent(item):
                raise ProbandError(f"item {item.id!r}: {wrong}")
            else:
                file.write(encode(item) + b"\n")
            count += 1
        if not count:
            raise ProbandError(f"these options give no items of {suite}")
    return count
