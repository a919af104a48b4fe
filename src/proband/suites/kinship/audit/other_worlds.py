"""The verdict on a pattern of facts in families of other kinds: how far a verdict rests on the axioms."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from proband.suites.kinship.logic import search
from proband.suites.kinship.logic.search import Pattern
from proband.suites.kinship.world.relations import GENDER, NEUTRAL, STRICT, WORLDS, World

OTHERS: Final = tuple(name for name, world in WORLDS.items() if world != STRICT)
LEVEL: Final = WORLDS["one-generation"]
BY_MARRIAGE: Final = ("pibling", "nibling")  # the relations that mean more where uncles may be so by marriage


@lru_cache(maxsize=50_000)
def in_other_worlds(pattern: Pattern, target: str, strict: str) -> dict[str, str]:
    """The verdict's word in each of OTHERS, given that in the strict world.

    Most follow without a search. A strict family is a family of every laxer world in which the same relations hold;
    only uncles and aunts may become more. So a strict family in which the label holds, or (where it is no uncle) one in
    which it does not, shows the same there; and what all-three allows each of the three worlds may show already.
    """
    verdicts: dict[str, str] = {}
    uncles = any(NEUTRAL[relation] in BY_MARRIAGE for relation in (target, *(r for _, r, _ in pattern[1])))
    for name in OTHERS:
        world = WORLDS[name]
        if name == "one-generation":
            verdicts[name] = _one_generation(pattern, target, strict)
        elif name == "uncles-by-marriage" and not uncles:
            verdicts[name] = strict
        elif strict in ("entailed", "ambiguous"):
            kept = world.by_blood or NEUTRAL[target] not in BY_MARRIAGE
            less = [each for each in verdicts if each != "one-generation"] if name == "all-three" else []
            shown = any(verdicts[each] == "ambiguous" and (kept or not WORLDS[each].by_blood) for each in less)
            open_ = shown or (strict == "ambiguous" and kept) or search.has_counter_family(pattern, target, world=world)
            verdicts[name] = "ambiguous" if open_ else "entailed"
        else:
            verdicts[name] = verdict_in(pattern, target, world)
    return verdicts


def _one_generation(pattern: Pattern, target: str, strict: str) -> str:
    """The strictest world: what holds in every strict family holds in each of its families, if there are any."""
    if strict in ("entailed", "false"):
        return strict if search.find(pattern, world=LEVEL) else "inconsistent"
    return verdict_in(pattern, target, LEVEL) if strict == "ambiguous" else strict


def verdict_in(pattern: Pattern, target: str, world: World) -> str:
    """The verdict's word in any world (in some, several relations may hold of one pair), by search alone."""
    genders, _, query = pattern
    if not search.find(pattern, world=world):
        return "inconsistent"
    if not search.has_counter_family(pattern, target, world=world):
        return "entailed"
    fits = genders[query[1]] in (None, GENDER[target])
    held = fits and search.find(pattern, world=world, some=NEUTRAL[target]) is not None
    return "ambiguous" if held else "false"
