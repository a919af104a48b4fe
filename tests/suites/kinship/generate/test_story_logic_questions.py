"""Several questions about one story: its text is the same, every answer follows, and they are one cluster."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice

from proband.core.files import decode, encode
from proband.core.types import Item
from proband.suites.kinship.generate.build import Rounds
from proband.suites.kinship.generate.options import BuildOptions, make_plan
from proband.suites.kinship.logic.search import entailed
from proband.suites.kinship.verify.items import verify


def test_questions_about_one_story_follow_differ_and_cluster() -> None:
    plan = make_plan(BuildOptions(k=5, questions=3, certify="none"), seed=6)
    stories = islice(Rounds(plan).stories(plan.cells[0], 0), 30)
    items = [decode(Item, encode(item), file="a test") for item, _ in stories]
    by_story: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        facts = item.facts
        assert entailed(facts["genders"], [tuple(e) for e in facts["edges"]], tuple(facts["query"]), facts["target"])
        assert not verify(item).problem, item.id
        by_story[item.prompt.rsplit("\n", 1)[0]].append(item)
    assert len({item.id for item in items}) == len(items)
    assert max(len(some) for some in by_story.values()) == 3
    for some in by_story.values():
        assert len({item.facts["clusters"][1] for item in some}) == 1
        assert len({frozenset(item.facts["query"]) for item in some}) == len(some)
