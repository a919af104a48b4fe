"""Review: three stories by other people, each good or bad with the reason (thesis on CLUTRR, section 3.2.3).

The units come from a project of the kind *write*: nobody sees a story of their own or one for facts they wrote about
themselves. A story is kept only if all its reviewers call it good.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband.annotate.tasks.kind import Body, Form, Invalid, Kind, share_right
from proband.annotate.units import Unit
from proband.core.errors import ProbandError
from proband.core.files import read_records

TOGETHER = 3  # stories in a unit
VERDICTS = ("good", "bad")
REASONS = ("nonsense", "facts", "direction", "reveals")


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """A line of stories.jsonl, which `proband annotate export` writes of a project of the kind write."""

    id: str
    clause: str
    facts: tuple[str, ...]
    implied_fact: str
    text: str
    author: str
    names: tuple[str, ...] = ()
    genders: tuple[str, ...] = ()
    edges: tuple[tuple[int, str, int], ...] = ()
    chain: tuple[int, ...] = ()


def stories(path: Path) -> list[Story]:
    """The stories of a project of the kind write, or of a stories.jsonl."""
    if (path / "project.toml").is_file():
        return list(_from_project(path))
    file = path / "stories.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise ProbandError("neither a project of the kind write nor a file of stories", file=path)
    return list(read_records(file, Story, key="id"))


def _from_project(folder: Path) -> Iterator[Story]:
    from proband.annotate.project import database_url, read_project
    from proband.annotate.store.answers import latest
    from proband.annotate.store.database import Database

    project = read_project(folder)
    if project.kind != "write":
        raise ProbandError(f"is a project of the kind {project.kind}; reviews are of stories", file=folder)
    database = Database(database_url(folder, project))
    try:
        rows = database.read(lambda connection: list(latest(connection)))
    finally:
        database.close()
    for row in rows:
        if row.decision != "rejected":
            yield story_of(row.id, row.worker, json.loads(row.unit_body), json.loads(row.body)["story"])


def story_of(name: str, author: str, body: Body, text: str) -> Story:
    return Story(
        id=name,
        clause="-".join(edge[1] for edge in body["edges"]),
        facts=tuple(body["facts"]),
        implied_fact=body["implied_fact"],
        text=text,
        author=author,
        names=tuple(body["names"]),
        genders=tuple(body["genders"]),
        edges=tuple(tuple(edge) for edge in body["edges"]),
        chain=tuple(body["chain"]),
    )


def units(path: Path) -> Iterator[Unit]:
    found = stories(path)
    wrote_for: dict[str, set[str]] = defaultdict(set)
    for story in found:
        wrote_for[story.clause].add(story.author)
    for number, group in enumerate(grouped(found), start=1):
        barred = {story.author for story in group}.union(*(wrote_for[story.clause] for story in group))
        yield Unit(
            id=f"review-{number:05d}",
            clause=group[0].clause,
            body={"stories": [msgspec.to_builtins(story) for story in group]},
            barred=tuple(sorted(barred)),
        )


def grouped(found: Sequence[Story]) -> list[list[Story]]:
    """Threes by different people where that is possible: the people with most stories left give one each."""
    left: dict[str, list[Story]] = defaultdict(list)
    order = sorted(found, key=lambda story: story.id)
    random.Random(0).shuffle(order)
    for story in order:
        left[story.author].append(story)
    groups = []
    while left:
        authors = sorted(left, key=lambda author: (-len(left[author]), author))[:TOGETHER]
        groups.append([left[author].pop() for author in authors])
        for author in authors:
            if not left[author]:
                del left[author]
    return groups


def shown(body: Body) -> dict[str, Any]:
    """Neither who wrote it nor its id."""
    kept = ("facts", "implied_fact", "text")
    return {"stories": [{key: story[key] for key in kept} for story in body["stories"]], "reasons": REASONS}


def answer(body: Body, form: Form) -> dict[str, Any]:
    verdicts = []
    for place, story in enumerate(body["stories"]):
        verdict, reason = form.get(f"v{place}", ""), form.get(f"r{place}", "")
        if verdict not in VERDICTS:
            raise Invalid(f"v{place}", "invalid.verdict", place=place + 1)
        if verdict == "bad" and reason not in REASONS:
            raise Invalid(f"r{place}", "invalid.reason", place=place + 1)
        verdicts.append({"story": story["id"], "verdict": verdict, "reason": reason if verdict == "bad" else ""})
    return {"verdicts": verdicts}


def fields(body: Body, given: Body) -> dict[str, str]:
    found = {each["story"]: each for each in given.get("verdicts", ())}
    made: dict[str, str] = {}
    for place, story in enumerate(body["stories"]):
        each = found.get(story["id"], {})
        made |= {f"v{place}": each.get("verdict", ""), f"r{place}": each.get("reason", "")}
    return made


def labels(body: Body, given: Body) -> list[tuple[str, str]]:
    return [(each["story"], each["verdict"]) for each in given["verdicts"]]


def agreed(body: Body, given: Body, gold: Any) -> float:
    """Gold: story id -> verdict."""
    return share_right(labels(body, given), gold)


REVIEW = Kind(
    name="review",
    units=units,
    shown=shown,
    answer=answer,
    fields=fields,
    agreed=agreed,
    labels=labels,
    defaults={"people": {"overlap": 3}, "time": {"expected-seconds": 75}, "pay": {"per-unit": 0.2}},
)
