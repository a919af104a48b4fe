"""hf: a folder that `datasets.load_dataset` reads and the Hugging Face hub shows: a file per split and a card."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.files import dumps, write_text
from proband.core.types import Item, Split
from proband.pipeline.export.source import Source, write_splits


def write_hub(source: Source, out: Path) -> Path:
    """Facts are JSON text, since their fields differ from item to item."""
    write_splits(out / "data", source.splits, ((item.split, row(item, source)) for item in source.items()))
    sizes = {split: (out / "data" / f"{split}.jsonl").stat().st_size for split in source.splits}
    write_text(out / "README.md", card(source, sizes))
    if any(split in source.answerable for split in ("valid", "test")):
        write_text(out / "eval.yaml", eval_yaml(source))
    return out


def eval_yaml(source: Source) -> str:
    """What makes the dataset a benchmark of the hub (Community Evals), run by `inspect eval hf/ORG/NAME`."""
    split = "test" if "test" in source.answerable else "valid"
    return "\n".join(
        [
            f"name: {dumps('Proband ' + source.suite)}",
            f"description: {dumps(suites.suite(source.suite).question)}",
            "evaluation_framework: inspect-ai",
            "tasks:",
            f"  - id: {source.task}",
            "    config: default",
            f"    split: {split}",
            "    field_spec: {input: prompt, target: label, choices: choices, id: id}",
            "    solvers:",
            "      - name: multiple_choice",
            "    scorers:",
            "      - name: choice",
            "",
        ]
    )


def row(item: Item, source: Source) -> dict[str, Any]:
    return {
        "id": item.id,
        "prompt": item.prompt,
        "choices": item.choices,
        "label": -1 if item.gold is None else item.gold,
        **({"tags": source.tags_of(item)} if source.tags else {}),
        "facts": dumps(item.facts),
    }


def card(source: Source, sizes: Mapping[Split, int]) -> str:
    """The YAML that the hub reads (licence, features, splits with `sizes` in bytes, files), then a few words."""
    licence, total = source.licence, sum(source.splits.values())
    head = [f"license: {licence.name}"]
    if licence.name == "other":
        head += [f"license_name: {dumps(licence.text)}", "license_link: LICENCE"]
    head += [f"pretty_name: Proband {source.suite}", "configs:", "- config_name: default", "  data_files:"]
    for split in source.splits:
        head += [f"  - split: {split}", f"    path: data/{split}.jsonl"]
    head += ["dataset_info:", "  features:", *features(source), "  splits:"]
    for split, count in source.splits.items():
        head += [f"  - name: {split}", f"    num_bytes: {sizes[split]}", f"    num_examples: {count}"]
    counts = ", ".join(f"{split} {count:,}" for split, count in source.splits.items())
    return (
        "---\n" + "\n".join(head) + "\n---\n"
        f"# Proband {source.suite}\n\n{total:,} items ({counts}) built by `proband build {source.suite}`.\n"
        "`label` indexes `choices` (-1: open), `facts` is JSON.\n\n"
        f"Licence: {licence.text}\n"
    )


def features(source: Source) -> list[str]:
    """The columns and their types, as the hub writes them."""
    lines = ["  - name: id", "    dtype: string", "  - name: prompt", "    dtype: string"]
    lines += ["  - name: choices", "    list: string", "  - name: label", "    dtype: int64"]
    if source.tags:
        lines += ["  - name: tags", "    struct:"]
        for name, kind in source.tags.items():
            lines += [f"    - name: {dumps(name)}", f"      dtype: {kind}"]
    return [*lines, "  - name: facts", "    dtype: string"]
