"""The stream as a table and a reward function of TRL."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from proband.rewards.for_trl import environment


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
    done = subprocess.run(
        [sys.executable, "-c", loop], cwd=tmp_path, capture_output=True, text=True, timeout=800, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    means = json.loads(done.stdout.splitlines()[-1])
    assert len(means) == 3
    assert 0 < max(means) < 0.5
