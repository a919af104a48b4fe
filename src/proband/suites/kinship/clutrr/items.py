"""CLUTRR rows as our items, and our items as CLUTRR rows.

A round trip keeps people, genders, facts, query, target, k, noise and proof. CLUTRR's columns have no room for the kind
of a single noise fact: it comes back as that of the whole task (task_2.3: all noise is supporting).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.files import atomic
from proband.core.types import Item
from proband.suites.kinship.clutrr.rows import COLUMNS, TASKS, Row, Step
from proband.suites.kinship.world.relations import RELATIONS

TASK_NUMBERS: Final = {name: number for number, name in TASKS.items()}


def shortest_path(edges: Iterable[tuple[int, Any, int]], query: tuple[int, int]) -> int | None:
    """The fewest facts that connect the two people asked about, read in either direction.

    >>> shortest_path([(0, "son", 1), (1, "father", 0), (0, "wife", 2)], (0, 2))
    1
    """
    near: dict[int, set[int]] = {}
    for i, _, j in edges:
        near.setdefault(i, set()).add(j)
        near.setdefault(j, set()).add(i)
    reached, steps = {query[0]}, 0
    while query[1] not in reached:
        wider = reached.union(*(near.get(x, set()) for x in reached))
        if wider == reached:
            return None
        reached, steps = wider, steps + 1
    return steps


def prompt_of(story: str, asker: str, asked: str) -> str:
    return f"{story}\n{asked} is the ___ of {asker}."


def to_item(row: Row) -> Item:
    """A row as one of our items; its label is taken as it stands (`audit` judges it)."""
    asker, asked = (row.names[x] for x in row.query)
    depth = shortest_path(row.chain, row.query)
    tags: dict[str, str | int] = {"task": row.task or "clean", "k": row.k, "target": row.target}
    if row.split:
        tags["split"] = row.split
    if depth is not None:
        tags["depth"] = depth
    typed = [edge for edge in row.noise if edge[1] is not None]
    return Item(
        id=row.id,
        suite="kinship",
        prompt=prompt_of(row.story, asker, asked),
        choices=RELATIONS,
        gold=RELATIONS.index(row.target),
        tags=tags,
        facts={
            "names": list(row.names),
            "genders": list(row.genders),
            "edges": [list(edge) for edge in (*row.chain, *typed)],
            "query": list(row.query),
            "target": row.target,
            "k": row.k,
            "depth": depth,
            "noise": [[list(edge), row.task] for edge in row.noise],
            "proof": [_numbered(step, row.names) for step in reversed(row.proof)],
            "story": row.story,
            "clean_story": row.clean_story,
        },
    )


def _numbered(step: Step, names: Sequence[str]) -> list[list[Any]]:
    """A step over names as [fact, fact, what follows] over numbers."""
    number = {name: x for x, name in enumerate(names)}
    head, body = step
    return [[number.get(a, a), relation, number.get(b, b)] for a, relation, b in (*body, head)]


# ---- writing -------------------------------------------------------------------------------------------------------


def write_csv(items: Iterable[Item], path: Path) -> int:
    """The items as a CLUTRR file (gzipped if its name ends in .gz); returns how many rows."""
    rows = [to_cells(item, index=index) for index, item in enumerate(items)]
    return write_cells(rows, path)


def export(items: Sequence[Item], path: Path) -> None:
    """`proband export DIR --to clutrr`: one file, or in a folder one per split, named as CLUTRR names them."""
    if path.suffix in (".csv", ".gz"):
        write_csv(items, path)
        return
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(str(item.tags.get("split", "test")), []).append(item)
    for split, members in sorted(groups.items()):
        tasks = sorted({_task_name(item) for item in members}, key=lambda name: [int(x) for x in name.split(".")])
        write_csv(members, path / f"{','.join(tasks)}_{split}.csv")


def write_cells(rows: Iterable[Mapping[str, str]], path: Path) -> int:
    """Rows with CLUTRR's columns, in their order."""
    if path.suffix == ".gz":
        raise ProbandError("is written plain: choose a name that ends in .csv", file=path)
    count = 0
    with atomic(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for cells in rows:
            writer.writerow([cells.get(name, "") for name in COLUMNS])
            count += 1
    return count


def to_cells(item: Item, *, index: int = 0) -> dict[str, str]:
    """One item as the cells of a CLUTRR row."""
    facts = item.facts
    try:
        names, genders, query, target = facts["names"], facts["genders"], facts["query"], facts["target"]
        noise = [tuple(edge) for edge, _ in facts.get("noise", [])]
        told = [tuple(edge) for edge in facts["edges"]]
        chain = _in_order([edge for edge in told if edge not in noise], start=query[0])
        edges = [*chain, *noise]
        a, b = names[query[0]], names[query[1]]
        types = [relation for _, relation, _ in edges if relation is not None]
        return {
            "": str(index),
            "id": item.id,
            "story": bracketed(_story(item), names),
            "query": repr((a, b)),
            "target": target,
            "text_target": "[]",
            "clean_story": bracketed(str(facts.get("clean_story") or ("" if noise else _story(item))), names),
            "proof_state": repr([_step(step, names) for step in reversed(facts.get("proof", []))]),
            "f_comb": "-".join(relation for _, relation, _ in chain),
            "task_name": "task_" + _task_name(item),
            "story_edges": repr([(i, j) for i, _, j in edges]),
            "edge_types": repr(types),
            "query_edge": repr(tuple(query)),
            "genders": ",".join(f"{name}:{gender}" for name, gender in zip(names, genders, strict=True)),
            "node_mapping": repr({x: x for x in range(len(names))}),
            "task_split": str(item.tags.get("split", "test")),
        }
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ProbandError(f"item {item.id!r} has no CLUTRR form: {type(error).__name__} {error}") from None


def _task_name(item: Item) -> str:
    task = str(item.tags.get("task", "clean"))
    if task not in TASK_NUMBERS:
        raise ProbandError(f"item {item.id!r}: CLUTRR has no task {task!r}")
    number = TASK_NUMBERS[task]
    return f"{number}.{item.facts['k']}"


def _story(item: Item) -> str:
    return str(item.facts.get("story") or item.prompt.rsplit("\n", 1)[0])


def bracketed(story: str, names: Sequence[str]) -> str:
    """Names in brackets, as CLUTRR has them; those that are stay.

    >>> bracketed("Ann met Ben. [Ann] left.", ["Ann", "Ben"])
    '[Ann] met [Ben]. [Ann] left.'
    """
    any_name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<![\[\w])({any_name})(?![\]\w])", r"[\1]", story)


def _in_order(edges: Sequence[Any], *, start: int) -> list[Any]:
    """The chain's facts from the asker on, where they are a chain; as told otherwise."""
    left, here, ordered = list(edges), start, []
    while left:
        following = next((edge for edge in left if edge[0] == here), None)
        if following is None:
            return list(edges)
        left.remove(following)
        ordered.append(following)
        here = following[2]
    return ordered


def _step(step: Sequence[Any], names: Sequence[str]) -> dict[Any, Any]:
    def name(x: Any) -> str:
        return names[x] if isinstance(x, int) else x

    *body, head = ((name(i), relation, name(j)) for i, relation, j in step)
    return {head: body}
