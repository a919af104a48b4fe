"""Items in other tools' formats. Every format keeps the split of the items, and their licence goes along.

Reads in this order: source; here; task_packages (inspect, lm-eval). What is written around the items (cards, tasks) are
the templates next to this file.
"""

from __future__ import annotations

import filecmp
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import atomic, csv_lines, dumps, render_text, write_text
from proband.core.types import Item
from proband.pipeline.asking.setup import suite_of
from proband.pipeline.export.results import write_results
from proband.pipeline.export.source import PACKAGE, ExportSource, survey, write_licence, write_splits
from proband.pipeline.export.task_packages import write_inspect, write_lm_eval
from proband.pipeline.step_labels import write_stepwise
from proband.pipeline.steps import Checkers, replies_of


def write_csv(source: ExportSource, out: Path) -> None:
    """id, suite, split, prompt, one column per choice and per tag, gold (empty for open items), facts as JSON."""
    path = out if out.suffix == ".csv" else out / "items.csv"
    choices, tags = [f"choice_{i}" for i in range(source.width)], [f"tag_{name}" for name in source.tags]

    def rows() -> Iterator[Sequence[Any]]:
        yield ["id", "suite", "split", "prompt", *choices, "gold", *tags, "facts"]
        for item in source.items():
            padded = [*item.choices, *[""] * (source.width - len(item.choices))]
            values = (item.tags.get(name, "") for name in source.tags)
            gold = "" if item.gold is None else item.gold
            yield [item.id, item.suite, item.split, item.prompt, *padded, gold, *values, dumps(item.facts)]

    with atomic(path) as file:
        file.writelines(csv_lines(rows(), guarded=False))  # for programs: the texts as they are


def write_hub(source: ExportSource, out: Path) -> None:
    """A folder that `datasets.load_dataset` reads and the Hugging Face hub shows: a file per split, a card, and
    eval.yaml, which makes the dataset a benchmark of the hub (Community Evals; `inspect eval hf/ORG/NAME` runs it)."""
    write_splits(out / "data", source.splits, ((item.split, hub_row(item, source)) for item in source.items()))
    sizes = {split: (out / "data" / f"{split}.jsonl").stat().st_size for split in source.splits}
    write_text(out / "README.md", render_text(PACKAGE, "hub_card.md", source=source, sizes=sizes))
    if any(split in source.answerable for split in ("valid", "test")):
        question = suites.suite(source.suite).question
        write_text(out / "eval.yaml", render_text(PACKAGE, "hub_eval.yaml", source=source, question=question))


def hub_row(item: Item, source: ExportSource) -> dict[str, Any]:
    """Facts are JSON text, since their fields differ from item to item."""
    return {
        "id": item.id,
        "prompt": item.prompt,
        "choices": item.choices,
        "label": -1 if item.gold is None else item.gold,
        **({"tags": source.tags_of(item)} if source.tags else {}),
        "facts": dumps(item.facts),
    }


FORMATS: Mapping[str, Callable[[ExportSource, Path], None]] = {
    "csv": write_csv,
    "hf": write_hub,
    "lm-eval": write_lm_eval,
    "inspect": write_inspect,
}
OF_RUNS: Mapping[str, Callable[[Path, Path, str], Mapping[str, Any]]] = {
    "stepwise": lambda run, out, model_id: write_stepwise(map(Checkers().record, replies_of(run)), out),
    "every-eval-ever": write_results,
}
FOR_QUESTIONS = ("lm-eval", "inspect")  # formats that hold only items with choices and a right answer


def export(
    items: str | Path, *, to: str, out: str | Path = ".", force: bool = False, model_id: str = ""
) -> dict[str, Any]:
    """Write items in the format of another tool, or the results of a run for a public collection.

    Example: proband export items --to csv -o items.csv

    :param items: Folder of items or of a run.
    :param to: csv, hf, lm-eval, inspect, the suite's own; of runs: stepwise, every-eval-ever.
    :param out: File or folder to write; other existing files need --force.
    :param model_id: The model of a run, as the Hugging Face hub names it.
    """
    if to in OF_RUNS:
        with staged(Path(out), force=force) as place:
            return {"format": to, **OF_RUNS[to](Path(items), place, model_id), "out": str(out)}
    own = suite_of(items).export
    if to not in {**FORMATS, **own}:
        raise ProbandError(f"no format {to!r}; there are {', '.join([*FORMATS, *OF_RUNS, *own])}")
    source = survey(Path(items))
    with staged(Path(out), force=force) as place:
        if to in FORMATS:
            FORMATS[to](source, place)
        if to in own:
            own[to](source.items(), place)
        splits = source.answerable if to in FOR_QUESTIONS else source.splits
        count = sum(splits.values())
        write_licence(place, source, items=count)
    return {
        "format": to,
        "suite": source.suite,
        "items": count,
        "splits": dict(splits),
        "left_out": dict(source.left_out) if to in FOR_QUESTIONS else {},
        "licence": source.licence,
        "out": str(out),
    }


@contextmanager
def staged(out: Path, *, force: bool) -> Iterator[Path]:
    """A place of the same name as `out` to write to; at the end everything goes to `out`, or nothing where that would
    write over a file with other content."""
    target = out.resolve()
    beside = target if target.is_dir() else target.parent
    beside.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".export.", dir=beside) as folder:
        place = Path(folder) / target.name
        if target.is_dir():
            place.mkdir()
        yield place
        files = {path: target.parent / path.relative_to(folder) for path in Path(folder).rglob("*") if path.is_file()}
        for path, final in sorted(files.items()):
            if not force and final.exists() and not (final.is_file() and filecmp.cmp(path, final, shallow=False)):
                wrong = "already exists with different content; choose another path, or use --force"
                raise ProbandError(wrong, file=final)
        for path, final in sorted(files.items()):
            final.parent.mkdir(parents=True, exist_ok=True)
            path.replace(final)
