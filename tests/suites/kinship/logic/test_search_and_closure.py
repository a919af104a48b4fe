"""The two certificates against each other: closure under the rules, and the search for a counter-family.

`build` keeps what the closure proves; the search, which knows no rules, must find no counter-family. Under the paper's
own rules the closure leaves some labels open; there the search must find one.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from proband.core.files import encode
from proband.suites.kinship.generate.build import build
from proband.suites.kinship.generate.options import TASKS, BuildOptions
from proband.suites.kinship.logic import search as certify


def stories(*, seed: int, **options: Any) -> list[dict[str, Any]]:
    built = build(BuildOptions(**options), seed=seed).items
    return [json.loads(encode(item))["facts"] for item in built]


def by_search(facts: dict[str, Any]) -> bool:
    edges = [(i, relation, j) for i, relation, j in facts["edges"]]
    return certify.entailed(facts["genders"], edges, (facts["query"][0], facts["query"][1]), facts["target"])


def test_every_task() -> None:
    found = stories(seed=11, task=",".join(TASKS), k="2,5", per_k=22, certify="none")
    assert len(found) == 22 * 2 * len(TASKS)
    assert all(by_search(facts) for facts in found)


def test_open_labels_of_the_papers_rules() -> None:
    found = stories(seed=12, rules="clutrr", k="2,3,4", per_k=150, certify="none")
    words = [facts["certificate"] for facts in found]
    assert words.count("ambiguous") > 10
    for facts in found:
        assert by_search(facts) == (facts["certificate"] == "entailed"), facts["edges"]


def test_a_wrong_label_is_not_certified() -> None:
    for facts in stories(seed=13, k="2,3", per_k=44, certify="none"):
        wrong = "brother" if facts["target"] != "brother" else "uncle"
        assert not by_search(facts | {"target": wrong})


@pytest.mark.nightly
def test_every_task_and_length() -> None:
    found = stories(seed=14, task=",".join(TASKS), k="2..10", per_k=22, certify="none")
    assert len(found) == 22 * 9 * len(TASKS)
    assert all(by_search(facts) for facts in found)
