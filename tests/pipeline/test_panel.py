"""The panel as data: its parts, and items that somebody changed."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.pipeline.panel import place_items, read_panel, references
from proband.suites.kinship.world.relations import RELATIONS


def test_some_suites_have_the_rows_that_they_show_whole() -> None:
    panel = read_panel()
    part = panel.only(("facts",))
    assert {each.suite for each in part.sets} == {"facts"}
    sets = {each.name for each in part.sets}
    whole = [row for row in panel.capabilities if {each.set for each in row.parts} <= sets]
    assert list(part.capabilities) == whole
    assert 0 < len(whole) < len(panel.capabilities)
    assert panel.only(()) is panel
    with pytest.raises(ProbandError, match="the panel has no suite 'chess', only facts, "):
        panel.only(("facts", "chess"))


def test_every_set_has_a_hash_and_every_row_its_power() -> None:
    panel = read_panel()
    assert all(len(each.sha256) == 64 for each in panel.sets)
    assert all(row.ticked_at for row in panel.capabilities)
    rows = {row.does for row in panel.capabilities}
    assert all(set(own["scores"]) <= rows for own in references(panel).values())


def test_items_that_were_changed_are_refused(tmp_path: Path) -> None:
    panel = read_panel()
    each = min(panel.sets, key=lambda each: (panel.folder / f"{each.name}.jsonl.gz").stat().st_size)
    place_items(panel, each, tmp_path)
    place_items(panel, each, tmp_path)  # those that are there are left
    with open(tmp_path / "items.jsonl", "ab") as file:
        file.write(b"\n")
    with pytest.raises(ProbandError, match=f"not the items of panel {panel.version}"):
        place_items(panel, each, tmp_path)


def test_the_stories_state_every_relation_in_two_per_cent_of_their_facts_as_the_guide_says() -> None:
    panel, stated = read_panel(), Counter[str](dict.fromkeys(RELATIONS, 0))
    for each in panel.sets:
        if each.suite == "kinship":
            lines = gzip.decompress((panel.folder / f"{each.name}.jsonl.gz").read_bytes()).splitlines()
            items = [msgspec.json.decode(line, type=Item) for line in lines]
            stated.update(relation for item in items if item.split != "train" for _, relation, _ in item.facts["edges"])
    assert len(stated) == len(RELATIONS) == 22
    assert min(stated.values()) >= 0.02 * stated.total()
    guide = (Path(__file__).parents[2] / "docs" / "evaluate.md").read_text(encoding="utf-8")
    said = "The stories state all 22 relations, each in at least 2 % of their facts."
    assert said in " ".join(guide.split())


def test_the_guide_says_what_gender_and_the_frequencies_of_the_answers_give() -> None:
    """The most frequent right answer of the other stories that has the gender of the person asked about."""
    panel, shares = read_panel(), list[str]()
    for name in ("stories", "long-stories", "noisy-stories"):
        lines = gzip.decompress((panel.folder / f"{name}.jsonl.gz").read_bytes()).splitlines()
        items = [msgspec.json.decode(line, type=Item) for line in lines]
        asked = [
            item for item in items if item.split == "test" and item.tags.get("variation", "original") == "original"
        ]
        answers = [(item.facts["genders"][item.facts["query"][1]], item.facts["target"]) for item in asked]
        frequent = {gender: Counter(answer for own, answer in answers if own == gender) for gender, _ in answers}
        right = 0
        for gender, answer in answers:
            others = frequent[gender] - Counter([answer])
            right += max(RELATIONS, key=lambda name: others[name]) == answer
        shares.append(f"{100 * right / len(asked):.0f}")
    guide = (Path(__file__).parents[2] / "docs" / "evaluate.md").read_text(encoding="utf-8")
    assert "scores {} %, {} % and {} %".format(*shares) in " ".join(guide.split())
