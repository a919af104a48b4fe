"""lm-eval: a multiple-choice task for EleutherAI's lm-evaluation-harness that scores what our own solver scores.

The harness adds log P over the tokens of `context + continuation` that come after those of `context`, which is our
score of a choice with `norm=sum`. It runs from any folder: `lm_eval --include_path FOLDER --tasks proband_SUITE`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.core.files import dumps, write_text
from proband.core.suite import Solver
from proband.core.types import Item
from proband.pipeline.export.asked_texts import Asked, solver_of, with_texts
from proband.pipeline.export.source import Source, write_splits

LOADER = '''"""The items of the task {name}, from the folder that this file is in."""

from pathlib import Path

SPLITS = {splits}


def load(**_):
    import datasets

    here = Path(__file__).resolve().parent
    return datasets.load_dataset("json", data_files={{split: str(here / f"{{split}}.jsonl") for split in SPLITS}})
'''


def write_lm_eval(source: Source, out: Path) -> Path:
    splits = source.only_questions("lm-eval")
    name, solver = source.task, solver_of(source)
    write_splits(out, splits, ((item.split, row(item, asked, source)) for item, asked in with_texts(source, solver)))
    write_text(out / f"{name}_data.py", LOADER.format(name=name, splits=tuple(splits)))
    write_text(out / f"{name}.yaml", task(source, name, solver))
    return out


def row(item: Item, asked: Asked, source: Source) -> dict[str, Any]:
    return {
        "id": item.id,
        "context": asked.context,
        "continuations": asked.continuations,
        "choices": item.choices,
        "gold": item.gold,
        "clusters": [str(each) for each in item.facts.get("clusters", ())],  # what it shares, for `proband compare`
        **({"tags": source.tags_of(item)} if source.tags else {}),
    }


def task(source: Source, name: str, solver: Solver) -> str:
    """The task's YAML. Training items are for few-shot prompts only."""
    uses = {"train": ("training_split", "fewshot_split"), "valid": ("validation_split",), "test": ("test_split",)}
    lines = [f"task: {name}", f"custom_dataset: !function {name}_data.load"]
    lines += [f"{use}: {split}" for split in source.asked for use in uses[split]]
    lines += [
        "output_type: multiple_choice",
        "doc_to_text: context",
        "doc_to_choice: continuations",
        "doc_to_target: gold",
        'target_delimiter: ""',
        "metric_list:",
        "  - metric: acc",
        "    aggregation: mean",
        "    higher_is_better: true",
        "metadata:",
        "  version: 1.0",
        f"  solver: {solver.name}",
        f"  license: {source.licence.name}",
        f"  licence: {dumps(source.licence.text)}",
    ]
    return "\n".join(lines) + "\n"
