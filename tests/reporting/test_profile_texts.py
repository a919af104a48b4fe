"""A profile for others: JSON, a table with people and models that ship, a model card."""

from __future__ import annotations

import dataclasses
import json

import pytest
import yaml

from proband.core.files import dumps
from proband.core.metrics import ACCURACY
from proband.reporting.profile import Capability, CapabilityPart, CapabilityRow, HumanScore, Level, Profile
from proband.reporting.profile_texts import as_json, as_table, model_card, plain_row
from proband.stats import Scores

RECALLS = Capability(
    does="recalls facts",
    fails="recall facts",
    items="facts",
    parts=(CapabilityPart(set="facts"),),
    ticked_at={"panel": 0.61},
    people=HumanScore(value=0.9, source="two people"),
)
COMPARES = Capability(does="compares", fails="compare", items="pairs", parts=(CapabilityPart(set="pairs"),))
LEVELS = (Level(name="chance", value=0.25), Level(name="word frequency", value=0.4))


def row(right: int, *, of: int = 40, unread: float = 0.0) -> CapabilityRow:
    scores = Scores.of([1.0] * right + [0.0] * (of - right))
    return CapabilityRow(capability=RECALLS, model="m", metric=ACCURACY, scores=scores, levels=LEVELS, unread=unread)


@pytest.fixture
def profile() -> Profile:
    absent = CapabilityRow(capability=COMPARES, model="m", reason="the set is not installed")
    return Profile(
        title="Profile of M",
        models={"m": "M-1B"},
        rows=(row(30, unread=0.1), absent),
        contrasts=(),
        sentences=(("m", "M-1B recalls facts."),),
        family=2,
        references={"SmolLM2": {"recalls facts": 0.5}},
        notes=("A first look.",),
    )


def test_a_row_has_its_levels_and_what_unread_replies_may_change() -> None:
    made = plain_row(row(30, unread=0.1))
    assert (made["score"], made["n"], made["chance"]) == (0.75, 40, 0.25)
    assert (made["shortcut"], made["shortcut_name"], made["level"]) == (0.4, "word frequency", 0.4)
    assert made["score_if_unread_are_right"] == pytest.approx(0.85)
    assert made["score_among_read"] == pytest.approx(0.75 / 0.9)
    assert made["verdict"] == "not shown", "nothing was tested"
    assert (made["people"], made["ticked_at"]) == (0.9, 0.61)
    assert made["low"] is not None


def test_the_axis_of_a_profile_includes_its_best_shortcut(profile: Profile) -> None:
    table = as_table(profile)
    high = Level(name="baseline:first-last", value=0.97)
    other = as_table(dataclasses.replace(profile, rows=(dataclasses.replace(row(4), levels=(*LEVELS, high)),)))
    assert table.value_range[1] < 0.97 < other.value_range[1]


def test_too_few_items_have_no_interval_and_too_many_unread_replies_no_verdict() -> None:
    few = plain_row(row(2, of=3))
    assert (few["low"], few["high"], few["n"]) == (None, None, 3)
    assert plain_row(row(20, unread=0.3))["verdict"] == "30.0 % of the replies could not be read"


def test_what_was_not_asked_says_why(profile: Profile) -> None:
    made = json.loads(dumps(as_json(profile)))
    absent = made["capabilities"][1]
    assert (absent["score"], absent["n"], absent["verdict"]) == (None, 0, None)
    assert absent["reason"] == "the set is not installed"
    assert made["names"] == {"m": "M-1B"}
    assert made["sentences"] == [{"model": "m", "sentence": "M-1B recalls facts."}]
    assert made["rows_corrected_together"] == 2
    assert made["references"] == {"SmolLM2": {"recalls facts": 0.5}}


def test_people_and_models_that_ship_are_in_the_table(profile: Profile) -> None:
    table = as_table(profile)
    assert {(key, label) for key, label, *_ in table.rows} == {
        (("recalls facts",), "M-1B"),
        (("recalls facts",), "SmolLM2"),
        (("recalls facts",), "people"),
        (("compares",), "M-1B"),
    }
    assert table.header[-5:] == ("chance", "best shortcut", "✓ at", "effect of unread replies", "items")
    first, *_, last = map(list, table.rows)
    assert first[-5:-2] == ["25.0", "40.0 (word frequency)", "61.0"]
    assert first[-2] == "its score is between 75.0 and 85.0 %; among those read it scores 83.3 %"
    assert last[-1] == "the set is not installed"
    assert "corrected over 2 rows" in table.layout.note
    assert "A first look." in table.layout.note


def test_a_card_has_the_rows_with_scores_as_valid_metadata(profile: Profile) -> None:
    _, metadata, text = model_card(profile, "panel 2").split("---\n", 2)
    (model,) = yaml.safe_load(metadata)["model-index"]
    assert model["name"] == "M-1B"
    (result,) = model["results"]
    assert result["task"]["name"] == "recalls facts"
    assert [(each["type"], each["value"]) for each in result["metrics"]] == [("accuracy", 75.0), ("unread", 10.0)]
    assert result["dataset"]["type"] == "proband/panel-2"
    assert "(Proband panel 2)" in text
    assert "| recalls facts |" in text
