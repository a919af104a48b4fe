"""Judge: one question, up to 24 candidate answers, each *answers / does not answer / makes no sense* (Levy & Dagan
2016, section 3.3).

The word that would answer is masked by its type here, on the server: what `shown` gives holds neither the word nor an
id that might contain it.

>>> masked("Eritrea invaded Ethiopia.", ["Eritrea"], "country")
'[COUNTRY] invaded Ethiopia.'
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypedDict

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import group_by_key, read_records, write_jsonl
from proband.suites.inference.questionnaire import MAX_CANDIDATES, Questionnaire
from proband_annotate.human_task import (
    Body,
    Field,
    Figure,
    Form,
    HumanTask,
    Invalid,
    Question,
    TaskPart,
    Unit,
    share,
    value,
)
from proband_annotate.results.collected import Collected

SAME = str.maketrans("\u2018\u2019\u02bc\u00b4`\u2010\u2011\u2012\u2013\u2212", "'" * 5 + "-" * 5)
LABELS = ("yes", "no", "nonsense")  # the sentence answers the question; does not; makes no sense


def masked(text: str, answers: Iterable[str], kind: str) -> str:
    """The text (composed, NFC) with its answers, in any position and spelling, replaced by the type in brackets."""
    longest = sorted({" ".join(folded(answer)[0].split()) for answer in answers} - {""}, key=len, reverse=True)
    words = "|".join(re.escape(answer).replace(r"\ ", r"\s+") for answer in longest)
    text = unicodedata.normalize("NFC", text)
    plain, places = folded(text)
    made, end = "", 0
    for match in re.finditer(rf"(?<!\w)(?:{words})(?!\w)", plain) if words else ():
        made, end = f"{made}{text[end : places[match.start()]]}[{kind.upper()}]", places[match.end()]
    return made + text[end:]


def folded(text: str) -> tuple[str, list[int]]:
    """A text as words are compared (composed, without case, with one apostrophe and one hyphen), and where each of its
    characters is in the composed text.

    >>> folded("Gro\u00df")
    ('gross', [0, 1, 2, 3, 3, 4])
    """
    parts = [char.casefold().translate(SAME) for char in unicodedata.normalize("NFC", text)]
    return "".join(parts), [place for place, part in enumerate([*parts, " "]) for _ in part]


def units(path: Path) -> Iterator[Unit]:
    file = path / "questionnaires.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise ProbandError("no such file of questionnaires", file=file)
    for line, each in enumerate(read_records(file, Questionnaire, key="id"), start=1):
        if not 1 <= len(each.candidates) <= MAX_CANDIDATES:
            raise ProbandError(
                f"{len(each.candidates)} candidates; 1 to {MAX_CANDIDATES} fit on a page", file=file, line=line
            )
        if len({c.id for c in each.candidates}) < len(each.candidates):
            raise ProbandError("'candidates' has an id twice", file=file, line=line)
        gold = each.gold or {}
        if wrong := [c for c, label in gold.items() if label not in LABELS]:
            raise ProbandError(f"'gold' of {wrong[0]!r} is not one of {', '.join(LABELS)}", file=file, line=line)
        yield Unit(
            id=each.id,
            role=each.role,
            clause=each.question,
            body={
                "question": each.question,
                "q_type": each.q_type,
                "q_rel": each.q_rel,
                "q_arg": each.q_arg,
                "candidates": [msgspec.to_builtins(c) for c in each.candidates],
            },
            gold=each.gold,
        )


class ShownQuestionnaire(TypedDict):
    question: str
    type: str
    candidates: Sequence[str]
    labels: Sequence[str]


def shown(body: Body) -> ShownQuestionnaire:
    """Texts only, by position. Every candidate's word is masked in every text, unless the question contains it."""
    question = folded(body["question"])[0]
    hidden = {c["answer"] for c in body["candidates"] if folded(c["answer"])[0] not in question}
    texts = [masked(c["text"], {c["answer"], *hidden}, body["q_type"]) for c in body["candidates"]]
    return {"question": body["question"], "type": body["q_type"], "candidates": texts, "labels": LABELS}


def questions(body: Body) -> list[Question]:
    seen, options = shown(body), {f"judge.{label}": label for label in LABELS}
    return [
        Question(
            title=seen["question"],
            text=text,
            fields=(Field(name=f"c{place}", title="judge.name", options=options),),
        )
        for place, text in enumerate(seen["candidates"])
    ]


def answer(body: Body, form: Form) -> dict[str, dict[str, str]]:
    count = len(body["candidates"])
    given = [form.get(f"c{place}", "") for place in range(count)]
    for place, label in enumerate(given):
        if label not in LABELS:
            raise Invalid(f"c{place}", "judge.invalid", place=place + 1, left=sum(g not in LABELS for g in given))
    return {"labels": {c["id"]: label for c, label in zip(body["candidates"], given, strict=True)}}


def fields(body: Body, given: Body) -> dict[str, str]:
    labels = given.get("labels", {})
    return {f"c{place}": labels.get(c["id"], "") for place, c in enumerate(body["candidates"])}


def labels(body: Body, given: Body) -> list[tuple[str, str]]:
    return list(given["labels"].items())


def parts(body: Body) -> list[TaskPart]:
    return [
        TaskPart(id=each["id"], place=place, text=str(each.get("text", "")), title=body["question"])
        for place, each in enumerate(body["candidates"], start=1)
    ]


# ---- results -------------------------------------------------------------------------------------------------------


def figures(results: Collected) -> dict[str, Figure]:
    """23 % nonsense; 3,147 positive and 13,224 negative of 30,703; 91.3 and 86.2 against experts."""
    made = results.labels
    counts = Counter(label or "no_agreement" for label in made.values())
    expert = {each.item_id: each.value for each in results.judgments("expert")}
    precision = [(part, expert[part] == "yes") for part, label in made.items() if label == "yes" and part in expert]
    positive = [(part, made[part] == "yes") for part in made if expert.get(part) == "yes"]
    agreed = [(part, hit) for part, hit in positive if made[part] is not None]
    return {
        "candidates": value(len(made), 30703),
        "positive": value(counts["yes"], 3147),
        "negative": value(counts["no"], 13224),
        "nonsense": share(_by_question(results, [(p, label == "nonsense") for p, label in made.items()]), 0.23),
        "no_agreement": value(counts["no_agreement"]),
        "precision": share(_by_question(results, precision), 0.913),
        "recall_of_all": share(_by_question(results, positive), 0.862),
        "recall_of_agreed": share(_by_question(results, agreed), 0.862),
    }


def _by_question(results: Collected, hits: Iterable[tuple[str, bool]]) -> Iterable[list[bool]]:
    """Candidates of one question, which one person judges together."""
    return group_by_key((results.groups.get(part, part), hit) for part, hit in hits).values()


def suite_input(results: Collected, folder: Path, project: Path) -> dict[str, int | str]:
    """questionnaires.jsonl, judgments.jsonl and, if there are experts, expert.jsonl."""
    sheets = (
        {"id": unit["name"], **{k: unit["body"][k] for k in ("question", "q_type", "q_rel", "q_arg", "candidates")}}
        for unit in sorted(results.units.values(), key=lambda unit: str(unit["name"]))
    )
    written = {"questionnaires": write_jsonl(folder / "questionnaires.jsonl", sheets)}
    written["judgments"] = write_jsonl(folder / "judgments.jsonl", results.judgments())
    if results.counted("expert"):
        written["experts"] = write_jsonl(folder / "expert.jsonl", results.judgments("expert"))
    return {**written, "next": f"proband build inference --data {folder} --format judgments -o items"}


JUDGE = HumanTask(
    name="judge",
    page="proband_annotate.kinds:judge.html",
    texts="proband_annotate.kinds:judge.toml",
    sample="proband_annotate:samples/questionnaires.jsonl",
    units=units,
    shown=shown,
    unit_text=lambda body: str(body["question"]),
    parts=parts,
    choices=lambda body: LABELS,
    answer=answer,
    fields=fields,
    labels=labels,
    questions=questions,
    dissent=1,
    of_at_most=5,
    positive="yes",
    figures=figures,
    suite_input=suite_input,
    defaults={"people": {"overlap": 5}, "time": {"expected-seconds": 180}, "pay": {"per-unit": 0.6}},
)
