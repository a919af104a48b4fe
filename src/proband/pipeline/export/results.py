"""The results of a run for Every Eval Ever (schema 0.3.0 of github.com/evaleval/every_eval_ever).

data/SUITE/DEVELOPER/MODEL/UUID.json has the score and our interval as its uncertainty, UUID_samples.jsonl a record per
item. The same run gives the same bytes: names and times come from the run, not from the moment of the export.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import dumps, encode, read_run, sha256_file, sha256_text, write_json
from proband.core.metrics import chosen_answer
from proband.core.types import Run
from proband.core.version import __version__
from proband.pipeline.export.source import task_name
from proband.pipeline.report import item_sets
from proband.reporting.numbers.cells import Cell, Study

SCHEMA = "0.3.0"
INTERVAL = "Proband: Wilson's interval at the effective number of items, clustered (docs/statistics.md)"
REMOTE = ("openai", "anthropic", "gemini")  # kinds of models behind a service
OPEN = ("hf", "embedded", "relbert", "vec")  # whose weights are there
KNOWN = {
    "embedded:smollm2": "HuggingFaceTB/SmolLM2-135M-Instruct",
    "embedded:minilm": "sentence-transformers/all-MiniLM-L6-v2",
}


@dataclass(frozen=True, kw_only=True)
class ScoredRun:
    """A run with its main metric over the items that are scored, and what its records have in common."""

    run: Run
    study: Study
    cell: Cell
    model: str  # DEVELOPER/NAME
    made: int  # when its last answer came, in seconds since 1970

    @property
    def task(self) -> str:
        return task_name(self.run.suite)

    @property
    def shared(self) -> dict[str, str]:
        evaluation = f"{self.task}/{self.model.replace('/', '_')}/{self.made}"
        return {"schema_version": SCHEMA, "evaluation_id": evaluation}

    @property
    def result_id(self) -> str:
        return f"{self.task}/{self.study.main.name}"


def write_results(folder: Path, out: Path, model_id: str = "") -> dict[str, Any]:
    """Write the results of one run; returns what was written."""
    if not (folder / "run.json").exists():
        raise ProbandError("--to every-eval-ever is for the folder of a run", file=folder)
    run, answers = read_run(folder / "run.json"), folder / "answers.jsonl"
    (items,) = item_sets([folder])
    study = Study(items)
    (cell,) = study.cell(study.main, {})
    if cell is None:
        raise ProbandError(f"has no item that {study.main.name!r} applies to", file=folder)
    model = model_id or default_id(run.model)
    if not re.fullmatch(r"[\w.-]+/[\w.:-]+", model):
        raise ProbandError(f"--model-id {model!r}: must be DEVELOPER/NAME, as on the Hugging Face hub")
    scored = ScoredRun(run=run, study=study, cell=cell, model=model, made=int(answers.stat().st_mtime))

    digest = hashlib.sha256(dumps([run.items_sha, model, run.settings, sha256_file(answers)]).encode())
    name = uuid.UUID(bytes=digest.digest()[:16], version=4)
    place = Path("data", scored.task, *model.replace(":", "_").split("/"))
    aggregate, samples = place / f"{name}.json", place / f"{name}_samples.jsonl"
    lines = [encode(line) + b"\n" for line in _samples(scored)]
    (out / place).mkdir(parents=True, exist_ok=True)
    details = {"format": "jsonl", "file_path": samples.as_posix(), "hash_algorithm": "sha256", "total_rows": len(lines)}
    if lines:  # none of a metric over sets
        (out / samples).write_bytes(b"".join(lines))
        details["checksum"] = sha256_file(out / samples)
    write_json(out / aggregate, {**_aggregate(scored), **({"detailed_evaluation_results": details} if lines else {})})
    return {
        "suite": run.suite,
        "model": model,
        "metric": study.main.name,
        "score": cell.estimate.mean,
        "items": cell.estimate.n,
        "files": [str(aggregate), *([str(samples)] if lines else [])],
    }


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
    return f"{'local' if kind in ('hf', 'net', 'vec') else kind}/{plain}"


def _aggregate(scored: ScoredRun) -> dict[str, Any]:
    run, study, metric = scored.run, scored.study, scored.study.main
    estimate, kind = scored.cell.estimate, run.model.partition(":")[0]
    deployment = {
        "deployment_type": "externally_managed" if kind in REMOTE else "self_deployed",
        "model_availability": "open_weights" if kind in OPEN else "unknown",
    }
    uncertainty: dict[str, Any] = {"num_samples": estimate.n}
    if not estimate.few:
        between = {"lower": estimate.low, "upper": estimate.high, "confidence_level": 0.95, "method": INTERVAL}
        uncertainty["confidence_interval"] = between
    ends = (0.0, 1.0) if metric.percent else ("-Infinity", "Infinity")
    settings = {name: dumps(value) for name, value in run.settings.items()}
    return {
        **scored.shared,
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
                "evaluation_result_id": scored.result_id,
                "evaluation_name": scored.task,
                "source_data": {
                    "dataset_name": scored.task,
                    "source_type": "other",
                    "additional_details": {"items_sha256": run.items_sha, "split": ",".join(study.splits)},
                },
                "metric_config": {
                    "evaluation_description": study.items.suite.question,
                    "metric_id": metric.name,
                    "metric_name": metric.title or metric.name,
                    "metric_kind": metric.name,
                    "metric_unit": "proportion" if metric.percent else metric.unit,
                    "lower_is_better": metric.better == "low",
                    "score_type": "continuous",
                    "min_score": ends[0],
                    "max_score": ends[1],
                },
                "score_details": {"score": estimate.mean, "uncertainty": uncertainty},
                "generation_config": {"additional_details": {"solver": run.solver, "seed": str(run.seed), **settings}},
            }
        ],
    }


def _samples(scored: ScoredRun) -> Iterator[dict[str, Any]]:
    """A record per item that was scored; none for metrics over sets."""
    study, metric = scored.study, scored.study.main
    for item, answer in study.items.answers(0):
        value = metric.value(item, answer) if item.split in study.splits else None
        if value is None:
            continue
        chosen = chosen_answer(item, answer) or answer.text or ""
        gold = [item.choices[item.gold]] if item.gold is not None else item.facts.get("answers", ())
        reference = list(map(str, gold))
        yield {
            **scored.shared,
            "model_id": scored.model,
            "evaluation_name": scored.task,
            "evaluation_result_id": scored.result_id,
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
