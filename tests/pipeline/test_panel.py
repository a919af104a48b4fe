"""The panel as data: its parts, and items that somebody changed."""

from __future__ import annotations

import lzma
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from proband.core.errors import ProbandError
from proband.core.files import read_json
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
    each = min(panel.sets, key=lambda each: (panel.folder / f"{each.name}.jsonl.xz").stat().st_size)
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
            lines = lzma.decompress((panel.folder / f"{each.name}.jsonl.xz").read_bytes()).splitlines()
            items = [msgspec.json.decode(line, type=Item) for line in lines]
            stated.update(relation for item in items if item.split != "train" for _, relation, _ in item.facts["edges"])
    assert len(stated) == len(RELATIONS) == 22
    assert min(stated.values()) >= 0.02 * stated.total()
    guide = (Path(__file__).parents[2] / "docs" / "evaluate.md").read_text(encoding="utf-8")
    said = "The stories state all 22 relations, each in at least 2 % of their facts."
    assert said in " ".join(guide.split())


def test_the_level_of_the_stories_counts_a_preference_for_each_gender_as_the_guide_says() -> None:
    panel, shares = read_panel(), list[str]()
    frozen = read_json(panel.folder / "frozen.json")["rows"]
    rows = {row.parts[0].set: row for row in panel.capabilities if row.classes}
    for name in ("stories", "long-stories", "noisy-stories"):
        lines = lzma.decompress((panel.folder / f"{name}.jsonl.xz").read_bytes()).splitlines()
        items = [msgspec.json.decode(line, type=Item) for line in lines]
        asked = [
            item for item in items if item.split == "test" and item.tags.get("variation", "original") == "original"
        ]
        golds = [(item.facts["genders"][item.facts["query"][1]], item.facts["target"]) for item in asked]
        right = sum(
            max(Counter(gold for own, gold in golds if own == gender).values()) for gender in ("male", "female")
        )
        level = right / len(asked)
        assert frozen[rows[name].does]["level"] == pytest.approx(level, abs=1e-4)
        assert sorted(sum(rows[name].classes.values(), ())) == sorted(RELATIONS)
        shares.append(f"{100 * level:.0f}")
    guide = " ".join((Path(__file__).parents[2] / "docs" / "evaluate.md").read_text(encoding="utf-8").split())
    assert "for men and for women would be right on {} % and {} %".format(*shares[:2]) in guide
    assert f"for men and for women would be right on {shares[2]} %" in guide
