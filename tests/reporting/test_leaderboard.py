"""A folder of runs as a leaderboard: order, ranks and groups."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.types import Answer, Item
from proband.models.fake import ScriptedModel
from proband.reporting.leaderboard import letters
from proband.stats import holm


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two item sets, three models of which two are alike."""
    root = tmp_path_factory.mktemp("board")
    proband.build("questions", out=root / "items")
    proband.build("kinship", out=root / "stories", k="2", per_k=12)
    for name, right in (("good", 24), ("fine", 23), ("poor", 6)):
        answering(root / "items", root / "runs" / name, name, right)
    proband.run(root / "stories", model="solver:symbolic", out=root / "runs" / "symbolic")
    proband.run(root / "stories", model="baseline:random", out=root / "runs" / "random")
    return root


class Uncovering:
    """Knows none of the items."""

    name = "fake:none"

    def identity(self) -> dict[str, str]:
        return {"kind": "fake"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [Answer(item_id=item.id, status="not covered") for item in items]


def answering(items: Path, out: Path, name: str, right: int) -> None:
    """A model that answers the first `right` items rightly."""
    scores = {}
    for at, item in enumerate(read_items(items)):
        chosen = (item.gold + (at >= right)) % len(item.choices)
        scores[item.id] = [float(place == chosen) for place in range(len(item.choices))]
    proband.run(items, model=ScriptedModel(answers=scores, name=f"fake:{name}"), solver="direct", out=out)


def board(out: Path, suite: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads((out / "leaderboard.json").read_text("utf-8"))["sets"]
    return next(each for each in found if each["suite"] == suite)


def test_a_model_without_a_score_has_no_rank_and_counts_in_none(folder: Path, tmp_path: Path) -> None:
    for name in ("good", "poor"):
        shutil.copytree(folder / "runs" / name, tmp_path / "runs" / name)
    proband.run(folder / "items", model=Uncovering(), solver="direct", out=tmp_path / "runs" / "none")
    proband.report([tmp_path / "runs"], items=folder / "items", out=tmp_path / "board", leaderboard=True)
    ranks = {each["model"]: each["rank"] for each in board(tmp_path / "board", "questions")["systems"]}
    assert ranks == {"fake:good": [1, 1], "fake:poor": [2, 2]}


def test_models_that_cannot_be_told_apart_share_a_letter(folder: Path, tmp_path: Path) -> None:
    result = proband.report([folder / "runs"], out=tmp_path / "board", leaderboard=True)
    assert [result[each] for each in ("models", "baselines", "solvers", "item sets")] == [3, 1, 1, 2]
    questions = board(tmp_path / "board", "questions")
    found = {system["model"]: (system["group"], system["rank"]) for system in questions["systems"]}
    assert found == {"fake:good": ("a", [1, 2]), "fake:fine": ("a", [1, 2]), "fake:poor": ("b", [3, 3])}
    names = [folder / "runs" / name for name in ("good", "fine", "poor")]
    pairs = [proband.compare(a, b)["groups"][0] for a, b in combinations(names, 2)]
    corrected = dict(zip(combinations(("good", "fine", "poor"), 2), holm([pair["p"] for pair in pairs])))
    assert {pair for pair, p in corrected.items() if p < 0.05} == {("good", "poor"), ("fine", "poor")}
    page = (tmp_path / "board" / "index.html").read_text("utf-8")
    assert "fake:<wbr>good" in page
    assert "http" not in page.partition("<body>")[2]  # nothing is loaded from elsewhere
    rows = (tmp_path / "board" / "leaderboard.csv").read_text("utf-8").splitlines()
    assert len(rows) == 1 + 5


def test_lines_are_in_the_order_of_the_scores(folder: Path, tmp_path: Path) -> None:
    """Also where ranks are ranges that overlap, and where a model's runs come first."""
    answering(folder / "items", tmp_path / "runs" / "aaa", "aaa", 12)
    names = [folder / "runs" / name for name in ("poor", "fine", "good")]
    proband.report([*names, tmp_path / "runs"], out=tmp_path / "board", leaderboard=True)
    means = [system["mean"] for system in board(tmp_path / "board", "questions")["systems"]]
    assert means == sorted(means, reverse=True)
    page = (tmp_path / "board" / "index.html").read_text("utf-8")
    shown = re.findall(r'<td class="num">\d+=?</td><th scope="row">(.*?)</th>', page)
    assert [re.sub("<.*?>", "", name) for name in shown] == ["fake:good", "fake:fine", "fake:aaa", "fake:poor"]
    assert "4 models on 1 item set," in page


def test_the_same_runs_are_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        proband.report([folder / "runs"], out=tmp_path / name, leaderboard=True)
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name


def test_letters_say_who_differs() -> None:
    """Against the definition, on random relations."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        size = int(rng.integers(2, 7))
        pairs = list(combinations(range(size), 2))
        different = [pair for pair in pairs if rng.random() < 0.4]
        given = letters(size, different)
        assert {pair for pair in pairs if not set(given[pair[0]]) & set(given[pair[1]])} == set(different)


def test_a_folder_of_something_else_is_left_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(ProbandError, match="is not a leaderboard"):
        proband.report([folder / "runs"], out=tmp_path, leaderboard=True)
    assert (tmp_path / "index.html").read_text() == "mine"


def test_how_a_model_was_asked_is_in_a_column(folder: Path, tmp_path: Path) -> None:
    proband.run(folder / "items", model="baseline:random", out=tmp_path / "runs" / "random")
    names = [folder / "runs" / name for name in ("good", "fine", "poor")]
    proband.report([*names, tmp_path / "runs"], out=tmp_path / "board", leaderboard=True)
    page = (tmp_path / "board" / "index.html").read_text("utf-8")
    places = re.findall(r'<td class="num">(\d+=?)</td><th scope="row">(.*?)</th>', page)
    assert [place for place, _ in places][:2] == ["1", "2"]
    assert "= marks models that share a place" in page
    systems = board(tmp_path / "board", "questions")["systems"]
    assert '<th scope="col">details</th>' in page
    assert all(system["details"] == "direct" for system in systems)  # the solver is there, and not in the label
    assert all("direct" not in system["label"] for system in systems)
    assert "limit=" not in page
    assert str(tmp_path) not in page
    assert str(folder) not in page
