"""A study in another tool: its units as tasks of Label Studio or Potato, and the answers read back.

Each question of a unit is a task there; its fields are `f1`, `f2`, ... in the order of the task's form. What comes back
is put into that form again and read by the kind of task itself, so that an answer from elsewhere is one of ours.
"""

from __future__ import annotations

import html
import json
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from sqlalchemy import Connection, insert, select

from proband.core.errors import ProbandError
from proband.core.files import encode, file_errors, write_json, write_jsonl, write_text
from proband_annotate.human_task import Field, HumanTask, Invalid, Question
from proband_annotate.project import read_project, secret_of
from proband_annotate.store import people as people_store
from proband_annotate.store.answers import last_answer
from proband_annotate.store.migrate import open_study
from proband_annotate.store.schema import answers, assignments, people, units
from proband_annotate.store.slots import held, retake
from proband_annotate.tasks import task
from proband_annotate.texts import paragraphs, texts_of, words
from proband_annotate.tokens import worker_hash


@dataclass(frozen=True, kw_only=True)
class QuestionNumber:
    """A question of a unit, by number, because its id may reveal the answer."""

    unit: str
    part: str


@dataclass(frozen=True, kw_only=True)
class ToolAnswer:
    """One person's answer to one task of another tool: field -> words."""

    unit: str
    part: str
    worker: str
    values: Mapping[str, str]
    seconds: float


# ---- export ----------------------------------------------------------------------------------------------------------


def export_tasks(folder: Path, *, to: str, out: Path) -> dict[str, Any]:
    """The main units of a study as tasks for another tool."""
    project = read_project(folder)
    work = task(project.kind)
    if work.questions is None:
        raise ProbandError(f"tasks of the kind {project.kind} cannot be answered in {to}")
    with closing(open_study(folder)) as database:
        query = select(units.c.name, units.c.body).where(units.c.role == "main").order_by(units.c.name)
        rows = database.read(lambda c: c.execute(query).all())
    asked = [
        (QuestionNumber(unit=row.name, part=str(place)), question)
        for row in rows
        for place, question in enumerate(work.questions(json.loads(row.body)), start=1)
    ]
    out.mkdir(parents=True, exist_ok=True)
    about = [project.title, *paragraphs(project.texts.instructions or words(f"{project.kind}.instructions"))]
    WRITERS[to](out, project.kind, about, asked)
    return {"units": len(rows), "tasks": len(asked), "folder": str(out), "next": NEXT[to].format(folder=out)}


NEXT = {
    "label-studio": "label-studio start study --init --label-config {folder}/config.xml; import {folder}/tasks.json",
    "potato": "cd {folder} && potato start config.yaml",
}


def shown(kind: str, key: str, *, place: int = 1) -> str:
    """An option or a title as people see it: a text of the task, or the words themselves."""
    return texts_of(kind).get(key, key).replace("{place}", str(place))


def choices(kind: str, field: Field) -> dict[str, str]:
    return {shown(kind, option): value for option, value in field.options.items()}


def same_options(kind: str, asked: Sequence[tuple[QuestionNumber, Question]], place: int) -> list[str] | None:
    """The options of a field, if all tasks have the same."""
    lists = {tuple(choices(kind, question.fields[place])) for _, question in asked}
    return list(lists.pop()) if len(lists) == 1 else None


def _label_studio(out: Path, kind: str, about: Sequence[str], asked: Sequence[tuple[QuestionNumber, Question]]) -> None:
    """config.xml, and tasks.json with the texts in `data`."""
    fields = asked[0][1].fields
    view = ElementTree.Element("View")
    ElementTree.SubElement(view, "Header", value="$title")
    ElementTree.SubElement(view, "Text", name="text", value="$text")
    fixed = [same_options(kind, asked, place) for place in range(len(fields))]
    for place, field in enumerate(fields):
        name, needed = f"f{place + 1}", _required(field)
        ElementTree.SubElement(view, "Header", value=shown(kind, field.title, place=place + 1), size="5")
        if not field.options:
            given = {"name": name, "toName": "text", "rows": "2", "maxSubmissions": "1", **needed}
            ElementTree.SubElement(view, "TextArea", given)
            continue
        given = {"name": name, "toName": "text", "choice": "single-radio", **needed}
        if fixed[place] is None:
            given["value"] = f"$options{place + 1}"
        chosen = ElementTree.SubElement(view, "Choices", given)
        for option in fixed[place] or ():
            ElementTree.SubElement(chosen, "Choice", value=option)
    ElementTree.indent(view)
    write_text(out / "config.xml", ElementTree.tostring(view, encoding="unicode") + "\n")
    tasks = []
    for here, question in asked:
        data: dict[str, Any] = {**asdict(here), "title": question.title, "text": question.text}
        for place, field in enumerate(question.fields):
            if field.options and fixed[place] is None:
                data[f"options{place + 1}"] = [{"value": option} for option in choices(kind, field)]
        tasks.append({"data": data})
    write_json(out / "tasks.json", tasks)


def _required(field: Field) -> dict[str, str]:
    return {"required": "true"} if field.required else {}


def _potato(out: Path, kind: str, about: Sequence[str], asked: Sequence[tuple[QuestionNumber, Question]]) -> None:
    """config.yaml (JSON is YAML) and the tasks. Potato shows a text as HTML, so ours is escaped."""
    schemes: list[dict[str, Any]] = []
    for place, field in enumerate(asked[0][1].fields):
        scheme: dict[str, Any] = {"name": f"f{place + 1}", "description": shown(kind, field.title, place=place + 1)}
        if field.options:
            options = same_options(kind, asked, place)
            if options is None:
                raise ProbandError("Potato has one list of options for all tasks, but those of these units differ")
            scheme |= {"annotation_type": "radio", "labels": options}
        else:
            scheme |= {"annotation_type": "text"}
        schemes.append({**scheme, **({"label_requirement": {"required": True}} if field.required else {})})
    config = {
        "annotation_task_name": about[0],
        "task_dir": ".",
        "data_files": ["tasks.jsonl"],
        "item_properties": {"id_key": "id", "text_key": "text"},
        "output_annotation_dir": "annotation_output",
        "user_config": {"allow_all_users": True, "users": []},
        "require_password": False,
        "site_dir": "default",
        "annotation_schemes": schemes,
    }
    write_text(out / "config.yaml", json.dumps(config, ensure_ascii=False, indent=2) + "\n")
    rows = (
        {
            "id": f"{here.unit}{BETWEEN}{here.part}",
            "text": "<br>".join(html.escape(part) for part in (question.title, question.text) if part),
        }
        for here, question in asked
    )
    write_jsonl(out / "tasks.jsonl", rows)
    write_text(out / "instructions.txt", "\n\n".join(about) + "\n")


BETWEEN = " // "  # between a unit and its part in the id of a task
WRITERS: Mapping[str, Callable[[Path, str, Sequence[str], Sequence[tuple[QuestionNumber, Question]]], None]] = {
    "label-studio": _label_studio,
    "potato": _potato,
}


# ---- import ----------------------------------------------------------------------------------------------------------


def import_results(folder: Path, results: Path, *, tool: str) -> dict[str, Any]:
    """Store the answers from another tool. Importing them again changes nothing. People are known by a hash, and paid
    there."""
    project, secret = read_project(folder), secret_of(folder)
    work = task(project.kind)
    if work.questions is None:
        raise ProbandError(f"tasks of the kind {project.kind} cannot be answered in {tool}")
    with file_errors(results):
        given = list(READERS[tool](results))
    if not given:
        raise ProbandError(f"contains no answers of {tool}", file=results)
    by_unit: dict[tuple[str, str], dict[str, ToolAnswer]] = defaultdict(dict)
    for each in given:
        by_unit[each.worker, each.unit][each.part] = each
    with closing(open_study(folder)) as database:
        known = database.read(lambda c: {row.name: row for row in c.execute(select(units))})
        counts = {"stored": 0, "there_before": 0, "incomplete": 0, "other_units": 0}
        for (worker, unit), parts in by_unit.items():
            row = known.get(unit)
            if row is None:
                counts["other_units"] += 1
                continue
            body = _answer(work, json.loads(row.body), parts)
            if body is None:
                counts["incomplete"] += 1
                continue
            who = worker_hash(secret, tool, worker)
            seconds = sum(part.seconds for part in parts.values())
            new = database.write(
                lambda c, who=who, row=row, body=body, seconds=seconds: _store(c, tool, who, row.id, body, seconds)  # type: ignore[misc]
            )
            counts["stored" if new else "there_before"] += 1
    return {"people": len({each.worker for each in given}), **counts}


def _answer(work: HumanTask, body: Mapping[str, Any], parts: Mapping[str, ToolAnswer]) -> dict[str, Any] | None:
    """Read the form that these words fill in; None if something is missing."""
    assert work.questions is not None
    form: dict[str, str] = {}
    for number, question in enumerate(work.questions(body), start=1):
        values = parts[str(number)].values if str(number) in parts else {}
        for place, field in enumerate(question.fields):
            words = values.get(f"f{place + 1}", "")
            form[field.name] = choices(work.name, field).get(words, "") if field.options else words
    try:
        return dict(work.answer(body, form))
    except Invalid:
        return None


def _store(
    connection: Connection, tool: str, worker: str, unit_id: int, body: Mapping[str, Any], seconds: float
) -> bool:
    """Store one answer; False if it exists."""
    now, text = time.time(), encode(body).decode()
    person = people_store.find(connection, worker, lock=True)
    if person is None:
        row = {"worker": worker, "source": tool.replace("-", "_"), "panel": "crowd", "created": now, "understood": 1}
        connection.execute(insert(people).values(**row, outcome="done", finished=now))
        person = people_store.find(connection, worker)
        assert person is not None
        people_store.note(connection, "imported", person.id, tool)
    answer_id = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{tool} {worker} {unit_id} {text}"))
    if connection.scalar(select(answers.c.id).where(answers.c.id == answer_id)) is not None:
        return False
    last = last_answer(connection, person.id, unit_id)
    if last is None:
        row = {"person_id": person.id, "unit_id": unit_id, "panel": "crowd", "state": "done"}
        connection.execute(assignments.insert().values(**row, started=now, until=now))
        lease = held(connection, person.id, unit_id)
        assert lease is not None
        retake(connection, lease, state="done")
    row = {"id": answer_id, "person_id": person.id, "unit_id": unit_id, "body": text, "seconds": seconds}
    revision = last.revision + 1 if last is not None else 1
    connection.execute(answers.insert().values(**row, revision=revision, created=now))
    return True


def _read_label_studio(path: Path) -> Iterator[ToolAnswer]:
    """The JSON that *Export* writes: tasks with their annotations."""
    try:
        tasks = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ProbandError(f"is not the JSON that Label Studio exports: {error}", file=path) from None
    for number, each in enumerate(tasks if isinstance(tasks, list) else [], start=1):
        try:
            data = each["data"]
            for annotation in each["annotations"]:
                if not annotation.get("was_cancelled"):
                    yield ToolAnswer(
                        unit=data["unit"],
                        part=data["part"],
                        worker=_annotator(annotation.get("completed_by")),
                        values=dict(_values(annotation["result"])),
                        seconds=float(annotation.get("lead_time") or 0.0),
                    )
        except (KeyError, TypeError, ValueError) as error:
            reason = f"task {number} is not as `export --to label-studio` and Label Studio write it ({error!r})"
            raise ProbandError(reason, file=path) from None


def _annotator(who: Any) -> str:
    """The annotator's number, or the e-mail address of a record."""
    return str(who.get("email") or who.get("id")) if isinstance(who, Mapping) else str(who)


def _values(result: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for each in result:
        value = each["value"]
        words = value.get("choices") or value.get("text") or [""]
        yield each["from_name"], str(words if isinstance(words, str) else words[0]).strip()


def _read_potato(path: Path) -> Iterator[ToolAnswer]:
    """The state of each person in Potato, annotation_output/NAME/user_state.json. Potato writes its own exports only
    now and then, so they may lack the last answers."""
    files = sorted(path.rglob("user_state.json")) if path.is_dir() else [path]
    if not files:
        raise ProbandError("contains no user_state.json of Potato (annotation_output/NAME)", file=path)
    for file in files:
        try:
            state = json.loads(file.read_text("utf-8"))
            worker, timing = str(state["user_id"]), state.get("instance_id_to_behavioral_data", {})
            for name, labels in state["instance_id_to_label_to_value"].items():
                unit, _, part = name.partition(BETWEEN)
                values = {label["schema"]: str(words).strip() for label, words in labels}
                seconds = float(timing.get(name, {}).get("total_time_ms", 0)) / 1000
                yield ToolAnswer(unit=unit, part=part, worker=worker, values=values, seconds=seconds)
        except (KeyError, AttributeError, TypeError, ValueError) as error:
            raise ProbandError(f"is not a state that Potato writes ({error!r})", file=file) from None


READERS: Mapping[str, Callable[[Path], Iterator[ToolAnswer]]] = {
    "label-studio": _read_label_studio,
    "potato": _read_potato,
}
