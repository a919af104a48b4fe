"""What an audit keeps of a row: the pattern of facts to judge, and what its text shows without a judgment."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from proband.suites.kinship.audit.sources import Raw, Source, checked_row
from proband.suites.kinship.audit.story_text import contradicted, read_story, type_noise
from proband.suites.kinship.audit.verdicts import Case, ProofStep, is_sound
from proband.suites.kinship.clutrr.items import csv_line
from proband.suites.kinship.clutrr.rows import Row, Unreadable
from proband.suites.kinship.logic.closure import distance
from proband.suites.kinship.logic.sat_clauses import witnesses
from proband.suites.kinship.logic.search import LARGEST, Pattern, parts
from proband.suites.kinship.telling.phrases import fact_phrases, masked_sentences
from proband.suites.kinship.world.relations import NEUTRAL, WORLDS, Edge

NAME: Final = re.compile(r"\[([^\][]+)\]")
SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """A row without its texts."""

    row: Row
    release: str
    path: int | None  # facts on the shortest way between the two people
    revisits: bool
    has_proof: bool
    unsound: tuple[str, ...]  # rules of its proof that do not hold in general
    order: tuple[int, ...]  # who is who in the case
    clause: str  # the relations along the chain
    slips: tuple[tuple[str, str], ...]
    contradicted: tuple[Edge, ...]
    read: int  # facts the text reader found
    untold: tuple[str, ...]  # people of the columns whom the story never mentions
    story: bytes  # digests: of the text, of the text with people numbered, of its sentences and its phrases
    template: bytes
    sentences: tuple[bytes, ...]
    phrases: tuple[bytes, ...]  # those that tell a fact
    csv: str  # the row as it stands in the file, or would stand in CLUTRR's


class Reduced(NamedTuple):
    """A row, and what is to be judged of it."""

    seen: Seen
    cases: tuple[Case, ...]  # the question; then facts that are not connected with it, which must have a family too
    noisy: tuple[Case, ...]  # the same with the untyped noise facts, where the text types all of them


def reducing() -> Any:
    """What a worker process does with a chunk of rows."""

    def work(task: tuple[Source, Iterable[Raw]]) -> Iterator[Reduced | Unreadable]:
        source, rows = task
        for row in (checked_row(source, raw) for raw in rows):
            yield row if isinstance(row, Unreadable) else reduce_row(source, row)

    return work


def typed_facts(row: Row) -> list[Edge]:
    """The chain, and the noise whose relation the columns tell."""
    return [*row.chain, *((i, word, j) for i, word, j in row.noise if word is not None)]


def fact_patterns(row: Row) -> tuple[Pattern, list[int], list[Pattern]] | None:
    """The pattern of the question, who is who in it, and the patterns of facts that are not connected with it; None if
    one of them is too large to search."""
    pattern, order, rest = parts(row.genders, typed_facts(row), row.query)
    return None if max(map(_size, (pattern, *rest))) > LARGEST else (pattern, order, rest)


def reduce_row(source: Source, row: Row) -> Reduced | Unreadable:
    facts, patterns = typed_facts(row), fact_patterns(row)
    if patterns is None:
        reason = f"tells {len(facts)} facts of {len(row.names)} people, too many to search"
        return Unreadable(file=source.name, line=row.line, column="story_edges", reason=reason)
    pattern, order, rest = patterns
    text = read_story(row.story, row.names, row.genders)
    noise = type_noise(text, row.noise, row.genders) if any(word is None for _, word, _ in row.noise) else None
    noisy = parts(row.genders, [*row.chain, *noise], row.query)[::2] if noise else None
    if noisy and max(map(_size, (noisy[0], *noisy[1]))) > LARGEST:
        noisy = None
    people = [x for i, _, j in row.chain for x in (i, j)]
    mentioned = set(NAME.findall(row.story))
    proof = _proof(row, order)
    unsound = tuple(step for step in proof if not is_sound(step, pattern[0]))
    seen = Seen(
        row=replace(row, story="", clean_story="", proof=(), cells={}),
        release=source.release,
        path=distance(facts, row.query),
        revisits=len(set(people)) <= row.k,
        has_proof=bool(proof),
        unsound=tuple(dict.fromkeys(step.rule for step in unsound)),
        order=tuple(order),
        clause=" ".join([relation for _, relation, _ in row.chain]),
        slips=text.slips,
        contradicted=tuple(contradicted(text, facts, row.genders)),
        read=len(text.facts),
        untold=tuple(name for name in row.names if mentioned and name not in mentioned),
        story=digest(row.story),
        template=digest(masked(row.story)),
        sentences=tuple(digest(masked(s)) for s in SENTENCE.split(row.story) if "[" in s),
        phrases=tuple(digest(p) for p in fact_phrases(masked_sentences(row.story, row.names))),
        csv=csv_line(row.cells),
    )
    return Reduced(
        seen,
        (Case(pattern, row.target, unsound), *map(_rest, rest)),
        (Case(noisy[0], row.target, worlds=False), *map(_rest, noisy[1])) if noisy else (),
    )


def digest(text: str) -> bytes:
    """Eight bytes that stand for a text where texts are compared."""
    return hashlib.blake2b(text.encode(errors="surrogateescape"), digest_size=8).digest()


def _size(pattern: Pattern) -> int:
    """People and witnesses of a pattern in the world that needs most of them, the question's own included."""
    world = WORLDS["all-three"]
    return len(pattern[0]) + sum([witnesses(NEUTRAL[r], world) for _, r, _ in pattern[1]]) + witnesses("pibling", world)


def _rest(pattern: Pattern) -> Case:
    """Facts off the question: asked for the first of them, they are entailed or inconsistent."""
    return Case(pattern, pattern[1][0][1], worlds=False)


def masked(text: str) -> str:
    """The text with people numbered as they come, so that the same words about others are the same.

    >>> masked("[Ann] and [Bo] met. [Ann] left.")
    '[0] and [1] met. [0] left.'
    """
    numbers: dict[str, int] = {}
    return NAME.sub(lambda name: f"[{numbers.setdefault(name[1], len(numbers))}]", text)


def _proof(row: Row, order: list[int]) -> tuple[ProofStep, ...]:
    """The row's proof from the facts up, in the case's numbers; steps of another shape are left out."""
    number = {row.names[x]: n for n, x in enumerate(order)}
    steps: list[ProofStep] = []
    for head, body in reversed(row.proof):
        facts: list[Any] = [*body, head]
        known = all(a in number and b in number and r in NEUTRAL for a, r, b in facts)
        if len(facts) == 3 and known:
            steps.append(ProofStep(*((number[a], r, number[b]) for a, r, b in facts)))
    return tuple(steps)
