"""Review: three stories by other people, each good or bad with the reason (thesis on CLUTRR, section 3.2.3).

The units come from a project of the kind *write*: nobody sees a story of their own or one for facts they wrote about
themselves. A story is kept only if all its reviewers call it good.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband.annotate.project import fingerprint, read_secret
from proband.annotate.tasks.kind import Body, Form, Invalid, Kind, share_right
from proband.annotate.units import Unit
from proband.core.errors import ProbandError
from proband.core.files import read_records, told_of

TOGETHER = 3  # stories in a unit
VERDICTS = ("good", "bad")
HIDDEN = re.compile("[0-9a-f]{32}")  # an author's keyed hash
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
    from proband.annotate.store.migrate import open_existing

    project = read_project(folder)
    if project.kind != "write":
        raise ProbandError(f"is a project of the kind {project.kind}; reviews are of stories", file=folder)
    database = open_existing(database_url(folder, project))
    try:
        rows = database.read(lambda connection: list(latest(connection)))
    finally:
        database.close()
    for row in rows:
        if row.decision != "rejected":
            yield story_of(row.id, row.worker, json.loads(row.unit_body), json.loads(row.body)["story"])


def authors_secret(path: Path, given: Path | None = None) -> Path | None:
    """The secret that hides the authors of stories: of the project they wrote in; None where authors are not hidden.
    Without it somebody could review their own story, so that it must be there."""
    written = written_in(path)
    found = given or (written / "secret" if written is not None else None)
    if found is not None:
        if source_of(path).get("secret") not in (None, fingerprint(read_secret(found))):
            raise ProbandError("is not the secret with which the authors of these stories were hidden", file=found)
        return found
    if any(HIDDEN.fullmatch(story.author) for story in stories(path)):
        reason = "its authors are hidden by the secret of the project they wrote in, and could review themselves"
        raise ProbandError(f"{reason}: name that project (--items PROJECT) or its secret (--secret FILE)", file=path)
    return None


def written_in(path: Path) -> Path | None:
    """The project of the kind write that stories come from: `path` itself, or the one that an export names."""
    if (path / "project.toml").is_file():
        return path
    folder = path if path.is_dir() else path.parent
    named = source_of(path).get("project")
    return folder / named if named is not None and (folder / named / "project.toml").is_file() else None


def source_of(path: Path) -> dict[str, str]:
    """What an export says about where it comes from."""
    file = (path if path.is_dir() else path.parent) / "source.json"
    if not file.is_file():
        return {}
    with told_of(file):
        raw = file.read_bytes()
    try:
        return msgspec.json.decode(raw, type=dict[str, str])
    except msgspec.DecodeError as error:
        raise ProbandError(str(error), file=file) from None


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
    stories = [{"place": place, **{key: story[key] for key in kept}} for place, story in present(body)]
    return {"stories": stories, "reasons": REASONS}


def present(body: Body) -> list[tuple[int, dict[str, Any]]]:
    """The stories that were not erased with their author, each with its place."""
    return [(place, story) for place, story in enumerate(body["stories"]) if not story.get("erased")]


def answer(body: Body, form: Form) -> dict[str, Any]:
    verdicts = []
    for place, story in present(body):
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
    for place, story in present(body):
        each = found.get(story["id"], {})
        made |= {f"v{place}": each.get("verdict", ""), f"r{place}": each.get("reason", "")}
    return made


def labels(body: Body, given: Body) -> list[tuple[str, str]]:
    known = {story["id"] for _, story in present(body)}
    return [(each["story"], each["verdict"]) for each in given["verdicts"] if each["story"] in known]


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
