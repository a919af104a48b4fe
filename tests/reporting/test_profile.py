"""The control of "answers the same": what a preference among the options alone gives."""

from __future__ import annotations

import numpy as np

from proband.core.types import Answer, Item
from proband.reporting.profile import follows_preference

OPTIONS = ("mother", "aunt", "sister", "niece")
Pair = tuple[tuple[Item, Answer], tuple[Item, Answer]]


def pairs(choose: object, *, count: int = 40, seed: int = 0) -> list[Pair]:
    """Items and their variations with the same options in another order; `choose(options, right)` is the answer."""
    rng, made = np.random.default_rng(seed), []
    for number in range(count):
        right, both = OPTIONS[number % 4], []
        for form in ("varied", "plain"):
            options = tuple(rng.permutation(OPTIONS).tolist())
            gold = options.index(right)
            item = Item(id=f"{number}-{form}", suite="questions", prompt=form, choices=options, gold=gold)
            told = choose(options, right)  # type: ignore[operator]
            scores = tuple(float(option == told) for option in options)
            both.append((item, Answer(item_id=item.id, scores=scores)))
        made.append((both[0], both[1]))
    return made


def test_a_model_that_prefers_one_option_is_explained_whole() -> None:
    """It never reads the question, and its answers are always the same."""
    assert follows_preference(pairs(lambda options, right: "aunt"), {}) == [1.0] * 40


def test_a_model_that_answers_the_question_is_not() -> None:
    """Each option is right equally often: the preference says nothing."""
    assert np.mean(follows_preference(pairs(lambda options, right: right), {})) < 0.1


def test_a_ranking_of_options_is_found_where_not_all_are_offered() -> None:
    given = pairs(lambda options, right: min(options[:3], key=OPTIONS.index))
    offered = [tuple((_only(item, 3), answer) for item, answer in pair) for pair in given]
    same = [pair for pair in offered if len({_word(*each) for each in pair}) == 1]
    assert np.mean(follows_preference([(a, b) for a, b in same], {})) > 0.9


def test_what_is_chosen_without_the_question_counts() -> None:
    given = pairs(lambda options, right: right)
    control = {item.id: _word(item, answer) for pair in given for item, answer in pair}
    assert follows_preference(given, control) == [1.0] * 40
    assert np.mean(follows_preference(given, {item.id: "nobody" for pair in given for item, _ in pair})) < 0.1


def _only(item: Item, count: int) -> Item:
    return Item(id=item.id, suite=item.suite, prompt=item.prompt, choices=item.choices[:count], gold=None)


def _word(item: Item, answer: Answer) -> str:
    return item.choices[int(np.argmax(answer.scores[: len(item.choices)]))]
