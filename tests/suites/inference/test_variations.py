"""Variations of inference items: arguments are replaced by place, whatever their spelling, and only where a kind is
known; the passive is used only where it means the same."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from msgspec.structs import replace

from proband.cli import main
from proband.core.files import read_items, write_jsonl
from proband.core.types import Item
from proband.suites.inference.items import FORWARD, Example, Triple
from proband.suites.inference.items import items as as_items
from proband.suites.inference.variations import instance, inverse, passive, same_arguments, same_relations, voice


def example(premise: str, hypothesis: str, *, straight: bool = True, typed: tuple[str, str]) -> Example:
    return Example(
        premise=Triple.read(premise),
        hypothesis=Triple.read(hypothesis),
        entailed=True,
        straight=straight,
        question=hypothesis,
        pair=premise + hypothesis,
        direction=FORWARD,
        source="own",
        typed=typed,
    )


PAIRS = (
    example(
        "the moon, is smaller than, the earth", "Earth, is larger than, moon", straight=False, typed=("orb", "orb")
    ),
    example("paint, has, a color", "paint, shows, color", typed=("product", "thing")),
    example("Venus, orbits, the sun", "Venus, moves round, the sun", typed=("orb", "orb")),
    example("ink, stains, shirts", "shirts, suffer from, ink", straight=False, typed=("product", "clothes")),
    example("the hats, cover, heads", "hats, keep warm, heads", typed=("clothes", "thing")),
    example("luck, helps, plans", "luck, eases, plans", typed=("thing", "thing")),
    example("gloves, protect, hands", "a glove, shields, hands", typed=("clothes", "")),
    example("the glue, repairs, a vase", "paste, repairs, a vase", typed=("product", "thing")),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "items.jsonl", as_items(PAIRS))
    return tmp_path


def made(folder: Path, number: int) -> Item | str:
    item = list(read_items(folder / "items.jsonl"))[number]
    return instance(item, rng=random.Random(3), folder=folder)


def test_arguments_change_in_both_sentences_however_they_are_spelled(folder: Path) -> None:
    item = made(folder, 0)
    assert isinstance(item, Item)
    premise, hypothesis = item.facts["premise"], item.facts["hypothesis"]
    assert (premise[0], premise[2]) == (hypothesis[2], hypothesis[0])
    assert {"moon", "earth"}.isdisjoint(item.prompt.lower().replace(".", "").split())
    assert (premise[1], hypothesis[1]) == ("is smaller than", "is larger than")


def test_what_is_of_no_kind_stays_as_it_is_spelled(folder: Path) -> None:
    item = made(folder, 1)
    assert isinstance(item, Item)
    assert (item.facts["premise"][2], item.facts["hypothesis"][2]) == ("a color", "color")
    assert item.facts["premise"][0] == item.facts["hypothesis"][0] != "paint"


def test_a_plural_stays_one(folder: Path) -> None:
    item = made(folder, 4)
    assert isinstance(item, Item)
    assert item.facts["premise"][0] in ("shirts", "gloves")


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (5, "its arguments have no kinds"),
        (6, "an argument is one in the premise and several in the hypothesis, or the other way round"),
        (7, "its hypothesis has another argument than its premise"),
    ],
)
def test_what_cannot_be_varied_says_why(folder: Path, number: int, reason: str) -> None:
    assert made(folder, number) == reason


def test_the_check_finds_what_was_replaced_in_one_sentence_only(folder: Path) -> None:
    source = next(iter(read_items(folder / "items.jsonl")))
    for premise, hypothesis, says in (
        (
            ["mars", "is smaller than", "the sun"],
            ["Earth", "is larger than", "mars"],
            "'the sun', the hypothesis about",
        ),
        (["the moon", "is smaller than", "the earth"], ["Earth", "is larger than", "mars"], "has another argument"),
        (["mars", "is as big as", "the sun"], ["the sun", "is larger than", "mars"], "relations are not those"),
    ):
        varied = replace(source, facts={**source.facts, "premise": premise, "hypothesis": hypothesis})
        assert says in str(same_relations(source, varied))
    untyped = replace(source, facts={**source.facts, "types": ["thing", "orb"]})
    moved = {"premise": ["mars", "is smaller than", "the earth"], "hypothesis": ["Earth", "is larger than", "mars"]}
    assert "is of no kind" in str(same_relations(untyped, replace(untyped, facts={**untyped.facts, **moved})))


def test_kinds_follow_their_arguments(folder: Path) -> None:
    """A premise in the passive, or one that was a hypothesis with swapped arguments, has its kinds swapped."""
    ink = list(read_items(folder / "items.jsonl"))[3]
    turned = inverse(ink, rng=random.Random(0), folder=folder)
    assert isinstance(turned, Item)
    assert (turned.facts["premise"][0], turned.facts["types"]) == ("shirts", ["clothes", "product"])
    assert turned.tags["direction"] == "question to answer"
    spoken = voice(ink, rng=random.Random(0), folder=folder)
    assert isinstance(spoken, Item)
    assert spoken.facts["premise"] == ["shirts", "are stained by", "ink"]
    assert (spoken.facts["types"], spoken.facts["straight"]) == (["clothes", "product"], True)
    assert same_arguments(ink, spoken) is None
    assert same_arguments(ink, replace(ink, facts={**ink.facts, "straight": True})) is not None


@pytest.mark.parametrize(
    "triple",
    [
        ("a nurse", "treats", "pain"),  # its passive is about one nurse
        ("all birds", "eat", "seeds"),
        ("Rome", "beat", "Carthage"),  # present or past
        ("critics", "considerations", "plays"),  # no verb
        ("Ann", "married", "Ben"),  # `was married by` is what a priest does
        ("France", "helped", "the United States"),  # is or are?
    ],
)
def test_no_passive_where_it_could_mean_something_else(triple: tuple[str, str, str]) -> None:
    assert passive(Triple(*triple)) is None


@pytest.mark.data
def test_levy_holt(data: Path, tmp_path: Path) -> None:
    source = str(data / "levy_holt")
    build = [
        "build",
        "inference",
        "--data",
        source,
        "--splits",
        "valid",
        "--pairs",
        "150",
        "-o",
        str(tmp_path / "items"),
    ]
    assert main(build) == 0
    assert main(["vary", str(tmp_path / "items"), "-o", str(tmp_path / "varied"), "--as", "instance,voice"]) == 0
    assert main(["verify", str(tmp_path / "varied")]) == 0
    kinds = json.loads((tmp_path / "varied/manifest.json").read_text())["variations"]
    assert kinds["instance"]["items"] > 100
    assert kinds["instance"]["not_varied"]["its arguments have no kinds"] > 10
    for item in read_items(tmp_path / "varied/items.jsonl"):
        if item.tags["variation"] == "original":
            source_premise = item.facts["premise"]
        elif item.tags["variation"] == "instance":
            premise, hypothesis = Triple(*item.facts["premise"]), Triple(*item.facts["hypothesis"])
            ends = hypothesis if item.facts["straight"] else hypothesis.swapped
            for place, kind in zip((0, 2), item.facts["types"], strict=True):
                replaced = premise[place] != source_premise[place]
                assert not replaced or (premise[place] == ends[place] and kind not in ("", "thing"))
