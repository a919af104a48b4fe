"""What a suite reads: judgments for the gold of `inference`, a folder of crowd templates for `kinship`, pairs of texts
for `script`, a run of people on the items they solved."""

from __future__ import annotations

import csv
import os
import re
import shutil
from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from proband.annotate.project import fingerprint, secret_of
from proband.annotate.results.collected import Collected, Decision, Given
from proband.annotate.results.labels import labels
from proband.core.errors import ProbandError
from proband.core.files import atomic, encode, read_items, sha256_file, write_json
from proband.core.types import Answer, Run

SOURCE = "source.json"


def write_suite_input(found: Collected, folder: Path, project_folder: Path) -> dict[str, Any]:
    """The suite's own input; gives what was written and the command that reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    made: dict[str, Any] = {
        "judge": _judgments,
        "write": _stories,
        "review": _templates,
        "simplify": _pairs,
        "solve": _runs,
    }[found.project.kind](found, folder, project_folder)
    write_json(folder / SOURCE, _source(found, folder, project_folder))
    if found.decisions:
        made["decisions"] = write_jsonl(folder / "decisions.jsonl", map(partial(_decision, found), found.decisions))
    return made


def _decision(found: Collected, each: Decision) -> dict[str, str]:
    return {"item_id": found.part_name(each.unit, each.part), "label": each.label, "reason": each.reason}


def _source(found: Collected, folder: Path, project_folder: Path) -> dict[str, Any]:
    """Where an export comes from and under which licence; of stories also which secret hides their authors."""
    about = {"title": found.project.title, "kind": found.project.kind, "licence": found.project.licence}
    if found.project.kind == "write":
        about["project"] = os.path.relpath(project_folder.resolve(), folder.resolve())
        about["secret"] = fingerprint(secret_of(project_folder))
    return about


def write_jsonl(path: Path, rows: Any) -> int:
    count = 0
    with atomic(path, mode="wb") as file:
        for row in rows:
            file.write(encode(row) + b"\n")
            count += 1
    return count


def _judgments(found: Collected, folder: Path, _: Path) -> dict[str, Any]:
    """questionnaires.jsonl, judgments.jsonl, and the experts' in expert.jsonl where there are any."""
    sheets = (
        {"id": unit["name"], **{k: unit["body"][k] for k in ("question", "q_type", "q_rel", "q_arg", "candidates")}}
        for unit in sorted(found.units.values(), key=lambda unit: str(unit["name"]))
    )
    written = {"questionnaires": write_jsonl(folder / "questionnaires.jsonl", sheets)}
    written["judgments"] = write_jsonl(folder / "judgments.jsonl", found.judgments())
    if found.counted("expert"):
        written["experts"] = write_jsonl(folder / "expert.jsonl", found.judgments("expert"))
    return {**written, "next": f"proband build inference --data {folder} --format judgments -o items"}


def _stories(found: Collected, folder: Path, _: Path) -> dict[str, Any]:
    from proband.annotate.tasks.review import story_of

    made = [story_of(each.id, each.worker, each.body, each.answer["story"]) for each in found.counted()]
    count = write_jsonl(folder / "stories.jsonl", made)
    return {"stories": count, "next": f"proband annotate init review --kind review --items {folder}"}


def template(story: Mapping[str, Any]) -> tuple[str, str, str]:
    """Relations, genders and text with slots, as CLUTRR's own files have them: person i+1 is relation i of person i.

    >>> template({"chain": [1, 0], "names": ["Ben", "Ann"], "genders": ["male", "female"], "edges": [[1, "son", 0]],
    ...     "text": "Ann sang to her son Ben."})
    ('son', 'female-male', 'ENT_0_female sang to her son ENT_1_male.')
    """
    chain, names, genders = story["chain"], story["names"], story["genders"]
    slots = {names[person]: f"ENT_{place}_{genders[person]}" for place, person in enumerate(chain)}
    longest = sorted(map(re.escape, slots), key=len, reverse=True)
    text = re.sub(rf"(?<!\w)({'|'.join(longest)})(?!\w)", lambda m: slots[m[1]], " ".join(story["text"].split()))
    return "-".join(edge[1] for edge in story["edges"]), "-".join(genders[person] for person in chain), text


def _templates(found: Collected, folder: Path, _: Path) -> dict[str, Any]:
    """amt_train.csv with the stories that all their reviewers call good."""
    kept = {story for story, label in labels(found).items() if label == "good"}
    rows = []
    for unit in found.units.values():
        rows += [template(story) for story in unit["body"]["stories"] if story["id"] in kept and "text" in story]
    with atomic(folder / "amt_train.csv") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("rel_comb", "gender_comb", "template"))
        writer.writerows(sorted(rows))
    stories = sum(len(unit["body"]["stories"]) for unit in found.units.values())
    return {
        "templates": len(rows),
        "stories": stories,
        "next": f"proband build kinship --bank clutrr:{folder} -o items",
    }


def _pairs(found: Collected, folder: Path, _: Path) -> dict[str, Any]:
    rows = (
        {
            "abstract": each.body["caption"],
            "steps": list(each.answer["steps"]),
            "split": each.body.get("split") or "train",
            "category": each.body.get("category") or "people",
        }
        for each in found.counted()
    )
    path = folder / "pairs.jsonl"
    count = write_jsonl(path, rows)
    return {"pairs": count, "next": f"proband build script --data {path} -o items"}


# ---- runs of people ------------------------------------------------------------------------------------------------

NAMES = {"crowd": "people (time limited)", "expert": "people (unlimited time)"}


def _runs(found: Collected, folder: Path, project_folder: Path) -> dict[str, Any]:
    """A run per place: the first, second, ... person of every item. A report averages them item by item, so that the
    line of people is the mean of single people, as in table 3.2. Items that lack a person are marked as not asked."""
    items_folder = project_folder / "items"
    if not items_folder.is_dir():
        raise ProbandError("the items that were solved are gone", file=items_folder)
    shutil.copytree(items_folder, folder / "items", dirs_exist_ok=True)
    sha = sha256_file(folder / "items" / "items.jsonl")
    items = {item.id: item for item in read_items(folder / "items")}
    written = {}
    for panel, name in NAMES.items():
        by_item: dict[str, list[Given]] = defaultdict(list)
        for each in found.counted(panel):
            by_item[each.unit].append(each)
        wanted = max(map(len, by_item.values()), default=0)
        whole = {unit: given for unit, given in by_item.items() if len(given) == wanted}
        for place in range(wanted):
            run = folder / "runs" / f"{panel}-{place + 1}"
            answers = (_answer(item, whole[name][place] if name in whole else None) for name, item in items.items())
            write_jsonl(run / "answers.jsonl", answers)
            suite = next(iter(items.values())).suite
            note = Run(
                suite=suite,
                solver="people",
                model=name,
                seed=0,
                items_sha=sha,
                items="../../items",
                net={"kind": "people", "panel": panel, "seed": place + 1},
            )
            write_json(run / "run.json", note)
        if wanted:
            written[name] = {"items": len(whole), "people_per_item": wanted}
    return {"runs": written, "next": f"proband report {folder / 'runs'} -o report"}


def _answer(item: Any, given: Given | None) -> Answer:
    if given is None:
        return Answer(item_id=item.id, text="not enough people", status="skipped")
    chosen = None if given.answer["overtime"] else given.answer["choice"]
    if chosen is None:  # no answer in time is a wrong one
        wrong = tuple(0.0 if place == item.gold else 1.0 for place in range(len(item.choices)))
        return Answer(item_id=item.id, scores=wrong, text="")
    return Answer(item_id=item.id, scores=tuple(float(choice == chosen) for choice in item.choices), text=chosen)
