"""The quick bank has the lines of the plain one, in their order."""

from __future__ import annotations

import random

import pytest

from proband.suites.kinship.bank import load_bank
from proband.suites.kinship.quick import quick
from proband.suites.kinship.relations import RELATIONS
from proband.suites.kinship.stories import tell


@pytest.mark.parametrize("split", [None, "train", "test"])
def test_every_menu_is_the_same(split: str | None) -> None:
    bank = load_bank().hold_out(0.2, 1)
    rng = random.Random(0)
    keys = [
        (g, w) for g in ("male", "female") for w in RELATIONS if (w, g) not in (("husband", "male"), ("wife", "female"))
    ]
    longer = [(rng.choice(("male", "female")), *rng.choices(RELATIONS, k=rng.choice((2, 3)))) for _ in range(300)]
    for key in [*keys, *longer]:
        plain, fast = bank.menu(key, split), quick(bank).menu(key, split)
        assert [line[:3] for line in fast] == [line[:3] for line in plain], key


def test_the_same_story_is_told() -> None:
    bank = load_bank()
    fast = quick(bank)
    edges = [(0, "father", 1), (1, "sister", 2), (2, "husband", 3), (3, "son", 4)]
    names, genders = ["Al", "Bo", "Cy", "Di", "Ed"], ["male", "male", "female", "male", "male"]
    for seed in range(50):
        told = [tell(edges, bank=b, rng=random.Random(seed), names=names, genders=genders) for b in (bank, fast)]
        assert told[0] == told[1]


def test_only_so_many_menus_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from proband.suites.kinship import quick as module

    monkeypatch.setattr(module, "KEPT", 5)
    bank = quick(load_bank())
    for word in RELATIONS:
        bank.menu(("male" if word != "husband" else "female", word))
        assert len(bank._menus[None]) <= 5
