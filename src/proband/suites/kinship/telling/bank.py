"""A bank is data for stories: frames (constructions that state one to three facts) and occasions, whose phrases fill
the frames. Ours ships with Proband; CLUTRR's crowd templates, which need no occasion, are read from a folder."""

from __future__ import annotations

import random
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

from proband.core.errors import ProbandError
from proband.core.files import DATA, read_utf8
from proband.suites.kinship.telling.crowd_templates import load_crowd
from proband.suites.kinship.telling.template_language import Frame, Phrase, Row
from proband.suites.kinship.world.relations import ALL_INVERSE, NEUTRALS

OURS: Final = "proband"
CONSTRUCTIONS: Final = "constructions:"  # prefix for constructions that are held out by name
FAMILY: Final = re.compile(r"^## (\w+)\n", re.MULTILINE)
BARE: Final = ("{1} is {0}'s {1 of 0}.", "{1} is the {1 of 0} of {0}.", "{0} has {a 1 of 0} named {1}.")
FEWEST: Final = 2  # least phrases of an occasion


@dataclass(frozen=True)
class Occasion:
    """One place, time and reason to meet: `openings` introduce it, `moments` are its parts in temporal order, and its
    phrases state the facts."""

    name: str
    openings: tuple[str, ...]
    moments: tuple[str, ...]
    phrases: tuple[Phrase, ...] = field(repr=False)

    @cached_property
    def by_id(self) -> dict[str, Phrase]:
        return {phrase.id: phrase for phrase in self.phrases}


@dataclass(frozen=True)
class Bank:
    """`split` maps an occasion (by name) or a frame (by id) to its split; others belong to both."""

    name: str
    frames: tuple[Frame, ...]
    occasions: tuple[Occasion, ...] = ()
    split: dict[str, str] = field(default_factory=dict, hash=False)

    def of_split(self, split: str | None) -> Bank:
        """The bank for the stories of a split."""
        if split is None or not self.split:
            return self

        def own(name: str) -> bool:
            return self.split.get(name, split) == split

        frames = tuple(frame for frame in self.frames if own(frame.id))
        return replace(self, frames=frames, occasions=tuple(each for each in self.occasions if own(each.name)))

    @cached_property
    def by_id(self) -> dict[str, Frame]:
        return {frame.id: frame for frame in self.frames}

    @cached_property
    def occasion(self) -> dict[str, Occasion]:
        return {each.name: each for each in self.occasions}

    @cached_property
    def longest(self) -> int:
        """The largest number of facts in a frame."""
        return max((frame.facts for frame in self.frames), default=1)

    @property
    def families(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(frame.family for frame in self.frames))

    def frames_of(self, relations: Row, genders: Row) -> tuple[Frame, ...]:
        """The frames for a path of these relations."""
        key = (relations, genders)
        if key not in self._known:
            self._known[key] = tuple(frame for frame in self.frames if frame.suits(relations, genders))
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[Row, Row], tuple[Frame, ...]]:
        return {}

    def hold_out(self, share: float, seed: int) -> Bank:
        """The same bank with `share` of its occasions for the test or, without occasions, of its frames: at most the
        share of each clause, and never its last frame.

        >>> frames = parse_frames("== *\\n{1} met {0}, {1 his} {0 of 1}.\\n{1} is the {1 of 0} of {0}.", family="x")
        >>> sorted(Bank("mine", tuple(frames)).hold_out(0.2, seed=0).split.values())
        ['test', 'train']
        """
        rng = random.Random(f"paraphrases {seed}")
        if self.occasions:
            names = [each.name for each in self.occasions]
            held = set(rng.sample(names, max(1, round(share * len(names)))))
            return replace(self, split={**self.split, **{name: "test" if name in held else "train" for name in names}})
        kinds = Counter((frame.pattern, frame.genders) for frame in self.frames)
        left = {kind: max(1, round(share * n)) if n > 1 else 0 for kind, n in kinds.items()}
        split = {}
        for frame in rng.sample(self.frames, len(self.frames)):
            left[frame.pattern, frame.genders] -= 1
            split[frame.id] = "test" if left[frame.pattern, frame.genders] >= 0 else "train"
        return replace(self, split=split)

    def hold_out_constructions(self, families: Sequence[str]) -> Bank:
        """The same bank with whole constructions for the test.

        >>> bank = load_bank().hold_out_constructions(["of"])
        >>> {bank.by_id[id].family for id, split in bank.split.items() if split == "test"}
        {'of'}
        """
        if wrong := next((name for name in families if name not in self.families), None):
            raise ProbandError(f"'constructions' has no {wrong!r}; there are {', '.join(self.families)}")
        held = {frame.id: "test" if frame.family in families else "train" for frame in self.frames}
        return replace(self, split={**self.split, **held})


# ---- loading banks -------------------------------------------------------------------------------------------------


def crowd_folder(bank: str) -> Path | None:
    """The folder of the crowd's templates, if the bank's name has one.

    >>> crowd_folder("clutrr:amt"), crowd_folder("proband")
    (PosixPath('amt'), None)
    """
    kind, colon, folder = bank.partition(":")
    return Path(folder) if colon and kind == "clutrr" else None


def load_bank(name: str = OURS) -> Bank:
    """Our own bank ("proband") or CLUTRR's crowd templates from a folder ("clutrr:FOLDER")."""
    if name == OURS:
        return _ours()
    if (folder := crowd_folder(name)) is not None:
        return _of_the_crowd(folder)
    raise ProbandError(f"no bank {name!r}; use {OURS} or clutrr:FOLDER")


def constructions_held(hold_out: Sequence[str]) -> tuple[str, ...]:
    """
    >>> constructions_held(["names", "constructions:of+who"])
    ('of', 'who')
    """
    named = (part.removeprefix(CONSTRUCTIONS) for part in hold_out if part.startswith(CONSTRUCTIONS))
    return tuple(name for part in named for name in part.split("+"))


@lru_cache(maxsize=4)
def bank_of_build(name: str, *, hold_out: tuple[str, ...], share: float, seed: int) -> Bank:
    """The bank of a build, with the parts that are held out for the test."""
    bank = load_bank(name)
    if constructions := constructions_held(hold_out):
        bank = bank.hold_out_constructions(constructions)
    return bank.hold_out(share, seed) if "paraphrases" in hold_out else bank


@lru_cache(maxsize=1)
def _ours() -> Bank:
    folder = DATA / "kinship" / "bank"
    files = sorted(folder.glob("*.toml"))
    occasions = [each for file in files for each in parse_occasions(read_utf8(file), name=file.name)]
    _, *parts = FAMILY.split(read_utf8(folder / "frames.txt"))
    frames = [frame for name, text in zip(parts[::2], parts[1::2]) for frame in parse_frames(text, family=name)]
    return Bank(OURS, tuple(frames), tuple(occasions))


@lru_cache(maxsize=4)
def _of_the_crowd(folder: Path) -> Bank:
    """The crowd's templates that state exactly their facts."""
    frames, split = load_crowd(folder)
    return completed(Bank(f"clutrr:{folder}", frames, split=split))


def completed(bank: Bank) -> Bank:
    """The bank with plain frames of ours for single facts that it lacks (the crowd has no siblings-in-law)."""
    single = {frame.pattern for frame in bank.frames}
    lacking = [n for n in NEUTRALS if not single & {(n,), (ALL_INVERSE[n],)}]
    added = tuple(Frame.parse(text, family=f"bare-{n}", pattern=(n,)) for n in lacking for text in BARE)
    return replace(bank, frames=bank.frames + added)


def parse_occasions(text: str, *, name: str) -> list[Occasion]:
    """The occasions of a file."""
    try:
        occasions = [
            Occasion(
                each["name"],
                tuple(each["openings"]),
                tuple(each["moments"]),
                tuple(Phrase.parse(line) for line in each["phrases"].strip().splitlines()),
            )
            for each in tomllib.loads(text)["occasion"]
        ]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise ProbandError(f"not a file of occasions: {error}", file=name) from None
    except ProbandError as error:
        raise ProbandError(str(error), file=name) from None
    for occasion in occasions:
        if not occasion.openings or len(occasion.phrases) < FEWEST:
            raise ProbandError(f"occasion {occasion.name!r} needs an opening and at least {FEWEST} phrases", file=name)
    return occasions


def parse_frames(text: str, *, family: str) -> list[Frame]:
    """The frames of one construction. The headers `== *` and `== * *` give the number of facts of the frames below; `#`
    begins a comment.

    >>> [frame.facts for frame in parse_frames("== *\\n{1} is {0}'s {1 of 0}.", family="copula")]
    [1]
    """
    frames: list[Frame] = []
    pattern: Row = ()
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("=="):
            pattern = tuple(line.split()[1:])
        elif not line.startswith("#"):
            frames.append(Frame.parse(line, family=family, pattern=pattern))
    return frames
