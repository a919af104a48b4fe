"""One item: its text, its proof or alignment, and the answers of the runs over it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proband import suites
from proband.core.errors import ProbandError
from proband.core.files import encode, items_path, parse, read_run, sha256_file, told_of, without_mark
from proband.core.types import Answer, Item
from proband.pipeline.report import PathLike, items_of, run_folders
from proband.reporting.numbers.systems import run_labels


def show(folder: PathLike, item_id: str, *, runs: Sequence[PathLike] = ()) -> dict[str, Any]:
    """The item, its text, and the answer of every run given (or found beside the items)."""
    place = Path(folder)
    if (place / "run.json").exists():
        runs = [place, *runs]
        place = items_of(place, read_run(place / "run.json"))
    path = items_path(place)
    item = find(path, Item, item_id)
    if item is None:
        raise ProbandError(f"has no item {item_id!r}", file=path)
    suite = suites.suite(item.suite)
    if wrong := suite.check(item):
        raise ProbandError(f"item {item.id!r}: {wrong}", file=path)
    around = run_folders(runs) if runs else [note.parent for note in sorted(path.parent.parent.glob("**/run.json"))]
    sha = sha256_file(path) if around else ""
    read = [(each / "answers.jsonl", read_run(each / "run.json")) for each in around]
    read = [(file, run) for file, run in read if run.items_sha == sha and file.exists()]
    answers = []
    for (file, run), label in zip(read, run_labels([run for _, run in read])):
        answer = find(file, Answer, item_id)
        if answer is not None:
            numbers = suite.metric().numbers(item, answer)
            right = sum(numbers) / len(numbers) if numbers else None
            whose = {"label": label, "model": run.model, "solver": run.solver, "run": str(file.parent)}
            answers.append({**whose, "answer": answer, "right": right})
    return {"item": item, "text": suite.show(item), "answers": answers}


def find(path: Path, kind: type[Any], name: str) -> Any:
    """The record of that id: only lines that hold its bytes are parsed."""
    wanted, key = encode(name), "id" if kind is Item else "item_id"
    with told_of(path), open(path, "rb") as file:
        for number, raw in enumerate(file, start=1):
            if wanted in raw:
                record = parse(kind, without_mark(raw, path) if number == 1 else raw, file=path, line=number)
                if getattr(record, key) == name:
                    return record
    return None
