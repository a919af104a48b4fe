"""Our own set (data/inference/questions.txt): questions, answers, and relations judged against the question.

A relation has one of five labels, of which each of its answers makes an assertion: `=` each implies the other, `+` the
phrase implies the question's relation, `<` the reverse, `-` neither, `?` makes no sense. So there are two examples per
assertion, one in each direction; those of a `+` or `<` are directional. `?` is left out, as the paper does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from proband.core.errors import ProbandError
from proband.core.types import Split
from proband.suites.inference.datasets.levy_dagan import BACKWARD, FORWARD, pair_name
from proband.suites.inference.datasets.rows import text_lines
from proband.suites.inference.triples import Example, Triple

FOLLOWS: Mapping[str, tuple[bool, bool]] = {  # label -> phrase implies question, question implies phrase
    "=": (True, True),
    "+": (True, False),
    "<": (False, True),
    "-": (False, False),
}
SPLITS: Sequence[Split] = ("test", "test", "test", "train", "valid")  # of the questions, in turn


@dataclass(frozen=True)
class Question:
    number: int
    type: str
    relation: str
    argument: str
    answers: tuple[str, ...]
    phrases: tuple[tuple[str, bool, str], ...]  # label, whether the answer comes first, phrase

    @property
    def text(self) -> str:
        return f"Which {self.type} {self.relation} {self.argument}?"

    @property
    def split(self) -> Split:
        return SPLITS[self.number % len(SPLITS)]

    def assertions(self) -> Iterator[tuple[str, str, bool, Triple]]:
        """Label, answer, whether it comes first, and the assertion."""
        for label, first, phrase in self.phrases:
            for answer in self.answers:
                ends = (answer, self.argument) if first else (self.argument, answer)
                yield label, answer, first, Triple(ends[0], phrase, ends[1])


def read_questions(path: Path) -> list[Question]:
    """Blocks of a question line and lines of labelled phrases."""
    found: list[Question] = []
    for number, line in text_lines(path):
        if line.startswith("#"):
            continue
        if "|" in line:
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) != 4 or not all(cells):
                raise ProbandError("a question is TYPE | RELATION | ARGUMENT | ANSWER; ANSWER", file=path, line=number)
            answers = tuple(each.strip() for each in cells[3].split(";"))
            found.append(Question(len(found), cells[0], cells[1], cells[2], answers, ()))
            continue
        mark, _, phrase = line.partition(" ")
        if mark.rstrip("~") not in (*FOLLOWS, "?") or not phrase.strip() or not found:
            raise ProbandError("a phrase is = + < - or ?, with ~ or not, and words", file=path, line=number)
        phrases = (*found[-1].phrases, (mark[0], not mark.endswith("~"), phrase.strip()))
        found[-1] = replace(found[-1], phrases=phrases)
    return found


def examples(questions: Sequence[Question]) -> Iterator[Example]:
    for question in questions:
        for label, answer, first, premise in question.assertions():
            if label == "?":
                continue
            hypothesis = Triple(answer, question.relation, question.argument)
            forward, backward = FOLLOWS[label]
            made = Example(
                premise=premise,
                hypothesis=hypothesis,
                entailed=forward,
                straight=first,
                question=question.text,
                pair=pair_name(premise, hypothesis),
                direction=FORWARD,
                source="own",
                split=question.split,
                directional=label in "+<",
                typed=(question.type, "") if first else ("", question.type),
            )
            yield made
            typed = made.typed if first else made.typed[::-1]
            yield replace(
                made,
                premise=hypothesis,
                hypothesis=premise,
                entailed=backward,
                direction=BACKWARD,
                typed=(typed[0], typed[1]),
            )


def read(path: Path) -> Iterator[Example]:
    return examples(read_questions(path / "questions.txt" if path.is_dir() else path))
