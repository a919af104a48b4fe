"""inspect: samples and a ready task file for inspect_ai, `inspect eval FOLDER/proband_SUITE.py --model MODEL`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from proband.core.files import write_text
from proband.core.types import Item
from proband.pipeline.export.source import Source, write_splits

TASK = '''"""{title}

Licence of the items: {licence}
"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import accuracy, choice, stderr
from inspect_ai.solver import multiple_choice

try:  # with proband[inspect]: intervals for samples that share material
    from proband.inspect_extension import calibrated_ci, minimum_detectable_difference

    METRICS = [accuracy(), stderr(), calibrated_ci(), minimum_detectable_difference()]
except ImportError:
    METRICS = [accuracy(), stderr()]

SPLITS = {splits}


@task
def {name}(split: str = "{default}") -> Task:
    """Another split: `-T split=NAME`."""
    if split not in SPLITS:
        raise ValueError(f"no split {{split!r}}; there are {{', '.join(SPLITS)}}")
    samples = Path(__file__).resolve().parent / f"{{split}}.jsonl"
    return Task(
        dataset=json_dataset(str(samples), name="{name}"),
        solver=multiple_choice(),
        scorer=choice(),
        metrics=METRICS,
        metadata={metadata},
    )
'''


def write_inspect(source: Source, out: Path) -> Path:
    splits = source.only_questions("inspect")
    name = source.task
    write_splits(out, splits, ((item.split, sample(item)) for item in source.questions()))
    licence = source.licence
    text = TASK.format(
        title=f"Items of Proband's suite {source.suite} as multiple choice.",
        licence=licence.text.replace("\\", "/").replace('"', "'"),
        splits=tuple(splits),
        name=name,
        default="test" if "test" in splits else "valid",
        metadata=repr({"license": licence.name, "licence": licence.text}),
    )
    write_text(out / f"{name}.py", text)
    return out


def sample(item: Item) -> dict[str, Any]:
    return {
        "id": item.id,
        "input": item.prompt,
        "choices": item.choices,
        "target": letter(item.gold or 0),
        "metadata": {"suite": item.suite, "split": item.split, **item.tags, **_clusters(item)},
    }


def _clusters(item: Item) -> dict[str, Any]:
    """What the item shares with others, for `proband compare` of logs."""
    clusters = item.facts.get("clusters")
    return {"clusters": [str(each) for each in clusters]} if clusters else {}


def letter(index: int) -> str:
    """The choice's name in inspect's multiple choice: A to Z, then 1, 2, 3, ...

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', '1')
    """
    return chr(ord("A") + index) if index < 26 else str(index - 25)
