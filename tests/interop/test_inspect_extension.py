"""Our metrics inside inspect_ai, by its entry point, on logs of real models: the numbers of `proband compare`."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import proband
from proband import stats
from proband.core.files import read_answers, read_items
from proband.core.metrics import accuracy_of
from proband.pipeline.compare import compare
from proband.pipeline.plan import plan


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory, tiny: dict[str, Path], run_tool: Any) -> list[Path]:
    """SmolLM2 and a tiny model of random weights on the 24 example questions, by inspect's own command: greedily (its
    provider samples unless told otherwise, and then refuses a temperature of 0), a few tokens, small batches."""
    from proband.models.checkpoints import unpacked
    from proband.models.embedded import folder_of

    root = tmp_path_factory.mktemp("extension")
    gguf = next(folder_of("smollm2").glob("*.gguf"))
    smollm2 = shutil.copytree(unpacked(gguf, name="smollm2"), root / "smollm2")
    proband.build("questions", out=root / "items", cluster="topic", tags="none")
    proband.export(root / "items", to="inspect", out=root / "task")
    task = root / "task" / "proband_questions.py"
    found = []
    for name, folder in (("smollm2", smollm2), ("tiny", tiny["llama"])):
        run_tool(
            "inspect_ai", "eval", f"{task}@proband_questions", "--model", f"hf/{name}", "-M", f"model_path={folder}",
            "-M", "device=cpu", "-M", "do_sample=false", "--max-tokens", "4", "--max-connections", "8",
            "--log-dir", root / "logs" / name, "--display", "plain",
        )  # fmt: skip
        found.append(next((root / "logs" / name).glob("*.eval")))
    return found


@pytest.mark.timeout(1800)
def test_metrics_are_computed_by_the_tool(logs: list[Path]) -> None:
    from inspect_ai.log import read_eval_log

    for path in logs:
        log = read_eval_log(str(path))
        metrics = {name: each.value for name, each in log.results.scores[0].metrics.items()}
        print(path.parent.name, metrics)
        values = [float(sample.scores["choice"].value == "C") for sample in log.samples or ()]
        clusters = [tuple(sample.metadata["clusters"]) for sample in log.samples or ()]
        expected = stats.mean(values, clusters=clusters)
        assert metrics["mean"] == metrics["accuracy"] == expected.value
        assert metrics["clusters"] == expected.clusters
        if not expected.few:
            assert (metrics["ci_low"], metrics["ci_high"]) == (expected.low, expected.high)
        assert metrics["minimum_detectable_difference"] > 0


def test_two_logs_are_compared_as_by_the_command(logs: list[Path]) -> None:
    from proband.inspect_extension import paired_difference

    found = paired_difference(*logs)
    (group,) = compare(*logs)["groups"]
    for ours, theirs in (
        ("value", "difference"),
        *((n, n) for n in ("low", "high", "p", "detectable", "mean_a", "mean_b")),
    ):
        assert getattr(found, ours) == pytest.approx(group[theirs], abs=1e-9), ours
    assert (found.n, found.clusters) == (group["n"], group["clusters"])
    print(f"difference {found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}], p {found.p:.4f}")


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


def test_kept_logs_are_compared_as_by_the_command() -> None:
    """Logs of both formats that an earlier version of the tool wrote."""
    from proband.inspect_extension import paired_difference

    data = Path(__file__).parents[1] / "pipeline" / "logs" / "data" / "inspect"
    logs = data / "always-a.json", data / "by-length.eval"
    found = paired_difference(*logs)
    (group,) = compare(*logs)["groups"]
    for ours, theirs in (("value", "difference"), *((n, n) for n in ("low", "high", "p", "detectable"))):
        assert getattr(found, ours) == pytest.approx(group[theirs], abs=1e-9), ours
    assert (found.n, found.clusters) == (group["n"], group["clusters"])
