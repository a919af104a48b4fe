"""Whether the words around the facts give the label away."""

from __future__ import annotations

from proband.suites.kinship.audit.template_banks import guessed_labels
from proband.suites.kinship.telling.bank import load_bank, parse_bank


def test_ours_do_not() -> None:
    guess = guessed_labels(load_bank(), per_label=150)
    assert guess.stories == 3300
    assert abs(guess.accuracy - guess.chance) <= 2 * guess.noise


def test_scenes_for_certain_relations_do() -> None:
    guess = guessed_labels(load_bank("scenes"), per_label=400)
    assert guess.accuracy > guess.chance + 1.5 * guess.noise


def test_telling_words_are_found() -> None:
    """A word of its own for each relation of a single fact: a bag of two of them gives most labels away."""
    from proband.suites.kinship.world.relations import NEUTRALS

    lines = [f"== {name}\n{{0}} rang {{0 his}} {{1 of 0}} {{1}} about q{i}." for i, name in enumerate(NEUTRALS)]
    guess = guessed_labels(parse_bank("\n".join(lines), name="leaky"), per_label=20)
    assert guess.accuracy > 3 * guess.chance
