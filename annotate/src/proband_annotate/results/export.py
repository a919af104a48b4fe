"""Exports: all answers as JSON lines or CSV, the suite's own input, a Hugging Face data set with its card."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from proband.core.errors import ProbandError
from proband.core.files import encode, render_text, write_csv, write_json, write_jsonl, write_text
from proband_annotate.human_task import Body, Labels
from proband_annotate.project import fingerprint, secret_of
from proband_annotate.results.collected import Adjudication, Collected, SubmittedAnswer, UnitRow, decode_body, part_name
from proband_annotate.results.figures import agreement, progress, uncounted
from proband_annotate.reviewing import SOURCE
from proband_annotate.terms import Terms
from proband_annotate.texts import paragraphs

OWNER = "owner"  # worker and panel of a decision
SHARED = ("role", "worker", "panel", "licence", "counts", "why_not", "revision", "seconds")
FORMATS = ("jsonl", "csv", "suite", "hf")


def export(collected: Collected, *, to: str, out: Path, project_folder: Path) -> dict[str, Any]:
    if to == "jsonl":
        return {"answers": write_jsonl(out, rows(collected)), "counted": uncounted(collected), "file": str(out)}
    if to == "csv":
        return _csv(collected, out)
    if to == "suite":
        return suite_input(collected, out, project_folder)
    if to == "hf":
        return _hub(collected, out)
    raise ProbandError(f"no format {to!r}; there are {', '.join(FORMATS)}")


def suite_input(collected: Collected, folder: Path, project_folder: Path) -> dict[str, Any]:
    """Write what the suite reads, with its source; returns what was written and the command that reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    made = dict(collected.task.suite_input(collected, folder, project_folder))
    about = {"title": collected.project.title, "kind": collected.project.kind, "licence": licences(collected)}
    about["counted"] = made["counted"] = uncounted(collected)
    if collected.task.reviewed:  # which secret hides the authors
        about["project"] = os.path.relpath(project_folder.resolve(), folder.resolve())
        about["secret"] = fingerprint(secret_of(project_folder))
    write_json(folder / SOURCE, about)
    if collected.decisions:
        decided = (
            {"item_id": part_name(each.unit, each.part), "label": each.label, "reason": each.reason}
            for each in collected.decisions
        )
        made["decisions"] = write_jsonl(folder / "decisions.jsonl", decided)
    return made


def why_not(collected: Collected, each: SubmittedAnswer) -> str:
    """Why an answer does not count; empty if it does."""
    if each.slot is not None:
        return ""
    if each.role != "main":
        return {"trial": "practice", "erased": "stories erased"}.get(each.role, "check")
    person = collected.by_id[each.person_id]
    if person["decision"] == "rejected":
        return "rejected"
    return "failed checks" if person["outcome"] == "failed_checks" else "late"


def part_text(collected: Collected, body: Body, part: str) -> str:
    """The text that a label is about: a candidate answer or a story; empty if the unit has one label."""
    return next((each.text for each in collected.task.parts(body) if each.id == part), "")


def rows(collected: Collected) -> Iterator[dict[str, Any]]:
    """A line per answer, including those that do not count; then a line per decision of the owner."""
    for each in (*collected.answers, *collected.other_answers):
        body, attention = each.body, each.role == "attention"
        yield {
            "id": each.id,
            "unit": each.unit,
            "unit_text": body["text"] if attention else collected.task.unit_text(body),
            "role": each.role,
            "worker": each.worker,
            "panel": each.panel,
            "licence": each.licence,
            "counts": each.slot is not None,
            "why_not": why_not(collected, each),
            "revision": each.revision,
            "seconds": round(each.seconds, 3),
            "created": each.created,
            "answer": each.answer,
            "signals": each.signals,
        }
    for decision in collected.decisions:
        yield {
            "id": f"decision {decision.unit} {decision.part}",
            "unit": decision.unit,
            "unit_text": collected.task.unit_text(collected.body(decision.unit)),
            "role": "main",
            "worker": OWNER,
            "panel": OWNER,
            "licence": collected.project.licence,
            "counts": True,
            "why_not": "",
            "revision": 1,
            "seconds": 0.0,
            "created": decision.at,
            "answer": {"part": decision.part, "label": decision.label, "reason": decision.reason},
            "signals": {},
        }


def _csv(collected: Collected, out: Path) -> dict[str, Any]:
    """A line per label, or per answer if there are no labels."""
    header = ["id", "unit", "part", *SHARED, "label", "text", "detail", "unit_text", "part_text"]
    lines = write_csv(out, header, answer_rows(collected))
    return {"lines": lines, "counted": uncounted(collected), "file": str(out)}


def answer_rows(collected: Collected) -> Iterator[list[Any]]:
    every: list[SubmittedAnswer | Adjudication] = [*collected.answers, *collected.other_answers, *collected.decisions]
    for row, each in zip(rows(collected), every, strict=True):
        shared = [row[name] for name in SHARED]
        for part, label, words, detail, part_text in _labelled(collected, each, row["answer"]):
            yield [row["id"], row["unit"], part, *shared, label, words, detail, row["unit_text"], part_text]


def _labelled(
    collected: Collected, each: SubmittedAnswer | Adjudication, answer: Body
) -> Iterator[tuple[str, str, str, Any, str]]:
    """Each label of an answer: part, label, text, detail and the text of the part; without labels what was written."""
    work = collected.task
    if isinstance(each, Adjudication):
        yield each.part, each.label, "", each.reason, part_text(collected, collected.body(each.unit), each.part)
        return
    check = each.role == "attention"
    texts = {} if check else {part.id: part.text for part in work.parts(each.body)}
    for part, label in zip(each.parts, each.labels, strict=True):
        yield part, label, "", None if check else work.detail(answer, part), texts.get(part, "")
    if not each.parts:
        yield "", "", "\n".join(work.writing(answer)), "", ""


def _hub(collected: Collected, out: Path) -> dict[str, Any]:
    """README.md with the card, data/answers.jsonl, data/units.jsonl and data/labels.jsonl with texts. Only answers of
    people who agreed to a licence are included, each with its own."""
    left = {each.worker for each in collected.answers if not each.licence}
    collected = publishable(collected)
    if not collected.answers and (left or not collected.project.licence):
        raise ProbandError("'licence' was empty when people agreed, so their answers may not be published")
    out.mkdir(parents=True, exist_ok=True)
    flat = (
        {**row, "answer": json.dumps(row["answer"], ensure_ascii=False), "signals": json.dumps(row["signals"])}
        for row in rows(collected)
    )
    count = write_jsonl(out / "data" / "answers.jsonl", flat)
    every = sorted(collected.units.values(), key=lambda unit: str(unit["name"]))
    write_jsonl(out / "data" / "units.jsonl", (_hub_unit(collected, unit) for unit in every))
    made = collected.labels
    if made:
        write_jsonl(out / "data" / "labels.jsonl", _hub_labels(collected, made))
    write_text(out / "README.md", card(collected, with_labels=bool(made)))
    about = {"labels": len(made), "counted": uncounted(collected), "folder": str(out), "licence": licences(collected)}
    return {"answers": count, **about, "people_left_out": len(left)}


def publishable(collected: Collected) -> Collected:
    """What people agreed to publish: their answers to the main units, and stories by others in these."""
    units = {number: UnitRow({**unit, "text": _published(unit["text"])}) for number, unit in collected.units.items()}
    given = [replace(each, unit_text=units[each.unit_id]["text"]) for each in collected.answers if each.licence]
    return replace(collected, units=units, answers=given, other_answers=(), memory={})


def _published(text: str) -> str:
    """The body of a unit without stories whose authors agreed to no licence; their positions stay."""
    body = decode_body(text)
    stories = body.get("stories", [])
    if all(story.get("licence") != "" for story in stories):
        return text
    kept = [{"id": story["id"], "erased": True} if story.get("licence") == "" else story for story in stories]
    return encode({**body, "stories": kept}).decode()


def licences(collected: Collected) -> str:
    """All licences that the authors of answers and of stories agreed to, joined as in SPDX."""
    stories = (story for unit in collected.units.values() for story in unit["body"].get("stories", ()))
    agreed = {each.licence for each in collected.answers} | {s["licence"] for s in stories if s.get("licence")}
    return " AND ".join(sorted(each or "not to be published" for each in agreed or {collected.project.licence}))


def _hub_unit(collected: Collected, unit: Mapping[str, Any]) -> dict[str, Any]:
    """A unit without the authors of its stories; its body is one column, because kinds differ."""
    body = {
        name: [{k: v for k, v in part.items() if k != "author"} for part in value] if name == "stories" else value
        for name, value in unit["body"].items()
    }
    return {"unit": unit["name"], "text": collected.task.unit_text(body), "body": json.dumps(body, ensure_ascii=False)}


def _hub_labels(collected: Collected, made: Labels) -> Iterator[dict[str, Any]]:
    """A line per label with its text and who decided it."""
    decided = {part_name(unit, part): unit for unit, part in collected.decided}
    for part, label in made.items():
        unit = decided.get(part) or collected.groups[part]
        body = collected.body(unit)
        yield {
            "part": part,
            "label": label,
            "decided_by": OWNER if part in decided else "people",
            "unit": unit,
            "unit_text": collected.task.unit_text(body),
            "part_text": part_text(collected, body, part),
        }


def card(collected: Collected, *, with_labels: bool) -> str:
    """The data card: the task, the people, pay, checks and agreement."""
    project = collected.project
    return render_text(
        "proband_annotate.results",
        "card.md",
        project=project,
        done=progress(collected),
        people=len({each.worker for each in collected.counted()}),
        configs=["answers", "units", *(["labels"] if with_labels else [])],
        licences=licences(collected).split(" AND "),
        versions=[version for each in collected.terms if (version := _version(collected, *each))["people"]],
        uncounted=uncounted(collected),
        agreement=agreement(collected),
        inline=inline,
    )


def _version(collected: Collected, number: int, at: float, terms: Terms) -> dict[str, Any]:
    return {
        "number": number,
        "date": time.strftime("%Y-%m-%d", time.gmtime(at)),
        "people": len({p["id"] for p in collected.people if p["agreement_id"] == number and p["licence"]}),
        "consent": [*paragraphs(terms.own_words), *terms.task, *terms.consent],
        "instructions": paragraphs(terms.instructions),
    }


def inline(text: str) -> str:
    r"""Text with Markdown characters escaped.

    >>> inline("<b>*x*")
    '\\<b\\>\\*x\\*'
    """
    return "".join("\\" + c if c in "\\`*_{}[]()#+!|<>~" else c for c in " ".join(text.split()))
