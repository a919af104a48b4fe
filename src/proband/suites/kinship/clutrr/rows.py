"""Reads CLUTRR's CSV: the eighteen columns of its six releases (COLUMNS; the first, without a name, is an index).

People are numbered by their place in `genders`. `story_edges` lists the k facts of the chain and then the noise;
`edge_types` types the first k. (Our files type the noise too, which any reader that pairs the two columns accepts.)
`task_name` is task_T.k with T = 1 clean, 2 supporting, 3 irrelevant, 4 disconnected, 5 all, 6 memory, 7 mixed.
The copy on the Hugging Face hub numbers its targets and has the word in `target_text`; it can be read too.

Rows come from strangers: cells are parsed by a bounded literal parser, never evaluated, and whatever does not fit is
reported with file, line and column.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.tables import read_table
from proband.suites.kinship.world.relations import FEMALE, MALE, NEUTRAL, Edge

COLUMNS: Final = (
    *("", "id", "story", "query", "text_query", "target", "text_target", "clean_story", "proof_state", "f_comb"),
    *("task_name", "story_edges", "edge_types", "query_edge", "genders", "syn_story", "node_mapping", "task_split"),
)
NEEDED: Final = ("target", "story_edges", "edge_types", "query_edge", "genders")  # columns that a verdict needs
TASKS: Final = {1: "clean", 2: "supporting", 3: "irrelevant", 4: "disconnected", 5: "all", 6: "memory", 7: "mixed"}
LONGEST_CELL: Final = 1 << 20
MOST_PEOPLE: Final = 64
DEEPEST: Final = 6
Step = tuple[tuple[str, str, str], tuple[tuple[str, str, str], ...]]  # (head, body) over names


@dataclass(frozen=True, kw_only=True)
class ClutrrRow:
    """One checked row. Its label should follow from `chain`; facts of `noise` have types if the file gives them."""

    file: str
    line: int
    id: str
    names: tuple[str, ...]
    genders: tuple[str, ...]
    chain: tuple[Edge, ...]
    noise: tuple[tuple[int, str | None, int], ...]
    query: tuple[int, int]
    target: str
    task: str
    k: int
    split: str
    story: str
    clean_story: str
    proof: tuple[Step, ...]

    @property
    def typed_facts(self) -> list[Edge]:
        """The chain, and the noise facts whose relation is in the columns."""
        return [*self.chain, *((i, word, j) for i, word, j in self.noise if word is not None)]


# ---- the cells -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)  # files repeat the same edges and relations
def literal(text: str) -> Any:
    """The value of a Python literal of bounded length and depth (cached: do not change it); otherwise ValueError.

    >>> literal("[(0, 1), (1, 2)]")
    [(0, 1), (1, 2)]
    >>> literal("[" * 100)
    Traceback (most recent call last):
    ValueError: nested more than 6 deep
    """
    if not text.strip():
        raise ValueError("is empty")
    if len(text) > LONGEST_CELL >> 4:
        raise ValueError(f"longer than {LONGEST_CELL >> 14} KiB")
    depth = 0
    for bracket in re.findall(r"[\[({\])}]", text):
        depth += 1 if bracket in "[({" else -1
        if depth > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} deep")
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise ValueError(f"is not a list or a tuple: {text[:40]!r}") from None


def _pair(value: Any, *, people: int) -> tuple[int, int]:
    if not (isinstance(value, tuple) and len(value) == 2 and all(type(x) is int for x in value)):
        raise ValueError(f"holds {str(value)[:40]!r} instead of a pair of people")
    for x in value:
        if not 0 <= x < people:
            raise ValueError(f"names person {x} but 'genders' lists {people}")
    return value


def _genders(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """
    >>> _genders("Ann:female,Ben:male")
    (('Ann', 'Ben'), ('female', 'male'))
    """
    pairs = [part.rsplit(":", 1) for part in text.split(",")]
    for part in pairs:
        if len(part) != 2 or part[1] not in (MALE, FEMALE) or not part[0].strip():
            raise ValueError(f"holds {':'.join(part)[:40]!r} instead of NAME:male or NAME:female")
    names = tuple(name.strip() for name, _ in pairs)
    if len(set(names)) != len(names):
        raise ValueError("names one person twice")
    if len(names) > MOST_PEOPLE:
        raise ValueError(f"lists {len(names)} people; at most {MOST_PEOPLE} are read")
    return names, tuple(gender for _, gender in pairs)


def _relation(value: Any) -> str:
    if not isinstance(value, str) or value not in NEUTRAL:
        raise ValueError(f"{str(value)[:40]!r} is not one of the 22 relations")
    return value


def _proof(text: str, names: Sequence[str]) -> tuple[Step, ...]:
    """
    >>> _proof("[{('A', 'aunt', 'C'): [('A', 'father', 'B'), ('B', 'sister', 'C')]}]", ["A", "B", "C"])
    ((('A', 'aunt', 'C'), (('A', 'father', 'B'), ('B', 'sister', 'C'))),)
    """
    if not text.strip():
        return ()
    value = literal(text)
    if not isinstance(value, list) or not all(isinstance(step, dict) for step in value):
        raise ValueError("is not a list of steps")
    steps = []
    for head, body in (pair for step in value for pair in step.items()):
        if not (_fact(head) and isinstance(body, (list, tuple)) and all(_fact(each) for each in body)):
            raise ValueError("has a step that is not {fact: [fact, fact]}")
        if wrong := {name for fact in (head, *body) for name in fact[::2]} - set(names):
            raise ValueError(f"names {min(wrong)[:40]!r}, who is not in 'genders'")
        steps.append((head, tuple(body)))
    return tuple(steps)


def _fact(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 3 and all(isinstance(x, str) for x in value)


def _task(text: str, types: int) -> tuple[str, int]:
    """
    >>> _task("task_2.3", 3), _task("", 4)
    (('supporting', 3), ('', 4))
    """
    if not text:
        return "", types
    task = re.fullmatch(r"task_(\d{1,2})\.(\d{1,3})", text)
    if not task:
        raise ValueError(f"is {text[:40]!r}, not task_T.k")
    k = int(task[2])
    if not k:
        raise ValueError("says k=0; a row has at least 1 fact")
    if k > types:
        raise ValueError(f"says k={k} but 'edge_types' has {types}")
    return TASKS.get(int(task[1]), task[1]), k


def row_of(cells: Mapping[str, str], *, file: str, line: int) -> ClutrrRow:
    """A checked row from the cells of a CSV row; an error names the column, not the file."""

    def parse(column: str, parser: Any, *rest: Any, **more: Any) -> Any:
        try:
            return parser(cells.get(column, ""), *rest, **more)
        except ValueError as error:
            raise wrong(column, str(error)) from None

    def wrong(column: str, reason: str) -> ProbandError:
        return ProbandError(f"column {column!r} {reason}")

    names, genders = parse("genders", _genders)
    people = len(names)
    pairs = parse("story_edges", lambda text: [_pair(each, people=people) for each in _list(text)])
    types = parse("edge_types", lambda text: [_relation(each) for each in _list(text)])
    if not pairs or not types:
        raise wrong("edge_types" if pairs else "story_edges", "has no facts")
    if len(types) > len(pairs):
        raise wrong("edge_types", f"types {len(types)} edges but 'story_edges' has {len(pairs)}")
    task, k = parse("task_name", _task, len(types))
    padded = [*types, *[None] * (len(pairs) - len(types))]
    edges = [(i, relation, j) for (i, j), relation in zip(pairs, padded)]
    query = parse("query_edge", lambda text: _pair(literal(text), people=people))
    if query[0] == query[1]:
        raise wrong("query_edge", "asks what a person is to themselves")
    pair = (names[query[0]], names[query[1]])
    if cells.get("query") not in (None, "", repr(pair)) and parse("query", literal) != pair:
        raise wrong("query", "names other people than 'query_edge'")
    if (split := cells.get("task_split", "")) not in ("", "train", "valid", "test"):
        raise wrong("task_split", f"is {split[:40]!r}, not train, valid or test")
    return ClutrrRow(
        file=file,
        line=line,
        id=cells.get("id") or f"{file}:{line}",
        names=names,
        genders=genders,
        chain=tuple(edges[:k]),
        noise=tuple(edges[k:]),
        query=query,
        target=parse("target", _relation),
        task=task,
        k=k,
        split=split,
        story=cells.get("story", ""),
        clean_story=cells.get("clean_story", ""),
        proof=parse("proof_state", _proof, names),
    )


def _list(text: str) -> list[Any]:
    value = literal(text)
    if not isinstance(value, list):
        raise ValueError(f"is not a list: {text[:40]!r}")
    return value


# ---- files -----------------------------------------------------------------------------------------------------------


def read_rows(path: Path) -> Iterator[ClutrrRow]:
    """The rows of a file, plain or gzipped; the first unreadable row is an error."""

    def check_header(names: Sequence[str]) -> None:
        if missing := next((name for name in NEEDED if name not in names), None):
            raise ProbandError(f"not a CLUTRR file: it has no column {missing!r}", file=path, line=1)

    for row in read_table(path, kind=".csv", separator=",", names=check_header, exact=True, keep_bad=True):
        cells = {**row.cells, "target": row.cells.get("target_text", row.cells.get("target", ""))}
        try:
            if row.problem:
                raise ProbandError(row.problem)
            yield row_of(cells, file=path.name, line=row.line or 0)
        except ProbandError as error:
            raise ProbandError(str(error), file=path, line=row.line or 0) from None
