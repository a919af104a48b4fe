"""Review: three stories by other people, each good or bad with the reason (thesis on CLUTRR, section 3.2.3).

The units come from a project of the kind *write*: nobody sees their own story or one for facts they wrote about
themselves. A story is kept only if all its reviewers call it good.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import csv_lines, group_by_key, read_records, sha256_text, write_text
from proband_annotate.human_task import (
    Body,
    Figure,
    Form,
    HumanTask,
    Invalid,
    TaskPart,
    Unit,
    share,
    value,
)
from proband_annotate.results.collected import Collected, SubmittedAnswer

TOGETHER = 3  # stories in a unit
VERDICTS = ("good", "bad")
REASONS = ("nonsense", "facts", "direction", "reveals")


class WrittenStory(msgspec.Struct, frozen=True, kw_only=True):
    """A line of stories.jsonl, as `proband annotate export` writes it for a *write* project."""

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
    licence: str | None = None  # that its author agreed to; None if unknown


def units(path: Path, known: Collection[str] = ()) -> Iterator[Unit]:
    """From stories.jsonl, or a folder with one; without `known` stories."""
    file = path / "stories.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise ProbandError("neither a project of the kind write nor a file of stories", file=path)
    return in_units(list(read_records(file, WrittenStory, key="id")), known)


def of_answers(answers: Iterable[SubmittedAnswer], known: Collection[str] = ()) -> Iterator[Unit]:
    """From a project of the kind write; without `known` stories."""
    return in_units([story_of(each) for each in answers], known)


def story_of(written: SubmittedAnswer) -> WrittenStory:
    body = written.body
    return WrittenStory(
        id=written.id,
        clause="-".join(edge[1] for edge in body["edges"]),
        facts=tuple(body["facts"]),
        implied_fact=body["implied_fact"],
        text=written.answer["story"],
        author=written.worker,
        names=tuple(body["names"]),
        genders=tuple(body["genders"]),
        edges=tuple(tuple(edge) for edge in body["edges"]),
        chain=tuple(body["chain"]),
        licence=written.licence,
    )


def in_units(stories: Sequence[WrittenStory], known: Collection[str] = ()) -> Iterator[Unit]:
    """Units of three stories; their authors, and people who wrote about the same facts, are excluded. Units of further
    stories, without `known` ones, are named after them."""
    wrote_for: dict[str, set[str]] = defaultdict(set)
    for story in stories:
        wrote_for[story.clause].add(story.author)
    new = [story for story in stories if story.id not in known]
    for number, group in enumerate(grouped(new), start=1):
        further = sha256_text(" ".join(story.id for story in group))[:16]
        excluded = {story.author for story in group}.union(*(wrote_for[story.clause] for story in group))
        yield Unit(
            id=f"review-{further}" if known else f"review-{number:05d}",
            clause=group[0].clause,
            body={"stories": [msgspec.to_builtins(story) for story in group]},
            excluded=tuple(sorted(excluded)),
        )


def grouped(stories: Sequence[WrittenStory]) -> list[list[WrittenStory]]:
    """Groups of three by different people if possible: the people with most stories left contribute one each."""
    order = sorted(stories, key=lambda story: story.id)
    random.Random(0).shuffle(order)
    left = group_by_key((story.author, story) for story in order)
    groups = []
    while left:
        authors = sorted(left, key=lambda author: (-len(left[author]), author))[:TOGETHER]
        groups.append([left[author].pop() for author in authors])
        for author in authors:
            if not left[author]:
                del left[author]
    return groups


def shown(body: Body) -> dict[str, Sequence[object]]:
    """The stories without author and id."""
    kept = ("facts", "implied_fact", "text")
    stories = [{"place": place, **{key: story[key] for key in kept}} for place, story in present(body)]
    return {"stories": stories, "reasons": REASONS}


def present(body: Body) -> list[tuple[int, dict[str, Any]]]:
    """The stories whose authors were not erased, with their positions."""
    return [(place, story) for place, story in enumerate(body["stories"]) if not story.get("erased")]


def answer(body: Body, form: Form) -> dict[str, list[dict[str, str]]]:
    verdicts = []
    for place, story in present(body):
        verdict, reason = form.get(f"v{place}", ""), form.get(f"r{place}", "")
        if verdict not in VERDICTS:
            raise Invalid(f"v{place}", "review.invalid_verdict", place=place + 1)
        if verdict == "bad" and reason not in REASONS:
            raise Invalid(f"r{place}", "review.invalid_reason", place=place + 1)
        verdicts.append({"story": story["id"], "verdict": verdict, "reason": reason if verdict == "bad" else ""})
    return {"verdicts": verdicts}


def fields(body: Body, given: Body) -> dict[str, str]:
    verdicts = {each["story"]: each for each in given.get("verdicts", ())}
    made: dict[str, str] = {}
    for place, story in present(body):
        each = verdicts.get(story["id"], {})
        made |= {f"v{place}": each.get("verdict", ""), f"r{place}": each.get("reason", "")}
    return made


def labels(body: Body, given: Body) -> list[tuple[str, str]]:
    known = {story["id"] for _, story in present(body)}
    return [(each["story"], each["verdict"]) for each in given["verdicts"] if each["story"] in known]


def parts(body: Body) -> list[TaskPart]:
    return [
        TaskPart(id=story["id"], place=place + 1, text=story["text"], title=" ".join(story["facts"]))
        for place, story in present(body)
    ]


def unit_text(body: Body) -> str:
    return "\n\n".join(" ".join(story["facts"]) for _, story in present(body))


def reason_of(given: Body, part: str) -> str:
    return {each["story"]: str(each["reason"]) for each in given["verdicts"]}.get(part, "")


# ---- results -------------------------------------------------------------------------------------------------------


def figures(results: Collected) -> dict[str, Figure]:
    """Section 3.2.3: 79 % of the collected paraphrases passed the check where all the reviewers agree."""
    votes: dict[str, list[str]] = defaultdict(list)
    reasons: Counter[str] = Counter()
    for each in results.counted():
        there = {story for story, _ in labels(each.body, each.answer)}
        for verdict in (verdict for verdict in each.answer["verdicts"] if verdict["story"] in there):
            votes[verdict["story"]].append(verdict["verdict"])
            if verdict["verdict"] == "bad":
                reasons[verdict["reason"]] += 1
    least = {story: results.complete.get(unit, 1) for story, unit in results.groups.items()}
    passed = group_by_key(  # stories that people read together
        (results.groups[story], set(given) == {"good"}) for story, given in votes.items() if len(given) >= least[story]
    )
    return {
        "passed_review": share(passed.values(), 0.79),
        **{f"reason_{reason}": value(count) for reason, count in reasons.most_common()},
    }


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


def suite_input(results: Collected, folder: Path, project: Path) -> dict[str, int | str]:
    """amt_train.csv with the stories that all their reviewers call good."""
    kept = {story for story, label in results.labels.items() if label == "good"}
    rows = []
    for unit in results.units.values():
        rows += [template(story) for story in unit["body"]["stories"] if story["id"] in kept and "text" in story]
    table = csv_lines([("rel_comb", "gender_comb", "template"), *sorted(rows)], guarded=False)
    write_text(folder / "amt_train.csv", "".join(table))
    stories = sum(len(unit["body"]["stories"]) for unit in results.units.values())
    return {
        "templates": len(rows),
        "stories": stories,
        "next": f"proband build kinship --bank clutrr:{folder} -o items",
    }


REVIEW = HumanTask(
    name="review",
    page="proband_annotate.kinds:review.html",
    guide="stories_guide.html",
    texts="proband_annotate.kinds:review.toml",
    sample="proband_annotate:samples/stories.jsonl",
    units=units,
    reviews="write",
    of_answers=of_answers,
    shown=shown,
    unit_text=unit_text,
    parts=parts,
    choices=lambda body: VERDICTS,
    answer=answer,
    fields=fields,
    labels=labels,
    detail=reason_of,
    dissent=0,
    positive="good",
    figures=figures,
    suite_input=suite_input,
    defaults={"people": {"overlap": 3}, "time": {"expected-seconds": 75}, "pay": {"per-unit": 0.25}},
)
