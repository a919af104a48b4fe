"""`proband build kinship --release 1`: a frozen set, rebuilt byte for byte from its definition or not at all.

A definition (data/kinship/releases/1.toml) names the seed and the options of every part and the sha256 of every split:
that of its lines in items.jsonl, in their order. A build whose bytes differ is refused. The hidden split is no function
of the definition: its questions ship as they are, without answers, and hidden.py says what is known of its key.

    train, valid    the same kind of story; valid has the stories after those of train
    test            slices, each of which differs from `clean` in one thing: noise, known phrases, plain sentences
    hidden          hidden/items.jsonl: questions without answers, facts or certificates
"""

from __future__ import annotations

import gzip
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from proband.core.errors import ProbandError, in_words
from proband.core.files import DATA, dumps, encode, read_toml
from proband.core.plugins import read_options
from proband.core.suite import Built
from proband.core.types import Item
from proband.suites.kinship.generate.build import BuildTally, Rounds, items_of
from proband.suites.kinship.generate.options import (
    LICENCE,
    BuildOptions,
    Cell,
    Plan,
    make_plan,
    parse_range,
    refuse_others,
)

HIDDEN: Final = "hidden"
CARD: Final = "card.md"


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Stories of one split and slice: `per_k` of each length, `k` or those of training or test."""

    split: Literal["train", "valid", "test", "hidden"]
    per_k: int
    slice: str = "clean"
    task: str = "clean"
    k: str = ""
    phrases: Literal["", "train"] = ""
    options: dict[str, Any] = {}
    after: int = 0  # of each length, stories of the same kind in another slice, which these come after
    added: bool = False  # after the others were frozen: it has a hash of its own, and the split keeps the one it had


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """A release: what is in it, and the hashes that it is frozen by."""

    name: str
    version: int
    seed: int
    options: dict[str, Any]
    part: list[Part]
    generator: str = ""  # version of Proband that it was frozen with
    sha256: dict[str, str] = {}  # of the lines of each split, and of each slice that was added
    key_sha256: str = ""  # of the answer key of the hidden split
    canary: str = ""  # a text that stands in every item, to find them in training data by
    path: Path = Path()

    def marked(self, item: Item) -> Item:
        """The item with the canary, if the release has one."""
        return msgspec.structs.replace(item, facts={**item.facts, "canary": self.canary}) if self.canary else item

    @property
    def questions(self) -> Path:
        """The hidden split, beside the definition."""
        return self.path.with_name(f"{self.path.stem}-hidden.jsonl.gz")

    @property
    def pieces(self) -> dict[str, list[Part]]:
        """What has a hash, but for the hidden split: the parts of a split, and those of each slice that was added."""
        found: dict[str, list[Part]] = {}
        for split in ("train", "valid", "test"):
            for part in (each for each in self.part if each.split == split):
                found.setdefault(part.slice if part.added else split, []).append(part)
        return found

    def plan(self, part: Part, *, workers: int = 1, secret: str = "") -> Plan:
        given = {**self.options, **part.options, "task": part.task, "per-k": 1, "test-per-k": 1, "workers": workers}
        options = read_options(BuildOptions, given, of=f"{self.path.name}, part {part.split} {part.slice}")
        return replace(make_plan(options, seed=self.seed), secret=secret)

    def cells(self, part: Part, plan: Plan) -> list[Cell]:
        """Of a part; the stories of valid are those after the stories of train."""
        side = "train" if part.split in ("train", "valid") else "test"
        lengths = parse_range(part.k or (plan.options.k if side == "train" else plan.options.test_k or plan.options.k))
        trained = sum(each.per_k for each in self.part if each.split == "train") if part.split == "valid" else 0
        before = max(trained, part.after)
        return [
            Cell(
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
    """A release that ships, by its number, or a definition in a file."""
    folder = DATA / "kinship" / "releases"
    path = Path(str(name)) if str(name).endswith(".toml") else folder / f"{name}.toml"
    if not path.is_file():
        shipped = ", ".join(sorted(each.stem for each in folder.glob("*.toml")))
        raise ProbandError(f"no release {str(name)!r} of kinship; there is {shipped}, or name a TOML file")
    try:
        definition = msgspec.convert(read_toml(path), Definition, strict=True)
    except msgspec.ValidationError as error:
        raise ProbandError(in_words(str(error)), file=path) from None
    return msgspec.structs.replace(definition, path=path)


def build_release(options: BuildOptions, *, seed: int) -> Built:
    """The items of a release. It fixes everything: an option that says otherwise is refused."""
    refuse_others(options, ("release", "workers"), "--release, which fixes what is built")
    assert options.release is not None
    definition = load_release(options.release)
    if seed not in (0, definition.seed):
        raise ProbandError(f"'seed' is {seed}, and --release {options.release} has a seed of its own")
    if not definition.sha256 or not definition.questions.is_file():
        raise ProbandError("is not frozen yet: `proband kinship freeze` does that", file=definition.path)
    release = Release(definition, workers=options.workers)
    return Built(items=release.items(), licence=LICENCE, summary=release.summary, files=release.files)


class Release:
    """The splits that can be made by anyone, with their hashes as they go by; and the hidden questions."""

    def __init__(self, definition: Definition, *, workers: int = 1) -> None:
        self.definition, self.workers = definition, workers
        self.tally, self.apart = (
            BuildTally(),
            BuildTally(),
        )  # apart: not to be compared with training stories
        self.counts: Counter[str] = Counter()
        self.sha256: dict[str, str] = {}

    def items(self, *, check: bool = True, only: str = "") -> Iterator[Item]:
        """Of all pieces, or of one."""
        for name, parts in self.definition.pieces.items():
            if only not in ("", name):
                continue
            digest = hashlib.sha256()
            for item in (item for part in parts for item in self._items_of(part)):
                digest.update(encode(item) + b"\n")
                yield item
            self.sha256[name] = digest.hexdigest()
            if check:
                self._compare(name)

    def _items_of(self, part: Part) -> Iterator[Item]:
        plan = self.definition.plan(part, workers=self.workers)
        new = plan.options.form == "story" and not part.phrases and "clauses" in plan.hold_out
        held_out = part.split == "train" or (part.split == "test" and new)
        cells = self.definition.cells(part, plan)
        self.counts.update({f"{part.split} {part.slice} k={cell.k}": cell.count for cell in cells})
        yield from map(self.definition.marked, items_of(plan, cells, self.tally if held_out else self.apart))

    def _compare(self, split: str) -> None:
        frozen, now, of = self.definition.sha256.get(split, "none"), self.sha256[split], self.definition
        if frozen != now:
            kind = "split" if split in ("train", "valid", "test", HIDDEN) else "slice"
            raise ProbandError(
                f"{kind} {split!r} is not the frozen one: sha256 {now[:16]}, not {frozen[:16]} "
                f"(frozen with proband {of.generator})",
                file=of.path,
            )

    def hidden(self) -> str:
        """The hidden questions as they ship."""
        lines = gzip.decompress(self.definition.questions.read_bytes())
        self.sha256[HIDDEN] = hashlib.sha256(lines).hexdigest()
        self._compare(HIDDEN)
        return lines.decode("utf-8")

    def files(self) -> Mapping[str, str]:
        """The hidden split as a folder of its own, and the data card."""
        questions, of = self.hidden(), self.definition
        count = questions.count("\n")
        manifest = {
            "suite": "kinship",
            "seed": 0,
            "options": {},
            "items": count,
            "splits": {"test": count},
            "licence": LICENCE,
            "sha256": {"items.jsonl": self.sha256[HIDDEN]},
            "release": f"{of.name} {of.version}, hidden",
        }
        return {
            f"{HIDDEN}/items.jsonl": questions,
            f"{HIDDEN}/manifest.json": dumps(manifest) + "\n",
            "README.md": self.card(count),
        }

    def card(self, hidden: int) -> str:
        """The data card: a template, and the counts and hashes of this release."""
        of, rows = self.definition, Counter[tuple[str, str]]()
        lengths: dict[tuple[str, str], set[int]] = {}
        for name, count in self.counts.items():
            split, part, k = name.split()
            rows[split, part] += count
            lengths.setdefault((split, part), set()).add(int(k.removeprefix("k=")))
        table = [f"| {s} | {p} | {min(lengths[s, p])} to {max(lengths[s, p])} | {n:,} |" for (s, p), n in rows.items()]
        hashes = [f"| {split} | `{sha}` |" for split, sha in self.sha256.items()]
        own = of.path.with_name(f"{of.path.stem}-{CARD}")
        shipped = DATA / "kinship" / "releases" / CARD
        return (own if own.is_file() else shipped).read_text(encoding="utf-8").format(
            canary=of.canary,
            name=of.name, version=of.version, generator=of.generator, key=of.key_sha256, hidden=hidden, licence=LICENCE,
            composition="\n".join(table), hashes="\n".join(hashes), leaks=self._leaks_in_words(),
        )  # fmt: skip

    def _leaks_in_words(self) -> str:
        leaks = self.tally.leaks(("clauses", "paraphrases"))
        return ", ".join(
            f"{what} {100 * leaks[what]['share_of_occurrences']:.1f} %"
            for what in ("prompts", "sentences", "phrases", "paraphrases", "clauses")
        )

    def summary(self) -> Mapping[str, Any]:
        of, verdicts = self.definition, self.tally.verdicts + self.apart.verdicts
        return {
            "release": {"name": of.name, "version": of.version, "generator": of.generator, "seed": of.seed},
            "splits_sha256": dict(self.sha256),
            "key_sha256": of.key_sha256,
            "counts": dict(self.counts),
            "certificates": {
                "by_closure": verdicts["entailed"],
                "by_search": self.tally.searched + self.apart.searched,
            },
            "leaks": self.tally.leaks(("clauses", "paraphrases")),
        }
