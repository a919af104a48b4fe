"""Samples are skipped inside inspect_ai once the confidence sequence is narrow enough; whole clusters, random order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.inspect_extension import StopWhenNarrow
from proband.stats.sequential import confidence_sequence


def samples(documents: int = 150, size: int = 4) -> list[Any]:
    """The solver of this test always says "Default output": right in four documents of five."""
    from inspect_ai.dataset import Sample

    return [
        Sample(
            id=f"{document}-{place}",
            input="?",
            target="Default" if document % 5 else "nothing",
            metadata={"document": f"d{document}"},
        )
        for document in range(documents)
        for place in range(size)
    ]


def evaluate(dataset: Any, stop: StopWhenNarrow, folder: Path, **options: Any) -> Any:
    from inspect_ai import Task, eval
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import includes
    from inspect_ai.solver import solver

    @solver  # type: ignore[untyped-decorator]
    def default() -> Any:  # the tool's own model for tests fetches a tokenizer
        async def solve(state: Any, generate: Any) -> Any:
            state.output = ModelOutput.from_content("none", "Default output")
            return state

        return solve

    task = Task(dataset=dataset, solver=default(), scorer=includes(), early_stopping=stop)
    (log,) = eval(task, model="mockllm/model", log_dir=str(folder), display="none", max_samples=8, **options)
    return log


def test_a_run_stops_at_the_width_and_says_its_interval(tmp_path: Path) -> None:
    stop = StopWhenNarrow(12, cluster="document", seed=3)
    dataset = stop.ordered(samples())
    documents = [sample.metadata["document"] for sample in dataset]
    runs = 1 + int((np.array(documents[1:]) != np.array(documents[:-1])).sum())
    assert runs == 150, "clusters stay whole"
    log = evaluate(dataset, stop, tmp_path)
    assert log.status == "success", log.error
    early = log.results.early_stopping
    found = early.metadata
    assert 0 < len(early.early_stops) < 600
    assert (found["high"] - found["low"]) / 2 <= 0.12
    assert found["low"] <= 0.8 <= found["high"]
    counted = {f"d{i}": 4 * float(i % 5 != 0) for i in range(150)}
    order = list(dict.fromkeys(documents))[: found["clusters"]]
    by_hand = confidence_sequence([counted[name] for name in order], [4] * len(order), largest=4, aim=0.12)
    assert by_hand[-1].low == pytest.approx(found["low"])
    assert by_hand[-2].half_width > 0.12, "it stops at the first look that is narrow enough"
    assert len(log.samples) >= found["items"]


def test_epochs_count_as_part_of_a_sample(tmp_path: Path) -> None:
    stop = StopWhenNarrow(15, cluster="document")
    dataset = stop.ordered(samples(40, 2))
    log = evaluate(dataset, stop, tmp_path, epochs=2)
    assert log.status == "success", log.error
    found = log.results.early_stopping.metadata
    counted = [sample.target == "Default" for sample in dataset][: found["items"]]
    assert found["mean"] == pytest.approx(sum(counted) / len(counted))


def test_samples_in_another_order_are_refused(tmp_path: Path) -> None:
    stop = StopWhenNarrow(12, cluster="document")
    log = evaluate(samples(10), stop, tmp_path)
    assert log.status == "error"
    assert "stop.ordered(dataset)" in log.error.message


def test_a_width_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(ProbandError, match="between 0 and 50"):
        StopWhenNarrow(0)
