"""The bank of paraphrases: which of them tell which facts, and which are kept for the test.

A path of facts 0 - 1 - 2 read backwards is the same facts with the inverse relations, so a paraphrase of
(parent, sibling) also tells (sibling, child): a fact is told from either side.

>>> [told[1] for told in parse_bank("== parent\\n{1} is {0}'s {1 of 0}.", name="mine").menu(("female", "son"))]
["%s is %s's mother.", "%s is %s's mother.", "%s is %s's mother."]
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.suites.kinship.relations import GENDER, INVERSE, NEUTRAL, NEUTRALS
from proband.suites.kinship.templates import compile_text, genders_told, kin_word

ANY: Final = "*"
LONGEST: Final = 3  # facts in one paraphrase
OWN_WEIGHT: Final = 3  # a paraphrase written for these very relations is drawn this much oftener than a general one


@dataclass(frozen=True)
class Template:
    """A paraphrase: `patterns` are the neutral relations along the path it can tell ("*" is any), `genders` the only
    gender combination it is written for (None: every one, as ours are)."""

    id: str
    text: str
    patterns: tuple[tuple[str, ...], ...]
    genders: tuple[str, ...] | None = None
    general: bool = False

    @property
    def facts(self) -> int:
        return len(self.patterns[0])

    def tells(self, relations: tuple[str, ...], genders: tuple[str, ...]) -> bool:
        if self.genders is not None and self.genders != genders:
            return False
        return any(len(p) == len(relations) and all(a in (ANY, b) for a, b in zip(p, relations)) for p in self.patterns)


Told = tuple[str, str, tuple[int, ...], frozenset[int]]  # template id, %-format, who fills it, whose gender it tells
Raw = list[Any]  # [template, relations, genders, turned]: not yet compiled
Menu = dict[tuple[str, ...], list[Told | Raw]]
ECHO: Final = re.compile(r"\{(\d) of (\d)\} \{\1\} and \{(\d) of \2\} \{\3\}")  # her sister Ann and sister Bea


@dataclass
class Bank:
    """Templates with, after `hold_out`, the split each belongs to."""

    name: str
    templates: tuple[Template, ...]
    split: dict[str, str] = field(default_factory=dict)
    _menus: dict[str | None, Menu] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._own: dict[tuple[str, ...], list[Template]] = {}
        self._general: dict[int, list[Template]] = {}
        for template in self.templates:
            if any(ANY in pattern for pattern in template.patterns):
                self._general.setdefault(template.facts, []).append(template)
            else:
                for pattern in template.patterns:
                    self._own.setdefault(pattern, []).append(template)

    def hold_out(self, share: float = 0.2, seed: int = 0) -> Bank:
        """The same bank with `share` of the paraphrases of every clause kept for the test.

        >>> bank = load_bank().hold_out(0.2, seed=0)
        >>> sorted(set(bank.split.values()))
        ['test', 'train']
        """
        if not 0.0 < share < 1.0:
            raise ProbandError(f"the share of paraphrases to hold out must lie between 0 and 1, not {share}")
        rng = random.Random(f"paraphrases {seed}")
        clauses: dict[tuple[Any, ...], list[str]] = {}
        for template in self.templates:
            clauses.setdefault((template.patterns, template.genders), []).append(template.id)
        split = {}
        for ids in clauses.values():
            held = set(rng.sample(ids, max(1, round(share * len(ids))))) if len(ids) > 1 else set()
            split.update({i: "test" if i in held else "train" for i in ids})
        return Bank(self.name, self.templates, split)

    def menu(self, key: tuple[str, ...], split: str | None = None) -> list[Told]:
        """Every way to tell the path whose first person has gender key[0] and whose relation words are key[1:]."""
        menu = self._raw(key, split)
        return [compiled(menu, i) for i in range(len(menu))]

    def _raw(self, key: tuple[str, ...], split: str | None) -> list[Told | Raw]:
        """The menu, compiled as far as it has been used: most of its lines never are."""
        menu = self._menus.setdefault(split, {})
        if key not in menu:
            relations = tuple(NEUTRAL[w] for w in key[1:])
            genders = (key[0], *(GENDER[w] for w in key[1:]))
            back = tuple(INVERSE[r] for r in reversed(relations))
            menu[key] = [
                *self._lines(relations, genders, split, turned=False),
                *self._lines(back, genders[::-1], split, turned=True),
            ]
        return menu[key]

    def _lines(
        self, relations: tuple[str, ...], genders: tuple[str, ...], split: str | None, *, turned: bool
    ) -> Iterator[Told | Raw]:
        for template in (*self._own.get(relations, ()), *self._general.get(len(relations), ())):
            held = split is not None and self.split.get(template.id, split) != split
            if not held and template.tells(relations, genders) and not _echoes(template, relations, genders):
                for _ in range(1 if template.general else OWN_WEIGHT):
                    yield [template, relations, genders, turned]

    def menu_telling(self, key: tuple[str, ...], split: str | None, person: int) -> list[Told]:
        """The ways that tell the gender of a person of the path, or all if there is none."""
        menu = self.menu(key, split)
        return [told for told in menu if person in told[3]] or menu


def compiled(menu: list[Told | Raw], i: int) -> Told:
    """Line i of a menu, compiled the first time it is asked for."""
    line = menu[i]
    if isinstance(line, list):
        template, relations, genders, turned = line
        fmt, order = compile_text(template.text, relations, genders)
        known = genders_told(template.text, relations, genders)
        if turned:
            n = len(relations)
            order, known = tuple(n - i for i in order), frozenset(n - i for i in known)
        line = menu[i] = (template.id, fmt, order, known)
    return line


@cache
def _echo_slots(text: str) -> tuple[int, ...]:
    match = ECHO.search(text)
    return tuple(map(int, match.groups())) if match else ()


def _echoes(template: Template, relations: tuple[str, ...], genders: tuple[str, ...]) -> bool:
    """Would it say `her sister Ann and sister Bea`? The templates with plurals say that better."""
    slots = _echo_slots(template.text)
    if not slots:
        return False
    one, owner, other = slots
    return kin_word(one, owner, relations, genders) == kin_word(other, owner, relations, genders)


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
                raise ProbandError("a paraphrase stands before the first '== clause' header")
            if line in seen:
                raise ProbandError(f"the paraphrase stood on line {seen[line]} already")
        except ProbandError as error:
            raise ProbandError(str(error), file=name, line=number) from error
        seen[line] = number
        mark = hashlib.sha256(line.encode()).hexdigest()[:8]
        templates.append(Template(f"{len(patterns[0])}.{mark}", line, patterns, general=ANY in patterns[0]))
    return Bank(name, tuple(templates))


def load_bank(path_or_name: str = "proband") -> Bank:
    """Our own bank ("proband"), a bank file, or CLUTRR's crowd templates from a folder ("clutrr:FOLDER")."""
    if path_or_name == "proband" or path_or_name.startswith("clutrr:"):
        return _load(path_or_name)
    path = Path(path_or_name)  # somebody may be writing it: never remembered
    if not path.is_file():
        raise ProbandError("no such template bank", file=path)
    return parse_bank(path.read_text(encoding="utf-8"), name=str(path))


def completed(bank: Bank) -> Bank:
    """The bank, with our single facts of the relations it cannot tell (the crowd has no siblings-in-law)."""
    told = {pattern for template in bank.templates for pattern in template.patterns if len(pattern) == 1}
    lacking = [(n,) for n in NEUTRALS if not told & {(n,), (INVERSE[n],), (ANY,)}]
    ours = load_bank().hold_out()
    added = tuple(t for t in ours.templates if any(pattern in lacking for pattern in t.patterns))
    return Bank(bank.name, bank.templates + added, {**bank.split, **{t.id: ours.split[t.id] for t in added}})


@lru_cache(maxsize=8)
def _load(path_or_name: str) -> Bank:
    if path_or_name == "proband":
        folder = files("proband") / "data" / "kinship" / "bank"
        parts = [folder.joinpath(f"facts{n}.txt").read_text(encoding="utf-8") for n in (1, 2, 3)]
        banks = [parse_bank(part, name=f"facts{n}.txt") for n, part in enumerate(parts, start=1)]
        return Bank("proband", tuple(t for bank in banks for t in bank.templates))
    from proband.suites.kinship.crowd import load_crowd

    return completed(load_crowd(Path(path_or_name.removeprefix("clutrr:"))).bank)
