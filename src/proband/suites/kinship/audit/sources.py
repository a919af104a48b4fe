"""From files to cases: which files an audit reads, and what it keeps of each row.

A release is the folder a file stands in; train and test rows of one release are compared with each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from proband.core.errors import ProbandError
from proband.core.files import parse, read_lines, sha256_text
from proband.core.types import Item
from proband.suites.kinship.audit.story_text import contradicted, read_story, type_noise
from proband.suites.kinship.audit.verdicts import Case, ProofStep
from proband.suites.kinship.certify.sat_clauses import witnesses
from proband.suites.kinship.certify.search import LARGEST
from proband.suites.kinship.clutrr.csv_files import scan_cells
from proband.suites.kinship.clutrr.items import shortest_path, to_cells
from proband.suites.kinship.clutrr.rows import Row, Unreadable, row_of
from proband.suites.kinship.logic.patterns import Pattern, parts
from proband.suites.kinship.world.kernel import WORLDS, Edge
from proband.suites.kinship.world.relations import NEUTRAL

CHUNK: Final = 400
Raw = tuple[int, dict[str, str]] | Unreadable


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file to audit: where it is, what to call it, and the release it belongs to."""

    path: Path
    name: str
    release: str


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What is kept of a row: its places in the file, its case, and what its text shows without a judgment."""

    source: str
    release: str
    line: int
    id: str
    split: str
    task: str
    k: int
    path: int | None  # facts on the shortest way between the two people
    revisits: bool
    target: str
    case: Case
    order: tuple[int, ...]  # who is who in the case
    rest: tuple[Case, ...]  # facts that are not connected with the question: they must have a family too
    noisy: tuple[Case, ...]  # the case with untyped noise facts added and the rest, where the text types all of them
    has_noise: bool
    names: tuple[str, ...]
    clause: str  # the relations along the chain
    slips: tuple[tuple[str, str], ...]
    contradicted: tuple[Edge, ...]
    read: int  # facts the text reader found
    untold: tuple[str, ...]  # people of the columns whom the story never mentions
    story: str  # digests: of the text, of the text with people numbered, and of its sentences
    template: str
    sentences: tuple[str, ...]


# ---- the files -----------------------------------------------------------------------------------------------------


def sources(path: Path) -> list[Source]:
    """The CLUTRR files (or our items) at `path`: a file, a folder, or a folder of releases."""
    if not path.exists():
        raise ProbandError("no such file or folder", file=path)
    if path.is_file():
        return [Source(path=path, name=path.name, release=path.resolve().parent.name)]
    files = sorted(p for p in path.rglob("*") if p.is_file() and p.name.endswith((".csv", ".csv.gz", "items.jsonl")))
    kept = [p for p in files if p.name.endswith("items.jsonl") or _is_clutrr(p)]
    if not kept:
        raise ProbandError("holds neither CLUTRR's CSV files nor an items.jsonl", file=path)
    return [
        Source(
            path=p, name=p.relative_to(path).as_posix(), release=(path.resolve() if p.parent == path else p.parent).name
        )
        for p in kept
    ]


def _is_clutrr(path: Path) -> bool:
    """Other CSV files may stand beside the data (templates, names): their headers tell."""
    try:
        next(scan_cells(path), None)
    except ProbandError as error:
        if "not a CLUTRR file" in str(error) or "is empty" in str(error):
            return False
        raise
    return True


def raw_rows(source: Source) -> Iterator[Raw]:
    """The rows of a source as CLUTRR cells; our items are put into them first."""
    if not source.path.name.endswith(".jsonl"):
        yield from scan_cells(source.path)
        return
    for line, value in read_lines(source.path):
        item = parse(Item, value, file=source.path, line=line)
        if item.suite != "kinship":
            raise ProbandError(f"'suite' is {item.suite!r}, not 'kinship'", file=source.path, line=line)
        try:
            yield line, to_cells(item, index=line - 1)
        except ProbandError as error:
            yield Unreadable(file=source.name, line=line, column="facts", reason=str(error))


def chunks(found: list[Source]) -> Iterator[tuple[Source, list[Raw]]]:
    for source in found:
        rows = raw_rows(source)
        while part := list(islice(rows, CHUNK)):
            yield source, part


# ---- the rows ------------------------------------------------------------------------------------------------------


def see_chunk(task: tuple[Source, list[Raw]]) -> list[Seen | Unreadable]:
    source, rows = task
    return [raw if isinstance(raw, Unreadable) else see(source, *raw) for raw in rows]


def see(source: Source, line: int, cells: Mapping[str, str]) -> Seen | Unreadable:
    row = row_of(cells, file=source.name, line=line)
    if isinstance(row, Unreadable):
        return row
    typed = [edge for edge in row.noise if edge[1] is not None]
    facts: list[Edge] = [*row.chain, *typed]  # type: ignore[list-item]
    pattern, order, rest = parts(row.genders, facts, row.query)
    if max(map(_size, (pattern, *rest))) > LARGEST:
        reason = f"tells {len(facts)} facts of {len(row.names)} people, too many to search"
        return Unreadable(file=source.name, line=line, column="story_edges", reason=reason, cells=cells)
    said = read_story(row.story, row.names, row.genders)
    noise = type_noise(said, row.noise, row.genders) if len(typed) < len(row.noise) else None
    noisy = parts(row.genders, [*row.chain, *noise], row.query)[::2] if noise else None
    if noisy and max(map(_size, (noisy[0], *noisy[1]))) > LARGEST:
        noisy = None
    people = [x for i, _, j in row.chain for x in (i, j)]
    told = set(re.findall(r"\[([^\][]+)\]", row.story))
    return Seen(
        source=source.name,
        release=source.release,
        line=line,
        id=row.id,
        split=row.split,
        task=row.task,
        k=row.k,
        path=shortest_path(facts, row.query),
        revisits=len(set(people)) <= row.k,
        target=row.target,
        case=Case(pattern, row.target, _proof(row, order)),
        order=tuple(order),
        rest=tuple(_rest(each) for each in rest),
        noisy=(Case(noisy[0], row.target, worlds=False), *map(_rest, noisy[1])) if noisy else (),
        has_noise=bool(row.noise),
        names=row.names,
        clause=" ".join(relation for _, relation, _ in row.chain),
        slips=said.slips,
        contradicted=tuple(contradicted(said, facts, row.genders)),
        read=len(said.facts),
        untold=tuple(name for name in row.names if told and name not in told),
        story=sha256_text(row.story)[:16],
        template=sha256_text(masked(row.story))[:16],
        sentences=tuple(sha256_text(masked(s))[:16] for s in re.split(r"(?<=[.!?])\s+", row.story) if "[" in s),
    )


def _size(pattern: Pattern) -> int:
    """People and witnesses of a pattern in the world that needs most of them, the question's own included."""
    world = WORLDS["all-three"]
    return len(pattern[0]) + sum(witnesses(NEUTRAL[r], world) for _, r, _ in pattern[1]) + witnesses("pibling", world)


def _rest(pattern: Pattern) -> Case:
    """Facts off the question: asked for the first of them, they are entailed or inconsistent."""
    return Case(pattern, pattern[1][0][1], worlds=False)


def masked(text: str) -> str:
    """The text with people numbered as they come, so that the same words about others are the same.

    >>> masked("[Ann] and [Bo] met. [Ann] left.")
    '[0] and [1] met. [0] left.'
    """
    met: dict[str, int] = {}
    return re.sub(r"\[([^\][]+)\]", lambda found: f"[{met.setdefault(found[1], len(met))}]", text)


def _proof(row: Row, order: list[int]) -> tuple[ProofStep, ...]:
    """The row's proof from the facts up, in the case's numbers; steps of another shape are left out."""
    number = {row.names[x]: n for n, x in enumerate(order)}
    steps: list[ProofStep] = []
    for head, body in reversed(row.proof):
        facts: list[Any] = [*body, head]
        known = all(a in number and b in number and r in NEUTRAL for a, r, b in facts)
        if len(facts) == 3 and known:
            first, second, last = ((number[a], r, number[b]) for a, r, b in facts)
            steps.append((first, second, last))
    return tuple(steps)
