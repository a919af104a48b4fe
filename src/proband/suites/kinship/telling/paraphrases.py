"""Menus: every way a bank has to tell a path of facts.

A path 0 - 1 - 2 read backwards is the same facts with the inverse relations, so a paraphrase of (parent, sibling) also
tells (sibling, child): a fact is told from either side.

>>> menu = Menus([Template("a", "{1} is {0}'s {1 of 0}.", (("parent",),))])["female", "son"]
>>> menu.tell(menu.lines[0], ["Ann", "Ben"])
"Ann is Ben's mother."
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from operator import itemgetter
from typing import Any, Final

from proband.suites.kinship.telling.template_language import frame, genders_told, kin_forms, kin_place
from proband.suites.kinship.world.relations import GENDER, INVERSE, NEUTRAL

ANY: Final = "*"
OWN_WEIGHT: Final = 3  # a paraphrase written for these very relations is drawn this much oftener than a general one
KEPT: Final = 4_000  # menus to keep at most: memory stays flat
ECHO: Final = re.compile(r"\{(\d) of (\d)\} \{\1\} and \{(\d) of \2\} \{\3\}")  # her sister Ann and sister Bea

PLACE: Final = re.compile(r"\{[^}]*\}")
STRIKING: Final = re.compile(r"\b(?!(?:after|before|afterwards|about|later|would|could)\b)[A-Za-z]{5,}")

Row = tuple[str, ...]  # relations along a path, or the genders of its people
Key = tuple[str, ...]  # the gender of the first person of a path, then its relation words


@dataclass(frozen=True)
class Template:
    """A paraphrase: `patterns` are the neutral relations along the path it can tell ("*" is any), `genders` the only
    gender combination it is written for (None: every one, as ours are)."""

    id: str
    text: str
    patterns: tuple[Row, ...]
    genders: Row | None = None
    general: bool = False

    @property
    def facts(self) -> int:
        return len(self.patterns[0])

    @cached_property
    def frame(self) -> Callable[[Row], tuple[str, itemgetter[Any]]]:
        """By the genders of its people: a %-format, and what picks its words from names and kin words."""

        def compiled(genders: Row) -> tuple[str, itemgetter[Any]]:
            fmt, places = frame(self.text, genders)
            return fmt, itemgetter(*places)

        return cache(compiled)

    @cached_property
    def scene(self) -> frozenset[str]:
        """What a story should not tell twice: the paraphrase itself and the words that stand out in it.

        >>> sorted(Template("a", "On Sunday {0} took {0 his} {1 of 0} {1} fishing.", (("parent",),)).scene)
        ['a', 'fishing', 'sunday']
        """
        return frozenset({self.id, *(word.lower() for word in STRIKING.findall(PLACE.sub(" ", self.text)))})

    @cached_property
    def lines(self) -> tuple[Line, Line]:
        """The template told along a path, and told against it."""
        return (self, False), (self, True)

    def tells(self, relations: Row) -> bool:
        """Whether it tells these relations, of people of some genders."""
        return any(len(p) == len(relations) and all(a in (ANY, b) for a, b in zip(p, relations)) for p in self.patterns)

    @cached_property
    def echo(self) -> tuple[int, int] | None:
        """Two places among the kin forms whose words must differ: not `her sister Ann and sister Bea`."""
        match = ECHO.search(self.text)
        if match is None:
            return None
        one, owner, other = map(int, match.groups())
        return kin_place(one, owner, self.facts), kin_place(other, owner, self.facts)

    def suits(self, genders: Row, kin: Sequence[str]) -> bool:
        """Whether it can be told of people of these genders, with these kin forms."""
        if self.genders not in (None, genders):
            return False
        return self.echo is None or kin[self.echo[0]] != kin[self.echo[1]]


def template_id(line: str, *, facts: int) -> str:
    """The id of a line of a bank: how many facts it tells, and a digest."""
    return f"{facts}.{hashlib.sha256(line.removeprefix('!').strip().encode()).hexdigest()[:8]}"


Line = tuple[Template, bool]  # and whether its person 0 is the last of the path


class Menu:
    """The lines that tell a path, each as often as it is to be drawn."""

    def __init__(self, lines: list[Line], relations: Row, genders: Row) -> None:
        self.lines = lines
        self.sides = [  # along the path, and against it
            (relations, genders, list(kin_forms(relations, genders))),
            (_back(relations), genders[::-1], list(kin_forms(_back(relations), genders[::-1]))),
        ]
        self.revealing = cache(self._revealing)

    def tell(self, line: Line, names: list[str]) -> str:
        """The line with the names of the path's people."""
        template, turned = line
        _, genders, kin = self.sides[turned]
        fmt, pick = template.frame(genders)
        words: tuple[str, ...] = pick((names[::-1] if turned else names) + kin)
        return fmt % words

    def known(self, line: Line) -> frozenset[int]:
        """The people of the path whose gender the line tells."""
        template, turned = line
        relations, genders, _ = self.sides[turned]
        told = genders_told(template.text, relations, genders)
        return frozenset(len(relations) - i for i in told) if turned else told

    def _revealing(self, person: int) -> list[Line]:
        """The lines that tell the gender of a person of the path, or all if there is none."""
        return [line for line in self.lines if person in self.known(line)] or self.lines


class Menus:
    """The menus of a bank by key."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self._menu = lru_cache(maxsize=KEPT)(self._make_menu)
        self._own: dict[Row, list[Template]] = {}
        self._partly: dict[int, list[Template]] = {}  # some relations are given, others free
        self._general: dict[int, list[Template]] = {}
        for template in templates:
            if template.tells((ANY,) * template.facts):
                self._general.setdefault(template.facts, []).append(template)
            elif any(ANY in pattern for pattern in template.patterns):
                self._partly.setdefault(template.facts, []).append(template)
            else:
                for pattern in template.patterns:
                    self._own.setdefault(pattern, []).append(template)
        self._lines = cache(self._lines_of)

    def __getitem__(self, key: Key) -> Menu:
        return self._menu(key)

    def _make_menu(self, key: Key) -> Menu:
        relations = tuple([NEUTRAL[word] for word in key[1:]])
        genders = (key[0], *[GENDER[word] for word in key[1:]])
        anybody, choosy = self._lines(relations)
        menu = Menu(anybody, relations, genders)
        if choosy:
            menu.lines = anybody + [line for line in choosy if line[0].suits(*menu.sides[line[1]][1:])]
        return menu

    def _lines_of(self, relations: Row) -> tuple[list[Line], list[Line]]:
        """The lines that tell these relations: of people of any gender, and of some only."""
        anybody: list[Line] = []
        choosy: list[Line] = []
        for row, turned in ((relations, False), (_back(relations), True)):
            n = len(row)
            partly = [template for template in self._partly.get(n, ()) if template.tells(row)]
            for template in (*self._own.get(row, ()), *partly, *self._general.get(n, ())):
                lines = anybody if template.genders is None and template.echo is None else choosy
                lines += [template.lines[turned]] * (1 if template.general else OWN_WEIGHT)
        return anybody, choosy


def _back(relations: Row) -> Row:
    """The same facts from the other end of the path."""
    return tuple([INVERSE[relation] for relation in reversed(relations)])
