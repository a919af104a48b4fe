"""The envelope: a planted oracle scores 1, a coin 1/2, and the order of choices does not matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from proband.core.metrics import accuracy_of
from proband.core.types import Answer, Item
from proband.stats import Scores
from proband.stats.clusters import Clusters
from proband.suites.analogy import sources
from proband.suites.analogy.relations import Relation
from proband.suites.analogy.solvers.pseudo_perplexity import TEMPLATES

Fake = Callable[..., Any]


def values(items: Sequence[Item], answers: Sequence[Answer]) -> list[float]:
    return [v for i, a in zip(items, answers, strict=True) if (v := accuracy_of(i, a)) is not None]


@pytest.mark.parametrize("template", TEMPLATES)
def test_an_oracle_scores_one_on_every_probe_and_template(
    own: list[Relation], oracle: Fake, built: Fake, solve: Fake, template: str
) -> None:
    items = built(per_relation=10)
    answers = solve("pppl", items, oracle(own, TEMPLATES[template]), template=template)
    assert set(values(items, answers)) == {1.0}


@pytest.mark.parametrize("solver", ["pppl", "pmi"])
def test_the_template_of_the_build_is_scored(
    own: list[Relation], oracle: Fake, built: Fake, solve: Fake, solver: str
) -> None:
    items, model = built(per_relation=2, relations="capital", template="colons"), oracle(own, TEMPLATES["colons"])
    solve(solver, items, model)
    assert all(" :: " in text.text for text in model.asked)
    default = built(per_relation=2, relations="capital")
    assert "template" not in default[0].facts
    model = oracle(own, TEMPLATES["is-to-as"])
    solve(solver, default, model, template="is-to-as")
    assert all(" as " in text.text for text in model.asked)


@pytest.mark.data
def test_an_oracle_scores_one_on_bats(data: Path, oracle: Fake, built: Fake, solve: Fake) -> None:
    """Which it would not if the filter let a false negative pass."""
    items = built(data=str(data / "bats"), per_relation=20)
    answers = solve("pppl", items, oracle(sources.read_bats(data / "bats"), TEMPLATES["what-is-to"]), seed=0)
    assert set(values(items, answers)) == {1.0}


def test_a_coin_scores_one_half(own: list[Relation], coin: Fake, built: Fake, solve: Fake) -> None:
    items = built(per_relation=100)
    answers = solve("pppl", items, coin(own, TEMPLATES["what-is-to"]), seed=0)
    scored, clusters = np.array(values(items, answers)), Clusters.of([i.facts["clusters"] for i in items])
    found = Scores.of(scored, clusters=clusters).interval()
    assert abs(scored.mean() - 0.5) < 0.03
    assert found.low < 0.5 < found.high


def test_the_order_of_choices_does_not_matter(own: list[Relation], coin: Fake, built: Fake, solve: Fake) -> None:
    items = built(per_relation=10, options=4)
    turned: list[Item] = []
    for item in items:
        n = len(item.choices)
        facts = {**item.facts, "options": item.facts["options"][::-1]}
        turned.append(replace(item, choices=item.choices[::-1], gold=n - 1 - (item.gold or 0), facts=facts))
    model = coin(own, TEMPLATES["what-is-to"])
    one, other = (solve("pppl", version, model, seed=0) for version in (items, turned))
    assert [a.scores for a in one] == [a.scores[::-1] for a in other]
    assert values(items, one) == values(turned, other)


def test_each_distinct_sentence_is_scored_once(own: list[Relation], oracle: Fake, built: Fake, solve: Fake) -> None:
    items = built(per_relation=20)
    model = oracle(own, TEMPLATES["what-is-to"])
    solve("pppl", items, model, seed=0)
    assert len(model.asked) == len(set(model.asked))
    assert len(model.asked) < 1.5 * len(items)  # a right sentence serves three items


def test_vectors_with_one_offset_per_relation_solve_all_but_the_unknown(
    own: list[Relation], planes: Fake, built: Fake, solve: Fake
) -> None:
    relations = [r for r in own if r.group in ("ES", "IM") and r.cardinality == "one-to-one"]
    model = planes(relations)
    items = [i for i in built(per_relation=20) if i.tags["relation"] in {r.name for r in relations}]
    got = values(items, solve("difference", items, model))
    assert sum(got) / len(got) > 0.97
