"""Puzzles: questions that a prover answers from the text alone.

A `Puzzle` reads a question, enumerates the worlds in which its text is true and says which answers hold in some of
them. `PuzzleJudge` holds a label against these answers and gives the verdicts that every audit has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Any

from proband.core.types import Fact
from proband.english.domain import Word
from proband.english.reading import AskedRelation, Unread
from proband.proof.decisions import ACCUSING, DEPENDS, Cause, RowVerdict
from proband.proof.problem import Solution
from proband.proof.rows import AuditRow
from proband.proof.verdicts import Judge, JudgedDomain


@dataclass(frozen=True, kw_only=True)
class Puzzle(JudgedDomain):
    """`read(question)`: what it says, None if a word of it is not understood. `solve` and `check` are provers of
    different kinds. `answer(text, parsed)`: an answer in one spelling, None if it is none. `right`: a puzzle with many
    right answers says of each whether it is one; it has no labels."""

    read: Callable[[str], Any]
    solve: Callable[[Any, str], Solution]
    check: Callable[[Any, str], frozenset[str]]
    answer: Callable[[str, Any], str | None]
    statements: Callable[[Any], tuple[str, ...]]  # the sentences that were read
    choices: Callable[[Any], tuple[str, ...]] = lambda parsed: ()  # the answers, where there are few
    form: Callable[[Any], str] = lambda parsed: ""  # what is the same in puzzles that differ in names and numbers alone
    right: Callable[[str, Any, str], bool | None] | None = None

    def judge(self, world: str) -> Judge:
        return PuzzleJudge(self, world)


class PuzzleJudge:
    """Judges rows of one puzzle, in the world that is named or in all of them, as `RowJudge` does those of a domain."""

    def __init__(self, puzzle: Puzzle, world: str = "") -> None:
        self.puzzle, self.named, self.name, self.complete = puzzle, world, puzzle.name, True
        self.world_descriptions = puzzle.worlds
        self.worlds: tuple[str, ...] = (world,) if world else tuple(puzzle.worlds)
        self.world = self.worlds[0]

    def answers(self, row: AuditRow) -> bool:
        """Is the row read, and its label an answer to its question?"""
        parsed = None if row.bad else self.puzzle.read(_question(row))
        return parsed is not None and (
            self.puzzle.right is not None or self.puzzle.answer(row.answer, parsed) is not None
        )

    def judge(self, row: AuditRow) -> RowVerdict:
        parsed = None if row.bad else self.puzzle.read(_question(row))
        if parsed is None:
            unread = Unread(row.bad or f"no question of {self.puzzle.name}", row.question[:80])
            return RowVerdict(verdict="unread", label=row.answer[:80], unread=unread)
        label = self.puzzle.answer(row.answer, parsed)
        if label is None and not self.puzzle.right:
            unread = Unread(f"the answer {row.answer[:40]!r} is not an answer to this question")
            return RowVerdict(verdict="unread", label=row.answer[:80], unread=unread)
        solutions = {world: self.puzzle.solve(parsed, world) for world in self.worlds}
        by_world = {world: (label_verdict(label, each), each.possible) for world, each in solutions.items()}
        verdicts = {verdict for verdict, _ in by_world.values()}
        same = len(verdicts) == 1
        verdict = verdicts.pop() if same else DEPENDS
        first = solutions[self.world]
        statements = (*self.puzzle.statements(parsed), *first.why)
        return RowVerdict(
            verdict=verdict,
            label=label or row.answer[:80],
            possible=first.possible if same else (),
            right=first.possible[0] if same and len(first.possible) == 1 else "",
            asked=AskedRelation(_question(row), self.puzzle.name, Word("answer")),
            facts=tuple(Fact(each, "", "") for each in statements),
            sentences=statements,
            proof=tuple(range(len(statements))),
            by_world=by_world,
            cause=_cause(self.puzzle.form(parsed), verdict, label, first),
        )

    def choices(self, judged: RowVerdict) -> tuple[str, ...]:
        """The answers that a reply may give, where they can be listed."""
        parsed = self.puzzle.read(judged.asked.who) if judged.asked.who else None
        return () if parsed is None else self.puzzle.choices(parsed)

    def credits(self, answer: str, judged: RowVerdict) -> bool | None:
        """Is an answer right? None where none is, or several."""
        parsed = self.puzzle.read(judged.asked.who) if judged.asked.who else None
        if parsed is not None and self.puzzle.right:
            return self.puzzle.right(answer, parsed, self.world)
        return self.puzzle.answer(answer, parsed) == judged.right if judged.right else None

    def shape(self, sentence: str, question: str) -> str:
        return sentence

    def is_inconsistent(self, judged: RowVerdict, numbers: Any) -> bool:
        """All sentences together are what contradicts."""
        return len(numbers) == len(judged.facts)

    def prove_twice(self, judged: RowVerdict) -> tuple[Set[str], Set[str]]:
        parsed = self.puzzle.read(judged.asked.who)
        return set(self.puzzle.solve(parsed, self.world).possible), self.puzzle.check(parsed, self.world)

    def describe(self, world: Any) -> Any:
        return world

    def draw(self, world: Any, pair: tuple[str, str], answer: str) -> str:
        return ""


def solution(possible: Sequence[str], *why: str) -> Solution:
    """An answer is certain if it is the only possible one."""
    return Solution(tuple(possible), tuple(possible) if len(possible) == 1 else (), why=why)


def label_verdict(label: str | None, solved: Solution) -> str:
    """The verdict on a label; a puzzle without labels is entailed where anything follows.

    >>> [label_verdict("Yes", solution(each)) for each in (["Yes"], ["No"], ["Yes", "No"])]
    ['entailed', 'false', 'ambiguous']
    """
    if not solved.possible:
        return "inconsistent"
    if label is not None and label not in solved.possible:
        return "false"
    return "entailed" if len(solved.possible) == 1 else "ambiguous"


def _cause(form: str, verdict: str, label: str | None, solved: Solution) -> Cause | None:
    """Rows of one form with one mistake have one cause."""
    if verdict not in ACCUSING:
        return None
    right = solved.possible[0] if len(solved.possible) == 1 else ""
    why = {"inconsistent": "no world fits", "false": f"labelled {label} where {right} follows"}
    mistake = why.get(verdict, "several answers are possible")
    if verdict == "false" and right.isdigit():
        mistake = "labelled with another number than follows"
    return Cause(key=f"{form}:{mistake}", claim=f"{form}: {mistake}", kind="label")


def _question(row: AuditRow) -> str:
    return f"{row.text}\n{row.question}" if row.text else row.question
