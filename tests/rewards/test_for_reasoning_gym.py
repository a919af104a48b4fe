"""The stream as a data set of Reasoning Gym."""

from __future__ import annotations

import importlib

import pytest

from proband.rewards import Stream


def test_reasoning_gym_makes_the_data_set_by_name_and_scores_by_the_reward() -> None:
    gym = pytest.importorskip("reasoning_gym")
    importlib.import_module("proband.rewards.for_reasoning_gym")
    data = gym.create_dataset("proband", options={"k": "2,3"}, size=40, seed=42)
    assert (len(data), len(list(data))) == (40, 40)
    for number in (0, 7, 39):
        entry = data[number]
        assert data.score_answer(entry["answer"], entry) == 1
        assert data.score_answer(entry["question"], entry) == 0
        assert data.score_answer(None, entry) == 0
    assert data[7] == gym.create_dataset("proband", options={"k": "2,3"}, size=40, seed=42)[7]
    assert data[7]["metadata"]["difficulty"]["k"] in (2, 3)
    assert data[7]["question"] == Stream("kinship", k="2,3", task="clean", seed=42).row(7)["question"]
    varied = gym.create_dataset("proband", variation="rename", size=3, seed=1)
    assert varied.score_answer(varied[2]["answer"], varied[2]) == 1
    other = gym.create_dataset("proband", suite="analogy", size=3, seed=1)
    assert other.score_answer(other[2]["answer"], other[2]) == 1


def test_entries_are_scored_by_a_function_that_knows_no_config() -> None:
    """By the name of the data set, from the entry alone."""
    gym = pytest.importorskip("reasoning_gym")
    importlib.import_module("proband.rewards.for_reasoning_gym")
    entries = list(gym.create_dataset("proband", size=4, seed=42, options={"k": "3"}))
    score = gym.get_score_answer_fn(entries[0]["metadata"]["source_dataset"])
    for entry, other in zip(entries, [*entries[1:], entries[0]]):
        assert score(answer=entry["answer"], entry=entry) == 1
        assert score(answer=other["answer"], entry=entry) == float(other["answer"] == entry["answer"])
    assert len({entry["answer"] for entry in entries}) > 1
