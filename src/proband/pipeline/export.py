"""Items in other tools' formats: csv, hf (a data set folder), lm-eval (a task), inspect (samples)."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from proband.core.files import atomic, dumps, write_text
from proband.core.types import Item


def to_csv(items: Sequence[Item], out: Path) -> None:
    """One line per item: id, suite, prompt, one column per choice and per tag, gold, facts as JSON."""
    width = max((len(item.choices) for item in items), default=0)
    tags = sorted({tag for item in items for tag in item.tags})
    with atomic(csv_path(out)) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            [
                "id",
                "suite",
                "prompt",
                *(f"choice_{i}" for i in range(width)),
                "gold",
                *(f"tag_{t}" for t in tags),
                "facts",
            ]
        )
        for item in items:
            choices = [*item.choices, *[""] * (width - len(item.choices))]
            gold = "" if item.gold is None else item.gold
            writer.writerow(
                [
                    item.id,
                    item.suite,
                    item.prompt,
                    *choices,
                    gold,
                    *(item.tags.get(t, "") for t in tags),
                    dumps(item.facts),
                ]
            )


def csv_path(out: Path) -> Path:
    return out if out.suffix == ".csv" else out / "items.csv"


def to_hf(items: Sequence[Item], out: Path) -> None:
    """A folder that `datasets.load_dataset` reads: JSON lines per split, and a card that says what they are.

    Tags and facts are JSON text, since their fields differ from item to item.
    """
    splits: dict[str, list[str]] = {}
    for item in items:
        row = {
            "id": item.id,
            "prompt": item.prompt,
            "choices": list(item.choices),
            "label": -1 if item.gold is None else item.gold,
            "tags": dumps(item.tags),
            "facts": dumps(item.facts),
        }
        splits.setdefault(str(item.tags.get("split", "test")), []).append(json.dumps(row, ensure_ascii=False))
    for split, lines in splits.items():
        write_text(out / "data" / f"{split}.jsonl", "".join(line + "\n" for line in lines))
    files = "".join(f"  - split: {split}\n    path: data/{split}.jsonl\n" for split in splits)
    name = items[0].suite if items else "items"
    write_text(
        out / "README.md",
        f"---\nconfigs:\n- config_name: default\n  data_files:\n{files}---\n# proband {name}\n\n"
        f"{len(items)} items built by `proband build {name}`; `label` indexes `choices` (-1: open).\n",
    )


def to_lm_eval(items: Sequence[Item], out: Path) -> None:
    """A multiple-choice task for lm-evaluation-harness: NAME.yaml and its data."""
    name = f"proband_{items[0].suite}" if items else "proband"
    rows = [
        {"id": item.id, "query": item.prompt, "choices": list(item.choices), "gold": item.gold, "tags": dict(item.tags)}
        for item in items
        if item.gold is not None
    ]
    write_text(out / "items.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    write_text(
        out / f"{name}.yaml",
        f"""task: {name}
dataset_path: json
dataset_kwargs:
  data_files:
    test: items.jsonl
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{query}}}}"
doc_to_target: gold
doc_to_choice: choices
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
""",
    )


def to_inspect(items: Sequence[Item], out: Path) -> None:
    """Samples for inspect_ai's `json_dataset`: input, choices, target letter, id, metadata."""
    rows = []
    for item in items:
        target = "" if item.gold is None else chr(ord("A") + item.gold)
        rows.append(
            {
                "id": item.id,
                "input": item.prompt,
                "choices": list(item.choices),
                "target": target,
                "metadata": {"suite": item.suite, **item.tags},
            }
        )
    path = out if out.suffix == ".jsonl" else out / "samples.jsonl"
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


FORMATS: Mapping[str, Callable[[Sequence[Item], Path], None]] = {
    "csv": to_csv,
    "hf": to_hf,
    "lm-eval": to_lm_eval,
    "inspect": to_inspect,
}
