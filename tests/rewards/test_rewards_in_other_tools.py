"""The stream in the hands of reasoning-gym, TRL, verifiers and OpenEnv, by their own packages where installed."""

from __future__ import annotations

import asyncio
import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from proband.core.errors import ProbandError
from proband.rewards import Stream
from proband.rewards.for_trl import environment


def test_reasoning_gym_makes_the_data_set_by_name_and_scores_by_the_reward() -> None:
    gym = pytest.importorskip("reasoning_gym")
    importlib.import_module("proband.rewards.for_reasoning_gym")
    data = gym.create_dataset("proband", k="2,3", size=40, seed=42)
    assert (len(data), len(list(data))) == (40, 40)
    for number in (0, 7, 39):
        entry = data[number]
        assert data.score_answer(entry["answer"], entry) == 1
        assert data.score_answer(entry["question"], entry) == 0
        assert data.score_answer(None, entry) == 0
    assert data[7] == gym.create_dataset("proband", k="2,3", size=40, seed=42)[7]
    assert data[7]["question"] == Stream("kinship", k="2,3", task="clean", seed=42).row(7)["question"]
    varied = gym.create_dataset("proband", variation="rename", size=3, seed=1)
    assert varied.score_answer(varied[2]["answer"], varied[2]) == 1
    other = gym.create_dataset("proband", suite="analogy", size=3, seed=1)
    assert other.score_answer(other[2]["answer"], other[2]) == 1


def test_entries_are_scored_by_a_function_that_knows_no_config() -> None:
    """By the name of the data set, from the entry alone."""
    gym = pytest.importorskip("reasoning_gym")
    importlib.import_module("proband.rewards.for_reasoning_gym")
    entries = list(gym.create_dataset("proband", size=4, seed=42, k="3"))
    score = gym.get_score_answer_fn(entries[0]["metadata"]["source_dataset"])
    for entry, other in zip(entries, [*entries[1:], entries[0]]):
        assert score(answer=entry["answer"], entry=entry) == 1
        assert score(answer=other["answer"], entry=entry) == float(other["answer"] == entry["answer"])
    assert len({entry["answer"] for entry in entries}) > 1


def test_trl_gets_a_table_and_a_reward_function() -> None:
    data, reward = environment(size=6, k="2", seed=0)
    rows = list(data)
    texts = [row["answer"] for row in rows]
    chats = [[{"role": "assistant", "content": text}] for text in texts]
    index = [row["index"] for row in rows]
    assert reward(completions=chats, prompts=[row["prompt"] for row in rows], index=index) == [1.0] * 6
    assert reward(completions=["no idea"] * 6, index=index) == [0.0] * 6
    assert rows[0]["prompt"][0]["role"] == "user"
    assert reward.__name__ == "proband"


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_the_training_loop_of_the_guide_runs_with_the_trainer_of_trl(tmp_path: Path) -> None:
    """Three steps: some replies are rewarded, none of the means is that of a constant."""
    pytest.importorskip("trl")
    page = (Path(__file__).parents[2] / "docs" / "replies.md").read_text(encoding="utf-8")
    loop = page.partition("```python grpo.py\n")[2].partition("```")[0]
    assert loop.count("\n") <= 24
    done = subprocess.run(
        [sys.executable, "-c", loop], cwd=tmp_path, capture_output=True, text=True, timeout=800, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    means = json.loads(done.stdout.splitlines()[-1])
    assert len(means) == 3
    assert 0 < max(means) < 0.5


def test_verifiers_runs_the_reward_and_validates_by_the_certificate() -> None:
    pytest.importorskip("verifiers.v1")
    from proband.rewards.for_verifiers import ProbandTaskset, ProbandTasksetConfig

    tasks = list(ProbandTaskset(ProbandTasksetConfig(size=3, seed=5)))
    assert [task.data.idx for task in tasks] == [0, 1, 2]
    task: Any = tasks[1]
    right = task.stream.answer(task.stream[1])
    replies = [SimpleNamespace(last_reply=text) for text in (right, task.data.prompt_text)]
    assert [asyncio.run(task.proved(each)) for each in replies] == [1, 0]
    assert asyncio.run(task.validate(None)) is True


def test_openenv_asks_and_rewards() -> None:
    pytest.importorskip("openenv.core.env_server.interfaces")
    from proband.rewards.for_openenv import ProbandEnvironment, ReplyAction

    made = ProbandEnvironment(k="2", seed=0)
    asked = made.reset(seed=4)
    assert asked.text == made.stream.question(made.stream[4])
    assert made.step(ReplyAction(text=made.stream.answer(made.stream[4]))).reward == 1
    assert made.reset().text != asked.text
    assert made.step(ReplyAction(text="who knows")).reward == 0
    assert made.state.step_count == 1


@pytest.mark.parametrize(
    ("module", "package"),
    [("for_reasoning_gym", "reasoning_gym"), ("for_verifiers", "verifiers"), ("for_openenv", "openenv")],
)
def test_a_package_that_is_missing_is_named_with_what_installs_it(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"proband.rewards.{module}", raising=False)
    with pytest.raises(ProbandError, match="pip install"):
        importlib.import_module(f"proband.rewards.{module}")
