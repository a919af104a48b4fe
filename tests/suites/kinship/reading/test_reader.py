"""solver:read: everything of ours, and most of CLUTRR's."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from proband.core.errors import ProbandError
from proband.core.files import encode, parse
from proband.core.metrics import accuracy_of
from proband.core.types import Fact, Item
from proband.suites import suite
from proband.suites.kinship.reading.reader import Read, mismatch_with_facts, read_story, stated_genders
from proband.suites.kinship.world.relations import RELATIONS
from proband.suites.kinship.world.rules import load


def build(**options: Any) -> list[Item]:
    kinship = suite("kinship")
    built = kinship.build(kinship.options(**options), seed=11).items
    return [parse(Item, encode(item), file="items.jsonl") for item in built]


def mean(items: list[Item], solver: Read | None = None) -> float:
    answers = (solver or Read()).answer(items)
    return sum(accuracy_of(item, answer) or 0.0 for item, answer in zip(items, answers, strict=True)) / len(items)


@pytest.mark.parametrize(
    "options",
    [
        {"k": "2..10", "per_k": 12},
        {"k": "2,3,4", "per_k": 24, "task": "mixed"},
        {"k": "3", "per_k": 30, "task": "memory"},
        {"k": "3", "per_k": 30},
        {"k": "3", "per_k": 30, "form": "facts"},
        {"k": "3", "per_k": 30, "form": "graph"},
        {"k": "3", "per_k": 30, "question": "yes-no"},
        {"k": "3", "per_k": 30, "question": "text"},
        {"k": "2,3", "per_k": 30, "hold_out": "paraphrases"},
        {"k": "3", "per_k": 40, "rules": "grid"},
    ],
    ids=lambda options: " ".join(f"{k}={v}" for k, v in options.items()),
)
def test_all_of_our_own(options: dict[str, Any]) -> None:
    assert mean(build(**options)) == 1.0


@pytest.mark.nightly
@pytest.mark.parametrize("task", ["clean", "supporting", "irrelevant", "disconnected", "all", "memory"])
def test_all_of_our_own_at_length(task: str) -> None:
    assert mean(build(k="2..10", per_k=20, task=task)) == 1.0


def test_text_alone_is_used() -> None:
    """Take the facts away, or falsify them: the answers stay."""
    items = build(k="3", per_k=40)
    blind = [replace(item, facts={**item.facts, "edges": [], "target": "wife"}) for item in items]
    assert mean(blind) == 1.0


def test_another_story_gives_other_answers() -> None:
    items = build(k="3", per_k=60)
    prompts = [item.prompt for item in items[1:]] + [items[0].prompt]
    mixed = [replace(item, prompt=prompt) for item, prompt in zip(items, prompts)]
    assert mean(mixed) < 0.2


def test_what_is_not_understood_is_unread_and_not_guessed() -> None:
    item = build(k="3", per_k=1)[0]
    doubtful = replace(item, prompt=item.prompt.replace(" his ", " perhaps his ").replace(" her ", " perhaps her "))
    (answer,) = Read().answer([doubtful])
    assert answer.status == "unread"


def test_an_item_without_names() -> None:
    item = Item(id="a", suite="kinship", prompt="x\ny", choices=RELATIONS)
    with pytest.raises(ProbandError, match="item 'a' cannot be read"):
        Read().answer([item])


def test_identity_and_name() -> None:
    assert Read().name == "solver:read"
    assert Read().identity()["name"] == "read"


def test_genders_from_the_text() -> None:
    facts = read_story("@1's aunt @2 is married to @3.", names={"@1": None, "@2": None, "@3": "male"})
    assert facts == [Fact("@2", "aunt", "@1"), Fact("@2", "wife", "@3")]
    assert stated_genders(facts, ["@1", "@2", "@3"]) == ["male", "female", "male"]


def test_a_fact_may_be_stated_twice_and_altered_nowhere() -> None:
    people = {"names": ["Ben", "Ann", "Tom"], "genders": ["male", "female", "male"], "rules": load("sound")}
    edges = [(0, "sister", 1), (1, "father", 2), (1, "brother", 0)]
    story = "Ben rang his sister Ann. Ann met her father Tom. Ann thanked her brother Ben."
    assert mismatch_with_facts(story, edges=edges, **people) is None  # type: ignore[arg-type]
    for word, other in (("sister", "aunt"), ("brother", "nephew"), ("father", "uncle")):
        altered = mismatch_with_facts(story.replace(word, other), edges=edges, **people)  # type: ignore[arg-type]
        assert altered is not None, other
