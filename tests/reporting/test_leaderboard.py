"""A folder of runs as a leaderboard: ranks and groups, what variations leave, and what a further run changes."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.statistics.spread import holm
from proband.models.fake import ScriptedModel
from proband.reporting.leaderboard import letters


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


def test_models_that_cannot_be_told_apart_share_a_letter(folder: Path, tmp_path: Path) -> None:
    result = proband.report([folder / "runs"], out=tmp_path / "board", leaderboard=True)
    assert (result["models"], result["item sets"], result["computed again"]) == (5, 2, 2)
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


def test_a_further_run_changes_its_own_item_set_only(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "board"
    proband.report([folder / "runs"], out=out, leaderboard=True)
    before = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in out.rglob("*") if path.is_file()}
    again = proband.report([folder / "runs"], out=out, leaderboard=True)
    assert again["computed again"] == 0
    assert before == {p.name: (p.stat().st_mtime_ns, p.read_bytes()) for p in out.rglob("*") if p.is_file()}
    answering(folder / "items", tmp_path / "more" / "new", "new", 12)
    more = proband.report([folder / "runs", tmp_path / "more"], out=out, leaderboard=True)
    assert (more["computed again"], more["models"]) == (1, 6)
    kept = out / "sets" / "kinship-stories.json"
    assert before[kept.name] == (kept.stat().st_mtime_ns, kept.read_bytes())
    fresh = tmp_path / "fresh"
    proband.report([folder / "runs", tmp_path / "more"], out=fresh, leaderboard=True)
    assert (fresh / "index.html").read_bytes() == (out / "index.html").read_bytes()


def test_a_second_item_set_of_a_suite_renames_the_first(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "board"
    proband.report([folder / "runs"], out=out, leaderboard=True)
    proband.build("kinship", out=tmp_path / "longer", k="3", per_k=12)
    proband.run(tmp_path / "longer", model="baseline:random", out=tmp_path / "more" / "longer")
    proband.report([folder / "runs", tmp_path / "more"], out=out, leaderboard=True)
    proband.report([folder / "runs", tmp_path / "more"], out=tmp_path / "fresh", leaderboard=True)
    for file in (tmp_path / "fresh").rglob("*.*"):
        assert file.read_bytes() == (out / file.relative_to(tmp_path / "fresh")).read_bytes(), file.name


def test_surviving_accuracy_and_contamination_gap_have_columns(folder: Path, tmp_path: Path) -> None:
    """Two models right on all source items: one on their twins and other names too, one only on the sources."""
    proband.vary(folder / "stories", out=tmp_path / "varied", as_="rename,twin")
    for name in ("reasons", "remembers"):
        scores = {}
        for item in read_items(tmp_path / "varied"):
            right = name == "reasons" or item.tags["variation"] == "original"
            chosen = (item.gold + (not right)) % len(item.choices)
            scores[item.id] = [float(place == chosen) for place in range(len(item.choices))]
        model = ScriptedModel(answers=scores, name=f"fake:{name}")
        proband.run(tmp_path / "varied", model=model, solver="direct", out=tmp_path / "runs" / name)
    out = tmp_path / "board"
    proband.report([tmp_path / "runs"], out=out, leaderboard=True)
    systems = {each["model"]: each for each in board(out, "kinship")["systems"]}
    assert systems["fake:reasons"]["surviving"][0] == "100.0"
    assert systems["fake:reasons"]["gap"][0] == "0.0"
    assert systems["fake:remembers"]["surviving"][0] == "0.0"
    assert systems["fake:remembers"]["gap"][0] == "100.0"
    header, *rows = (line.split(",") for line in (out / "leaderboard.csv").read_text("utf-8").splitlines())
    assert {row[0]: row[header.index("contamination gap")] for row in rows} == {
        "fake:reasons": "0.0", "fake:remembers": "100.0"
    }  # fmt: skip
    page = (out / "index.html").read_text("utf-8")
    assert '<th scope="col">contamination gap</th>' in page
    assert "survives 0.0" in page


def test_what_variations_leave(folder: Path, tmp_path: Path) -> None:
    """A model that knows every question, and always takes the first choice in its place when they are reordered."""
    proband.vary(folder / "items", out=tmp_path / "varied", as_="reorder")
    places = {item.id: item.gold for item in read_items(folder / "items")}
    scores = {}
    for item in read_items(tmp_path / "varied"):
        chosen = places[item.facts["source"]]
        scores[item.id] = [float(place == chosen) for place in range(len(item.choices))]
    model = ScriptedModel(answers=scores, name="fake:by-place")
    proband.run(tmp_path / "varied", model=model, solver="direct", out=tmp_path / "runs" / "varied")
    proband.report([tmp_path / "runs"], out=tmp_path / "board", leaderboard=True)
    found = board(tmp_path / "board", "questions")
    (system,) = found["systems"]
    assert (system["mean"], system["n"]) == (1.0, 24)  # the source items alone
    surviving = next(sheet for sheet in found["sheets"] if sheet["name"] == "surviving")
    assert float(surviving["rows"][0][3]) < 50
    assert "What survives" in (tmp_path / "board" / "index.html").read_text("utf-8")


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
    with pytest.raises(ProbandError, match="no leaderboard wrote it"):
        proband.report([folder / "runs"], out=tmp_path, leaderboard=True)
    assert (tmp_path / "index.html").read_text() == "mine"


def test_ties_in_the_order_are_shown_as_ties_and_how_a_model_was_asked_in_a_column(
    folder: Path, tmp_path: Path
) -> None:
    proband.run(folder / "items", model="baseline:random", out=tmp_path / "runs" / "random")
    names = [folder / "runs" / name for name in ("good", "fine", "poor")]
    proband.report([*names, tmp_path / "runs"], out=tmp_path / "board", leaderboard=True)
    page = (tmp_path / "board" / "index.html").read_text("utf-8")
    places = re.findall(r'<td class="num">(\d+=?)</td><th scope="row">(.*?)</th>', page)
    assert [place for place, _ in places][:2] == ["1=", "1="]
    assert {re.sub("<.*?>", "", name) for place, name in places if place == "1="} == {"fake:good", "fake:fine"}
    assert [place for place, _ in places][2:] in (["3=", "3="], ["3", "4"])
    assert "= marks models that share a place" in page
    systems = board(tmp_path / "board", "questions")["systems"]
    assert '<th scope="col">details</th>' in page
    assert all(system["details"] == "direct" for system in systems)  # the solver is there, and not in the label
    assert all("direct" not in system["label"] for system in systems)
    assert "limit=" not in page
    assert str(tmp_path) not in page
    assert str(folder) not in page
