"""Our own set (data/inference/questions.txt): questions, answers, and relations judged against the question.

Each judge gives a relation one of five judgments, of which each of its answers makes an assertion: `=` each implies the
other, `+` the phrase implies the question's relation, `<` the reverse, `-` neither, `?` makes no sense. They are
aggregated as the judgments of others are (`gold.py`), each direction by itself; by default all must agree. So there
are up to two examples per assertion; those of a pair that holds in one direction only are directional. What makes no
sense, and what the judges do not agree on, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import ascii_lowercase

from proband.core.agreement.votes import Aggregate, Votes, all_but
from proband.core.errors import ProbandError
from proband.core.types import Judgment, Split
from proband.suites.inference.datasets.rows import text_lines
from proband.suites.inference.gold import (
    ANSWERS,
    DOES_NOT,
    LABELS,
    NONSENSE,
    RULES,
    Judged,
)
from proband.suites.inference.items import BACKWARD, Example, Triple
from proband.suites.inference.questionnaire import Questionnaire, Shown

FOLLOWS: Mapping[str, tuple[str, str]] = {  # judgment -> phrase implies question, question implies phrase
    "=": (ANSWERS, ANSWERS),
    "+": (ANSWERS, DOES_NOT),
    "<": (DOES_NOT, ANSWERS),
    "-": (DOES_NOT, DOES_NOT),
    "?": (NONSENSE, NONSENSE),
}
MASK, UNANIMOUS = "[ANSWER]", "unanimous"
PEOPLE = 5  # judges from which the paper's rule, all but one, applies
SPLITS: Sequence[Split] = ("test", "test", "test", "train", "valid")  # of the questions, in turn


@dataclass(frozen=True)
class Question:
    number: int
    type: str
    relation: str
    argument: str
    answers: tuple[str, ...]
    phrases: tuple[tuple[str, bool, str], ...]  # judgments, whether the answer comes first, phrase

    @property
    def text(self) -> str:
        return f"Which {self.type} {self.relation} {self.argument}?"

    @property
    def split(self) -> Split:
        return SPLITS[self.number % len(SPLITS)]

    def name(self, place: int) -> str:
        """Of a phrase, among all judged ones."""
        return f"q{self.number + 1:03}-{place + 1:02}"

    def assertion(self, place: int, answer: str) -> Triple:
        _, first, phrase = self.phrases[place]
        ends = (answer, self.argument) if first else (self.argument, answer)
        return Triple(ends[0], phrase, ends[1])


def read_questions(path: Path) -> list[Question]:
    """Blocks of a question line and lines of labelled phrases."""
    results: list[Question] = []
    for number, line in text_lines(path):
        if line.startswith("#"):
            continue
        if "|" in line:
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) != 4 or not all(cells):
                raise ProbandError("a question is TYPE | RELATION | ARGUMENT | ANSWER; ANSWER", file=path, line=number)
            answers = tuple(each.strip() for each in cells[3].split(";"))
            results.append(Question(len(results), cells[0], cells[1], cells[2], answers, ()))
            continue
        mark, _, phrase = line.partition(" ")
        said = mark.removesuffix("~")
        if not said or set(said) - set(FOLLOWS) or not phrase.strip() or not results:
            raise ProbandError(
                "a phrase is = + < - or ? of each judge, with ~ or not, and words", file=path, line=number
            )
        if len(said) != len(judges := next((p[0] for q in results for p in q.phrases), said)):
            raise ProbandError(f"has {len(said)} judgments, the first phrase {len(judges)}", file=path, line=number)
        phrases = (*results[-1].phrases, (said, not mark.endswith("~"), phrase.strip()))
        results[-1] = replace(results[-1], phrases=phrases)
    return results


def judged(questions: Sequence[Question], rule: str) -> Judged:
    """The phrases as candidates, with the judgments in both directions and what they come to."""
    sheets = tuple(
        Questionnaire(
            id=f"q{question.number + 1:03}",
            question=question.text,
            q_type=question.type,
            q_rel=question.relation,
            q_arg=question.argument,
            candidates=tuple(
                Shown(
                    id=question.name(place),
                    **question.assertion(place, MASK)._asdict(),
                    side=("object", "subject")[first],
                )
                for place, (_, first, _) in enumerate(question.phrases)
            ),
        )
        for question in questions
    )
    votes, reverse = (Votes.of(judgments(questions, backward), labels=LABELS) for backward in (False, True))
    if rule == "all-but-one" and len(votes.workers) < PEOPLE:
        rule = UNANIMOUS
    decide = {**RULES, UNANIMOUS: unanimous}[rule]
    return Judged(sheets, votes, decide(votes).labels, decide(reverse).labels, {}, rule)


def unanimous(votes: Votes) -> Aggregate:
    """Of fewer than five judges, all must agree."""
    return all_but(votes, dissent=0, least=len(votes.workers))


def judgments(questions: Sequence[Question], backward: bool) -> Iterator[Judgment]:
    for question in questions:
        for place, (said, _, _) in enumerate(question.phrases):
            for judge, mark in zip(ascii_lowercase, said):
                yield Judgment(item_id=question.name(place), worker=judge, value=FOLLOWS[mark][backward], seconds=0.0)


def examples(questions: Sequence[Question], result: Judged) -> Iterator[Example]:
    """An example per assertion and direction that has a label."""
    for question in questions:
        for place, (_, first, _) in enumerate(question.phrases):
            name = question.name(place)
            both = [WHICH.get(str(labels.get(name))) for labels in (result.labels, result.reverse)]
            for answer in question.answers:
                premise = question.assertion(place, answer)
                hypothesis = Triple(answer, question.relation, question.argument)
                made = Example(
                    premise=premise,
                    hypothesis=hypothesis,
                    entailed=both[0],
                    straight=first,
                    question=question.text,
                    source="own",
                    split=question.split,
                    directional=None not in both and both[0] != both[1],
                    typed=(question.type, "") if first else ("", question.type),
                )
                if both[0] is not None:
                    yield made
                if both[1] is not None:
                    turned = replace(made, premise=hypothesis, hypothesis=premise, direction=BACKWARD)
                    yield replace(turned, entailed=both[1], typed=made.typed if first else made.typed[::-1])


WHICH: Mapping[str, bool] = {ANSWERS: True, DOES_NOT: False}


def questions_of(path: Path) -> list[Question]:
    return read_questions(path / "questions.txt" if path.is_dir() else path)


def read(path: Path) -> Iterator[Example]:
    questions = questions_of(path)
    return examples(questions, judged(questions, "all-but-one"))
