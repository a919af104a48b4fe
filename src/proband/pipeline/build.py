"""A suite's builder in, items.jsonl and manifest.json out; the same seed and options give the same bytes."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import atomic, decode, encode, inconsistent, read_json, sha256_file, write_json, write_text
from proband.core.plugins import read_options, settings, with_profile
from proband.core.progress import track
from proband.core.suite import Built, Suite
from proband.core.version import __version__


def build(
    suite: str,
    *,
    out: str | Path,
    seed: int = 0,
    force: bool = False,
    profile: str | Path | None = None,
    dry_run: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Write OUT/items.jsonl and OUT/manifest.json; returns the manifest. `options` are those that the suite declares,
    here or in a TOML file (`profile`).

    :param force: Replace another build in that folder.
    :param dry_run: Count the items of each part; write nothing.
    """
    each, folder = suites.suite(suite), Path(out)
    chosen: Any = read_options(each.options, with_profile(options, profile), of=f"build {suite}")
    if (folder / "run.json").exists():
        raise ProbandError("is the folder of a run; choose another one", file=folder)
    check_free(folder, suite=each, seed=seed, options=settings(chosen), force=force)
    built = each.build(chosen, seed=seed)
    if dry_run:
        counts = built.planned or Counter(item.split for item in track(built.items, f"counting {suite}"))
        return {"suite": suite, "seed": seed, "items": sum(counts.values()), "counts": dict(counts)}
    splits = write_items(folder / "items.jsonl", built, suite=suite)
    files = built.files()
    for name, text in files.items():
        write_text(folder / name, text)
    what = {"suite": suite, "seed": seed, "options": settings(chosen), "licence": built.licence}
    return write_manifest(folder, splits, what, built.summary(), *files)


def write_manifest(
    folder: Path, splits: Mapping[str, int], what: Mapping[str, Any], more: Mapping[str, Any], *files: str
) -> dict[str, Any]:
    """What the folder holds and how it was made, with the hash of its files; returns it as it is read again."""
    counts = {"items": sum(splits.values()), "splits": dict(splits)}
    hashes = {name: sha256_file(folder / name) for name in ("items.jsonl", *files)}
    about = {"sha256": hashes, "versions": {"proband": versions().get("proband", "")}}
    write_json(folder / "manifest.json", {**what, **counts, **about, **more})
    return read_json(folder / "manifest.json")


def check_free(folder: Path, *, suite: Suite, seed: int, options: Mapping[str, Any], force: bool) -> None:
    """A folder that contains another build is only written over with `force`."""
    if force or not (folder / "items.jsonl").exists():
        return
    there = read_json(folder / "manifest.json") if (folder / "manifest.json").exists() else {}
    old, new = there.get("options"), decode(Any, encode(options), file=folder)
    old = old if isinstance(old, dict) else {}
    differing = [name for name in new if name not in old or old[name] != new[name]]
    other = f"{suite.name} with another {differing[0]!r}" if differing else ""
    if (there.get("suite"), there.get("seed")) != (suite.name, seed):
        other = f"{there.get('suite')}, seed {there.get('seed')}" if there else "items.jsonl without a manifest"
    if other:
        raise ProbandError(f"contains another build ({other}); choose another folder, or use --force", file=folder)


def write_items(path: Path, built: Built, *, suite: str) -> Counter[str]:
    """The items as a stream; returns how many of each split. Nothing is left behind where there are none."""
    splits: Counter[str] = Counter()
    with atomic(path, mode="wb") as file:
        for item in track(built.items, f"building {suite}"):
            if wrong := inconsistent(item):
                raise ProbandError(f"item {item.id!r}: {wrong}")
            file.write(encode(item) + b"\n")
            splits[item.split] += 1
        if not splits:
            raise ProbandError(f"these options give no items of {suite}")
    return splits


# ---- the versions in manifest.json, run.json and net.json ------------------------------------------------------------


PACKAGES = ("numpy", "torch", "transformers", "tokenizers", "gguf", "httpx")


@cache
def versions() -> dict[str, str]:
    """Of Python and of the packages that can change an answer, as far as they are installed."""
    known = {"python": platform.python_version(), "proband": __version__}
    for package in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            known[package] = metadata.version(package)
    return known
