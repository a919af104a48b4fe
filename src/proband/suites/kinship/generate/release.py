"""`proband build kinship --release 1`: rebuilds the frozen set byte for byte from its definition, or fails.

The definition (data/kinship/releases/1.toml) names the seed and the options of every slice, what the slice measures and
what it does not, and the sha256 of its lines in items.jsonl. A build whose bytes differ is refused. `--slice NAME`
builds a part.

The card (README.md) is computed from the items: chance and the strongest shortcut of each slice, and which share of its
occasions, constructions, clauses and sentences is in training (`shares_in_training`).
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from proband.core.errors import ProbandError, in_words
from proband.core.files import DATA, decode, encode, group_by_key, read_toml, write_text
from proband.core.metrics import answered_rightly
from proband.core.plugins import read_options
from proband.core.suite import Built
from proband.core.types import Item
from proband.suites.kinship.generate.build import BuildTally, Rounds, items_of
from proband.suites.kinship.generate.hold_outs import share_known
from proband.suites.kinship.generate.options import (
    LICENCE,
    BuildOptions,
    BuildPlan,
    StoryCell,
    make_plan,
    parse_range,
    refuse_others,
)
from proband.suites.kinship.shortcuts import SHORTCUTS
from proband.suites.kinship.world.relations import RELATIONS
from proband.suites.kinship.world.rules import load

CARD: Final = "card.md"
HELD: Final = ("occasions", "constructions", "clauses", "sentences")


class Slice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Stories of one split: `per_k` of each length in `k` (default: the lengths of training or test). Without
    `second-held`, held-out clauses apply to the first of two paths only."""

    split: Literal["train", "valid", "test"]
    per_k: Annotated[int, msgspec.Meta(ge=1)]
    slice: str = "clean"
    task: str = "clean"
    k: str = ""
    phrases: Literal["", "train"] = ""
    second_held: bool = True
    options: dict[str, Any] = {}
    measures: str = ""
    does_not: str = ""

    @property
    def name(self) -> str:
        return f"{self.split} {self.slice}"


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The definition of a release, with the hashes of its slices."""

    name: str
    version: int
    seed: int
    options: dict[str, Any]
    slice: list[Slice]
    generator: str = ""  # version of Proband that froze it
    sha256: dict[str, str] = {}  # slice -> hash of its lines
    canary: str = ""  # a text in every item, for finding them in training data
    path: Path = Path()

    def marked(self, item: Item) -> Item:
        """The item with the release's canary, if there is one."""
        return msgspec.structs.replace(item, facts={**item.facts, "canary": self.canary}) if self.canary else item

    def slices(self, names: str) -> list[Slice]:
        """All slices, or those with the given names of slices or splits."""
        wanted, known = [name.strip() for name in names.split(",") if name.strip()], self.slice
        if wrong := next((name for name in wanted if not any(name in (e.slice, e.split) for e in known)), None):
            names = ", ".join(dict.fromkeys(each.slice for each in known))
            raise ProbandError(f"'slice' has no {wrong!r}; there are {names}", file=self.path)
        return [each for each in known if not wanted or each.slice in wanted or each.split in wanted]

    def plan(self, part: Slice, *, workers: int = 1) -> BuildPlan:
        given = {**self.options, **part.options, "task": part.task, "per-k": 1, "test-per-k": 1, "workers": workers}
        options = read_options(BuildOptions, given, of=f"{self.path.name}, slice {part.name}")
        plan = make_plan(options, seed=self.seed)  # its own cells define the lengths of training
        return replace(plan, second_held=part.second_held)

    def cells(self, part: Slice, plan: BuildPlan) -> list[StoryCell]:
        """The stories of valid follow the stories of train."""
        side = "train" if part.split in ("train", "valid") else "test"
        given = part.k or (plan.options.k if side == "train" else plan.options.test_k or plan.options.k)
        lengths = parse_range(given, f"{self.path.name}, slice {part.name}, k")
        before = sum(each.per_k for each in self.slice if each.split == "train") if part.split == "valid" else 0
        return [
            StoryCell(
                part=side,
                task=part.task,
                k=k,
                count=part.per_k,
                first=-(-before // Rounds.size(plan)),
                name=part.split,
                slice=part.slice,
                phrases=part.phrases,
            )
            for k in lengths
        ]


def load_release(name: str | int) -> Definition:
    """A shipped release by its number, or a definition in a file."""
    folder = DATA / "kinship" / "releases"
    path = Path(str(name)) if str(name).endswith(".toml") else folder / f"{name}.toml"
    if not path.is_file():
        shipped = ", ".join(sorted(each.stem for each in folder.glob("*.toml")))
        raise ProbandError(f"no release {str(name)!r} of kinship; there is {shipped}, or name a TOML file")
    try:
        definition = msgspec.convert(read_toml(path), Definition, strict=True)
    except msgspec.ValidationError as error:
        raise ProbandError(in_words(str(error)), file=path) from None
    if twice := next((name for name, n in Counter(each.name for each in definition.slice).items() if n > 1), None):
        raise ProbandError(f"two slices are called {twice!r}", file=path)
    return msgspec.structs.replace(definition, path=path)


def build_release(options: BuildOptions, *, seed: int) -> Built:
    """The items of a release. A release fixes everything, so other options are errors."""
    refuse_others(options, ("release", "slice", "workers"), "--release, which fixes what is built")
    assert options.release is not None
    definition = load_release(options.release)
    if seed not in (0, definition.seed):
        raise ProbandError(f"'seed' is {seed}, and --release {options.release} has its own seed")
    if not definition.sha256:
        raise ProbandError("is not frozen; run `proband kinship freeze` first", file=definition.path)
    release = Release(definition, definition.slices(options.slice), workers=options.workers)
    return Built(
        items=release.items(),
        licence=LICENCE,
        summary=release.summary,
        files=lambda: {"README.md": release.card()},
        planned=release.planned(),
    )


class Release:
    """The slices of a release; computes their hashes as the items pass."""

    def __init__(self, definition: Definition, slices: Sequence[Slice], *, workers: int = 1) -> None:
        self.definition, self.slices, self.workers = definition, slices, workers
        self.tally: dict[str, BuildTally] = defaultdict(BuildTally)
        self.sha256: dict[str, str] = {}
        self.made: list[Item] = []

    def planned(self) -> dict[str, int]:
        of = self.definition
        return {part.name: sum(cell.count for cell in of.cells(part, of.plan(part))) for part in self.slices}

    def items(self, *, check: bool = True) -> Iterator[Item]:
        of = self.definition
        for part in self.slices:
            name, digest, plan = part.name, hashlib.sha256(), of.plan(part, workers=self.workers)
            for item in map(of.marked, items_of(plan, of.cells(part, plan), self.tally[name])):
                digest.update(encode(item) + b"\n")
                self.made.append(item)
                yield item
            self.sha256[name] = digest.hexdigest()
            now, frozen = self.sha256[name], of.sha256.get(name, "none")
            if check and now != frozen:
                wrong = f"{name!r} is not the frozen one: sha256 {now[:16]}, not {frozen[:16]}"
                raise ProbandError(f"{wrong} (frozen with proband {of.generator})", file=of.path)

    def card(self) -> str:
        """The data card: a template filled with figures of the items."""
        of = self.definition
        made = [decode(Item, encode(item), file=of.path) for item in self.made]
        by_slice = {name: [i for i in made if _slice_of(i) == name] for name in self.tally}
        strongest = strongest_shortcuts(made, known_as="".join(self.sha256.values()))
        rows, about = list[str](), list[str]()
        for name, items in by_slice.items():
            part = next(each for each in self.slices if each.name == name)
            lengths = sorted({int(item.tags["k"]) for item in items})
            best = strongest.get(name)
            shortcut = f"{100 * best[1]:.1f} ({best[0]})" if best else ""
            chance = 100 * sum(1 / len(item.choices) for item in items) / len(items)
            detector = self.tally[name].word_detector()
            auc = f"{detector['auc']:.2f}" if detector["stories"] else ""
            rows.append(
                f"| {name} | {lengths[0]} to {lengths[-1]} | {len(items):,} | {chance:.1f} | {shortcut} | {auc} |"
            )
            if part.measures:
                about.append(f"- **{name}** measures {part.measures}. It does not measure {part.does_not}.")
        held = [
            f"| {name} | {' | '.join(f'{100 * share:.1f}' for share in shares)} |"
            for name, shares in shares_in_training(self.tally).items()
        ]
        (stated, rarest), (_, in_test) = self.stated(), self.stated("test ")
        return (DATA / "kinship" / "releases" / CARD).read_text(encoding="utf-8").format(
            canary=of.canary, name=of.name, version=of.version, generator=of.generator,
            licence=LICENCE, composition="\n".join(rows), about="\n".join(about),
            held="\n".join(held), hashes="\n".join(f"| {name} | `{sha}` |" for name, sha in self.sha256.items()),
            more=len(stated.keys() - set(RELATIONS)), known=len(stated.keys() & set(RELATIONS)),
            rarest=rarest, rarest_in_test=in_test,
        )  # fmt: skip

    def stated(self, split: str = "") -> tuple[Counter[str], str]:
        """How often each relation is stated in the slices of a split, and the rarest of the 22 with its share."""
        stated = sum((tally.stated for name, tally in self.tally.items() if name.startswith(split)), Counter[str]())
        kin = min(RELATIONS, key=lambda each: stated[each])
        return stated, f"{kin} {100 * stated[kin] / max(1, stated.total()):.1f} %"

    def summary(self) -> Mapping[str, Any]:
        of, tallies = self.definition, self.tally.values()
        rules = {load(of.plan(part).options.rules) for part in self.slices}
        detectors = {name: tally.word_detector() for name, tally in self.tally.items() if tally.bags}
        stated, _ = self.stated()
        return {
            "release": {"name": of.name, "version": of.version, "generator": of.generator, "seed": of.seed},
            "rules": {each.name: each.sha256 for each in sorted(rules, key=lambda each: each.name)},
            "slices_sha256": dict(self.sha256),
            "counts": {name: tally.genders.total() for name, tally in self.tally.items()},
            "kin_word_detector": detectors,
            "stated": {kin: round(n / stated.total(), 4) for kin, n in stated.most_common()},
            "certificates": dict(sum((tally.verdicts for tally in tallies), Counter[str]())),
        }


def _slice_of(item: Item) -> str:
    return f"{item.split} {item.tags['slice']}"


def shares_in_training(tallies: Mapping[str, BuildTally]) -> dict[str, list[float]]:
    """For every slice except training: the share of its occasions, constructions, clauses of more than two facts and
    sentences (with masked names) that occur in training."""
    seen = {name: next(iter(tally.seen.values())) for name, tally in tallies.items()}
    trained = [own for name, own in seen.items() if name.startswith("train ")]
    known = {what: {each for own in trained for each in own[what]} for what in HELD}
    return {
        name: [share_known(own[what], known[what]) for what in HELD]
        for name, own in seen.items()
        if trained and not name.startswith("train ")
    }


def strongest_shortcuts(items: Sequence[Item], *, known_as: str) -> dict[str, tuple[str, float]]:
    """For every test slice, the best shortcut and its accuracy; shortcuts are trained on train."""
    if not any(item.split == "train" for item in items):
        return {}
    right = answered_rightly(SHORTCUTS, lambda: items, known_as=known_as)
    slices = group_by_key((_slice_of(item), place) for place, item in enumerate(items) if item.split == "test")
    accuracy = {
        name: [(each, float(own[places].mean())) for each, own in right.items()] for name, places in slices.items()
    }
    return {name: max(each, key=lambda one: one[1]) for name, each in accuracy.items()}


# ---- proband kinship freeze ----------------------------------------------------------------------------------------


def freeze(definition: Path, /, *, workers: int = 1) -> dict[str, Any]:
    """Freeze a release: build every slice, and write their hashes into the definition.

    Example: proband kinship freeze mine.toml

    :param definition: Definition of a release, a TOML file.
    :param workers: Processes; the result does not depend on it.
    """
    found = load_release(str(definition))
    making = Release(found, found.slices(""), workers=workers)
    stories = sum(1 for _ in making.items(check=False))
    text = definition.read_text(encoding="utf-8")
    write_text(definition, with_hashes(text, making.sha256, generator=metadata.version("proband")))
    return {"release": f"{found.name} {found.version}", "stories": stories, "sha256": making.sha256}


def with_hashes(text: str, hashes: Mapping[str, str], *, generator: str) -> str:
    """The definition with new hashes.

    >>> print(with_hashes('seed = 1\\n\\n[[slice]]\\nsplit = "train"\\n', {"train clean": "ab"}, generator="0.1.0"))
    generator = "0.1.0"
    seed = 1
    <BLANKLINE>
    [[slice]]
    split = "train"
    <BLANKLINE>
    [sha256]
    "train clean" = "ab"
    <BLANKLINE>
    """
    bare = re.sub(r"(?m)^generator = .*\n", "", text)
    bare = re.sub(r"(?ms)^\[sha256\]\n.*?(?=^\[|\Z)", "", bare).rstrip() + "\n"
    comments = re.match(r"(?:#.*\n|\n)*", bare)
    at = comments.end() if comments else 0
    lines = [f'"{name}" = "{sha}"\n' for name, sha in hashes.items()]
    return bare[:at] + f'generator = "{generator}"\n' + bare[at:] + "\n[sha256]\n" + "".join(lines)
