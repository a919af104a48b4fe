"""An audit of rows: read, judge, find causes, write.

Two passes over the rows: the first judges them and finds suspect templates, the second explains and writes. In between
they are on disk, so memory does not grow with the file.
"""

from __future__ import annotations

import hashlib
import pickle
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from html import escape
from typing import IO, Final

from proband.core.errors import ProbandError
from proband.core.files import group_by_key
from proband.core.plugins import Registry
from proband.core.progress import track
from proband.english import domain as domains
from proband.english.domain import Domain
from proband.english.parsed_nouns import ParsedReader
from proband.proof.causes import Causes
from proband.proof.decisions import RowVerdict
from proband.proof.differences import Positions, solve
from proband.proof.linear_program import possible
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
        includes=lambda answer, word: answer in (word.relation, domain.combine.get((answer, word.relation), "")),
        step_world=domain.raw.get("step_world", ""),
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
    """The domain that has the words of the answers and the forms of the questions, and how many rows fit each
    domain."""
    names = (*domains.SHIPPED, *(each.name for each in OUTSIDE.importable()))
    fits = {name: sum(map(judge_for(name, provers).answers, rows)) for name in names}
    best = max(fits, key=lambda name: fits[name])
    return best if fits[best] else "", fits


class JudgedRows:
    """The explained rows of an audit; can be iterated again."""

    def __init__(self, spool: IO[bytes], judge: Judge) -> None:
        self.spool, self.judge = spool, judge
        self.causes = Causes(judge) if isinstance(judge, RowJudge) else None
        self.files: dict[str, None] = {}  # names of files, in order
        self.conflicts: Mapping[bytes, str] = {}
        self.second_prover = dict.fromkeys(("rows", "agree", "weaker", "against"), 0)  # weaker: it leaves more open
        self.spelled: dict[str, Counter[str]] = {}  # answer -> how the file writes it

    def correction(self, judged: RowVerdict) -> str:
        """The right answer as the file writes it; a letter if there are options."""
        if judged.correction or judged.right not in self.spelled:
            return judged.correction or judged.right
        return self.spelled[judged.right].most_common(1)[0][0]

    def __iter__(self) -> Iterator[tuple[AuditRow, RowVerdict]]:
        self.spool.seek(0)
        with suppress(EOFError):
            while True:
                row, judged = pickle.load(self.spool)
                if others := self.conflicts.get(_digest(row)):
                    judged = replace(judged, notes=(*judged.notes, f"duplicate with another label: {others}"))
                yield row, replace(judged, cause=self.causes.explain(judged)) if self.causes else judged

    def prove_again(self, judged: RowVerdict, read: int) -> None:
        """Judge some of the `read` rows again with the second prover: the first hundred, then one in a hundred."""
        often = (read <= CHECKED // 2 or read % 100 == 0) and self.second_prover["rows"] < CHECKED
        if often and judged.verdict != "unread" and (both := self.judge.prove_twice(judged)):
            first, second = both
            weaker = first < second and not self.judge.complete
            self.second_prover["rows"] += 1
            self.second_prover["agree" if first == second else "weaker" if weaker else "against"] += 1


def audit_rows(rows: Iterable[AuditRow], judge: Judge, spool: IO[bytes]) -> JudgedRows:
    """Judge all rows; they are kept on disk."""
    audited, read = JudgedRows(spool, judge), 0
    with closing(sqlite3.connect("")) as labels:  # a temporary file
        labels.execute("create table labels (digest blob, label text, place text, primary key (digest, label))")
        for row in track(rows, "judging rows"):
            judged = judge.judge(row)
            audited.files[row.file] = None
            if audited.causes:
                audited.causes.learn(judged)
            read += judged.verdict != "unread"
            audited.prove_again(judged, read)
            if not row.bad and (row.text or not row.pair):
                own = (_digest(row), judged.label, row.place)
                labels.execute("insert or ignore into labels values (?, ?, ?)", own)
            word = judge.domain.word(row.answer) if isinstance(judge, RowJudge) else None
            if judged.verdict != "unread" and (word or row.answer.strip().lower() == judged.label.lower()):
                audited.spelled.setdefault(judged.label, Counter())[row.answer.strip()] += 1
            pickle.dump((row, judged), spool, protocol=pickle.HIGHEST_PROTOCOL)
        if audited.causes:
            audited.causes.settle()
        audited.conflicts = _conflicts(labels)
    return audited


def _conflicts(labels: sqlite3.Connection) -> dict[bytes, str]:
    """Texts with several labels, and the places of these labels."""
    twice = "select digest from labels group by digest having count(*) > 1"
    rows = labels.execute(f"select digest, label, place from labels where digest in ({twice}) order by digest, place")
    groups = group_by_key((digest, f"{label} ({place})") for digest, label, place in rows)
    return {digest: ", ".join(group[:4]) for digest, group in groups.items()}


def _digest(row: AuditRow) -> bytes:
    """A digest of text and question that ignores case and spaces."""
    text = " ".join(f"{row.text}\0{row.question}".lower().split())
    return hashlib.blake2b(text.encode(errors="surrogateescape"), digest_size=12).digest()
