"""Questions that cannot be told: two families show it, nothing else gives it away, models are scored by what they do"""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import decode, encode, read_items
from proband.core.types import Answer, Item
from proband.suites.kinship.item_views import draw_item
from proband.suites.kinship.logic.search import possible
from proband.suites.kinship.paper.tables import outcome
from proband.suites.kinship.telling.stories import seal
from proband.suites.kinship.verify.items import verify
from proband.suites.kinship.world.families import family_of_rows
from proband.suites.kinship.world.relations import UNDETERMINED, agrees

Line = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("open")
    proband.build("kinship", out=folder, k="2,3,5", per_k=14, task="clean,irrelevant", open=0.4)
    return folder


@pytest.fixture(scope="module")
def items(folder: Path) -> list[Item]:
    return list(read_items(folder))


def test_two_families_by_the_definitions_of_the_relations(items: list[Item]) -> None:
    for item in items:
        facts = item.facts
        edges, (x, z) = [tuple(edge) for edge in facts["edges"]], facts["query"]
        assert item.choices[-1] == UNDETERMINED
        if item.tags["answer"] == "follows":
            assert possible(facts["genders"], edges, (x, z)) == {facts["target"]}
            continue
        one, other = (family_of_rows(rows, named=len(facts["names"])) for rows in facts["families"])
        assert agrees(one, facts["genders"], edges)
        assert agrees(other, facts["genders"], edges)
        assert one.relations(x, z)
        assert not one.relations(x, z) & other.relations(x, z)
        assert len(possible(facts["genders"], edges, (x, z))) > 1
    shares = Counter(item.tags["answer"] for item in items)
    assert 0.3 < shares["open"] / len(items) < 0.5


@pytest.mark.nightly
def test_verified_and_solved(folder: Path, items: list[Item], tmp_path: Path) -> None:
    checked = proband.verify(folder)
    assert checked["failed"] == 0
    opens = sum(item.tags["answer"] == "open" for item in items)
    assert checked["checked"]["text rendered again, two families checked between which the answer differs"] == opens
    for model in ("solver:symbolic", "solver:read", "baseline:random"):
        proband.run(folder, model=model, out=tmp_path / "runs" / model.replace(":", "-"))
    proband.report([tmp_path / "runs"], out=tmp_path / "report")
    summary = json.loads((tmp_path / "report" / "report.json").read_text())["sets"][0]
    sheet = next(each for each in summary["sheets"] if each["name"] == "abstention")
    rows = {row[0]: row[1:] for row in sheet["rows"]}
    assert rows["solver:symbolic"][:5] == [100.0, 0.0, 100.0, 0.0, 1.0]
    assert rows["solver:read"][0] > 99  # it may leave a story unread
    assert rows["solver:read"][2] > 99
    right, abstained, rightly, guessed, score, _ = rows["baseline:random"]
    assert abs(score - rows["*a guess*"][4]) < 0.1
    assert guessed == 100 - rightly
    assert right < 15
    assert abstained < 15


def test_nothing_but_the_facts_gives_it_away(items: list[Item]) -> None:
    by_answer: dict[str, list[Item]] = {"open": [], "follows": []}
    for item in items:
        by_answer[str(item.tags["answer"])].append(item)
    means = {
        name: [
            sum(map(measure, own)) / len(own)
            for measure in (
                lambda item: len(item.facts["names"]),
                lambda item: len(item.facts["edges"]),
                lambda item: len(item.prompt.split()),
                lambda item: len(item.facts["telling"]["scenes"][0][2]),
            )
        ]
        for name, own in by_answer.items()
    }
    for one, other in zip(means["open"], means["follows"]):
        assert abs(one - other) < 0.08 * other


@pytest.mark.parametrize("kind", ["one family twice", "no second family", "a label", "of a proof", "tag", "broken"])
def test_altered_certificates_are_found(kind: str, items: list[Item]) -> None:
    follows, opened = ([item for item in items if item.tags["answer"] == name][:8] for name in ("follows", "open"))
    for item, proved in zip(opened, follows):
        line: Line = json.loads(encode(item))
        facts = line["facts"]
        if kind == "one family twice":
            facts["families"][1] = copy.deepcopy(facts["families"][0])
        elif kind == "no second family":
            facts["families"].pop()
        elif kind == "a label":
            facts["target"] = line["tags"]["target"] = "aunt"
            line["gold"] = line["choices"].index("aunt")
        elif kind == "tag":
            line["tags"]["answer"] = "follows"
        elif kind == "broken":
            facts["families"][1][0][0] = {"male": "female", "female": "male"}[facts["families"][1][0][0]]
        else:  # what follows is called open, with its own family twice
            line |= {"prompt": proved.prompt, "gold": len(proved.choices) - 1, "id": proved.id}
            line["facts"] = facts = json.loads(json.dumps(proved.facts))
            line["tags"] = {**proved.tags, "answer": "open", "target": UNDETERMINED, "depth": 0}
            facts |= {"certificate": "open", "target": UNDETERMINED, "depth": 0, "families": [facts["family"]] * 2}
        facts["seal"] = seal(line["prompt"])
        altered = decode(Item, json.dumps(line).encode(), file="altered")
        assert verify(altered).problem, kind


def test_both_families_are_drawn(items: list[Item]) -> None:
    item = next(item for item in items if item.tags["answer"] == "open")
    drawing = draw_item(item, None)
    assert drawing is not None
    assert drawing.count('class="family"') == 3  # two inside one
    assert "cannot be determined" in drawing


def test_outcomes() -> None:
    item = Item(id="a", suite="kinship", prompt="?", choices=("aunt", "niece", UNDETERMINED), gold=2)
    outcomes = [outcome(item, Answer(item_id="a", scores=scores)) for scores in ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    assert outcomes == ["guessed", "abstained rightly"]


@pytest.mark.parametrize("options", [{"question": "yes-no"}, {"task": "memory"}, {"rules": "grid"}])
def test_what_has_no_meaning_is_refused(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="'open'"):
        proband.build("kinship", out=tmp_path, open=0.2, **options)
