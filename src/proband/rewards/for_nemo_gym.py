"""A stream as a file of rows for NeMo Gym. Untried with NeMo Gym itself: these are the fields that its documents name.

    write("train.jsonl", size=5000, k="2,3", seed=0)

A row has `responses_create_params` (what the model is sent), and `question`, `answer` and `metadata`, which its server
`reasoning_gym` scores by reasoning-gym's function for `metadata.source_dataset`; that process has to import
`proband.rewards.for_reasoning_gym`. `agent_ref` is put in by NeMo Gym when it collates the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.core.files import dumps, write_text
from proband.rewards.for_reasoning_gym import ProbandConfig, ProbandDataset


def write(path: str | Path, **config: Any) -> None:
    """`config`: the fields of `ProbandConfig`."""
    lines = []
    for entry in ProbandDataset(ProbandConfig(**{"seed": 0, **config})):
        asked = {"input": [{"role": "user", "content": entry["question"]}]}
        lines.append(dumps({"responses_create_params": asked, **entry}) + "\n")
    write_text(Path(path), "".join(lines))
