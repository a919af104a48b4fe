"""Exports in lm-evaluation-harness, run from another folder: what it scores is what our own solver scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import proband
from proband import models
from proband.core.files import read_answers, read_items
from proband.core.metrics import accuracy_of
from proband.pipeline.compare import compare


def harness(run_tool: Any, tasks: Path, model: Path, *words: str, names: str, extra: str = "") -> dict[str, Any]:
    """Results, and the logged samples by task and item id."""
    out = model.parent / f"log-{model.name}-{len(list(model.parent.iterdir()))}"
    run_tool(
        "lm_eval", "--model", "hf", "--model_args", f"pretrained={model},dtype=float32{extra}", "--tasks", names,
        "--include_path", tasks, "--device", "cpu", "--batch_size", "16", "--log_samples", "--output_path", out, *words,
    )  # fmt: skip
    results = json.loads(next(out.rglob("results_*.json")).read_text(encoding="utf-8"))
    samples = {}
    for name in names.split(","):
        lines = next(out.rglob(f"samples_{name}_*.jsonl")).read_text(encoding="utf-8").splitlines()
        samples[name] = {row["doc"]["id"]: row for row in map(json.loads, lines)}
    return {"results": results, "samples": samples}


@pytest.fixture(scope="module")
def tasks(items: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tasks")
    for name in ("kinship", "analogy"):
        proband.export(items[name], to="lm-eval", out=root / name)
    return root


@pytest.mark.timeout(900)
@pytest.mark.parametrize("model", ["llama", "gpt2"])
def test_scores_are_those_of_our_solver(
    model: str, tasks: Path, items: dict[str, Path], tiny: dict[str, Path], elsewhere: Path, run_tool: Any
) -> None:
    logged = harness(run_tool, tasks, tiny[model], names="proband_kinship,proband_analogy")
    for suite in ("kinship", "analogy"):
        run = elsewhere / f"run-{suite}"
        solver = logged["results"]["configs"][f"proband_{suite}"]["metadata"]["solver"]  # not in words, as it chats
        asked = {"solver": solver, "cache": False, "model_options": {"device": "cpu"}}
        proband.run(items[suite], model=f"hf:{tiny[model]}", out=run, **asked)
        ours = {answer.item_id: answer for answer in read_answers(run / "answers.jsonl")}
        tested = [item for item in read_items(items[suite]) if item.split == "test"]
        samples = logged["samples"][f"proband_{suite}"]
        assert set(samples) == {item.id for item in tested}  # every test item, no training item
        worst = 0.0
        for item in tested:
            theirs = [float(said[0]) for said in samples[item.id]["filtered_resps"]]
            scores = ours[item.id].scores
            worst = max(worst, *(abs(a - b) for a, b in zip(theirs, scores, strict=True)))
            assert theirs.index(max(theirs)) == scores.index(max(scores))
        assert worst < 1e-4
        right = [accuracy_of(item, ours[item.id]) or 0.0 for item in tested]
        accuracy = logged["results"]["results"][f"proband_{suite}"]["acc,none"]
        assert accuracy == pytest.approx(sum(right) / len(right))
        print(f"{model}, {suite}: {len(tested)} items, accuracy {accuracy:.4f} in both, largest difference {worst:.1e}")


@pytest.mark.timeout(1800)
def test_scores_of_the_embedded_model(tmp_path: Path, elsewhere: Path, run_tool: Any) -> None:
    """SmolLM2 as an ordinary folder in lm-eval; in Proband by that folder and as the embedded model. Its tokenizer has
    a BOS (it opens a chat turn) and adds none."""
    smollm2, weights = models.load("embedded:smollm2", {"device": "cpu"}), tmp_path / "models" / "smollm2"
    smollm2.network.model.save_pretrained(weights)
    smollm2.tokenizer.save_pretrained(weights)
    some = elsewhere / "some"
    proband.build("kinship", out=some, k="2,3", per_k=4)
    proband.export(some, to="lm-eval", out=tmp_path / "tasks")
    logged = harness(run_tool, tmp_path / "tasks", weights, names="proband_kinship")
    samples = logged["samples"]["proband_kinship"]
    for model in (f"hf:{weights}", "embedded:smollm2"):
        run = elsewhere / model.partition(":")[0]
        proband.run(some, model=model, out=run, solver="likelihood", cache=False, device="cpu")
        ours = {answer.item_id: answer.scores for answer in read_answers(run / "answers.jsonl")}
        theirs = {item: [float(said[0]) for said in row["filtered_resps"]] for item, row in samples.items()}
        assert ours.keys() == theirs.keys()
        worst = max(abs(a - b) for item in ours for a, b in zip(ours[item], theirs[item], strict=True))
        assert worst < 1e-3
        right = [ours[item.id].index(max(ours[item.id])) == item.gold for item in read_items(some)]
        accuracy = logged["results"]["results"]["proband_kinship"]["acc,none"]
        assert accuracy == pytest.approx(sum(right) / len(right))
        print(
            f"{model.partition(':')[0]}: {len(right)} stories, accuracy {accuracy:.3f} in both, difference {worst:.1e}"
        )


@pytest.mark.timeout(900)
def test_few_shot_examples_are_training_items(
    tasks: Path, items: dict[str, Path], tiny: dict[str, Path], elsewhere: Path, run_tool: Any
) -> None:
    logged = harness(run_tool, tasks, tiny["llama"], "--num_fewshot", "2", "--limit", "4", names="proband_kinship")
    stories = {
        split: {item.prompt.rpartition("\n")[0] for item in read_items(items["kinship"]) if item.split == split}
        for split in ("train", "test")
    }
    for row in logged["samples"]["proband_kinship"].values():
        first, second, asked = row["arguments"]["gen_args_0"]["arg_0"].split("\n\n")
        assert {first.rpartition("\n")[0], second.rpartition("\n")[0]} <= stories["train"]
        assert asked.rpartition("\n")[0] in stories["test"]
    metadata = logged["results"]["configs"]["proband_kinship"]["metadata"]
    assert metadata["license"] == "apache-2.0"
    assert metadata["solver"] == "likelihood"


@pytest.mark.timeout(900)
def test_fresh_logs_are_compared(tasks: Path, tiny: dict[str, Path], elsewhere: Path, run_tool: Any) -> None:
    """Two models' samples of two tasks, as this version writes them: a line for all items and one per task."""
    both = ("proband_analogy", "proband_kinship")
    logged = {
        name: harness(run_tool, tasks, tiny[name], "--limit", "40", names=",".join(both)) for name in ("gpt2", "llama")
    }
    folders = [sorted(tiny[name].parent.glob(f"log-{name}-*"))[-1] for name in ("gpt2", "llama")]
    groups = {group["group"]: group for group in compare(*folders)["groups"]}
    assert groups.keys() == {"all items", *both}
    for task in both:
        group = groups[task]
        means = [logged[name]["results"]["results"][task]["acc,none"] for name in ("gpt2", "llama")]
        assert (group["mean_a"], group["mean_b"]) == pytest.approx(means)
        assert group["n"] == len(logged["gpt2"]["samples"][task])
        assert group["clusters"] > 1
        print(f"lm-eval logs, {task}: {group['n']} items in {group['clusters']} clusters, p {group['p']:.4f}")
    assert groups["all items"]["n"] == groups[both[0]]["n"] + groups[both[1]]["n"]
    shown = run_tool("proband", "compare", *folders)
    assert all(task in shown for task in both)
