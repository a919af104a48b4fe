"""The bank of paraphrases for builders in a hurry: the same menus in the same order, compiled through caches.

A build meets tens of thousands of (paraphrase, relations, genders) for the first time. What is the same among them is
kept: which paraphrases tell a row of relations, the pieces of a text, the words of a slot. Whose gender a paraphrase
tells is not worked out, so anonymised stories, which need it, take the plain bank.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any, SupportsIndex, overload

from proband.suites.kinship.bank import OWN_WEIGHT, Bank, Raw, Template, Told, _echo_slots, _echoes
from proband.suites.kinship.relations import GENDER, INVERSE, NEUTRAL
from proband.suites.kinship.templates import NAME_SLOT, _segments, _slot

NOBODY: frozenset[int] = frozenset()
KEPT = 4_000  # menus to keep at most: memory stays flat
words_of = lru_cache(maxsize=200_000)(_slot)


@lru_cache(maxsize=20_000)
def pieces(text: str) -> tuple[str, tuple[tuple[int, str], ...], tuple[int, ...], int]:
    """A text as a %-format with one place per slot, the slots that are not names, and the people named, in order.

    >>> pieces("{0} rang {0 his} {1 of 0} {1}, 100 % sure.")
    ('%s rang %s %s %s, 100 %%%% sure.', ((1, '0 his'), (2, '1 of 0')), (0, 1), 4)
    """
    parts = _segments(text)
    slots = parts[1::2]
    # the format is filled twice (words of slots here, names in the story), so a % of the text is doubled twice
    fmt = "%s".join(part.replace("%", "%%%%") for part in parts[::2])
    names = tuple(int(slot) for slot in slots if NAME_SLOT.fullmatch(slot))
    rest = tuple((i, slot) for i, slot in enumerate(slots) if not NAME_SLOT.fullmatch(slot))
    return fmt, rest, names, len(slots)


def compile_line(template: Template, relations: tuple[str, ...], genders: tuple[str, ...], *, turned: bool) -> Told:
    """What bank.compiled gives, without whose gender is told."""
    fmt, rest, order, count = pieces(template.text)
    fill = ["%s"] * count
    for i, slot in rest:
        fill[i] = words_of(slot, relations, genders)
    if turned:
        n = len(relations)
        order = tuple([n - i for i in order])
    return (template.id, fmt % tuple(fill), order, NOBODY)


class Lines(list[Told | Raw]):
    """A menu whose lines are compiled when they are looked at."""

    @overload
    def __getitem__(self, i: SupportsIndex) -> Told | Raw: ...
    @overload
    def __getitem__(self, i: slice) -> list[Told | Raw]: ...
    def __getitem__(self, i: Any) -> Any:
        line = list.__getitem__(self, i)
        if line.__class__ is list:
            template, relations, genders, turned = line
            line = self[i] = compile_line(template, relations, genders, turned=turned)
        return line


class QuickBank(Bank):
    """A bank with the same lines; see `quick`."""

    @cached_property
    def _telling(self) -> dict[tuple[str, ...], list[tuple[Template, int, bool]]]:
        return {}

    def _tellers(self, relations: tuple[str, ...]) -> list[tuple[Template, int, bool]]:
        """Who tells these relations, for some genders: the template, its weight, whether the genders matter."""
        known = self._telling.get(relations)
        if known is None:
            known = self._telling[relations] = [
                (t, 1 if t.general else OWN_WEIGHT, t.genders is not None or bool(_echo_slots(t.text)))
                for t in (*self._own.get(relations, ()), *self._general.get(len(relations), ()))
                if t.tells(relations, t.genders or ())
            ]
        return known

    def _raw(self, key: tuple[str, ...], split: str | None) -> list[Told | Raw]:
        menus = self._menus.setdefault(split, {})
        known = menus.get(key)
        if known is None:
            relations = tuple([NEUTRAL[w] for w in key[1:]])
            genders = (key[0], *[GENDER[w] for w in key[1:]])
            back = tuple([INVERSE[r] for r in reversed(relations)])
            if len(menus) >= KEPT:
                menus.clear()
            known = menus[key] = Lines()
            for row, people, turned in ((relations, genders, False), (back, genders[::-1], True)):
                for template, weight, matters in self._tellers(row):
                    if split is not None and self.split.get(template.id, split) != split:
                        continue
                    if matters and (not template.tells(row, people) or _echoes(template, row, people)):
                        continue
                    known.extend([[template, row, people, turned]] * weight)
        return known


def quick(bank: Bank) -> QuickBank:
    return QuickBank(bank.name, bank.templates, bank.split)
