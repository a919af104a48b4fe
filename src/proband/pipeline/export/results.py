"""The results of a run in formats that the field collects.

every-eval-ever   data/SUITE/DEVELOPER/MODEL/UUID.json with the score and our interval as its uncertainty, and
                  UUID_samples.jsonl with a record per item (schema 0.3.0 of github.com/evaleval/every_eval_ever)
hf-results        .eval_results/TASK.yaml for the repository of a model on the Hugging Face hub (Community Evals);
                  `export ITEMS --to hf` writes the dataset's side, eval.yaml

The same run gives the same bytes: names and times come from the run, not from the moment of the export.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import dumps, encode, read_run, render_text, sha256_file, sha256_text, write_json, write_text
from proband.core.metrics import Metric, chosen_answer
from proband.core.types import Answer, Item, Run
from proband.core.version import __version__
from proband.pipeline.export.source import PACKAGE
from proband.pipeline.report import item_sets
from proband.reporting.numbers.cells import Cell, Study

SCHEMA = "0.3.0"
FORMATS = ("every-eval-ever", "hf-results")
INTERVAL = "Proband: Wilson's interval at the effective number of items, clustered (docs/statistics.md)"
REMOTE = ("openai", "anthropic", "gemini")  # kinds of models that somebody else runs
OPEN = ("hf", "embedded", "relbert", "vec")  # whose weights are there
KNOWN = {
    "embedded:smollm2": "HuggingFaceTB/SmolLM2-135M-Instruct",
    "embedded:minilm": "sentence-transformers/all-MiniLM-L6-v2",
}


@dataclass(frozen=True, kw_only=True)
class ScoredRun:
    """A run with its main metric over the items that are scored."""

    run: Run
    study: Study
    cell: Cell
    metric: Metric
    made: int  # when its last answer came, in seconds since 1970
    model: str  # DEVELOPER/NAME
    answers: str  # hash

    @property
    def task(self) -> str:
        return "proband_" + re.sub(r"\W+", "_", self.run.suite)


def write_results(run: Path, *, to: str, out: Path, model_id: str = "", dataset: str = "") -> dict[str, Any]:
    """Write the results of one run; returns what was written."""
    scored = _scored(run, model_id)
    if to == "hf-results":
        files = [_hub_results(scored, out, dataset)]
    else:
        files = _every_eval_ever(scored, out, dataset)
    estimate = scored.cell.estimate
    return {
        "format": to,
        "suite": scored.run.suite,
        "model": scored.model,
        "metric": scored.metric.name,
        "score": estimate.mean,
        "items": estimate.n,
        "files": [str(file.relative_to(out)) for file in files],
        "out": str(out),
    }


def _scored(folder: Path, model_id: str) -> ScoredRun:
    run = read_run(folder / "run.json")
    (items,) = item_sets([folder])
    study = Study(items)
    (cell,) = study.cell(study.main, {})
    if cell is None:
        raise ProbandError(f"has no item that {study.main.name!r} applies to", file=folder)
    answers = folder / "answers.jsonl"
    model = model_id or default_id(run.model)
    if not re.fullmatch(r"[\w.-]+/[\w.:-]+", model):
        raise ProbandError(f"--model-id {model!r}: must be DEVELOPER/NAME, as on the Hugging Face hub")
    return ScoredRun(
        run=run,
        study=study,
        cell=cell,
        metric=study.main,
        made=int(answers.stat().st_mtime),
        model=model,
        answers=sha256_file(answers),
    )


def default_id(spec: str) -> str:
    """The model as the hub names it, where its name says so.

    >>> default_id("hf:Qwen/Qwen3-8B"), default_id("openai:gpt-5@https://x.org/v1"), default_id("hf:./my model")
    ('Qwen/Qwen3-8B', 'openai/gpt-5', 'local/my_model')
    """
    if spec in KNOWN:
        return KNOWN[spec]
    kind, _, rest = spec.partition(":")
    name = rest.partition("@")[0]
    if kind in ("hf", "openai", "relbert") and re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", name):
        return name
    plain = re.sub(r"[^\w.-]+", "_", Path(name).name).strip("._") or "model"
    return f"{'openai' if kind == 'openai' else 'local' if kind in ('hf', 'net', 'vec') else kind}/{plain}"


# ---- Every Eval Ever -----------------------------------------------------------------------------------------------


def _every_eval_ever(scored: ScoredRun, out: Path, dataset: str) -> list[Path]:
    digest = hashlib.sha256(dumps([scored.run.items_sha, scored.model, scored.run.settings, scored.answers]).encode())
    name = uuid.UUID(bytes=digest.digest()[:16], version=4)
    developer, model = scored.model.split("/")
    folder = Path("data") / scored.task / developer / model.replace(":", "_")
    samples = out / folder / f"{name}_samples.jsonl"
    evaluation = f"{scored.task}/{scored.model.replace('/', '_')}/{scored.made}"
    result = f"{scored.task}/{scored.metric.name}"
    lines = [encode(line) for line in _samples(scored, evaluation, result)]
    details: dict[str, Any] = {}
    if lines:
        samples.parent.mkdir(parents=True, exist_ok=True)
        samples.write_bytes(b"\n".join(lines) + b"\n")
        details = {
            "detailed_evaluation_results": {
                "format": "jsonl",
                "file_path": f"{folder.as_posix()}/{samples.name}",
                "hash_algorithm": "sha256",
                "checksum": sha256_file(samples),
                "total_rows": len(lines),
            }
        }
    aggregate = out / folder / f"{name}.json"
    write_json(aggregate, {**_aggregate(scored, evaluation, result, dataset), **details})
    return [aggregate, *([samples] if lines else [])]


def _aggregate(scored: ScoredRun, evaluation: str, result: str, dataset: str) -> dict[str, Any]:
    run, kind = scored.run, scored.run.model.partition(":")[0]
    deployment = {
        "deployment_type": "externally_managed" if kind in REMOTE else "self_deployed",
        "model_availability": "open_weights" if kind in OPEN else "unknown",
    }
    settings = {name: dumps(value) for name, value in run.settings.items()}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": evaluation,
        "evaluation_timestamp": str(scored.made),
        "retrieved_timestamp": str(scored.made),
        "source_metadata": {
            "source_name": "Proband",
            "source_type": "evaluation_run",
            "source_organization_name": "Proband",
            "evaluator_relationship": "third_party",
        },
        "eval_library": {"name": "proband", "version": run.versions.get("proband", __version__)},
        "model_info": {
            "name": run.model,
            "id": scored.model,
            "additional_details": deployment | {name: str(value) for name, value in run.identity.items()},
        },
        "evaluation_results": [
            {
                "evaluation_result_id": result,
                "evaluation_name": scored.task,
                "source_data": _source(scored, dataset),
                "metric_config": _metric(scored),
                "score_details": {"score": scored.cell.estimate.mean, "uncertainty": _uncertainty(scored)},
                "generation_config": {"additional_details": {"solver": run.solver, "seed": str(run.seed), **settings}},
            }
        ],
    }


def _source(scored: ScoredRun, dataset: str) -> dict[str, str | int | dict[str, str]]:
    more = {"items_sha256": scored.run.items_sha, "split": ",".join(scored.study.splits)}
    named: dict[str, str | int | dict[str, str]] = {"dataset_name": scored.task, "additional_details": more}
    if dataset:
        return {**named, "source_type": "hf_dataset", "hf_repo": dataset, "samples_number": scored.cell.estimate.n}
    return {**named, "source_type": "other"}


def _metric(scored: ScoredRun) -> dict[str, str | float | bool]:
    metric = scored.metric
    ends = (
        {"min_score": 0.0, "max_score": 1.0} if metric.percent else {"min_score": "-Infinity", "max_score": "Infinity"}
    )
    return {
        "evaluation_description": scored.study.items.suite.question,
        "metric_id": metric.name,
        "metric_name": metric.title or metric.name,
        "metric_kind": metric.name,
        "metric_unit": "proportion" if metric.percent else metric.unit,
        "lower_is_better": metric.better == "low",
        "score_type": "continuous",
        **ends,
    }


def _uncertainty(scored: ScoredRun) -> dict[str, int | dict[str, str | float]]:
    estimate = scored.cell.estimate
    if estimate.few:
        return {"num_samples": estimate.n}
    between: dict[str, str | float] = {
        "lower": estimate.low,
        "upper": estimate.high,
        "confidence_level": 0.95,
        "method": INTERVAL,
    }
    return {"confidence_interval": between, "num_samples": estimate.n}


def _samples(scored: ScoredRun, evaluation: str, result: str) -> Iterator[dict[str, Any]]:
    """A record per item that was scored; none for metrics over sets."""
    study, metric = scored.study, scored.metric
    for item, answer in study.items.answers(0):
        value = metric.value(item, answer) if item.split in study.splits else None
        if value is None:
            continue
        chosen = _chosen(item, answer)
        reference = (
            [item.choices[item.gold]] if item.gold is not None else list(map(str, item.facts.get("answers", ())))
        )
        yield {
            "schema_version": SCHEMA,
            "evaluation_id": evaluation,
            "model_id": scored.model,
            "evaluation_name": scored.task,
            "evaluation_result_id": result,
            "sample_id": item.id,
            "sample_hash": sha256_text(item.prompt + dumps(reference)),
            "interaction_type": "single_turn",
            "input": {"raw": item.prompt, "reference": reference, "choices": list(item.choices) or None},
            "output": {"raw": [answer.text if answer.text is not None else chosen]},
            "answer_attribution": [
                {
                    "turn_idx": 0,
                    "source": "output.raw",
                    "extracted_value": chosen,
                    "extraction_method": f"proband:{scored.run.solver}",
                    "is_terminal": True,
                }
            ],
            "evaluation": {"score": value, "is_correct": metric.percent and value == 1.0},
            "error": answer.status or None,
            "metadata": {name: str(tag) for name, tag in item.tags.items()} or None,
        }


def _chosen(item: Item, answer: Answer) -> str:
    """The chosen answer, or the reply."""
    return chosen_answer(item, answer) or answer.text or ""


# ---- Hugging Face Community Evals ----------------------------------------------------------------------------------


def _hub_results(scored: ScoredRun, out: Path, dataset: str) -> Path:
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", dataset):
        raise ProbandError("--dataset ORG/NAME names the dataset on the Hugging Face hub that the result is about")
    estimate, share = scored.cell.estimate, scored.metric.percent
    mean, low, high = (round(100 * x, 2) if share else x for x in (estimate.mean, estimate.low, estimate.high))
    between = "too few items for an interval" if estimate.few else f"95 % interval [{low}, {high}], clustered"
    notes = f"{scored.metric.name}{' in %' if share else ''}, {between}; n = {estimate.n}; solver {scored.run.solver}"
    date = datetime.fromtimestamp(scored.made, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    about = {"dataset": dataset, "task": scored.task, "value": mean, "date": date, "notes": notes}
    path = out / ".eval_results" / f"{scored.task}.yaml"
    write_text(path, render_text(PACKAGE, "hub_results.yaml", **about))
    return path
