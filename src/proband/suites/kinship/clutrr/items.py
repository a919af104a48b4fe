"""CLUTRR rows as our items, and our items as CLUTRR's rows and files.

A round trip keeps people, genders, facts, query, target, k, noise and proof. CLUTRR's columns have no room for the kind
of a single noise fact: it comes back as that of the whole task (task_2.3: all noise is supporting).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.files import csv_lines, write_text
from proband.core.types import Item, Tag
from proband.suites.kinship.clutrr.rows import COLUMNS, TASKS, ClutrrRow, Step, row_of
from proband.suites.kinship.logic.closure import asked_path, distance
from proband.suites.kinship.world.relations import RELATIONS
from proband.suites.kinship.world.rules import check, facts_of, of_item, story_of

TASK_NUMBERS: Final = {name: number for number, name in TASKS.items()}


def to_item(row: ClutrrRow) -> Item:
    """A row as one of our items, with its label unchanged (`audit` judges it)."""
    x, z = (row.names[person] for person in row.query)
    depth = distance(row.chain, row.query)
    tags: dict[str, Tag] = {"task": row.task or "clean", "k": row.k, "target": row.target}
    if row.split:
        tags["split"] = row.split
    if depth is not None:
        tags["depth"] = depth
    return Item(
        id=row.id,
        suite="kinship",
        prompt=f"{row.story}\n{z} is the ___ of {x}.",
        choices=RELATIONS,
        gold=RELATIONS.index(row.target),
        tags=tags,
        facts={
            "names": list(row.names),
            "genders": list(row.genders),
            "edges": [list(edge) for edge in row.typed_facts],
            "query": list(row.query),
            "target": row.target,
            "k": row.k,
            "depth": depth,
            "noise": [[list(edge), row.task] for edge in row.noise],
            "proof": [_numbered(step, row.names) for step in reversed(row.proof)],
            "story": row.story,
            "clean_story": row.clean_story,
        },
        split="train" if row.split == "train" else "test",
    )


def _numbered(step: Step, names: Sequence[str]) -> list[list[Any]]:
    """A proof step over names as [fact, fact, conclusion] over numbers."""
    number = {name: x for x, name in enumerate(names)}
    head, body = step
    return [[number[a], relation, number[b]] for a, relation, b in (*body, head)]


# ---- items as rows -------------------------------------------------------------------------------------------------


def to_cells(item: Item, *, index: int = 0) -> dict[str, str]:
    """One item as the cells of a CLUTRR row: the chain from the asker on, then the noise."""

    def fail(why: str) -> ProbandError:
        return ProbandError(f"item {item.id!r} has no CLUTRR form: {why}")

    if wrong := check(item) or ("" if "edges" in item.facts else "it has no facts"):
        raise fail(wrong)
    facts, task = facts_of(item), str(item.tags.get("task", "clean"))
    names, query, noise = facts.names, facts.pair, [edge for edge, _ in facts.noise]
    stated = [edge for edge in facts.edges if edge not in noise]
    path = asked_path(of_item(item), facts.genders, stated, query)
    chain = path if len(path) == len(stated) else stated  # facts that are no chain keep their order
    if len(chain) != facts.k:
        raise fail(f"k is {facts.k} but {len(chain)} facts are not noise")
    if task not in TASK_NUMBERS:
        raise fail(f"no number for the task {task!r}")
    edges = [*chain, *noise]
    story, clean = str(item.facts.get("story") or story_of(item)), str(item.facts.get("clean_story") or "")
    steps = [[(names[i], word, names[j]) for i, word, j in step] for step in reversed(facts.proof) if len(step) > 2]
    cells = {
        "": str(index),
        "id": item.id,
        "story": bracketed(story, names),
        "query": repr((names[query[0]], names[query[1]])),
        "target": str(facts.target),
        "text_target": "[]",
        "clean_story": bracketed(clean if clean or noise else story, names),
        "proof_state": repr([{head: body} for *body, head in steps]),
        "f_comb": "-".join([relation for _, relation, _ in chain]),
        "task_name": f"task_{TASK_NUMBERS[task]}.{len(chain)}",
        "story_edges": repr([(i, j) for i, _, j in edges]),
        "edge_types": repr([relation for _, relation, _ in edges if relation is not None]),
        "query_edge": repr(query),
        "genders": ",".join([f"{name}:{gender}" for name, gender in zip(names, facts.genders)]),
        "node_mapping": repr({person: person for person in range(len(names))}),
        "task_split": item.split,
    }
    try:
        row_of(cells, file="", line=index + 2)  # checked like any other row
    except ProbandError as error:
        raise fail(str(error)) from None
    return cells


def bracketed(story: str, names: Sequence[str]) -> str:
    """Put names in brackets, as in CLUTRR's files; names in brackets stay unchanged.

    >>> bracketed("Ann met Ben. [Ann] left.", ["Ann", "Ben"])
    '[Ann] met [Ben]. [Ann] left.'
    >>> bracketed("@entity-1 met Al-Bo.", ["@entity-1", "Al-Bo"])
    '[@entity-1] met [Al-Bo].'
    """
    any_name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<![\[\w])({any_name})(?![\]\w])", r"[\1]", story)


# ---- items as CLUTRR's files: training items and test items never share one -----------------------------------------


def export(items: Iterable[Item], path: Path) -> None:
    """`proband export DIR --to clutrr`: into a folder, one file per split, named as CLUTRR names them
    (1.2,1.3_train.csv). Into a .csv file, the test items; training items come next to it, as NAME_train.csv."""
    if path.suffix == ".gz":
        raise ProbandError("is written uncompressed; choose a name that ends in .csv", file=path)
    lines: dict[str, list[str]] = {}
    tasks: dict[str, set[str]] = {}
    for index, item in enumerate(items):
        if of_item(item).world != "family":
            raise ProbandError(f"item {item.id!r} is not about a family: CLUTRR's files have kin words only")
        cells = to_cells(item, index=index)
        lines.setdefault(item.split, [HEADER]).append(csv_line(cells))
        tasks.setdefault(item.split, set()).add(cells["task_name"].removeprefix("task_"))
    for split, rows in lines.items():
        write_text(_file_of(split, path, tasks[split]), "".join(rows))


def _file_of(split: str, path: Path, tasks: set[str]) -> Path:
    """
    >>> str(_file_of("train", Path("out/mine.csv"), {"1.2"})), str(_file_of("test", Path("out"), {"1.10", "1.2"}))
    ('out/mine_train.csv', 'out/1.2,1.10_test.csv')
    """
    if path.suffix == ".csv":
        return path if split == "test" else path.with_name(f"{path.stem}_{split}.csv")
    return path / f"{','.join(sorted(tasks, key=lambda name: [int(x) for x in name.split('.')]))}_{split}.csv"


def csv_line(cells: Mapping[str, str]) -> str:
    """A row as a line of a CLUTRR file."""
    return next(csv_lines([[cells.get(name, "") for name in COLUMNS]], guarded=False))


HEADER = csv_line({name: name for name in COLUMNS})
