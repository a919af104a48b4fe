"""All that somebody can be: a family for each relation, a proof that there is no other, and nothing gives it away."""

from __future__ import annotations

import copy
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import decode, encode, read_answers, read_items
from proband.core.metrics import accuracy_of
from proband.core.types import Item
from proband.suites.kinship.generate.build import Rounds
from proband.suites.kinship.generate.options import BuildOptions, make_plan
from proband.suites.kinship.item_views import draw_item, show
from proband.suites.kinship.logic.search import possible
from proband.suites.kinship.telling.stories import seal
from proband.suites.kinship.verify.items import BY_PROVED, verify
from proband.suites.kinship.world.families import family_of_rows
from proband.suites.kinship.world.relations import agrees, one_of, possibilities

Line = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    proband.build("kinship", out=folder, k="3,4", per_k=20, task="clean,irrelevant", question="sets")
    return folder


@pytest.fixture(scope="module")
def items(folder: Path) -> list[Item]:
    return list(read_items(folder))


@pytest.fixture(scope="module")
def several(items: list[Item]) -> list[Item]:
    return [item for item in items if item.facts["certificate"] == "one-of"]


def test_a_complete_search_finds_just_these(items: list[Item]) -> None:
    for item in items:
        facts = item.facts
        stated = facts["genders"], [tuple(edge) for edge in facts["edges"]], tuple(facts["query"])
        members = possibilities(facts["target"])
        assert possible(*stated) == members
        assert item.tags["possible"] == len(members)
        families = [family_of_rows(rows, named=len(facts["names"])) for rows in facts.get("families", ())]
        assert all(agrees(family, *stated[:2]) for family in families)
        assert sorted(word for family in families for word in family.relations(*stated[2])) == (
            sorted(members) if len(members) > 1 else []
        )


def test_verified_and_solved(folder: Path, several: list[Item], tmp_path: Path) -> None:
    checked = proband.verify(folder)
    assert checked["failed"] == 0
    assert checked["checked"][f"text rendered again, {BY_PROVED['one-of']}"] == len(several) > 20
    for model in ("solver:symbolic", "solver:read"):
        run = tmp_path / model.replace(":", "-")
        proband.run(folder, model=model, out=run)
        pairs = zip(read_items(folder), read_answers(run / "answers.jsonl"), strict=True)
        assert {accuracy_of(item, answer) for item, answer in pairs} == {1.0}


def test_one_of_each_pair_leaves_several_and_kin_words_do_not_tell_which() -> None:
    plan = make_plan(BuildOptions(question="sets", k="4", per_k=20, certify="none"), seed=5)
    words: dict[str, list[tuple[bool, list[str]]]] = defaultdict(list)
    for item in Rounds(plan).stories(plan.cells[0], 0):
        words[item.facts["clusters"][1]].append(
            (item.tags["possible"] != 1, sorted(kin for _, kin, _ in item.facts["edges"]))
        )
        assert len(item.choices) == 18
    assert len(words) >= 2
    for one, other in words.values():
        assert (one[0], other[0]) == (False, True)
        assert one[1] == other[1]


@pytest.mark.parametrize(
    "kind", ["narrower", "wider", "one family less", "one family twice", "a step", "a set in a step", "tag", "entailed"]
)
def test_altered_certificates_are_found(kind: str, several: list[Item]) -> None:
    for item in several[:8]:
        line: Line = json.loads(encode(item))
        facts = line["facts"]
        members = [word for word in item.choices[:11] if word in possibilities(facts["target"])]
        if kind in ("narrower", "wider"):
            other = next(
                choice
                for choice in item.choices
                if (
                    possibilities(choice) < set(members)
                    if kind == "narrower"
                    else possibilities(choice) != set(members)
                )
                and len(possibilities(choice)) == (1 if kind == "narrower" else 2 if len(members) == 3 else 3)
            )
            facts["target"] = line["tags"]["target"] = other
            line["gold"] = item.choices.index(other)
            line["tags"]["possible"] = len(possibilities(other))
            facts["certificate"] = "entailed" if kind == "narrower" else "one-of"
        elif kind == "one family less":
            facts["families"].pop()
        elif kind == "one family twice":
            facts["families"][1] = copy.deepcopy(facts["families"][0])
        elif kind == "a step":
            facts["proof"].pop()
        elif kind == "a set in a step":
            step = facts["proof"][-1]
            step[-1][1] = step[-1][1].split("|")[0]
        elif kind == "tag":
            line["tags"]["possible"] = 1
        else:
            facts["certificate"] = "entailed"
        facts["seal"] = seal(line["prompt"])
        assert verify(decode(Item, json.dumps(line).encode(), file="altered")).problem, kind


def test_every_family_is_drawn_and_the_proof_shown(several: list[Item]) -> None:
    item = max(several, key=lambda item: int(item.tags["possible"]))
    drawing = draw_item(item, None)
    assert drawing is not None
    assert drawing.count('class="family"') == 1 + int(item.tags["possible"])
    assert " or " in show(item).rsplit("proof:", 1)[1]


@pytest.mark.nightly
def test_variations_keep_the_set_or_prove_another(folder: Path, tmp_path: Path) -> None:
    proband.vary(folder, out=tmp_path / "varied", as_="rename,plain,inverse,noise")
    varied = list(read_items(tmp_path / "varied"))
    kept = Counter((item.tags.get("variation"), item.facts["certificate"]) for item in varied)
    assert min(kept[name, "one-of"] for name in ("rename", "plain", "inverse", "noise")) > 5
    assert proband.verify(tmp_path / "varied")["failed"] == 0


@pytest.mark.parametrize("options", [{"task": "memory"}, {"rules": "grid"}, {"rules": "clutrr"}, {"open": 0.2}])
def test_what_has_no_meaning_is_refused(options: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match=r"'question sets'|'open'"):
        proband.build("kinship", out=tmp_path, question="sets", k="3", **options)


def test_words() -> None:
    assert one_of(["aunt", "mother"]) == "aunt or mother"
    assert possibilities(one_of(["aunt", "mother", "wife"])) == {"aunt", "mother", "wife"}
