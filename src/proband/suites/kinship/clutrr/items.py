"""CLUTRR rows as our items, and our items as CLUTRR rows.

A round trip keeps people, genders, facts, query, target, k, noise and proof. CLUTRR's columns have no room for the kind
of a single noise fact: it comes back as that of the whole task (task_2.3: all noise is supporting).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.types import Item
from proband.suites.kinship.clutrr.rows import MOST_PEOPLE, TASKS, Row, Step
from proband.suites.kinship.world.relations import FEMALE, MALE, NEUTRAL, RELATIONS

WORD: Final = re.compile(r"(?<![\[\w])\w+(?![\]\w])")
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
        split="train" if row.split == "train" else "test",
    )


def _numbered(step: Step, names: Sequence[str]) -> list[list[Any]]:
    """A step over names as [fact, fact, what follows] over numbers."""
    number = {name: x for x, name in enumerate(names)}
    head, body = step
    return [[number.get(a, a), relation, number.get(b, b)] for a, relation, b in (*body, head)]


# ---- items as rows -------------------------------------------------------------------------------------------------


def to_row(item: Item, *, file: str = "items.jsonl", line: int = 1) -> Row:
    """One item as a checked CLUTRR row."""
    facts = item.facts
    try:
        names, genders = tuple(map(str, facts["names"])), tuple(facts["genders"])
        noise = [tuple(edge) for edge, _ in facts.get("noise", [])]
        told = [tuple(edge) for edge in facts["edges"]]
        chain = _in_order([edge for edge in told if edge not in noise], start=facts["query"][0])
        story, clean = _story(item), str(facts.get("clean_story") or "")
        row = Row(
            file=file,
            line=line,
            id=item.id,
            names=names,
            genders=genders,
            chain=tuple(chain),
            noise=tuple(noise),
            query=tuple(facts["query"]),
            target=facts["target"],
            task=str(item.tags.get("task", "clean")),
            k=facts["k"],
            split=item.split,
            story=bracketed(story, names),
            clean_story=bracketed(clean, names) if clean or noise else bracketed(story, names),
            proof=tuple(_step(step, names) for step in reversed(facts.get("proof", []))),
        )
        _check(row)
        return row
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ProbandError(f"item {item.id!r} has no CLUTRR form: {type(error).__name__} {error}") from None


def _check(row: Row) -> None:
    """What `row_of` asks of the cells of a row."""
    people = len(row.names)
    if row.task not in TASK_NUMBERS:
        raise ProbandError(f"item {row.id!r}: CLUTRR has no task {row.task!r}")
    if len(row.genders) != people or len(set(row.names)) != people or people > MOST_PEOPLE:
        raise ValueError(f"{people} names, {len(row.genders)} genders")
    if any(gender not in (MALE, FEMALE) for gender in row.genders):
        raise ValueError("a gender is neither male nor female")
    words = [row.target, *(word for _, word, _ in (*row.chain, *row.noise) if word is not None)]
    if wrong := next((word for word in words if word not in NEUTRAL), None):
        raise ValueError(f"{str(wrong)[:40]!r} is not one of the 22 relations")
    numbers = [*row.query, *(x for i, _, j in (*row.chain, *row.noise) for x in (i, j))]
    if any(type(x) is not int or not 0 <= x < people for x in numbers) or len(set(row.query)) != 2:
        raise ValueError("a fact or the query is about somebody who is not named")
    if type(row.k) is not int or len(row.chain) != row.k or not row.chain:
        raise ValueError(f"k is {row.k} but {len(row.chain)} facts are no noise")


def to_cells(item: Item, *, index: int = 0) -> dict[str, str]:
    """One item as the cells of a CLUTRR row."""
    return cells_of(to_row(item), index=index)


def cells_of(row: Row, *, index: int = 0) -> dict[str, str]:
    """The cells of a row that came from an item."""
    edges = (*row.chain, *row.noise)
    return {
        "": str(index),
        "id": row.id,
        "story": row.story,
        "query": repr((row.names[row.query[0]], row.names[row.query[1]])),
        "target": row.target,
        "text_target": "[]",
        "clean_story": row.clean_story,
        "proof_state": repr([{head: list(body)} for head, body in row.proof]),
        "f_comb": "-".join([relation for _, relation, _ in row.chain]),
        "task_name": f"task_{TASK_NUMBERS[row.task]}.{row.k}",
        "story_edges": repr([(i, j) for i, _, j in edges]),
        "edge_types": repr([relation for _, relation, _ in edges if relation is not None]),
        "query_edge": repr(row.query),
        "genders": ",".join([f"{name}:{gender}" for name, gender in zip(row.names, row.genders)]),
        "node_mapping": repr({x: x for x in range(len(row.names))}),
        "task_split": row.split,
    }


def _story(item: Item) -> str:
    return str(item.facts.get("story") or item.prompt.rsplit("\n", 1)[0])


def bracketed(story: str, names: Sequence[str]) -> str:
    """Names in brackets, as CLUTRR has them; those that are stay.

    >>> bracketed("Ann met Ben. [Ann] left.", ["Ann", "Ben"])
    '[Ann] met [Ben]. [Ann] left.'
    >>> bracketed("@entity-1 met Al-Bo.", ["@entity-1", "Al-Bo"])
    '[@entity-1] met [Al-Bo].'
    """
    if all(map(str.isalnum, names)):  # one pattern for all stories, which need not be compiled again and again
        known = set(names)
        return WORD.sub(lambda found: f"[{found[0]}]" if found[0] in known else found[0], story)
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


def _step(step: Sequence[Any], names: Sequence[str]) -> Step:
    def name(x: Any) -> str:
        return names[x] if isinstance(x, int) else str(x)

    *body, head = ((name(i), relation, name(j)) for i, relation, j in step)
    return head, tuple(body)
