"""Simplify: explain a caption to a child in up to five steps, three people per caption (KidsCook, section 2.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from proband.core.errors import ProbandError
from proband.core.files import items_path, raw_lines, read_items, read_records, sha256_text, write_jsonl
from proband.suites.script.corpus import facts_of
from proband_annotate.human_task import (
    Body,
    Check,
    Field,
    Figure,
    Form,
    HumanTask,
    Invalid,
    Question,
    Unit,
    mean,
    value,
)
from proband_annotate.results.collected import Collected

STEPS = 5
LONGEST_STEP = 400  # characters of a step
VIDEO = (".mp4", ".webm")


class Caption(msgspec.Struct, frozen=True, kw_only=True):
    """A line of captions.jsonl; `media` is a picture or a clip, by its name below the folder of the file."""

    id: str
    caption: str
    media: str = ""
    split: str = ""
    category: str = ""


def units(path: Path) -> Iterator[Unit]:
    """Captions from the suite script's items, from captions.jsonl (or another .jsonl) or from a text file."""
    seen: set[str] = set()
    for line, caption in enumerate(_captions(path), start=1):
        if not caption.caption.strip():
            raise ProbandError("'caption' is empty", file=path, line=line)
        key = caption.caption.strip().casefold()
        if key not in seen:  # explanations of one caption by several people are one unit here
            seen.add(key)
            yield Unit(id=caption.id, clause=caption.caption, body=msgspec.to_builtins(caption))


def _captions(path: Path) -> Iterator[Caption]:
    file = path / "captions.jsonl"
    if (path.is_dir() and not file.is_file()) or path.name == "items.jsonl":
        yield from _of_items(path)
    elif path.suffix == ".txt":
        for _, raw in raw_lines(path):
            text = raw.decode("utf-8", "replace").strip()
            if text:
                yield Caption(id=sha256_text(text)[:12], caption=text)
    else:
        yield from read_records(file if path.is_dir() else path, Caption, key="id")


def _of_items(path: Path) -> Iterator[Caption]:
    for line, item in enumerate(read_items(path), start=1):
        words = facts_of(item).abstract
        if not isinstance(words, list):
            raise ProbandError(
                "not an item of the suite script: 'facts.abstract' is missing", file=items_path(path), line=line
            )
        text = re.sub(r"\s+([.,;:!?])", r"\1", " ".join(words))
        category = str(item.tags.get("category", ""))
        yield Caption(id=item.id, caption=text, split=item.split, category=category)


def shown(body: Body) -> dict[str, str | int]:
    media = body.get("media", "")
    kind = "" if not media else "video" if media.lower().endswith(VIDEO) else "image"
    return {"caption": body["caption"], "steps": STEPS, "most": LONGEST_STEP, "media": kind}


def answer(body: Body, form: Form) -> dict[str, list[str]]:
    steps = []
    for place in range(STEPS):
        step = " ".join(form.get(f"s{place}", "").split())
        if len(step) > LONGEST_STEP:
            raise Invalid(f"s{place}", "invalid.long", most=LONGEST_STEP)
        if step:
            steps.append(step)
    if not steps:
        raise Invalid("s0", "simplify.invalid")
    if not own_words(body, steps):
        raise Invalid("s0", "simplify.invalid_copy")
    return {"steps": steps}


def own_words(body: Body, steps: Iterable[str]) -> set[str]:
    """Words of the steps that are not in the caption."""
    given = {word for step in steps for word in re.findall(r"\w+", step.casefold())}
    return given - set(re.findall(r"\w+", body["caption"].casefold()))


def repeated(body: Body, given: Body, earlier: Sequence[tuple[Body, Body]]) -> str:
    """The first step, if most of the steps were sent for another caption ("Take a bowl." alone may repeat)."""
    mine = {plain(step) for step in given["steps"]}
    others = ({plain(step) for step in answer["steps"]} for _, answer in earlier)
    return "s0" if any(2 * len(mine & theirs) > len(mine) for theirs in others) else ""


def plain(step: str) -> str:
    return " ".join(re.findall(r"\w+", step.casefold()))


def questions(body: Body) -> list[Question]:
    fields = [Field(name=f"s{place}", title="simplify.step", required=not place) for place in range(STEPS)]
    return [Question(title="", text=body["caption"], fields=fields)]


def fields(body: Body, given: Body) -> dict[str, str]:
    return {f"s{place}": step for place, step in enumerate(given.get("steps", ()))}


def agreed(body: Body, given: Body, gold: Any) -> float:
    """Passes a trial if it has at least three words that are not in the caption."""
    return float(len(own_words(body, given["steps"])) >= 3)


def practice(body: Body, given: Body, gold: Any) -> list[Check]:
    enough = agreed(body, given, gold) >= 1.0
    return [Check(met=enough, text="simplify.more" if enough else "simplify.little")]


# ---- results -------------------------------------------------------------------------------------------------------


def figures(results: Collected) -> dict[str, Figure]:
    """Sequences, tokens, vocabulary, mean length of captions and explanations; published: the training part."""
    given = results.counted()
    texts = [re.findall(r"\w+|[^\w\s]", " ".join(each.answer["steps"]).casefold()) for each in given]
    captions = [re.findall(r"\w+|[^\w\s]", each.body["caption"].casefold()) for each in given]
    return {
        "sequences": value(len(texts), 8125),
        "tokens": value(sum(map(len, texts)), 307573),
        "vocabulary": value(len({token for words in texts for token in words}), 3573),
        "mean_length_caption": mean([len(caption) for caption in captions], 10.0),
        "mean_length_explained": mean([len(words) for words in texts], 37.9),
    }


def suite_input(results: Collected, folder: Path, project: Path) -> dict[str, int | str]:
    rows = (
        {
            "abstract": each.body["caption"],
            "steps": list(each.answer["steps"]),
            "split": each.body.get("split") or "train",
            "category": each.body.get("category") or "people",
        }
        for each in results.counted()
    )
    path = folder / "pairs.jsonl"
    count = write_jsonl(path, rows)
    return {"pairs": count, "next": f"proband build script --data {path} -o items"}


SIMPLIFY = HumanTask(
    name="simplify",
    page="proband_annotate.kinds:simplify.html",
    texts="proband_annotate.kinds:simplify.toml",
    sample="proband_annotate:samples/captions.jsonl",
    units=units,
    shown=shown,
    unit_text=lambda body: str(body["caption"]),
    answer=answer,
    fields=fields,
    agreed=agreed,
    practice=practice,
    repeated=repeated,
    questions=questions,
    writing=lambda given: given.get("steps", ()),
    figures=figures,
    suite_input=suite_input,
    defaults={"people": {"overlap": 3}, "time": {"expected-seconds": 120}, "pay": {"per-unit": 0.4}},
)
