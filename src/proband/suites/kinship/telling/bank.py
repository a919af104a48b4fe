"""A bank of paraphrases: where it comes from (our own, a file of the user's, CLUTRR's crowd templates), its file
format, and which of its paraphrases are kept for the test.

>>> bank = parse_bank("== parent, pibling\\n{1} is {0}'s {1 of 0}.", name="mine")
>>> bank.templates[0].patterns
(('parent',), ('pibling',))
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.files import DATA, read_utf8
from proband.suites.kinship.telling.crowd_templates import Crowd, load_crowd
from proband.suites.kinship.telling.paraphrases import (
    ANY,
    LONGEST,
    VERBS,
    Menus,
    Occasion,
    Template,
    load_occasions,
    parse_occasions,
    template_id,
)
from proband.suites.kinship.telling.phrases import templates_by_phrase
from proband.suites.kinship.telling.settings import Setting, parse_families, parse_settings
from proband.suites.kinship.telling.template_check import Fault, check_template
from proband.suites.kinship.world.relations import INVERSE, NEUTRALS

OURS: Final = ("proband", "scenes", "constructions", "release2")
CONSTRUCTIONS: Final = (
    "apposition", "cleft", "dialogue", "inversion", "list", "of", "passive", "possessive", "relative", "two_sentences",
)  # fmt: skip
FAMILIES: Final = {"constructions": CONSTRUCTIONS, "release2": (*CONSTRUCTIONS, "pronoun")}  # by bank


@dataclass
class Bank:
    """Templates with, after `hold_out`, the split each belongs to. Those of a bank with occasions are their phrases."""

    name: str
    templates: tuple[Template, ...]
    split: dict[str, str] = field(default_factory=dict)
    occasions: tuple[Occasion, ...] = ()
    added: frozenset[str] = frozenset()  # templates of ours that complete a bank of others
    families: dict[str, str] = field(default_factory=dict)  # of a bank of constructions: which one a template is
    settings: tuple[Setting, ...] = ()  # of a bank of frames; `split` has their names, too
    _menus: dict[str | None, Menus] = field(default_factory=dict, repr=False)
    _open: dict[str | None, tuple[Occasion, ...]] = field(default_factory=dict, repr=False)

    def menus(self, split: str | None = None) -> Menus:
        """What tells a path whose first person has gender key[0] and whose relation words are key[1:], by key."""
        if split not in self._menus:
            kept = [t for t in self.templates if split is None or self.split.get(t.id, split) == split]
            self._menus[split] = Menus(kept)
        return self._menus[split]

    def occasions_of(self, split: str | None = None) -> tuple[Occasion, ...]:
        """The occasions that stories of a split happen at."""
        if split not in self._open:
            self._open[split] = tuple(
                each for each in self.occasions if split is None or self.split.get(each.phrases[0].id, split) == split
            )
        return self._open[split]

    def settings_of(self, split: str | None = None) -> list[Setting]:
        """The settings of the stories of a split."""
        return [each for each in self.settings if split is None or self.split.get(each.name, split) == split]

    def within(self, setting: Setting) -> Bank:
        """The same frames in one setting."""
        split = {each: part for each, part in self.split.items() if each in self.families}
        return Bank(self.name, self.templates, split, families=self.families, settings=(setting,))

    def hold_out(self, share: float = 0.2, seed: int = 0) -> Bank:
        """The same bank with `share` of its templates kept for the test, so that no phrase that tells a fact in test
        tells one in training: whole occasions or settings, or all templates that have a phrase in common.

        >>> bank = parse_bank("== parent\\n{1} met {0}, {1 his} {0 of 1}.\\n{1} is the {1 of 0} of {0}.", name="mine")
        >>> sorted(bank.hold_out(0.2, seed=0).split.values())
        ['test', 'train']
        """
        if not 0.0 < share < 1.0:
            raise ProbandError(f"the share of paraphrases to hold out must lie between 0 and 1, not {share}")
        rng = random.Random(f"paraphrases {seed}")
        if len(self.occasions) == 1:
            raise ProbandError(f"bank {self.name} has one occasion: nothing would be left to train with")
        if self.occasions:
            held = set(rng.sample(range(len(self.occasions)), max(1, round(share * len(self.occasions)))))
            split = {
                p.id: "test" if i in held else "train" for i, each in enumerate(self.occasions) for p in each.phrases
            }
            return Bank(self.name, self.templates, split, self.occasions)
        if self.settings:
            names = [each.name for each in self.settings]
            unseen = set(rng.sample(names, max(1, round(share * len(names)))))
            split = {**self.split, **{name: "test" if name in unseen else "train" for name in names}}
            return Bank(self.name, self.templates, split, families=self.families, settings=self.settings)
        return Bank(self.name, self.templates, self._held_templates(share, rng), added=self.added)

    def held_constructions(self, names: Sequence[str]) -> Bank:
        """The same bank with whole constructions kept for the test.

        >>> bank = load_bank("constructions").held_constructions(["cleft"])
        >>> {bank.families[id] for id, split in bank.split.items() if split == "test"}
        {'cleft'}
        """
        split = {each: "test" if family in names else "train" for each, family in self.families.items()}
        return Bank(self.name, self.templates, split, families=self.families, settings=self.settings)

    def only(self, names: Sequence[str]) -> Bank:
        """The templates of some constructions."""
        kept = tuple(template for template in self.templates if self.families[template.id] in names)
        return Bank(self.name, kept, families=self.families, settings=self.settings)

    def _held_templates(self, share: float, rng: random.Random) -> dict[str, str]:
        """Of every clause at most the share, and never its last template for training."""
        kind = {t.id: (t.patterns, t.genders) for t in self.templates}
        most = {k: max(1, round(share * n)) if n > 1 else 0 for k, n in Counter(kind.values()).items()}
        held: set[str] = set()
        used = Counter[Any]()
        groups = templates_by_phrase(self.templates)
        for group in rng.sample(groups, len(groups)):
            more = Counter(kind[i] for i in group)
            if all(used[k] + n <= most[k] for k, n in more.items()):
                held |= set(group)
                used += more
        return {i: "test" if i in held else "train" for i in kind}


def crowd_folder(bank: str) -> Path | None:
    """The folder of the crowd's templates, if that is what a bank's name means.

    >>> crowd_folder("clutrr:amt"), crowd_folder("clutrr-only:amt"), crowd_folder("proband")
    (PosixPath('amt'), PosixPath('amt'), None)
    """
    kind, colon, folder = bank.partition(":")
    return Path(folder) if colon and kind in ("clutrr", "clutrr-only") else None


def load_bank(path_or_name: str = "proband") -> Bank:
    """Our own bank ("proband"), one with scenes for certain relations ("scenes"), one with many ways to tell kin
    ("constructions"), one with those ways in many settings ("release2"), a bank file, or CLUTRR's crowd templates from
    a folder ("clutrr:FOLDER"; with "clutrr-only:FOLDER" stories have no others)."""
    if path_or_name in OURS or crowd_folder(path_or_name) is not None:
        return _load(path_or_name)
    path = Path(path_or_name)  # somebody may be writing it: never remembered
    if not path.is_file():
        raise ProbandError("no such template bank", file=path)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return _of_occasions(str(path), parse_occasions(text, name=str(path), verbs=VERBS))
    return parse_bank(text, name=str(path))


def bank_of_build(name: str, *, hold_out: Sequence[str], share: float, constructions: str, seed: int) -> Bank:
    """The bank that a build tells its stories from, with what it keeps for the test."""
    bank, named = load_bank(name), names_in(constructions)
    if "constructions" in hold_out:
        bank = bank.held_constructions(named)
        return bank.hold_out(share, seed) if "paraphrases" in hold_out else bank
    bank = bank.only(named) if named else bank
    return bank.hold_out(share, seed) if "paraphrases" in hold_out else bank


def names_in(text: str) -> list[str]:
    """
    >>> names_in("cleft, list")
    ['cleft', 'list']
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def _of_occasions(name: str, occasions: Sequence[Occasion]) -> Bank:
    """A bank whose templates are the phrases of its occasions."""
    templates = tuple(phrase.template for occasion in occasions for phrase in occasion.phrases)
    return Bank(name, templates, occasions=tuple(occasions))


@lru_cache(maxsize=8)
def _load(path_or_name: str) -> Bank:
    if path_or_name == "proband":
        return _of_occasions(path_or_name, load_occasions())
    if path_or_name == "release2":
        return _of_frames(path_or_name)
    if path_or_name in OURS:
        names = CONSTRUCTIONS if path_or_name == "constructions" else ("facts1", "facts2", "facts3")
        folder = DATA / "kinship" / path_or_name
        banks = [parse_bank(read_utf8(folder / f"{n}.txt"), name=f"{n}.txt") for n in names]
        families = {t.id: name for name, bank in zip(names, banks) for t in bank.templates}
        own = families if path_or_name == "constructions" else {}
        return Bank(path_or_name, tuple(t for bank in banks for t in bank.templates), families=own)
    templates = crowd_folder(path_or_name)
    assert templates is not None
    return completed(crowd_bank(load_crowd(templates)))


def _of_frames(name: str) -> Bank:
    """A bank of frames by family, and of the settings whose doings they tell."""
    folder = DATA / "kinship" / name
    parts = sorted(folder.glob("settings*"))
    settings = [each for part in parts for each in parse_settings(read_utf8(part), name=part.name)]
    frames = parse_families(read_utf8(folder / "frames.txt"))
    banks = {family: parse_bank(text, name="frames.txt") for family, text in frames.items()}
    families = {template.id: family for family, bank in banks.items() for template in bank.templates}
    templates = tuple(template for bank in banks.values() for template in bank.templates)
    return Bank(name, templates, families=families, settings=tuple(settings))


def checked_bank(name: str) -> Bank:
    """A bank that stories may be told with. One's own file is read back first: a story is only as true as its words."""
    bank, path = load_bank(name), Path(name)
    for line, fault in faults_of_file(bank, path) if path.is_file() else ():
        raise ProbandError(f'does not tell its label ({fault.reason}): "{fault.text}"', file=path, line=line)
    return bank


def check_bank(bank: Bank, *, every: bool = False) -> list[Fault]:
    """The faults of all templates (of the clauses that a general one tells a part is looked at, unless `every`)."""
    return [fault for template in bank.templates for fault in check_template(template, every=every)]


def faults_of_file(bank: Bank, path: Path) -> Iterator[tuple[int, Fault]]:
    """(line, first fault) of every faulty template of a bank file."""
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    ids = [template_id(line, facts=1) for line in lines] if bank.occasions else []
    for template in bank.templates:
        for fault in check_template(template)[:1]:
            yield (ids.index(template.id) if bank.occasions else lines.index(template.text)) + 1, fault


def crowd_bank(crowd: Crowd) -> Bank:
    return Bank(crowd.name, crowd.templates, dict(crowd.split))


def completed(bank: Bank) -> Bank:
    """The bank, with our single facts of the relations it cannot tell (the crowd has no siblings-in-law)."""
    single = {pattern for template in bank.templates for pattern in template.patterns if len(pattern) == 1}
    lacking = [(n,) for n in NEUTRALS if not single & {(n,), (INVERSE[n],), (ANY,)}]
    ours = load_bank("scenes").hold_out()
    added = tuple(t for t in ours.templates if any(pattern in lacking for pattern in t.patterns))
    split = {**bank.split, **{t.id: ours.split[t.id] for t in added}}
    return Bank(bank.name, bank.templates + added, split, added=frozenset(t.id for t in added))


def parse_pattern(text: str) -> list[tuple[str, ...]]:
    """The clauses a header stands for; `/` separates alternatives.

    >>> parse_pattern("parent/pibling sibling")
    [('parent', 'sibling'), ('pibling', 'sibling')]
    """
    steps = [step.split("/") for step in text.split()]
    for name in (name for step in steps for name in step):
        if name != ANY and name not in NEUTRALS:
            raise ProbandError(f"no relation {name!r}; there are {', '.join(NEUTRALS)} and *")
    if not 1 <= len(steps) <= LONGEST:
        raise ProbandError(f"a clause has one to {LONGEST} relations, not {len(steps)}: {text!r}")
    return list(product(*steps))


def parse_bank(text: str, *, name: str) -> Bank:
    """A bank file: `== clause, clause` headers, then one paraphrase per line; `#` begins a comment."""
    templates: list[Template] = []
    patterns: tuple[tuple[str, ...], ...] = ()
    seen: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            if line.startswith("=="):
                patterns = tuple(p for part in line.strip("= ").split(",") for p in parse_pattern(part))
                if len({len(p) for p in patterns}) != 1:
                    raise ProbandError("the clauses of one header must have the same number of relations")
                continue
            if not patterns:
                raise ProbandError("a paraphrase comes before the first '== clause' header")
            if line in seen:
                raise ProbandError(f"the paraphrase repeats line {seen[line]}")
        except ProbandError as error:
            raise ProbandError(str(error), file=name, line=number) from error
        seen[line] = number
        templates.append(Template(template_id(line, facts=len(patterns[0])), line, patterns))
    return Bank(name, tuple(templates))
