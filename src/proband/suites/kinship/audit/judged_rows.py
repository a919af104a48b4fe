"""The rows of an audit: read from files, reduced to patterns of facts, judged.

Each row is reduced to the pattern of facts to judge and to what its text shows without a judgment; every pattern is
judged once; then the rows are gone through again. They are held on the disk in between, so that memory stays flat;
patterns repeat, and only they and their verdicts are kept. The first two steps run on several processes; what comes out
does not depend on how many.

A release is the folder a file stands in; train and test rows of one release are compared with each other.
"""

from __future__ import annotations

import hashlib
import pickle
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from proband.auditing.judging import Judged
from proband.auditing.rows import Source, files_at
from proband.auditing.run import load_pickles
from proband.core.errors import ProbandError
from proband.core.files import parse, raw_lines
from proband.core.progress import Progress, track
from proband.core.types import Item
from proband.core.worker_processes import Pool
from proband.suites.kinship.audit.story_text import contradicted, read_story, type_noise
from proband.suites.kinship.audit.verdicts import (
    Case,
    ProofStep,
    Verdict,
    batches,
    is_sound,
    judging,
    verdict_in,
)
from proband.suites.kinship.clutrr.csv_files import scan_cells
from proband.suites.kinship.clutrr.items import csv_line, to_cells
from proband.suites.kinship.clutrr.rows import Row, Unreadable, row_of
from proband.suites.kinship.logic.closure import distance
from proband.suites.kinship.logic.sat_clauses import witnesses
from proband.suites.kinship.logic.search import LARGEST, Pattern, parts
from proband.suites.kinship.telling.phrases import fact_phrases, masked_sentences
from proband.suites.kinship.world.relations import NEUTRAL, STRICT, WORLDS, Edge
from proband.suites.kinship.world.rules import of_item

CHUNK: Final = 400
ENDINGS: Final = (".csv", ".csv.gz", "items.jsonl")
NAME: Final = re.compile(r"\[([^\][]+)\]")
SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
Raw = tuple[int, bytes | dict[str, str]] | Unreadable  # a line of items.jsonl, or the cells of a CSV row


# ---- files ---------------------------------------------------------------------------------------------------------


def sources(path: Path) -> list[Source]:
    """The CLUTRR files (or our items) at `path`: a file, a folder, or a folder of releases."""
    files = files_at(path, ENDINGS)
    kept = [each for each in files if path.is_file() or _has_items(each) or _is_clutrr(each)]
    if not kept:
        raise ProbandError("contains neither CLUTRR's CSV files nor an items.jsonl", file=path)
    return kept


def is_source(path: Path) -> bool:
    """Whether a file has CLUTRR's columns, or a folder such files or items below it."""
    files = (each for each in files_at(path, ENDINGS) if each.name.endswith(ENDINGS))
    return any(_are_families(each.path) if _has_items(each) else _is_clutrr(each) for each in files)


def _has_items(source: Source) -> bool:
    return source.name.endswith("items.jsonl")


def _are_families(path: Path) -> bool:
    """Items about families; those of another rule base (places on a grid) are for `proband.auditing`."""
    for line, raw in raw_lines(path):
        item = parse(Item, raw, file=path, line=line)
        return item.suite == "kinship" and of_item(item).world == "family"
    return False


def _is_clutrr(source: Source) -> bool:
    """Other CSV files may stand beside the data (templates, names): their headers tell."""
    try:
        next(scan_cells(source.path), None)
    except ProbandError as error:
        if "not a CLUTRR file" in str(error) or "is empty" in str(error):
            return False
        raise
    return True


def chunks(files: Iterable[Source]) -> Iterator[tuple[Source, list[Raw]]]:
    """The rows of all sources, a few hundred at a time."""
    for source in files:
        ours = source.path.name.endswith(".jsonl")
        rows: Iterator[Raw] = raw_lines(source.path) if ours else scan_cells(source.path)
        while part := list(islice(rows, CHUNK)):
            yield source, part


def checked_row(source: Source, raw: Raw) -> Row | Unreadable:
    """A checked row of the cells of CLUTRR's columns; our items are put into them first."""
    if isinstance(raw, Unreadable):
        return raw
    line, content = raw
    if isinstance(content, bytes):
        item = parse(Item, content, file=source.path, line=line)
        if item.suite != "kinship":
            raise ProbandError(f"'suite' is {item.suite!r}, not 'kinship'", file=source.path, line=line)
        try:
            content = to_cells(item, index=line - 1)
        except ProbandError as error:
            return Unreadable(file=source.name, line=line, column="facts", reason=str(error))
    return row_of(content, file=source.name, line=line)


# ---- what is kept of a row -------------------------------------------------------------------------------------------


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
    return reduce_rows


def reduce_rows(task: tuple[Source, Iterable[Raw]]) -> Iterator[Reduced | Unreadable]:
    source, rows = task
    for row in (checked_row(source, raw) for raw in rows):
        yield row if isinstance(row, Unreadable) else reduce_row(source, row)


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


# ---- verdicts ------------------------------------------------------------------------------------------------------


class Words:
    """The words of verdicts alone, without families, depth and other worlds: two or three searches for a pattern and
    label, which are remembered.

    >>> from proband.suites.kinship.clutrr.rows import Row
    >>> row = Row(file="", line=1, id="a", names=("A", "B", "C"), genders=("male",) * 3, query=(0, 2), target="brother",
    ...           chain=((0, "son", 1), (1, "uncle", 2)), noise=(), task="", k=2, split="", story="",
    ...           clean_story="", proof=())
    >>> Words().of(row)
    'ambiguous'
    """

    def __init__(self) -> None:
        self.known: dict[tuple[Pattern, str], str] = {}

    def of(self, row: Row) -> str | None:
        """None for a row with too many facts to search."""
        patterns = fact_patterns(row)
        if patterns is None:
            return None
        pattern, _, rest = patterns
        if any(self._word(each, each[1][0][1]) == "inconsistent" for each in rest):
            return "inconsistent"
        return self._word(pattern, row.target)

    def _word(self, pattern: Pattern, target: str) -> str:
        if (pattern, target) not in self.known:
            self.known[pattern, target] = verdict_in(pattern, target, STRICT)
        return self.known[pattern, target]


class JudgedRow(NamedTuple):
    """A row with the verdict on its label; `noisy` is the verdict's word with the noise facts that the text types."""

    seen: Seen
    case: Case
    verdict: Verdict
    noisy: str | None

    @property
    def people(self) -> tuple[str, ...]:
        """Names in the order of the case, whose question is about the first two."""
        return tuple(self.seen.row.names[x] for x in self.seen.order)

    @property
    def judged(self) -> Judged:
        """As the common tally counts it."""
        return Judged(
            verdict=self.verdict.verdict,
            label=self.seen.row.target,
            possible=self.verdict.possible,
            right=self.verdict.right or "",
            other_worlds=self.verdict.worlds,
        )


class JudgedRows:
    """The rows of an audit, in order, as often as they are asked for."""

    def __init__(self, spool: IO[bytes], verdicts: Mapping[Case, Verdict]) -> None:
        self.spool, self.verdicts = spool, verdicts

    def __iter__(self) -> Iterator[JudgedRow | Unreadable]:
        for part in load_pickles(self.spool):
            yield from (row if isinstance(row, Unreadable) else self._judged(*row) for row in part)

    def _judged(self, seen: Seen, cases: Sequence[Case], noisy: Sequence[Case]) -> JudgedRow:
        verdict = self._verdict(cases)
        return JudgedRow(seen, cases[0], verdict, self._verdict(noisy).verdict if noisy else None)

    def _verdict(self, cases: Sequence[Case]) -> Verdict:
        """That on the first case, unless the facts of another have no family."""
        question, *rest = (self.verdicts[case] for case in cases)
        broken = any(verdict.verdict == "inconsistent" for verdict in rest)
        return Verdict(verdict="inconsistent") if broken else question


@contextmanager
def judged_rows(files: Sequence[Source], *, workers: int) -> Iterator[JudgedRows]:
    """The judged rows of all sources."""
    with tempfile.TemporaryFile() as spool:
        cases = _reduce(files, spool, workers=workers)
        yield JudgedRows(spool, _judge(cases, workers=workers))


def _reduce(files: Sequence[Source], spool: IO[bytes], *, workers: int) -> set[Case]:
    """Write the rows to the spool; returns their cases."""
    cases: set[Case] = set()
    with Progress("reading rows") as bar, Pool(reducing, (), workers=workers) as pool:
        for part in pool.results(chunks(files)):
            rows = list(part)
            cases.update(case for row in rows if isinstance(row, Reduced) for case in (*row.cases, *row.noisy))
            pickle.dump(rows, spool, protocol=pickle.HIGHEST_PROTOCOL)
            bar.advance(len(rows))
    return cases


def _judge(cases: set[Case], *, workers: int) -> dict[Case, Verdict]:
    todo = batches(cases)
    todo.reverse()  # the largest families first, so that no process is left with them at the end
    with Pool(judging, (), workers=workers) as pool:
        verdicts = zip(chain.from_iterable(todo), chain.from_iterable(pool.results(todo)), strict=True)
        return dict(track(verdicts, "judging patterns", total=len(cases)))
