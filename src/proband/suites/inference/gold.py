"""Labels and examples from the judgments of several people (section 3.3), in a folder or in our own set.

A folder has
questionnaires.jsonl        one question with its candidates a line (docs/formats.md)
judgments.jsonl             judgments of people: item_id (a candidate's), worker, value, seconds
reverse-judgments.jsonl     optional: the other direction, whether the question implies the candidate (Holt 2018)
expert.jsonl                optional: an expert's judgments, for the audit
decisions.jsonl             optional: labels of single pairs by the owner (item_id, label), which override the rule

A pair is dropped if the rule gives no label, or the label *makes no sense*. The type in the question is replaced by the
answer, so that premise and hypothesis have both arguments.

Our own set (data/inference/questions.txt) has questions, answers, and relations judged against the question. Each
answer of a relation makes an assertion. Each judge gives a relation one of five judgments: `=` each implies the other,
`+` the phrase implies the question's relation, `<` the reverse, `-` neither, `?` makes no sense. Each direction is
aggregated by itself; by default all must agree. So there are up to two examples per assertion; a pair that holds in one
direction only is directional. Phrases that make no sense or lack agreement are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from string import ascii_lowercase
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import read_records
from proband.core.tables import text_lines
from proband.core.types import Judgment, Split
from proband.stats.agreement.aggregation import agreement_with_others, dawid_skene, mace
from proband.stats.agreement.coefficients import Aggregate, Votes, all_but, krippendorff_alpha, majority
from proband.suites.inference.expert_audit import audit
from proband.suites.inference.items import BACKWARD, Example, Triple
from proband.suites.inference.questionnaire import Questionnaire, Shown

ANSWERS, DOES_NOT, NONSENSE = LABELS = ("answers", "does not answer", "makes no sense")
ANSWER_OF = {ANSWERS: True, DOES_NOT: False}
LABEL_OF = {"yes": ANSWERS, "no": DOES_NOT, "nonsense": NONSENSE, **{label: label for label in LABELS}}
RULES: Mapping[str, Callable[[Votes], Aggregate]] = {
    "all-but-one": all_but,
    "majority": majority,
    "dawid-skene": dawid_skene,
    "mace": partial(mace, seed=0),
}


@dataclass(frozen=True)
class Judged:
    """Questionnaires, the judgments of their candidates, and the label of every candidate by the rule."""

    questionnaires: tuple[Questionnaire, ...]
    votes: Votes
    labels: Mapping[str, str | None]
    reverse: Mapping[str, str | None]
    expert: Mapping[str, str]
    rule: str
    decided: int = 0  # labels set by the owner of the study

    def both(self, candidate: str) -> tuple[bool | None, bool | None]:
        """Whether a candidate answers its question, and the reverse; None without agreement or sense."""
        there, back = (ANSWER_OF.get(str(labels.get(candidate))) for labels in (self.labels, self.reverse))
        return there, back


class OwnerDecision(msgspec.Struct, frozen=True, kw_only=True):
    item_id: str
    label: str
    reason: str = ""


def read_judged(folder: Path, rule: str) -> tuple[Judged, list[Example]]:
    sheets = tuple(with_triples(folder / "questionnaires.jsonl"))
    ids = Counter(candidate.id for each in sheets for candidate in each.candidates)
    known = set(ids)
    if twice := next((name for name, count in ids.items() if count > 1), None):
        raise ProbandError(f"the candidate id {twice!r} occurs twice", file=folder / "questionnaires.jsonl")
    votes = read_votes(folder / "judgments.jsonl", known)
    backwards, expert_file, owner = (folder / f"{name}.jsonl" for name in ("reverse-judgments", "expert", "decisions"))
    reverse = RULES[rule](read_votes(backwards, known)).labels if backwards.exists() else {}
    experts = labelled(expert_file, Judgment, "value", known, key="item_id") if expert_file.exists() else ()
    expert = {each.item_id: each.value for each in experts}
    decisions = labelled(owner, OwnerDecision, "label", known, key="item_id") if owner.exists() else ()
    by_owner = {each.item_id: each.label for each in decisions}
    labels = {**RULES[rule](votes).labels, **by_owner}
    judged = Judged(sheets, votes, labels, reverse, expert, rule, len(by_owner))
    return judged, list(judged_examples(judged))


def with_triples(path: Path) -> Iterator[Questionnaire]:
    """Questionnaires in which the question and each candidate are triples."""
    for line, each in enumerate(read_records(path, Questionnaire, key="id"), 1):
        for name in ("q_rel", "q_arg"):
            if not getattr(each, name):
                raise ProbandError(f"{name!r} is missing", file=path, line=line)
        for candidate in each.candidates:
            for name in ("subject", "relation", "object", "side"):
                if not getattr(candidate, name):
                    raise ProbandError(f"{name!r} of candidate {candidate.id!r} is missing", file=path, line=line)
        yield each


def read_votes(path: Path, known: set[str]) -> Votes:
    return Votes.of(labelled(path, Judgment, "value", known), labels=LABELS)


def labelled(path: Path, kind: type[Any], field: str, known: set[str], key: str | None = None) -> Iterator[Any]:
    """Records about known candidates, with one of LABELS in `field`."""
    line = 0
    for line, each in enumerate(read_records(path, kind, key=key), 1):
        value = getattr(each, field)
        if each.item_id not in known:
            raise ProbandError(f"'item_id' {each.item_id!r} is not a candidate's", file=path, line=line)
        if value not in LABEL_OF:
            raise ProbandError(f"{field!r} is {value!r}, not one of {', '.join(LABEL_OF)}", file=path, line=line)
        yield msgspec.structs.replace(each, **{field: LABEL_OF[value]})
    if not line:
        raise ProbandError("contains no judgments", file=path)


def judged_examples(judged: Judged) -> Iterator[Example]:
    """The labelled pairs, and their other direction if it has a label."""
    for each in judged.questionnaires:
        for candidate in each.candidates:
            yield from with_labels(example(each, candidate), *judged.both(candidate.id))


def with_labels(forward: Example, there: bool | None, back: bool | None) -> Iterator[Example]:
    """A pair and its other direction, each if it has a label; directional if one of the two holds."""
    forward = replace(forward, directional=None not in (there, back) and there != back)
    if there is not None:
        yield replace(forward, entailed=there)
    if back is not None:
        turned = replace(forward, premise=forward.hypothesis, hypothesis=forward.premise, direction=BACKWARD)
        yield replace(turned, entailed=back, typed=forward.typed if forward.straight else forward.typed[::-1])


def example(sheet: Questionnaire, candidate: Shown) -> Example:
    """The candidate as premise, the question with the answer in the place of its type as hypothesis.

    `Which TYPE REL ARG?` asks for the subject of REL; the candidate has the answer on either side.
    """
    premise = Triple(candidate.subject, candidate.relation, candidate.object)
    straight = candidate.side == "subject"
    answer, kind = (premise.subject if straight else premise.object), sheet.q_type
    hypothesis = Triple(answer, sheet.q_rel, sheet.q_arg)
    return Example(
        premise=premise,
        hypothesis=hypothesis,
        entailed=None,
        straight=straight,
        question=sheet.question,
        source="judgments",
        split=sheet.split,
        typed=(kind, "") if straight else ("", kind),
    )


# ---- our own set ---------------------------------------------------------------------------------------------------


FOLLOWS: Mapping[str, tuple[str, str]] = {  # judgment -> phrase implies question, question implies phrase
    "=": (ANSWERS, ANSWERS),
    "+": (ANSWERS, DOES_NOT),
    "<": (DOES_NOT, ANSWERS),
    "-": (DOES_NOT, DOES_NOT),
    "?": (NONSENSE, NONSENSE),
}
MASK, UNANIMOUS = "[ANSWER]", "unanimous"
PEOPLE = 5  # least number of judges for the paper's rule, all but one
SPLITS: Sequence[Split] = ("test", "test", "test", "train", "valid")  # of the questions, in turn


@dataclass(frozen=True)
class JudgedQuestion:
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
        """The name of a phrase among all judged phrases."""
        return f"q{self.number + 1:03}-{place + 1:02}"

    def assertion(self, place: int, answer: str) -> Triple:
        _, first, phrase = self.phrases[place]
        ends = (answer, self.argument) if first else (self.argument, answer)
        return Triple(ends[0], phrase, ends[1])


def read_questions(path: Path) -> list[JudgedQuestion]:
    """Blocks of a question line and lines of labelled phrases."""
    questions: list[JudgedQuestion] = []
    for number, line in text_lines(path):
        if line.startswith("#"):
            continue
        if "|" in line:
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) != 4 or not all(cells):
                raise ProbandError("a question is TYPE | RELATION | ARGUMENT | ANSWER; ANSWER", file=path, line=number)
            answers = tuple(each.strip() for each in cells[3].split(";"))
            questions.append(JudgedQuestion(len(questions), cells[0], cells[1], cells[2], answers, ()))
            continue
        mark, _, phrase = line.partition(" ")
        marks = mark.removesuffix("~")
        if not marks or set(marks) - set(FOLLOWS) or not phrase.strip() or not questions:
            raise ProbandError(
                "a phrase needs one of = + < - ? per judge, optionally ~, and then words", file=path, line=number
            )
        if len(marks) != len(judges := next((p[0] for q in questions for p in q.phrases), marks)):
            raise ProbandError(f"has {len(marks)} judgments, the first phrase {len(judges)}", file=path, line=number)
        phrases = (*questions[-1].phrases, (marks, not mark.endswith("~"), phrase.strip()))
        questions[-1] = replace(questions[-1], phrases=phrases)
    return questions


def aggregate_own(questions: Sequence[JudgedQuestion], rule: str) -> Judged:
    """The phrases as candidates, with the judgments and the aggregated labels in both directions."""
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
    votes, reverse = (Votes.of(own_judgments(questions, backward), labels=LABELS) for backward in (False, True))
    if rule == "all-but-one" and len(votes.workers) < PEOPLE:
        rule = UNANIMOUS
    decide = {**RULES, UNANIMOUS: unanimous}[rule]
    return Judged(sheets, votes, decide(votes).labels, decide(reverse).labels, {}, rule)


def unanimous(votes: Votes) -> Aggregate:
    """The rule for fewer than five judges: all must agree."""
    return all_but(votes, dissent=0, least=len(votes.workers))


def own_judgments(questions: Sequence[JudgedQuestion], backward: bool) -> Iterator[Judgment]:
    for question in questions:
        for place, (marks, _, _) in enumerate(question.phrases):
            for judge, mark in zip(ascii_lowercase, marks):
                yield Judgment(item_id=question.name(place), worker=judge, value=FOLLOWS[mark][backward], seconds=0.0)


def own_examples(questions: Sequence[JudgedQuestion], judged: Judged) -> Iterator[Example]:
    """An example per assertion and direction that has a label."""
    for question in questions:
        for place, (_, first, _) in enumerate(question.phrases):
            both = judged.both(question.name(place))
            for answer in question.answers:
                forward = Example(
                    premise=question.assertion(place, answer),
                    hypothesis=Triple(answer, question.relation, question.argument),
                    entailed=None,
                    straight=first,
                    question=question.text,
                    source="own",
                    split=question.split,
                    typed=(question.type, "") if first else ("", question.type),
                )
                yield from with_labels(forward, *both)


def read_own(path: Path, rule: str = "all-but-one") -> tuple[Judged, list[Example]]:
    """Read a folder with questions.txt, or such a file."""
    questions = read_questions(path / "questions.txt" if path.is_dir() else path)
    if not questions:
        raise ProbandError("contains no examples", file=path)
    judged = aggregate_own(questions, rule)
    return judged, list(own_examples(questions, judged))


# ---- the summary of judgments in the manifest: the figures of section 3.3 --------------------------------------------


def summary(judged: Judged) -> dict[str, Any]:
    """Questionnaires, pairs, judgments, what the rule kept and dropped, alpha, the workers and the audit."""
    counts = Counter(judged.labels.values())
    kept = counts[ANSWERS] + counts[DOES_NOT]
    pairs = sum(len(each.candidates) for each in judged.questionnaires)
    alpha = krippendorff_alpha(judged.votes)
    agreements = [share for share in agreement_with_others(judged.votes) if share is not None]
    accuracy, competence = dawid_skene(judged.votes).accuracy(), mace(judged.votes).competence
    assert competence is not None
    report: dict[str, Any] = {
        "rule": judged.rule,
        "questionnaires": len(judged.questionnaires),
        "pairs_judged": pairs,
        "judgments": len(judged.votes.item),
        **({"decided_by_owner": judged.decided} if judged.decided else {}),
        "retained": {
            "pairs": kept,
            "share": round(kept / pairs, 4),
            "answers": counts[ANSWERS],
            "does_not": counts[DOES_NOT],
            "dropped_as_nonsense": counts[NONSENSE],
            "dropped_without_agreement": pairs - kept - counts[NONSENSE],
        },
        "alpha": {name: value for name, value in asdict(alpha).items() if value not in (None, "")},
        "workers": {
            "people": len(judged.votes.workers),
            "median_agreement_with_others": round(median(agreements), 4) if agreements else None,
            "median_accuracy": round(median(accuracy.tolist()), 4),
            "lowest_competence": round(min(competence.tolist()), 4),
        },
    }
    if judged.expert:
        report["audit"] = asdict(audit(judged.labels, judged.expert, positive=ANSWERS))
    return report
