"""Exports in inspect_ai: an oracle scores 1, the first choice scores its share, and a tiny model runs by command."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.files import read_items
from proband.pipeline.compare import compare


def evaluated(task: Path, reply: Any, **settings: Any) -> Any:
    """The log of a task with a scripted model (its usage is given, since the mock model would load a tokenizer)."""
    from inspect_ai import eval as run
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def output(input: Any, *_: Any) -> Any:
        made = ModelOutput.from_content("mockllm", f"ANSWER: {reply(input[-1].text)}")
        made.usage = ModelUsage()
        return made

    model = get_model("mockllm/model", custom_outputs=output)
    return run(f"{task}@{task.stem}", model=model, log_dir=str(task.parent / "logs"), display="none", **settings)[0]


@pytest.fixture(scope="module")
def exported(items: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("inspect")
    for name in ("kinship", "analogy", "supervised"):
        proband.export(items[name], to="inspect", out=root / name)
    return {name: next((root / name).glob("*.py")) for name in ("kinship", "analogy", "supervised")}


@pytest.mark.parametrize("name", ["kinship", "analogy", "supervised"])
def test_targets_are_right_and_splits_apart(
    name: str, exported: dict[str, Path], items: dict[str, Path], elsewhere: Path
) -> None:
    every = list(read_items(items[name]))
    tested = [item for item in every if item.split == "test"]

    def oracle(text: str) -> str:
        item = next(item for item in every if item.prompt in text and item.choices[0] in text)
        right = item.choices[item.gold or 0]
        line = next(line for line in text.splitlines() if line.partition(") ")[2] == right)
        return line.partition(")")[0]

    log = evaluated(exported[name], oracle)
    assert log.status == "success", log.error
    metrics = {name: each.value for name, each in log.results.scores[0].metrics.items()}
    assert metrics["accuracy"] == metrics["mean"] == 1.0  # and the metrics of our extension
    assert {sample.id for sample in log.samples} == {item.id for item in tested}
    assert log.eval.metadata["license"] == "apache-2.0"
    constant = evaluated(exported[name], lambda text: "A")
    assert constant.status == "success", constant.error
    first = constant.results.scores[0].metrics["accuracy"].value
    assert first == pytest.approx(sum(item.gold == 0 for item in tested) / len(tested))
    counts = Counter(item.split for item in every)
    if counts["train"]:
        assert len(evaluated(exported[name], oracle, task_args={"split": "train"}).samples) == counts["train"]
    print(f"{name}: {len(tested)} samples, oracle 1.0, first choice {first:.4f}")


@pytest.mark.timeout(600)
def test_a_tiny_model_runs_by_command(
    exported: dict[str, Path], tiny: dict[str, Path], elsewhere: Path, run_tool: Any
) -> None:
    task = exported["kinship"]
    printed = run_tool(
        "inspect_ai", "eval", f"{task}@{task.stem}", "--model", "hf/tiny", "-M", f"model_path={tiny['llama']}",
        "-M", "device=cpu", "--max-tokens", "4", "--limit", "3",
        "--log-dir", elsewhere / "logs", "--log-format", "json", "--display", "plain",
    )  # fmt: skip
    assert "accuracy" in printed


def test_fresh_logs_are_compared(exported: dict[str, Path], elsewhere: Path) -> None:
    """Both formats, as this version writes them, paired by item and clustered by what the items share."""
    task = exported["analogy"]
    logs = [evaluated(task, lambda text: "A", log_format="json"), evaluated(task, lambda text: "B", log_format="eval")]
    found = compare(*(log.location for log in logs))
    (group,) = found["groups"]
    means = [log.results.scores[0].metrics["accuracy"].value for log in logs]
    assert (group["mean_a"], group["mean_b"]) == pytest.approx(means)
    assert group["n"] == len(logs[0].samples)
    assert group["clusters"] > 1
    print(f"inspect logs: {group['n']} items in {group['clusters']} clusters, p {group['p']:.4f}")
