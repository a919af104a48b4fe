"""Solve: a kinship puzzle, timed or not, with a rating of its difficulty (thesis on CLUTRR, section 3.2.5)."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypedDict

from proband.core.errors import ProbandError
from proband.core.files import group_by_key, items_path, read_items, sha256_file, write_json, write_jsonl
from proband.core.metrics import scored_splits
from proband.core.types import Answer, Item, Run
from proband.suites.kinship.paper.tables import published_values
from proband.suites.kinship.world.relations import UNDETERMINED
from proband_annotate.human_task import (
    WHOLE,
    Body,
    Field,
    Figure,
    Form,
    HumanTask,
    Invalid,
    Question,
    Unit,
    mean,
    share,
)
from proband_annotate.results.collected import Collected, SubmittedAnswer

NAMES = {"crowd": "people (time limited)", "expert": "people (unlimited time)"}  # as in the published rows
RATINGS = ("1", "2", "3", "4", "5")


def units(path: Path) -> Iterator[Unit]:
    """Scored items with choices and gold, of any suite; training items are left out."""
    splits = scored_splits({item.split for item in read_items(path)})
    for line, item in enumerate(read_items(path), start=1):
        if item.split not in splits:
            continue
        if item.gold is None or len(item.choices) < 2:
            raise ProbandError("has no choices or no gold: nothing to solve", file=items_path(path), line=line)
        part = {"slice": item.tags["slice"]} if "slice" in item.tags else {}  # of a release
        yield Unit(
            id=item.id,
            clause=" ".join([*part.values(), str(item.tags.get("k", ""))]),
            body={"prompt": item.prompt, "choices": list(item.choices), "k": item.tags.get("k"), **part},
            gold=item.choices[item.gold],
        )


class ShownPuzzle(TypedDict):
    story: str
    question: str
    choices: Sequence[str]
    untold: bool  # whether "cannot be determined" is among them
    ratings: Sequence[str]


def shown(body: Body) -> ShownPuzzle:
    story, _, question = body["prompt"].rpartition("\n")
    return {
        "story": story or body["prompt"],
        "question": question if story else "",
        "choices": body["choices"],
        "untold": UNDETERMINED in body["choices"],
        "ratings": RATINGS,
    }


def questions(body: Body) -> list[Question]:
    seen = shown(body)
    fields = (
        Field(name="choice", title="solve.ask", options={c: str(n) for n, c in enumerate(body["choices"])}),
        Field(name="difficulty", title="solve.difficulty", options={rating: rating for rating in RATINGS}),
    )
    return [Question(title=seen["question"], text=seen["story"], fields=fields)]


def answer(body: Body, form: Form) -> dict[str, str | int | None]:
    """A choice and a rating; after the time limit (which the server checks) both may be missing."""
    over = form.get("overtime") == "yes"
    choice, rating = form.get("choice", ""), form.get("difficulty", "")
    places = [str(place) for place in range(len(body["choices"]))]
    if choice not in places and not over:
        raise Invalid("choice", "solve.invalid_relation")
    if rating not in RATINGS and not over:
        raise Invalid("difficulty", "solve.invalid_difficulty")
    return {
        "choice": body["choices"][int(choice)] if choice in places else None,
        "difficulty": int(rating) if rating in RATINGS else None,
        "overtime": over,
    }


def fields(body: Body, given: Body) -> dict[str, str]:
    choice = given.get("choice")
    place = str(body["choices"].index(choice)) if choice in body["choices"] else ""
    return {"choice": place, "difficulty": str(given.get("difficulty") or "")}


def labels(body: Body, given: Body) -> list[tuple[str, str]]:
    return [(WHOLE, given["choice"])] if given["choice"] is not None else []


# ---- results -------------------------------------------------------------------------------------------------------


def figures(results: Collected) -> dict[str, Figure]:
    """Table 3.2: accuracy by length, limited and unlimited time, and the difficulty that people report; of a release
    the accuracy by slice."""
    crowd, expert = (_by(results.counted(panel), "k") for panel in ("crowd", "expert"))
    made, paper = {}, published_values()
    for k in sorted({*crowd, *expert}, key=lambda k: (k is None, k)):
        ratings = [e.answer["difficulty"] for e in (*crowd[k], *expert[k]) if e.answer["difficulty"]]
        made[f"time_limited, k = {k}"] = share(_by_unit(crowd[k]), paper["time_limited"].get(k))
        made[f"unlimited, k = {k}"] = share(_by_unit(expert[k]), paper["unlimited"].get(k))
        made[f"difficulty, k = {k}"] = mean(ratings, paper["difficulty"].get(k))
    parts = [_by(results.counted(panel), "slice") for panel in ("crowd", "expert")]
    for part in sorted({*parts[0], *parts[1]} - {None}):
        for name, given in zip(("time_limited", "unlimited"), parts):
            made[f"{name}, {part}"] = share(_by_unit(given[part]))
    for name, pool in (("seconds_limited", "crowd"), ("seconds_unlimited", "expert")):
        made[name] = mean([e.seconds for e in results.counted(pool)], paper[name][None], unit="seconds")
    return made


def _by_unit(given: Iterable[SubmittedAnswer]) -> Iterable[list[bool]]:
    return group_by_key((each.unit, right(each)) for each in given).values()


def _by(given: Iterable[SubmittedAnswer], name: str) -> dict[Any, list[SubmittedAnswer]]:
    per: dict[Any, list[SubmittedAnswer]] = defaultdict(list)
    for each in given:
        per[each.body.get(name)].append(each)
    return per


def right(each: SubmittedAnswer) -> bool:
    """Is the answer in time and equal to the gold?"""
    return not each.answer["overtime"] and bool(each.answer["choice"] == each.gold)


def suite_input(results: Collected, folder: Path, project: Path) -> dict[str, str | dict[str, dict[str, int]]]:
    """A run per slot: the first, second, ... person of every item. There are as many runs as keep the most answers,
    because some items have further answers (people disagreed) or fewer (a person was rejected). A report averages them
    item by item, so the row is the mean of single people, as in table 3.2. Items without enough people are marked as
    not asked."""
    items_folder = project / "items"
    if not items_folder.is_dir():
        raise ProbandError("the items that were solved are missing", file=items_folder)
    shutil.copytree(items_folder, folder / "items", dirs_exist_ok=True)
    sha = sha256_file(folder / "items" / "items.jsonl")
    items = {item.id: item for item in read_items(folder / "items")}
    written = {}
    for panel, name in NAMES.items():
        by_item = group_by_key((each.unit, each) for each in results.counted(panel))
        sizes = list(map(len, by_item.values()))
        wanted = max(sorted(set(sizes)), key=lambda count: count * sum(size >= count for size in sizes), default=0)
        whole = {unit: first_slots(given, wanted) for unit, given in by_item.items() if len(given) >= wanted}
        for old in (folder / "runs").glob(f"{panel}-*"):  # of an earlier export
            shutil.rmtree(old)
        for place in range(wanted):
            run = folder / "runs" / f"{panel}-{place + 1}"
            answers = (_answer(item, whole[name][place] if name in whole else None) for name, item in items.items())
            write_jsonl(run / "answers.jsonl", answers)
            note = Run(
                suite=next(iter(items.values())).suite,
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


def first_slots(given: Sequence[SubmittedAnswer], count: int) -> list[SubmittedAnswer]:
    """The answers with the first slots, in their order."""
    kept = sorted(given, key=lambda each: each.slot or 0)[:count]
    return [each for each in given if each in kept]


def _answer(item: Item, given: SubmittedAnswer | None) -> Answer:
    if given is None:
        return Answer(item_id=item.id, text="not enough people", status="skipped")
    chosen = None if given.answer["overtime"] else given.answer["choice"]
    if chosen is None:  # no answer in time is wrong
        wrong = tuple(0.0 if place == item.gold else 1.0 for place in range(len(item.choices)))
        return Answer(item_id=item.id, scores=wrong, text="")
    return Answer(item_id=item.id, scores=tuple(float(choice == chosen) for choice in item.choices), text=chosen)


SOLVE = HumanTask(
    name="solve",
    page="proband_annotate.kinds:solve.html",
    texts="proband_annotate.kinds:solve.toml",
    sample="proband_annotate:samples/solve.jsonl",
    units=units,
    keeps_items=True,
    shown=shown,
    unit_text=lambda body: str(body["prompt"]),
    choices=lambda body: body["choices"],
    answer=answer,
    fields=fields,
    labels=labels,
    questions=questions,
    detail=lambda given, part: given["difficulty"],
    figures=figures,
    suite_input=suite_input,
    defaults={
        "people": {"overlap": 3, "units-per-person": 10},
        "time": {"limit-seconds": 1800, "expected-seconds": 90},
        "pay": {"per-unit": 0.3},
    },
)
