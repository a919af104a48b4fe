"""Judging the rows of files: reduce each to its pattern of facts, judge every pattern once, go through the rows again.

Rows are held on the disk in between, so that memory stays flat; patterns repeat, and only they and their verdicts are
kept. The first two steps run on several processes; what comes out does not depend on how many.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import chain
from typing import IO, Any, NamedTuple

from proband.core.worker_processes import Pool
from proband.suites.kinship.audit.reduced_rows import Reduced, Seen, fact_patterns, reducing
from proband.suites.kinship.audit.sources import Source, chunks
from proband.suites.kinship.audit.verdicts import Case, Verdict, batches, judging, verdict_in
from proband.suites.kinship.clutrr.rows import Row, Unreadable
from proband.suites.kinship.logic.search import Pattern
from proband.suites.kinship.world.relations import STRICT

Progress = Callable[..., Any] | None  # a class like core.progress.Progress


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


class Judged:
    """The rows of an audit, in order, as often as they are asked for."""

    def __init__(self, spool: IO[bytes], cases: Sequence[Case], verdicts: Sequence[Verdict]) -> None:
        self.spool, self.cases, self.verdicts = spool, cases, verdicts

    def __iter__(self) -> Iterator[JudgedRow | Unreadable]:
        self.spool.seek(0)
        while True:
            try:
                part = pickle.load(self.spool)
            except EOFError:
                return
            yield from (row if isinstance(row, Unreadable) else self._judged(*row) for row in part)

    def _judged(self, seen: Seen, numbers: Sequence[int], noisy: Sequence[int]) -> JudgedRow:
        verdict = self.verdicts[numbers[0]]
        if self._inconsistent(numbers[1:]):
            verdict = Verdict(verdict="inconsistent")
        word = None
        if noisy:
            word = "inconsistent" if self._inconsistent(noisy[1:]) else self.verdicts[noisy[0]].verdict
        return JudgedRow(seen, self.cases[numbers[0]], verdict, word)

    def _inconsistent(self, numbers: Iterable[int]) -> bool:
        return any(self.verdicts[n].verdict == "inconsistent" for n in numbers)


@contextmanager
def judged_rows(files: Sequence[Source], *, workers: int, progress: Progress = None) -> Iterator[Judged]:
    """The judged rows of all sources."""
    with tempfile.TemporaryFile() as spool:
        cases = _reduce(files, spool, workers=workers, progress=progress)
        yield Judged(spool, list(cases), _judge(cases, workers=workers, progress=progress))


def _reduce(files: Sequence[Source], spool: IO[bytes], *, workers: int, progress: Progress) -> dict[Case, int]:
    """Write the rows to the spool, their cases as numbers; returns case -> number."""
    cases: dict[Case, int] = {}

    def number(case: Case) -> int:
        return cases.setdefault(case, len(cases))

    def numbered(row: Reduced | Unreadable) -> Any:
        if isinstance(row, Unreadable):
            return row
        return row.seen, tuple(map(number, row.cases)), tuple(map(number, row.noisy))

    with progress("reading rows") if progress else nullcontext() as bar, Pool(reducing, (), workers=workers) as pool:
        for part in pool.results(chunks(files)):
            rows = [numbered(row) for row in part]
            pickle.dump(rows, spool, protocol=pickle.HIGHEST_PROTOCOL)
            if bar:
                bar.advance(len(rows))
    return cases


def _judge(cases: dict[Case, int], *, workers: int, progress: Progress) -> list[Verdict]:
    todo = batches(cases)
    todo.reverse()  # the largest families first, so that no process is left with them at the end
    verdicts: list[Any] = [None] * len(cases)
    opened = progress("judging patterns", total=len(cases)) if progress else nullcontext()
    with opened as bar, Pool(judging, (), workers=workers) as pool:
        for case, verdict in zip(chain.from_iterable(todo), chain.from_iterable(pool.results(todo)), strict=True):
            verdicts[cases[case]] = verdict
            if bar:
                bar.advance()
    return verdicts
