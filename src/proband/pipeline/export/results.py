"""The results of a run for Every Eval Ever (schema 0.3.0 of github.com/evaleval/every_eval_ever).

data/SUITE/DEVELOPER/MODEL/UUID.json has the score with its 95 % interval, UUID_samples.jsonl a record per item. The
same run gives the same bytes: names and times come from the run, not from the moment of the export.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import dumps, read_run, sha256_file, write_json, write_jsonl
from proband.core.metrics import Estimate, chosen_answer
from proband.core.types import Run
from proband.core.version import __version__
from proband.models import IN_FILES, at_server, kind_of
from proband.pipeline.export.source import task_name
from proband.pipeline.report import item_sets
from proband.reporting.numbers.study import Study

INTERVAL = "Proband: Wilson's interval at the effective number of items, clustered (docs/statistics.md)"


def write_results(folder: Path, out: Path, model_id: str = "") -> dict[str, Any]:
    """Write the results of one run; returns what was written."""
    if not (folder / "run.json").exists():
        raise ProbandError("--to every-eval-ever is for the folder of a run", file=folder)
    run, answers = read_run(folder / "run.json"), folder / "answers.jsonl"
    study = Study(item_sets([folder])[0])
    (cell,) = study.cell(study.main, {})
    if cell is None:
        raise ProbandError(f"has no item that {study.main.name!r} applies to", file=folder)
    model, made, task = model_id or hub_id(run.model), int(answers.stat().st_mtime), task_name(run.suite)
    if not re.fullmatch(r"[\w.-]+/[\w.:-]+", model):
        raise ProbandError(f"--model-id {model!r}: must be DEVELOPER/NAME, as on the Hugging Face hub")
    shared = {"schema_version": "0.3.0", "evaluation_id": f"{task}/{model.replace('/', '_')}/{made}"}

    digest = hashlib.sha256(dumps([run.items_sha, model, run.settings, sha256_file(answers)]).encode())
    name = uuid.UUID(bytes=digest.digest()[:16], version=4)
    place = Path("data", task, *model.replace(":", "_").split("/"))
    files = [place / f"{name}.json"]
    aggregate = {**shared, "retrieved_timestamp": str(made), **_aggregate(run, study, cell, model)}
    if samples := [{**shared, "model_id": model, "evaluation_name": task, **each} for each in _samples(run, study)]:
        files.append(place / f"{name}_samples.jsonl")
        write_jsonl(out / files[1], samples)
        checked = {"hash_algorithm": "sha256", "checksum": sha256_file(out / files[1]), "total_rows": len(samples)}
        aggregate["detailed_evaluation_results"] = {"format": "jsonl", "file_path": files[1].as_posix(), **checked}
    write_json(out / files[0], aggregate)
    score = {"metric": study.main.name, "score": cell.mean, "items": cell.n}
    return {"suite": run.suite, "model": model, **score, "files": list(map(str, files))}


def hub_id(spec: str) -> str:
    """A model as the Hugging Face hub names it, where its name says so.

    >>> hub_id("hf:Qwen/Qwen3-8B"), hub_id("openai:gpt-5@https://x.org/v1"), hub_id("hf:./my model")
    ('Qwen/Qwen3-8B', 'openai/gpt-5', 'local/my_model')
    """
    kind, _, rest = spec.partition(":")
    name = rest.partition("@")[0]
    if re.fullmatch(r"[\w-][\w.-]*/[\w.-]+", name) and not Path(name).exists():
        return name
    plain = re.sub(r"[^\w.-]+", "_", Path(name).name).strip("._") or "model"
    return f"{'local' if kind in (*IN_FILES, 'net') else kind}/{plain}"


def _aggregate(run: Run, study: Study, estimate: Estimate, model: str) -> dict[str, Any]:
    metric, kind = study.main, kind_of(run.model.partition(":")[0])
    served, weights = at_server(run.model), "open_weights" if kind and kind.open_weights else "unknown"
    deployment = {"deployment_type": "externally_managed" if served else "self_deployed", "model_availability": weights}
    between = {"lower": estimate.low, "upper": estimate.high, "confidence_level": 0.95, "method": INTERVAL}
    ends = (0.0, 1.0) if metric.percent else ("-Infinity", "Infinity")
    task, settings = task_name(run.suite), {name: dumps(value) for name, value in run.settings.items()}
    details = {"items_sha256": run.items_sha, "split": ",".join(study.splits)}
    result = {
        "evaluation_name": task,
        "source_data": {"dataset_name": task, "source_type": "other", "additional_details": details},
        "metric_config": {
            "metric_id": metric.name,
            "metric_name": metric.title or metric.name,
            "metric_unit": "proportion" if metric.percent else metric.unit,
            "lower_is_better": metric.better == "low",
            "score_type": "continuous",
            "min_score": ends[0],
            "max_score": ends[1],
        },
        "score_details": {
            "score": estimate.mean,
            "uncertainty": {"num_samples": estimate.n} | ({} if estimate.few else {"confidence_interval": between}),
        },
        "generation_config": {"additional_details": {"solver": run.solver, "seed": str(run.seed), **settings}},
    }
    source = {"source_type": "evaluation_run", "source_organization_name": "Proband"}
    identity = {name: str(value) for name, value in run.identity.items()}
    return {
        "source_metadata": {**source, "evaluator_relationship": "third_party"},
        "eval_library": {"name": "proband", "version": run.versions.get("proband", __version__)},
        "model_info": {"name": run.model, "id": model, "additional_details": deployment | identity},
        "evaluation_results": [result],
    }


def _samples(run: Run, study: Study) -> Iterator[Mapping[str, Any]]:
    """A record per item that was scored; none for metrics over sets."""
    method = {"turn_idx": 0, "source": "output.raw", "extraction_method": f"proband:{run.solver}", "is_terminal": True}
    for item, answer in study.answers(0):
        value = study.main.value(item, answer) if item.split in study.splits else None
        if value is not None:
            chosen = chosen_answer(item, answer) or answer.text or ""
            gold = [item.choices[item.gold]] if item.gold is not None else item.facts.get("answers", ())
            yield {
                "sample_id": item.id,
                "interaction_type": "single_turn",
                "input": {"raw": item.prompt, "reference": list(map(str, gold)), "choices": list(item.choices) or None},
                "output": {"raw": [answer.text if answer.text is not None else chosen]},
                "answer_attribution": [{**method, "extracted_value": chosen}],
                "evaluation": {"score": value, "is_correct": study.main.percent and value == 1.0},
                "error": answer.status or None,
            }
