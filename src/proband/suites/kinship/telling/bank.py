"""A bank of paraphrases: its file format, and which of them are kept for the test.

>>> bank = parse_bank("== parent, pibling\\n{1} is {0}'s {1 of 0}.", name="mine")
>>> bank.templates[0].patterns
(('parent',), ('pibling',))
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.suites.kinship.telling.paraphrases import ANY, Menus, Template
from proband.suites.kinship.world.relations import NEUTRALS

__all__ = ["ANY", "LONGEST", "Bank", "Template", "parse_bank", "parse_pattern"]
LONGEST: Final = 3  # facts in one paraphrase


@dataclass
class Bank:
    """Templates with, after `hold_out`, the split each belongs to."""

    name: str
    templates: tuple[Template, ...]
    split: dict[str, str] = field(default_factory=dict)
    _menus: dict[str | None, Menus] = field(default_factory=dict, repr=False)

    def menus(self, split: str | None = None) -> Menus:
        """What tells a path whose first person has gender key[0] and whose relation words are key[1:], by key."""
        if split not in self._menus:
            kept = [t for t in self.templates if split is None or self.split.get(t.id, split) == split]
            self._menus[split] = Menus(kept)
        return self._menus[split]

    def hold_out(self, share: float = 0.2, seed: int = 0) -> Bank:
        """The same bank with `share` of the paraphrases of every clause kept for the test.

        >>> bank = parse_bank("== parent\\n{1} is {0}'s {1 of 0}.\\n{1} is the {1 of 0} of {0}.", name="mine")
        >>> sorted(bank.hold_out(0.2, seed=0).split.values())
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
        mark = hashlib.sha256(line.encode()).hexdigest()[:8]
        templates.append(Template(f"{len(patterns[0])}.{mark}", line, patterns, general=ANY in patterns[0]))
    return Bank(name, tuple(templates))
