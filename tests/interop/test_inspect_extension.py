"""Our metrics inside inspect_ai, by its entry point, on logs of real models: the numbers of `proband compare`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import proband
from proband import models, stats
from proband.core.files import read_answers, read_items
from proband.core.metrics import accuracy_of
from proband.pipeline.plan import plan

QUESTIONS = {
    "Europe": {
        "The capital of France is": "Paris",
        "The capital of Italy is": "Rome",
        "The capital of Spain is": "Madrid",
    },
    "Asia": {
        "The capital of Japan is": "Tokyo",
        "The capital of China is": "Beijing",
        "The capital of India is": "Delhi",
    },
    "opposites": {"The opposite of hot is": "cold", "The opposite of up is": "down", "The opposite of big is": "small"},
    "colours": {
        "The colour of grass is": "green",
        "The colour of the sky is": "blue",
        "The colour of snow is": "white",
    },
    "numbers": {"One plus one is": "two", "Two plus two is": "four", "The days of a week are": "seven"},
    "animals": {"A young dog is a": "puppy", "A young cat is a": "kitten", "The animal that barks is a": "dog"},
    "sky": {"The planet we live on is": "Earth", "By day we see the": "Sun", "What circles the Earth is the": "Moon"},
    "languages": {
        "In France they speak": "French",
        "In Germany they speak": "German",
        "In Spain they speak": "Spanish",
    },
}
TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import accuracy, includes
from inspect_ai.solver import generate
from proband.inspect_extension import calibrated_ci, minimum_detectable_difference

@task
def facts():
    samples = [
        Sample(id=text, input=f"Complete: {text}", target=answer, metadata={"topic": topic})
        for topic, lines in QUESTIONS.items() for text, answer in lines.items()
    ]
    metrics = [accuracy(), calibrated_ci(cluster="topic"), minimum_detectable_difference(cluster="topic")]
    return Task(dataset=samples, solver=generate(), scorer=includes(), metrics=metrics)
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory, tiny: dict[str, Path], run_tool: Any) -> list[Path]:
    """SmolLM2 and a tiny model of random weights on 24 short questions of eight topics, by inspect's own command:
    greedily (its provider samples unless told otherwise, and then refuses a temperature of 0), a few tokens, small
    batches."""
    root = tmp_path_factory.mktemp("extension")
    model, smollm2 = models.load("embedded:smollm2", {"device": "cpu"}), root / "smollm2"
    model.network.model.save_pretrained(smollm2)
    model.tokenizer.save_pretrained(smollm2)
    (root / "facts.py").write_text(f"QUESTIONS = {QUESTIONS!r}\n{TASK}", encoding="utf-8")
    made = []
    for name, folder in (("smollm2", smollm2), ("tiny", tiny["llama"])):
        run_tool(
            "inspect_ai", "eval", f"{root / 'facts.py'}@facts", "--model", f"hf/{name}", "-M", f"model_path={folder}",
            "-M", "device=cpu", "-M", "do_sample=false", "--max-tokens", "10", "--max-connections", "8",
            "--log-dir", root / "logs" / name, "--display", "plain",
        )  # fmt: skip
        made.append(next((root / "logs" / name).glob("*.eval")))
    return made


@pytest.mark.timeout(1800)
def test_metrics_are_computed_by_the_tool(logs: list[Path]) -> None:
    from inspect_ai.log import read_eval_log

    for path in logs:
        log = read_eval_log(str(path))
        metrics = {name: each.value for name, each in log.results.scores[0].metrics.items()}
        print(path.parent.name, metrics)
        values = [float(sample.scores["includes"].value == "C") for sample in log.samples or ()]
        clusters = [(sample.metadata["topic"],) for sample in log.samples or ()]
        expected = stats.mean(values, clusters=clusters)
        assert metrics["mean"] == metrics["accuracy"] == expected.mean
        assert metrics["clusters"] == expected.clusters == len(QUESTIONS)
        assert (metrics["ci_low"], metrics["ci_high"]) == pytest.approx((expected.low, expected.high), abs=1e-9)
        if path.parent.name == "smollm2":
            assert 0 < expected.mean < 1  # a comparison with something in it
            planned = stats.plan(0.05, a=values, clusters=clusters).detectable or math.nan  # none with so few clusters
            assert metrics["minimum_detectable_difference"] == pytest.approx(planned, abs=1e-9, nan_ok=True)


def test_the_tool_finds_the_metrics_by_name() -> None:
    from inspect_ai.scorer._metric import metric_create

    for name in ("calibrated_ci", "minimum_detectable_difference"):
        assert callable(metric_create(f"proband/{name}"))


def test_detectable_differences_are_those_of_plan(tmp_path: Path) -> None:
    proband.build("questions", out=tmp_path / "items")
    proband.run(tmp_path / "items", model="baseline:random", out=tmp_path / "run")
    items = {item.id: item for item in read_items(tmp_path / "items")}
    answers = read_answers(tmp_path / "run" / "answers.jsonl")
    values = [accuracy_of(items[answer.item_id], answer) for answer in answers]
    expected = plan(tmp_path / "run", difference=0.05)["now"]["detectable"]
    assert stats.plan(0.05, a=values).detectable == pytest.approx(expected, abs=1e-9)
