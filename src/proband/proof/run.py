"""An audit of rows: read, judge, find causes, write.

Two passes over the rows: the first judges and learns which templates are suspects, the second explains and writes. In
between they are on the disk, so that memory does not grow with the file.
"""

from __future__ import annotations

import hashlib
import pickle
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from typing import IO, Any, Final, NamedTuple

from proband.core.errors import ProbandError
from proband.core.plugins import Registry
from proband.core.progress import track
from proband.english import domain as domains
from proband.english.domain import Domain
from proband.english.parsed_nouns import ParsedReader
from proband.proof.causes import Causes
from proband.proof.decisions import Cause, RowVerdict
from proband.proof.differences import Positions, solve
from proband.proof.order_encoding import possible
from proband.proof.problem import Prover, Provers
from proband.proof.rows import AuditRow
from proband.proof.verdicts import Judge, JudgedDomain, RowJudge, RowReader

GUESSED_FROM: Final = 60  # rows
CHECKED: Final = 200  # rows that the second prover judges too


def differences(domain: Domain) -> Prover:
    """The prover of domains whose relations are conditions on coordinates."""
    return Prover(
        solve=lambda problem, world, shown=False: solve(domain, problem, world, shown),
        check=lambda problem, world: possible(domain, problem, world),
        complete=True,
        draw=_placed,
        describe=lambda positions: positions,
        second_reader=ParsedReader(domain),
        along=lambda answer, word: answer in (word.relation, domain.combine.get((answer, word.relation), "")),
    )


def _placed(positions: Positions, question: tuple[str, str], answer: str) -> str:
    """A world in a line: each thing with its coordinates."""
    things = (f"{thing} ({', '.join(map(str, place.values()))})" for thing, place in positions.items())
    return escape(f"{question[0]} to {question[1]}: {answer}, as in {', '.join(things)}")


PROVERS: Final[Provers] = {"differences": differences}
OUTSIDE: Final = Registry("proband.domains", JudgedDomain, {})  # type: ignore[type-abstract]


def judge_for(
    name: str, provers: Provers, *, world: str = "", readers: Sequence[RowReader] = (), templates: bool = False
) -> Judge:
    """A judge of a domain by name, ours or of another package, in the given world or in all of them."""
    outside = None if name in domains.SHIPPED else OUTSIDE.get(name)
    domain = outside or domains.load(name)
    if world and world not in domain.worlds:
        raise ProbandError(f"domain {name!r} has no world {world!r}; it has {', '.join(domain.worlds)}")
    if isinstance(domain, JudgedDomain):
        return domain.judge(world)
    if domain.prover not in provers:
        raise ProbandError(f"domain {name!r} names the prover {domain.prover!r}; there are: {', '.join(provers)}")
    return RowJudge(domain, provers[domain.prover](domain), world, templates=templates, readers=readers)


def guess_domain(rows: Sequence[AuditRow], provers: Provers) -> tuple[str, dict[str, int]]:
    """The domain whose words the answers are and whose forms the questions have; and how many rows fit each."""
    fits: dict[str, int] = {}
    for name in (*domains.SHIPPED, *(each.name for each in OUTSIDE.importable())):
        judge = judge_for(name, provers)
        fits[name] = sum(judge.answers(row) for row in rows)
    best = max(fits, key=lambda name: fits[name])
    return best if fits[best] else "", fits


class ExplainedRow(NamedTuple):
    """A row, its verdict and why it is wrong, if it is."""

    row: AuditRow
    judged: RowVerdict
    cause: Cause | None


@dataclass(frozen=True, kw_only=True)
class ProverAgreement:
    """How often the second prover agrees: the same answers; more of them left open; fewer, which cannot be."""

    rows: int = 0
    agree: int = 0
    weaker: int = 0
    against: int = 0

    def and_one(self, first: Set[str], second: Set[str], *, complete: bool = False) -> ProverAgreement:
        """One more row, of which each prover leaves these answers open; a complete one never leaves more."""
        same, wider = first == second, first < second and not complete
        return ProverAgreement(
            rows=self.rows + 1,
            agree=self.agree + same,
            weaker=self.weaker + wider,
            against=self.against + (not same and not wider),
        )


class JudgedRows:
    """The explained rows of an audit, as often as they are asked for."""

    def __init__(self, spool: IO[bytes], judge: Judge) -> None:
        self.spool, self.judge = spool, judge
        self.causes = Causes(judge) if isinstance(judge, RowJudge) else None
        self.files: dict[str, None] = {}  # names of files, in order
        self.conflicts: Mapping[bytes, str] = {}
        self.checked = ProverAgreement()
        self.spelled: dict[str, Counter[str]] = {}  # answer -> how the file writes it

    def correction(self, judged: RowVerdict) -> str:
        """The right answer as the file itself writes it, where it does; a letter, where there are options."""
        if judged.correction or judged.right not in self.spelled:
            return judged.correction or judged.right
        return self.spelled[judged.right].most_common(1)[0][0]

    def __iter__(self) -> Iterator[ExplainedRow]:
        for row, judged in _pickles(self.spool):
            if others := self.conflicts.get(_digest(row)):
                judged = replace(judged, notes=(*judged.notes, f"duplicate with another label: {others}"))
            explained = self.causes.explain(judged) if self.causes else judged.cause
            yield ExplainedRow(row, judged, explained)


def _pickles(spool: IO[bytes]) -> Iterator[Any]:
    """What was written to a file one by one, from its beginning."""
    spool.seek(0)
    with suppress(EOFError):
        while True:
            yield pickle.load(spool)


def audit_rows(rows: Iterable[AuditRow], judge: Judge, spool: IO[bytes]) -> JudgedRows:
    """Judge all rows; what is kept of them is on the disk."""
    audited, second = JudgedRows(spool, judge), _SecondProver(judge)
    with closing(sqlite3.connect("")) as labels:  # a temporary file
        labels.execute("create table labels (digest blob, label text, place text, primary key (digest, label))")
        for row in track(rows, "judging rows"):
            judged = judge.judge(row)
            audited.files[row.file] = None
            if audited.causes:
                audited.causes.learn(judged)
            second.add(judged)
            if not row.bad and (row.text or not row.pair):
                own = (_digest(row), row.answer.strip(), row.place)
                labels.execute("insert or ignore into labels values (?, ?, ?)", own)
            if judged.verdict != "unread":
                audited.spelled.setdefault(judged.label, Counter())[row.answer.strip()] += 1
            pickle.dump((row, judged), spool, protocol=pickle.HIGHEST_PROTOCOL)
        if audited.causes:
            audited.causes.settle()
        audited.conflicts, audited.checked = _conflicts(labels), second.result
    return audited


def _conflicts(labels: sqlite3.Connection) -> dict[bytes, str]:
    """Texts that stand with several labels, and those labels with their places."""
    twice = "select digest from labels group by digest having count(*) > 1"
    rows = labels.execute(f"select digest, label, place from labels where digest in ({twice}) order by digest, place")
    groups = {digest: list(group) for digest, group in groupby(rows, key=lambda row: row[0])}
    return {
        digest: ", ".join(f"{label} ({place})" for _, label, place in group[:4]) for digest, group in groups.items()
    }


def _digest(row: AuditRow) -> bytes:
    """What is the same for the same text and question, whatever the case and the spaces."""
    text = " ".join(f"{row.text}\0{row.question}".lower().split())
    return hashlib.blake2b(text.encode(errors="surrogateescape"), digest_size=12).digest()


class _SecondProver:
    """Some rows to the second prover: the first hundred, then one in a hundred."""

    def __init__(self, judge: Judge) -> None:
        self.judge, self.read, self.result = judge, 0, ProverAgreement()

    def add(self, judged: RowVerdict) -> None:
        self.read += judged.verdict != "unread"
        often = self.read <= CHECKED // 2 or self.read % 100 == 0
        if judged.verdict == "unread" or not often or self.result.rows >= CHECKED:
            return
        if both := self.judge.prove_twice(judged):
            self.result = self.result.and_one(*both, complete=self.judge.complete)
