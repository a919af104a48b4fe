"""Variations of every suite beside their sources: a varied item whose text, choices or answer was altered is found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import proband

Line = dict[str, Any]
QUESTIONS = "question,A,B,C,answer\nWhich is red?,blood,grass,snow,A\nWhich is cold?,fire,ice,sand,B\n"


def other_prompt(line: Line) -> None:
    line["prompt"] = (
        line["prompt"].replace("?", " in the film?", 1) if "?" in line["prompt"] else "No. " + line["prompt"]
    )


def other_word(line: Line) -> None:
    first, _, rest = line["prompt"].partition(" ")
    line["prompt"] = f"{first} hardly {rest}"


def other_choice(line: Line) -> None:
    line["choices"][0] = line["choices"][0] + "!"


def other_gold(line: Line) -> None:
    line["gold"] = (line["gold"] + 1) % len(line["choices"]) if line["gold"] is not None else 0


def altered(folder: Path, source: Line, line: Line, alter: Callable[[Line], None]) -> int:
    copied = json.loads(json.dumps(line))
    alter(copied)
    text = "".join(json.dumps(each) + "\n" for each in (source, copied))
    (folder / "items.jsonl").write_text(text, encoding="utf-8")
    (folder / "manifest.json").write_text(
        json.dumps({"suite": line["suite"], "sha256": {"items.jsonl": hashlib.sha256(text.encode()).hexdigest()}}),
        encoding="utf-8",
    )
    return int(proband.verify(folder)["failed"])


@pytest.mark.parametrize(
    ("suite", "names"),
    [
        ("analogy", "order,template,inverse,twin"),
        pytest.param("inference", "instance,voice,inverse", marks=pytest.mark.nightly),
        ("questions", "reorder"),
    ],
)
def test_an_altered_variation_is_found(suite: str, names: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(QUESTIONS, encoding="utf-8")
    options: dict[str, Any] = {"questions": {"data": rows}, "analogy": {"per_relation": 1}}
    proband.build(suite, out=tmp_path / "items", **options.get(suite, {}))
    proband.vary(tmp_path / "items", out=tmp_path / "varied", as_=names)
    assert proband.verify(tmp_path / "varied")["failed"] == 0
    lines = [json.loads(line) for line in (tmp_path / "varied" / "items.jsonl").read_text("utf-8").splitlines()]
    sources = {line["id"]: line for line in lines}
    done, accepted = 0, list[Any]()
    for name in names.split(","):
        for line in [each for each in lines if each["tags"].get("variation") == name][:3]:
            for alter in (other_prompt, other_word, other_choice, other_gold):
                done += 1
                if not altered(tmp_path / "varied", sources[line["facts"]["source"]], line, alter):
                    accepted.append((name, alter.__name__))
    assert done >= 4 * len(names.split(","))
    # which pair of an analogy's twin is right is known to its relation's list alone, as it is of any analogy
    assert set(accepted) <= {("twin", "other_gold")}
