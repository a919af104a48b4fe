"""Controls of a profile: what a preference among the options, and one constant answer, are worth."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np

from proband.core.metrics import ACCURACY
from proband.core.types import Answer, Item
from proband.reporting.profile import Capability, CapabilityPart, CapabilityReader, follows_preference
from proband.stats import Scores, beats_all

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
            chosen = choose(options, right)  # type: ignore[operator]
            scores = tuple(float(option == chosen) for option in options)
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


def test_unread_replies_are_not_the_same_answer() -> None:
    """Two replies that nobody can read have nothing in common; above a fifth of them the row has no verdict."""
    given = pairs(lambda options, right: right)
    for at in range(0, 40, 2):
        (varied, answer), plain = given[at]
        given[at] = (varied, Answer(item_id=answer.item_id, status="unread")), plain

    class Given(CapabilityReader):
        def _with_sources(self, part: CapabilityPart, model: str) -> list[Pair]:
            return given

    sets: Any = {"stories": SimpleNamespace(runs=(), source="stories")}
    row = Given(sets=sets, missing={}, controls=(), baselines={})._same(
        Capability(does="stays", fails="stay", items="", parts=(CapabilityPart(set="stories"),), same=True), "m"
    )
    assert row.estimate is not None
    assert (row.estimate.mean, row.unread, row.bounds) == (0.5, 0.5, (0.5, 1.0))
    assert row.no_verdict == "50.0 % of the replies could not be read"
    assert not row.can


def test_what_is_chosen_without_the_question_counts() -> None:
    given = pairs(lambda options, right: right)
    control = {item.id: _word(item, answer) for pair in given for item, answer in pair}
    assert follows_preference(given, control) == [1.0] * 40
    assert np.mean(follows_preference(given, {item.id: "nobody" for pair in given for item, _ in pair})) < 0.1


def test_the_best_constant_answer_is_a_level() -> None:
    """Of 60 items 20 have one right answer: always giving it is far above chance, and no ability."""
    words = (*["son"] * 20, *(f"relation {n}" for n in range(20) for _ in range(2)))
    options = tuple(dict.fromkeys(words))
    given = []
    for number, word in enumerate(words):
        item = Item(id=str(number), suite="questions", prompt="?", choices=options, gold=options.index(word))
        given.append((item, Answer(item_id=item.id, scores=tuple(float(option == "son") for option in options))))
    reader = CapabilityReader(sets={"x": FakeSet()}, missing={}, controls=(), baselines={})  # type: ignore[dict-item]
    row = Capability(does="answers", fails="answer", items="questions", parts=(CapabilityPart(set="x"),))
    levels = {level.name: level for level in reader._levels(row, ACCURACY, "m", given)}
    own = Scores.of_runs([given], ACCURACY)
    assert own is not None
    assert own.value == levels["always the most frequent right answer"].value == 20 / 60
    against_chance, against_both = (
        beats_all(own, [levels[name].value for name in names]) for names in (["chance"], levels)
    )
    assert against_chance.p is not None
    assert against_chance.p < 0.001
    assert against_both.p is None or against_both.p > 0.5
    told = msgspec.structs.replace(row, classes={"men": ("son", "relation 0"), "women": ("relation 1", "relation 2")})
    level = list(reader._levels(told, ACCURACY, "m", given))[1]  # 20 times son, twice relation 1
    assert (level.name, level.value) == ("always the most frequent right answer for men and for women", 22 / 60)


class FakeSet:
    """A set without other runs."""

    runs = ()


def _only(item: Item, count: int) -> Item:
    return Item(id=item.id, suite=item.suite, prompt=item.prompt, choices=item.choices[:count], gold=None)


def _word(item: Item, answer: Answer) -> str:
    return item.choices[int(np.argmax(answer.scores[: len(item.choices)]))]
