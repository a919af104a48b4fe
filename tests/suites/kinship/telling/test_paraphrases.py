"""Menus: the lines that tell a path, each said as the template compiled for these very facts says it."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from proband.suites.kinship.telling import paraphrases as module
from proband.suites.kinship.telling.bank import Bank
from proband.suites.kinship.telling.bank_sources import load_bank
from proband.suites.kinship.telling.paraphrases import ANY, OWN_WEIGHT, Key, Menus, Template
from proband.suites.kinship.telling.template_language import fill, genders_told
from proband.suites.kinship.world.relations import FEMALE, GENDER, INVERSE, MALE, NEUTRAL, RELATIONS

SPOUSES = (("husband", MALE), ("wife", FEMALE))
NAMES = ["Ann", "Ben", "Clara", "Dan"]


def keys(longer: int) -> list[Key]:
    """Every single fact, and some paths of two and three."""
    rng = random.Random(0)
    single: list[Key] = [(g, w) for g in (MALE, FEMALE) for w in RELATIONS if (w, g) not in SPOUSES]
    return [
        *single,
        *((rng.choice((MALE, FEMALE)), *rng.choices(RELATIONS, k=rng.choice((2, 3)))) for _ in range(longer)),
    ]


def expected(bank: Bank, key: Key, split: str | None) -> Counter[tuple[str, str, frozenset[int]]]:
    """The long way: every template of the bank, read along the path and against it, compiled for these facts."""
    relations = tuple(NEUTRAL[w] for w in key[1:])
    genders = (key[0], *(GENDER[w] for w in key[1:]))
    n, found = len(relations), Counter[tuple[str, str, frozenset[int]]]()
    back = tuple(INVERSE[r] for r in reversed(relations))
    for row, people, names in ((relations, genders, NAMES[: n + 1]), (back, genders[::-1], NAMES[n::-1])):
        for t in bank.templates:
            if split is not None and bank.split[t.id] != split:
                continue
            if not any(len(p) == n and all(a in (ANY, b) for a, b in zip(p, row)) for p in t.patterns):
                continue
            text = fill(t.text, row, people, names)
            known = genders_told(t.text, row, people)
            if t.echo is None or not echoes(text):
                known = frozenset(n - i for i in known) if names[0] != NAMES[0] else known
                found[t.id, text, known] += 1 if t.general else OWN_WEIGHT
    return found


def echoes(text: str) -> bool:
    """`his sister Ann and sister Bea`"""
    words = text.replace(",", "").replace(".", "").split()
    return any(words[i] == "and" and words[i - 2] == words[i + 1] for i in range(2, len(words) - 2))


@pytest.mark.parametrize("split", [None, "train", "test"])
def test_a_menu_has_every_line_and_says_it_right(split: str | None) -> None:
    bank = load_bank("scenes").hold_out(0.2, 1)
    for key in keys(150):
        menu = bank.menus(split)[key]
        told = Counter((line[0].id, menu.tell(line, NAMES[: len(key)]), menu.known(line)) for line in menu.lines)
        assert told == expected(bank, key, split), key


def test_echoes_are_left_out() -> None:
    template = Template("a", "{0}'s {1 of 0} {1} and {2 of 0} {2}", (("child", "sibling"),))
    both = Template("b", "{1}'s {0 of 1} {0} and {2 of 1} {2} met.", (("parent", "child"),))
    assert template.facts == 2
    menus = Menus([both])
    assert menus[MALE, "mother", "son"].lines == []
    menu = menus[FEMALE, "mother", "son"]
    assert [menu.tell(line, ["Ann", "Bea", "Cy"]) for line in menu.lines[:1]] == ["Bea's daughter Ann and son Cy met."]


def test_a_template_for_certain_genders() -> None:
    menus = Menus([Template("a", "{1} is the aunt of {0}.", (("pibling",),), (MALE, FEMALE))])
    assert len(menus[MALE, "aunt"].lines) == len(menus[FEMALE, "nephew"].lines) == OWN_WEIGHT
    assert menus[FEMALE, "aunt"].lines == menus[MALE, "uncle"].lines == []
    menu = menus[FEMALE, "nephew"]
    assert menu.tell(menu.lines[0], ["Ann", "Ben"]) == "Ann is the aunt of Ben."


def test_only_so_many_menus_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 5)
    menus = Menus(load_bank("scenes").templates)
    for key in keys(0):
        assert menus[key].lines
        assert menus._menu.cache_info().currsize <= 5
