"""Items: counted against the formulas, the same bytes for the same seed, balanced in what gives nothing away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.core.files import dumps
from proband.core.plugins import read_options
from proband.core.types import Item
from proband.suites.analogy import SUITE
from proband.suites.analogy.probes import PAPER_PROBES
from proband.suites.analogy.relations import Relation

Build = Callable[..., list[Item]]


def by_relation_and_probe(items: list[Item]) -> Counter[tuple[str, str]]:
    return Counter((str(item.tags["relation"]), str(item.tags["paper_probe"])) for item in items)


def positives_of(relation: Relation) -> int:
    small = len(relation.tuples) // 2
    return small * (small - 1) + (len(relation.tuples) - small) * (len(relation.tuples) - small - 1)


def test_faithful_zero_shot_has_a_choice_per_positive_and_probe(own: list[Relation], built: Build) -> None:
    counts = by_relation_and_probe(built(faithful=True, relations="capital, antonym, gerund"))
    for relation in own:
        for probe in PAPER_PROBES:
            wanted = positives_of(relation) if relation.name in ("capital : country", "antonym", "verb : gerund") else 0
            assert counts[relation.name, probe] == wanted


def test_supervised_is_balanced_and_its_halves_share_no_tuple(own: list[Relation], built: Build) -> None:
    items = built(setting="supervised", relations="male : female")
    relation = next(r for r in own if r.name == "male : female")
    for probe in PAPER_PROBES:
        here = [item for item in items if item.tags["paper_probe"] == probe]
        assert len(here) == 2 * positives_of(relation)
        assert Counter(item.gold for item in here) == {0: positives_of(relation), 1: positives_of(relation)}
    seen = {
        part: {c for item in items if item.tags["part"] == part for c in item.facts["clusters"]}
        for part in ("train", "test")
    }
    assert not seen["train"] & seen["test"]
    assert all(item.split == item.tags["part"] for item in items)
    assert len(seen["train"] | seen["test"]) == len(relation.tuples)


@pytest.mark.data
@pytest.mark.parametrize(("names", "relations"), [("color", 1), pytest.param("", 40, marks=pytest.mark.nightly)])
def test_bats_gives_1200_positives_per_relation_and_probe(data: Path, built: Build, names: str, relations: int) -> None:
    """40 relations x 3 probes x 2 x 25 x 24, and twice that in the supervised setting."""
    bats: dict[str, Any] = {"data": str(data / "bats"), "faithful": True}
    counts = by_relation_and_probe(built(**bats, **({"relations": names} if names else {})))
    assert len(counts) == 3 * relations
    assert set(counts.values()) == {2 * 25 * 24}
    counts = by_relation_and_probe(built(**bats, setting="supervised", relations="color"))
    assert set(counts.values()) == {2 * 2 * 25 * 24}


def test_the_default_drops_reverse_for_symmetric_relations_only(built: Build) -> None:
    counts = by_relation_and_probe(built(per_relation=10))
    dropped = {relation for relation, _ in counts if not counts[relation, "reverse"]}
    assert dropped == {"antonym", "synonym"}
    assert set(counts.values()) == {10}
    assert {item.split for item in built(per_relation=2)} == {"test"}


def test_positives_are_shared_between_probes(built: Build) -> None:
    """So that a model scores a right sentence once for three probes."""
    items = built(per_relation=20, relations="capital")
    right = Counter((tuple(i.facts["query"]), tuple(i.facts["options"][i.gold or 0])) for i in items)
    assert set(right.values()) == {3}


def test_same_seed_same_bytes_and_another_seed_others(items_of: Build) -> None:
    once, again, other = (list(map(dumps, items_of(seed=s, per_relation=5))) for s in (5, 5, 6))
    assert once == again
    assert once != other


def test_nothing_but_the_relation_gives_the_answer_away(built: Build) -> None:
    items = built(seed=1)
    first = sum(item.gold == 0 for item in items) / len(items)
    assert abs(first - 0.5) < 0.03
    assert len({item.id for item in items}) == len(items)


@pytest.mark.parametrize("options", [3, 5])
def test_n_options(options: int, built: Build) -> None:
    items = built(per_relation=10, options=options, relations="plural")
    assert {len(item.choices) for item in items} == {options}
    assert all(len(set(item.choices)) == options for item in items)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"setting": "zero"}, "'setting' is 'zero'"),
        ({"options": 1}, "'options' is 1"),
        ({"relations": "nothing"}, "no relation matches"),
        ({"template": "{h1} {t1}"}, "no template"),
        ({"data": "no/such/place"}, "no such file"),
        ({"made_from": "air"}, "'made-from' is 'air'"),
    ],
)
def test_bad_options_are_refused_in_a_sentence(options: dict[str, object], says: str, built: Build) -> None:
    with pytest.raises(ProbandError, match=says):
        built(**options)


def test_the_summary_tells_counts_and_false_negative_rates() -> None:
    options = {"per-relation": "50", "relations": "young, antonym, capital"}
    plan = SUITE.build(read_options(SUITE.options, options, of="build analogy"), seed=0)
    n = sum(1 for _ in plan.items)
    summary = plan.summary()
    assert sum(sum(line["items"].values()) for line in summary["relations"]) == n
    young = next(line for line in summary["relations"] if line["relation"] == "animal : young")
    assert young["false_negative_rate"]["random-head"] > 0  # many young are called calf or cub
    assert young["cardinality"] == "many-to-one"


def pairs_file(folder: Path, *lines: str) -> str:
    path = folder / "pairs.tsv"
    path.write_text("\n".join(("head\ttail\trelation\tgroup", *lines)) + "\n", encoding="utf-8")
    return str(path)


def test_a_right_answer_is_never_the_query_and_duplicates_are_reported(tmp_path: Path, built: Build) -> None:
    lines = [f"{h}\t{h}er\tcomparative\tIM" for h in ("tall", "small", "Tall", "warm", "cold", "tall", "old", "new")]
    data = pairs_file(tmp_path, *lines)
    items = built(data=data, per_relation=0, faithful=True)
    assert items
    for item in items:
        options = [tuple(map(str.lower, pair)) for pair in item.facts["options"]]
        assert item.gold is not None
        assert options[item.gold] != tuple(map(str.lower, item.facts["query"]))
    plan = SUITE.build(read_options(SUITE.options, {"data": data}, of="build"), seed=0)
    list(plan.items)
    assert plan.summary()["duplicates"] == 2
    assert plan.summary()["relations"][0]["tuples"] == 6


@pytest.mark.parametrize("per_relation", [1, 2, 3, 7, 10])
@pytest.mark.parametrize("setting", ["zero-shot", "supervised"])
def test_heads_and_tails_are_replaced_equally_often(per_relation: int, setting: str, built: Build) -> None:
    items = built(per_relation=per_relation, relations="capital, gerund", setting=setting)
    for relation in ("capital : country", "verb : gerund"):
        counts = Counter(item.tags["probe"] for item in items if item.tags["relation"] == relation)
        assert abs(counts["random-head"] - counts["random-tail"]) <= (2 if setting == "supervised" else 1)


def test_many_valued_relations_are_marked_and_usual_values_refused(tmp_path: Path, built: Build) -> None:
    """A crow is black in this list; that it can be grey is known from elsewhere."""
    things = {"crow": "black", "coal": "black", "dust": "grey", "wolf": "grey", "snow": "white", "milk": "white"}
    data = pairs_file(tmp_path, *(f"{thing}\t{colour}\tthing : shade\tES" for thing, colour in things.items()))
    ours, paper = (
        [item for seed in range(12) for item in built(data=data, per_relation=0, seed=seed, **more)]
        for more in ({}, {"faithful": True})
    )
    assert all(item.tags["many_valued"] for item in ours)
    negatives = [{tuple(pair) for item in items for pair in item.facts["options"]} for items in (ours, paper)]
    assert ("crow", "grey") not in negatives[0]
    assert ("crow", "white") in negatives[0]
    assert ("crow", "grey") in negatives[1]
    plain = built(relations="gerund", per_relation=2)
    assert not any(item.tags["many_valued"] for item in plain)


def test_probes_are_chosen_by_name(built: Build) -> None:
    """The items of a probe are the same, whichever others are built."""
    every = built(per_relation=3)
    alone = built(per_relation=3, probes="type, reverse")
    assert alone == [item for item in every if item.tags["paper_probe"] != "random"]
    with pytest.raises(ProbandError, match="'probes' is 'backwards'; there are random, reverse, type"):
        built(probes="backwards")
