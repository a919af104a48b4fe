"""Proved labels of steps: training data for process reward models, and a test of models that judge steps.

A sentence of a reply is *true* if the story states or entails it, *false* otherwise (unsupported or contradicted). A
sentence about relations that is not read is *withheld*: it has no label, and the rest of its reply is left out.
Sentences that state no relation belong to the step behind them; a sentence that is taken back later keeps its label.

    export RUN --to stepwise   OUT/trl.jsonl (prompt, completions, labels: TRL's stepwise supervision) and
                               OUT/prm800k.jsonl (question, steps with ratings 1, -1 or null)
    steps RUN --judge MODEL    asks MODEL for the verdict on each labelled step: OUT/judge.json
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from proband import stats, suites
from proband.core.errors import ProbandError
from proband.core.files import atomic, dumps, read_answers, write_json, write_jsonl
from proband.core.types import Answer, Item
from proband.english.model_reader import json_of
from proband.pipeline.asking.setup import PlannedRun
from proband.pipeline.run import run_planned
from proband.pipeline.run_options import RunOptions
from proband.proof.statements import RIGHT, UNREAD, VERDICTS

POSITIONS: Final = 4  # steps from the fourth on are one group
BINS: Final = 5  # of confidence
ASKED: Final = """A reader was given this text and question:

{question}

The reader reasons:
{before}
Next step: {step}

Is the next step right: does what it says follow from the text alone? Reply with one JSON object and nothing else:
{{"verdict": "right" or "wrong", "confidence": a number from 0.5 to 1}}"""


class LabelledStep(NamedTuple):
    """`label`: whether it is right; None: withheld. `text` begins with the preceding sentences without statements."""

    text: str
    label: bool | None
    verdict: str
    before: str


def labelled_steps(record: Mapping[str, Any]) -> Iterator[LabelledStep]:
    """The steps of a reply, up to the first that is withheld, which is the last."""
    at, text = 0, record["text"]
    for step in record["steps"]:
        own = [each["verdict"] for each in step["statements"]]  # those taken back later included
        verdict = UNREAD if step["verdict"] == UNREAD else max(own, key=VERDICTS.index, default="")
        if not verdict:
            continue
        label = None if verdict == UNREAD else verdict in RIGHT
        yield LabelledStep(text[at : step["end"]].strip(), label, verdict, text[:at].strip())
        if label is None:
            return
        at = step["end"]


def write_stepwise(records: Iterable[Mapping[str, Any]], out: Path) -> dict[str, int]:
    """trl.jsonl and prm800k.jsonl; returns how many replies and steps they have."""
    counts = Counter(replies=0, steps=0, right=0, wrong=0, withheld=0)
    out.mkdir(parents=True, exist_ok=True)
    with atomic(out / "trl.jsonl") as trl, atomic(out / "prm800k.jsonl") as prm:
        for record in records:
            steps = list(labelled_steps(record))
            known = [step for step in steps if step.label is not None]
            counts["withheld"] += len(steps) - len(known)
            if not known:
                continue
            completions, labels = [step.text for step in known], [step.label for step in known]
            counts.update(replies=1, steps=len(known), right=labels.count(True), wrong=labels.count(False))
            trl.write(dumps({"prompt": record["question"], "completions": completions, "labels": labels}) + "\n")
            prm.write(dumps(_prm800k(record, steps)) + "\n")
    if not counts["replies"]:
        raise ProbandError("no reply has a labelled step: labels need replies in words to items with a prover")
    return dict(counts)


def _prm800k(record: Mapping[str, Any], steps: Sequence[LabelledStep]) -> dict[str, Any]:
    rating = {True: 1, False: -1, None: None}
    made = [
        {"completions": [{"text": s.text, "rating": rating[s.label], "flagged": False}], "chosen_completion": 0}
        for s in steps
    ]
    error = any(step.label is False for step in steps)
    return {
        "question": {"problem": record["question"], "ground_truth_answer": record["right_answer"]},
        "label": {"steps": made, "finish_reason": "found_error" if error else "solution"},
    }


# ---- models that judge steps -----------------------------------------------------------------------------------------


def judge_steps(out: Path, *, model: str, options: RunOptions) -> dict[str, Any]:
    """Ask a model for the verdict on every labelled step of OUT/replies.jsonl, and compare it with the proof."""
    records = map(msgspec.json.decode, (out / "replies.jsonl").read_text(encoding="utf-8").splitlines())
    folder, items, known = out / "judge", list[Item](), dict[str, tuple[LabelledStep, int, list[str]]]()
    for record in records:
        for place, step in enumerate(s for s in labelled_steps(record) if s.label is not None):
            sent = ASKED.format(question=record["question"], before=step.before or "(nothing yet)", step=step.text)
            name = hashlib.blake2b(f"{record['item']} {sent}".encode(), digest_size=12).hexdigest()
            if name not in known:
                known[name] = (step, place, record["clusters"])
                facts = {"json": True, "answers": ["right" if step.label else "wrong"]}
                items.append(Item(id=name, suite=suites.QUESTIONS, prompt=sent, facts=facts))
    write_jsonl(folder / "items.jsonl", items)
    if not known:
        raise ProbandError("no step has a label, so there is nothing to judge")
    of_solver = {"brief": True, **options.options, "prompt": "bare"}
    asked = replace(options, solver="generate", split="all", options=of_solver)
    run_planned(PlannedRun(items=folder, model=model, folder=folder / "run", options=asked))
    verdicts = [(known[each.item_id], verdict_in(each)) for each in read_answers(folder / "run" / "answers.jsonl")]
    judged = [(step, verdict) for step, verdict in verdicts if verdict]
    unread = _share([(float(verdict is None), shared) for (*_, shared), verdict in verdicts])
    result = {"model": model, "steps": len(known), "read": len(judged), "unread": unread, **compared(judged)}
    write_json(out / "judge.json", result)
    return result


def verdict_in(answer: Answer) -> tuple[bool, float | None] | None:
    """(right, confidence from 0 to 1 if it has one) in a judge's reply; None where it gives no verdict."""
    value = json_of(answer.text or "") or {}
    verdict, given = str(value.get("verdict", "")).strip().lower(), value.get("confidence", -1)
    if answer.status or verdict not in ("right", "wrong"):
        return None
    stated = isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= 1
    return verdict == "right", float(given) if stated else None


Judged = Sequence[tuple[tuple[LabelledStep, int, list[str]], tuple[bool, float | None]]]


def compared(judged: Judged) -> dict[str, Any]:
    """Precision and recall of *wrong step*, by kind and position; how often confident verdicts are right."""
    groups: defaultdict[str, list[Any]] = defaultdict(list)
    bins: defaultdict[int, list[Any]] = defaultdict(list)
    for each in judged:
        (step, place, shared), (right, confidence) = each
        groups["all"].append(each)
        groups[f"kind: {step.verdict}"].append(each)
        groups[f"position: {place + 1}" if place + 1 < POSITIONS else f"position: {POSITIONS} or later"].append(each)
        if confidence is not None:
            number = min(BINS - 1, max(0, int((confidence - 0.5) * 2 * BINS)))
            bins[number].append((float(right == step.label), shared, confidence))
    calibration = [
        {"confidence": round(sum(c for *_, c in own) / len(own), 3), **_share([each[:2] for each in own])}
        for _, own in sorted(bins.items())
    ]
    return {"wrong steps": {name: _quality(own) for name, own in sorted(groups.items())}, "calibration": calibration}


def _quality(judged: Judged) -> dict[str, Any]:
    called = [(float(not step.label), shared) for (step, _, shared), (right, _) in judged if not right]
    wrong = [(float(not right), shared) for (step, _, shared), (right, _) in judged if not step.label]
    return {"steps": len(judged), "precision": _share(called), "recall": _share(wrong)}


def _share(hits: Sequence[tuple[float, list[str]]]) -> Mapping[str, Any]:
    """A share with its clustered interval; none where clusters are too few to tell."""
    if not hits:
        return {"n": 0}
    found = stats.mean([hit for hit, _ in hits], clusters=stats.Clusters.of([names for _, names in hits]))
    return {"n": len(hits), "share": found.mean} | ({} if found.few else {"low": found.low, "high": found.high})
