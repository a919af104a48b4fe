"""Labels of steps in TRL's own trainer of process reward models, for a few steps on a tiny model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from proband.pipeline.export import export

STORY = "{a} is the mother of {b}. {b} is the father of {c}. What is {a} to {c}?"
RIGHT = "{b} is {a}'s son. So {a} is {c}'s grandmother.\nAnswer: grandmother"
WRONG = "{b} is {a}'s son. So {a} is {c}'s aunt.\nAnswer: aunt"
NAMES = [("Ann", "Ben", "Max"), ("Eve", "Tom", "Sam"), ("Kate", "Luke", "Paul"), ("Mary", "John", "Mark")]


def test_the_trainer_of_process_rewards_reads_the_export(
    tmp_path: Path, tiny: dict[str, Path], monkeypatch: Any
) -> None:
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    from datasets import Dataset
    from transformers import AutoModelForTokenClassification, AutoTokenizer
    from trl.experimental.prm import PRMConfig, PRMTrainer

    people = [dict(zip("abc", names, strict=True)) for names in NAMES]
    replies = [
        {"question": STORY.format(**who), "reply": reply.format(**who), "model": "m"}
        for who in people
        for reply in (RIGHT, WRONG)
    ]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies))
    export(tmp_path / "replies.jsonl", to="stepwise", out=tmp_path / "labels")
    rows = [json.loads(line) for line in (tmp_path / "labels" / "trl.jsonl").read_text().splitlines()]
    assert {tuple(row["labels"]) for row in rows} == {(True, True), (True, False)}

    tokenizer: Any = AutoTokenizer.from_pretrained(tiny["llama"])
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForTokenClassification.from_pretrained(tiny["llama"], num_labels=2)
    settings = PRMConfig(
        output_dir=str(tmp_path / "out"), max_steps=4, per_device_train_batch_size=4, learning_rate=1e-2,
        report_to="none", use_cpu=True, bf16=False, gradient_checkpointing=False, logging_steps=1, disable_tqdm=True,
        save_strategy="no",
    )  # fmt: skip
    trainer = PRMTrainer(model=model, args=settings, train_dataset=Dataset.from_list(rows), processing_class=tokenizer)
    labels = [label for row in trainer.train_dataset["labels"] for label in row if label != -100]
    assert sorted(labels) == [0] * 4 + [1] * 12, "each step has one label, at its end"
    losses = [entry["loss"] for entry in (trainer.train(), trainer.state.log_history)[1] if "loss" in entry]
    assert len(losses) == 4
    assert all(0 < loss < 5 for loss in losses)
