"""Build the panel of `proband evaluate`: python benchmarks/panel.py [MODEL ...]

Beside data/panels/N/panel.toml it writes the items of each set that is not there, their hashes and the power of each
row (frozen.json), and the answers of the models, with references.json. The same command again resumes.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband import suites
from proband.core.files import (
    cache_folder,
    encode,
    read_items,
    read_json,
    read_manifest,
    read_run,
    sha256_file,
    write_json,
)
from proband.core.metrics import answered_rightly
from proband.core.suite import Suite
from proband.core.types import Answer, Item
from proband.pipeline.asking.items_and_answers import ANSWERS, select_items
from proband.pipeline.build import build
from proband.pipeline.evaluate import EvaluationJob, Size, evaluate
from proband.pipeline.panel import FROZEN, PanelSet, read_panel
from proband.pipeline.vary import vary
from proband.stats.clusters import clusters_of
from proband.suites.kinship.world.relations import RELATIONS


class BuiltSet(PanelSet, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A set with how it was built, as the head of panel.toml explains it."""

    seed: int
    options: dict[str, Any]
    shortcuts_fail: bool = False
    rests_on: bool = False
    per: str = ""
    per_cluster: int = 1_000_000
    test: int | None = None
    stating_least_of: tuple[str, ...] = ()
    vary: tuple[str, ...] = ()


def built_sets() -> list[BuiltSet]:
    text = (read_panel().folder / "panel.toml").read_text(encoding="utf-8")
    return [msgspec.convert(each, BuiltSet) for each in tomllib.loads(text)["set"]]


def build_set(each: BuiltSet, folder: Path) -> Path:
    """The set by its options: build, choose among the test items, vary."""
    given = {name.replace("-", "_"): value for name, value in each.options.items()}
    with tempfile.TemporaryDirectory() as temporary:
        source, chosen = Path(temporary) / "built", Path(temporary) / each.name
        build(each.suite, out=source, seed=each.seed, **given)
        write_chosen(source, chosen if each.vary else folder, each)
        if each.vary:
            vary(chosen, out=folder, as_=each.vary, seed=each.seed)
    return folder


def write_chosen(source: Path, folder: Path, each: BuiltSet) -> None:
    """The training items, and of the others those that the set takes: those that no shortcut answers rightly, those
    that rest on others with what they rest on, those that state what others state least, so many of each value of a
    tag, a sample as `run --limit` draws it."""
    suite, items = suites.suite(each.suite), list(read_items(source))
    kept = [item for item in items if item.split != "train"]
    if each.shortcuts_fail:
        right = answered_rightly(suite.baselines, lambda: items, known_as=sha256_file(source / "items.jsonl"))
        wrong = {item.id for at, item in enumerate(items) if not any(own[at] > 0 for own in right.values())}
        kept = [item for item in kept if item.id in wrong]
    if each.rests_on:
        needed = {
            name for item in kept for name in (item.id, *item.facts.get("rests_on", ())) if "rests_on" in item.facts
        }
        kept = [item for item in kept if item.id in needed]
    if each.stating_least_of:
        kept = _stating_rare_relations(kept, each)
    elif each.per:
        kept = _so_many_of_each(kept, each.per, each.test, each.per_cluster)
    names = {item.id for item in kept}
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder, source, [item for item in items if item.split == "train" or item.id in names])
    if each.test is not None and not each.per:
        _sample(folder, suite, each.test)


def _so_many_of_each(items: Sequence[Item], tag: str, count: int | None, per_cluster: int) -> list[Item]:
    """The first items of each value of a tag, and of each cluster within it."""
    taken, kept = Counter[Any](), list[Item]()
    for item in items:
        value = item.tags.get(tag)
        clusters = [(value, name) for name in clusters_of(item)]
        if all(taken[each] < per_cluster for each in clusters) and (count is None or taken[value] < count):
            taken.update([value, *clusters])
            kept.append(item)
    return kept


def _stating_rare_relations(items: Sequence[Item], each: BuiltSet) -> list[Item]:
    """So many stories: in turn the one of whose facts the largest share states the relation that is stated least so
    far, in them and in the test stories of other sets; of each value of a tag equally many."""
    stated, taken, folder = Counter(dict.fromkeys(RELATIONS, 0)), Counter[Any](), read_panel().folder
    for other in each.stating_least_of:
        name, _, count = other.partition(":")
        lines = lzma.decompress((folder / f"{name}.jsonl.xz").read_bytes()).splitlines()
        tests = [item for line in lines if (item := msgspec.json.decode(line, type=Item)).split == "test"]
        for item in tests[: int(count) if count else None]:
            stated.update(_relations(item))
    of_tag, left, kept = Counter(item.tags.get(each.per) for item in items), list(items), set[str]()
    while left and len(kept) < (each.test or len(items)):
        rarest = min(RELATIONS, key=lambda name: stated[name])
        chosen = max(left, key=lambda item: _relations(item).count(rarest) / len(_relations(item)))
        kept.add(chosen.id)
        stated.update(_relations(chosen))
        taken[chosen.tags.get(each.per)] += 1
        full = {value for value, count in taken.items() if each.test and count >= each.test / len(of_tag)}
        left = [item for item in left if item.id not in kept and item.tags.get(each.per) not in full]
    return [item for item in items if item.id in kept]


def _relations(item: Item) -> list[str]:
    return [relation for _, relation, _ in item.facts["edges"]]


def _sample(folder: Path, suite: Suite, count: int) -> None:
    chosen = select_items(folder, suite=suite, limit=count, training=True)
    if not chosen.whole:
        _write(folder, folder, list(chosen.of(read_items(folder))))


def _write(folder: Path, source: Path, items: Sequence[Item]) -> None:
    """Items, and the manifest of what they were chosen from with their own counts."""
    manifest = read_manifest(source)
    (folder / "items.jsonl").write_bytes(b"".join(encode(item) + b"\n" for item in items))
    splits = {
        split: sum(item.split == split for item in items) for split in dict.fromkeys(item.split for item in items)
    }
    counts = {"items": len(items), "splits": splits}
    sha = {"sha256": {"items.jsonl": sha256_file(folder / "items.jsonl")}}
    write_json(folder / "manifest.json", {**manifest, **counts, **sha})


def freeze() -> dict[str, str]:
    """Build the sets that are not there, beside panel.toml, and write down the hashes of all."""
    out, hashes = read_panel().folder, dict[str, str]()
    for each in built_sets():
        stored = out / f"{each.name}.jsonl.xz"
        if not stored.exists():
            with tempfile.TemporaryDirectory() as temporary:
                made = build_set(each, Path(temporary) / each.name)
                stored.write_bytes(lzma.compress((made / "items.jsonl").read_bytes(), preset=9 | lzma.PRESET_EXTREME))
                write_json(out / f"{each.name}.json", read_manifest(made))
        hashes[each.name] = str(read_json(out / f"{each.name}.json")["sha256"]["items.jsonl"])
    note = out / FROZEN
    write_json(note, {**(read_json(note) if note.exists() else {}), "sets": hashes})
    return hashes


# ---- power and answers


class Perfect:
    """Every right answer: the power of a panel is that of a system which is asked all of it."""

    name = "perfect answers"

    def identity(self) -> Mapping[str, str]:
        return {"kind": "perfect"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [
            Answer(
                item_id=item.id,
                scores=tuple(float(at == item.gold) for at in range(len(item.choices))),
                blanks=() if item.choices else tuple({"gold": gold, "guess": gold} for gold in item.facts["gold"]),
            )
            for item in items
        ]


def record_power() -> None:
    """Write into frozen.json, for each row and size, the true score that gets its ✓ four times in five."""
    from panel_power import ticked_at

    rows: dict[str, dict[str, float | None]] = {}
    sizes: tuple[Size, ...] = ("panel", "quick")
    with tempfile.TemporaryDirectory() as place:
        for size in sizes:
            made = evaluate(Perfect(), out=Path(place) / size, size=size, cache=False).profile
            for row in made.rows:
                level = max((each.value for each in row.levels), default=0.0)
                rows.setdefault(row.capability.does, {"level": round(level, 4)})[size] = ticked_at(row, made.family)
    path = read_panel().folder / FROZEN
    write_json(path, {**read_json(path), "rows": rows})


def record_answers(models: Sequence[str]) -> None:
    """Ask models and write their answers beside the items, and references.json. The same call again resumes."""
    folder, scores = read_panel().folder, dict[str, dict[str, float]]()
    place = cache_folder() / "panels" / folder.name
    work = EvaluationJob(models, out=place, options={})
    work.answer()
    for row in work.write(card=False, force=True).profile.rows:
        if row.estimate is not None:
            scores.setdefault(row.model, {})[row.capability.does] = round(row.estimate.mean, 4)
    baselines = {each.name: each.baselines for each in work.panel.sets}
    for part in work.runs:
        if part.spec in (*models, *baselines[part.name]):
            stored = folder / "answers" / part.folder.name / part.name
            stored.mkdir(parents=True, exist_ok=True)
            packed = gzip.compress((part.folder / ANSWERS).read_bytes(), compresslevel=9, mtime=0)
            (stored / "answers.jsonl.gz").write_bytes(packed)
            write_json(stored / "run.json", msgspec.structs.replace(read_run(part.folder / "run.json"), items=""))
    write_json(folder / "references.json", {"models": {name: {"scores": own} for name, own in scores.items()}})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    models = parser.parse_args().models
    for set_name, digest in freeze().items():
        print(f"{set_name}: {digest}")
    record_power()
    if models:
        record_answers(models)
