"""A folder of questionnaires and judgments as examples (section 3.3).

questionnaires.jsonl        one question with its candidates a line (docs/formats.md)
judgments.jsonl             what people said: item_id (a candidate's), worker, value, seconds
reverse-judgments.jsonl     optional: the other direction, whether the question implies the candidate (Holt 2018)
expert.jsonl                optional: an expert's judgments, for the audit
decisions.jsonl             optional: the owner's word on single pairs (item_id, label), before any rule

A pair keeps its label where the rule gives one, and is dropped where it gives none or says that it makes no sense. The
type in the question is replaced by the answer, so that premise and hypothesis have both arguments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import msgspec
import numpy as np

from proband.core.agreement.aggregation import audit, dawid_skene, mace, worker_quality
from proband.core.agreement.coefficients import krippendorff_alpha
from proband.core.agreement.simulator import Simulated, confusions, simulate
from proband.core.agreement.votes import Aggregate, Votes, all_but, majority
from proband.core.errors import ProbandError
from proband.core.files import read_records
from proband.core.types import Judgment
from proband.suites.inference.items import BACKWARD, Example, Triple
from proband.suites.inference.questionnaire import Questionnaire, Shown

ANSWERS, DOES_NOT, NONSENSE = LABELS = ("answers", "does not answer", "makes no sense")
SAID = {"yes": ANSWERS, "no": DOES_NOT, "nonsense": NONSENSE, **{label: label for label in LABELS}}
RULES: Mapping[str, Callable[[Votes], Aggregate]] = {
    "all-but-one": all_but,
    "majority": majority,
    "dawid-skene": dawid_skene,
    "mace": partial(mace, seed=0),
}


@dataclass(frozen=True)
class Judged:
    """What was asked, what people said, and the label of every candidate by the rule."""

    questionnaires: tuple[Questionnaire, ...]
    votes: Votes
    labels: Mapping[str, str | None]
    reverse: Mapping[str, str | None]
    expert: Mapping[str, str]
    rule: str
    decided: int = 0  # labels that the owner of the study gave


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    item_id: str
    label: str
    reason: str = ""


def read(folder: Path, rule: str) -> Judged:
    asked = tuple(with_triples(folder / "questionnaires.jsonl"))
    known = {candidate.id for each in asked for candidate in each.candidates}
    votes = read_votes(folder / "judgments.jsonl", known)
    backwards, expert = folder / "reverse-judgments.jsonl", folder / "expert.jsonl"
    reverse = RULES[rule](read_votes(backwards, known)).labels if backwards.exists() else {}
    said = {each.item_id: each.value for each in judgments(expert, known)} if expert.exists() else {}
    decided = decisions(folder / "decisions.jsonl", known)
    return Judged(asked, votes, {**RULES[rule](votes).labels, **decided}, reverse, said, rule, len(decided))


def with_triples(path: Path) -> Iterator[Questionnaire]:
    """Questionnaires that say the question and each candidate as triples, of which examples are made."""
    for line, each in enumerate(read_records(path, Questionnaire, key="id"), 1):
        for name in ("q_rel", "q_arg"):
            if not getattr(each, name):
                raise ProbandError(f"{name!r} is missing", file=path, line=line)
        for candidate in each.candidates:
            for name in ("subject", "relation", "object", "side"):
                if not getattr(candidate, name):
                    raise ProbandError(f"{name!r} of candidate {candidate.id!r} is missing", file=path, line=line)
        yield each


def decisions(path: Path, known: set[str]) -> dict[str, str]:
    """Candidate -> the owner's label."""
    made = {}
    for line, each in enumerate(read_records(path, Decision, key="item_id") if path.exists() else (), 1):
        if each.item_id not in known:
            raise ProbandError(f"'item_id' {each.item_id!r} is no candidate's", file=path, line=line)
        if each.label not in SAID:
            raise ProbandError(f"'label' is {each.label!r}, not one of {', '.join(SAID)}", file=path, line=line)
        made[each.item_id] = SAID[each.label]
    return made


def read_votes(path: Path, known: set[str]) -> Votes:
    votes = Votes.of(judgments(path, known), labels=LABELS)
    if not votes.items:
        raise ProbandError("contains no judgments", file=path)
    return votes


def judgments(path: Path, known: set[str]) -> Iterator[Judgment]:
    for line, each in enumerate(read_records(path, Judgment), 1):
        if each.item_id not in known:
            raise ProbandError(f"'item_id' {each.item_id!r} is no candidate's", file=path, line=line)
        if each.value not in SAID:
            raise ProbandError(f"'value' is {each.value!r}, not one of {', '.join(SAID)}", file=path, line=line)
        yield msgspec.structs.replace(each, value=SAID[each.value])


def examples(judged: Judged, *, source: str) -> Iterator[Example]:
    """The pairs that have a label, and the other direction of those that have one for it."""
    for each in judged.questionnaires:
        for candidate in each.candidates:
            forward = example(each, candidate, source=source)
            if (label := judged.labels.get(candidate.id)) in (ANSWERS, DOES_NOT):
                yield replace(forward, entailed=label == ANSWERS)
            if (label := judged.reverse.get(candidate.id)) in (ANSWERS, DOES_NOT):
                yield replace(
                    forward,
                    premise=forward.hypothesis,
                    hypothesis=forward.premise,
                    entailed=label == ANSWERS,
                    direction=BACKWARD,
                )


def example(asked: Questionnaire, candidate: Shown, *, source: str) -> Example:
    """The candidate as premise, the question with the answer in the place of its type as hypothesis.

    `Which TYPE REL ARG?` asks for the subject of REL; the candidate has the answer on either side.
    """
    premise = Triple(candidate.subject, candidate.relation, candidate.object)
    straight = candidate.side == "subject"
    answer, kind = (premise.subject if straight else premise.object), asked.q_type
    hypothesis = Triple(answer, asked.q_rel, asked.q_arg)
    return Example(
        premise=premise,
        hypothesis=hypothesis,
        entailed=None,
        straight=straight,
        question=asked.question,
        source=source,
        split=asked.split,
        typed=(kind, "") if straight else ("", kind),
    )


# ---- what the manifest says of judgments: the figures of section 3.3, ours -------------------------------------------


def summary(judged: Judged) -> dict[str, Any]:
    """Questionnaires, pairs, judgments, what the rule kept and dropped, alpha, the workers and the audit."""
    said = Counter(judged.labels.values())
    kept = said[ANSWERS] + said[DOES_NOT]
    pairs = sum(len(each.candidates) for each in judged.questionnaires)
    alpha = krippendorff_alpha(judged.votes)
    workers = worker_quality(judged.votes)
    agreements = [each.agreement for each in workers if each.agreement is not None]
    report: dict[str, Any] = {
        "rule": judged.rule,
        "questionnaires": len(judged.questionnaires),
        "pairs_judged": pairs,
        "judgments": len(judged.votes.item),
        **({"decided_by_owner": judged.decided} if judged.decided else {}),
        "retained": {
            "pairs": kept,
            "share": round(kept / pairs, 4),
            "answers": said[ANSWERS],
            "does_not": said[DOES_NOT],
            "dropped_as_nonsense": said[NONSENSE],
            "dropped_without_agreement": pairs - kept - said[NONSENSE],
        },
        "alpha": {name: value for name, value in asdict(alpha).items() if value not in (None, "")},
        "workers": {
            "people": len(workers),
            "median_agreement_with_others": round(median(agreements), 4) if agreements else None,
            "median_accuracy": round(median(each.accuracy for each in workers), 4),
            "lowest_competence": round(min(each.competence for each in workers), 4),
        },
    }
    if judged.expert:
        report["audit"] = asdict(audit(judged.labels, judged.expert, positive=ANSWERS))
    return report


def workers_table(judged: Judged) -> str:
    """workers.tsv: one line per worker."""
    rows: list[tuple[str, ...]] = [("worker", "judgments", "agreement", "accuracy", "competence", "commonest")]
    for each in worker_quality(judged.votes):
        shares = (each.agreement, each.accuracy, each.competence, each.commonest)
        rows.append((each.name, str(each.judgments), *("" if x is None else f"{x:.3f}" for x in shares)))
    return "".join("\t".join(row) + "\n" for row in rows)


# ---- simulated annotators --------------------------------------------------------------------------------------------


def simulated_judgments(
    questionnaires: Sequence[Questionnaire],
    truth: Mapping[str, str],
    *,
    seed: int,
    workers: int = 30,
    accuracy: tuple[float, float] = (0.75, 0.98),
    per_item: int = 5,
) -> Simulated:
    """Five of the `workers` judge each questionnaire; each is right with a probability of its own between bounds."""
    names = [candidate.id for each in questionnaires for candidate in each.candidates]
    groups = np.repeat(np.arange(len(questionnaires)), [len(each.candidates) for each in questionnaires])
    skill = confusions(np.random.default_rng([seed, 7]), workers=workers, labels=len(LABELS), accuracy=accuracy)
    return simulate(
        [truth[name] for name in names],
        labels=LABELS,
        confusion=skill,
        per_item=per_item,
        seed=seed,
        names=names,
        groups=groups,
    )
