"""JSON Schemas of our files, generated from the structs that read and write them.

python docs/schemas/write_schemas.py [FOLDER]
"""

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from proband.core.metrics import Estimate
from proband.core.plugins import described
from proband.core.types import Answer, Item, Judgment, Run
from proband.pipeline.run_options import RunOptions
from proband.pipeline.studies.study_file import RUN_KEYS, StudyFile

HERE = Path(__file__).resolve().parent
FILES: dict[str, tuple[str, type]] = {
    "item": ("a line of items.jsonl", Item),
    "answer": ("a line of answers.jsonl", Answer),
    "judgment": ("a line of judgments.jsonl", Judgment),
    "run": ("run.json", Run),
    "estimate": ("a cell of report.json", Estimate),
    "study": ("a study file (TOML), with its parameters filled in", StudyFile),
}


def schemas() -> dict[str, dict[str, Any]]:
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    made = {name: dialect | {"title": title} | msgspec.json.schema(kind) for name, (title, kind) in FILES.items()}
    parts = made["study"]["$defs"]
    parts["RunPart"]["properties"].pop("(run options)")  # which holds the options of a run
    for field in described(RunOptions):
        if field.name in RUN_KEYS:
            parts["RunPart"]["properties"][field.name] = msgspec.json.schema(field.hint) | {"default": field.default}
    return made


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        text = json.dumps(schema, indent=2, sort_keys=True) + "\n"
        (folder / f"{name}.schema.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
