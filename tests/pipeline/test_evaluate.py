"""`proband evaluate`: what must not be said of a model that knows nothing comes first."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

import proband
from proband.cli import main
from proband.core.errors import ProbandError
from proband.core.types import Answer, Item
from proband.pipeline.asking.setup import load_model
from proband.pipeline.evaluate import QUICK, Evaluation
from proband.pipeline.panel import built_again, read_panel, references
from proband.suites.kinship.logic.search import entailed, possible

asked: list[str] = []


class Oracle:
    """Knows every answer."""

    name = "oracle"

    def identity(self) -> dict[str, str]:
        return {"kind": self.name}

    def scores(self, item: Item) -> tuple[float, ...]:
        return tuple(float(at == item.gold) for at in range(len(item.choices)))

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        asked.extend(item.id for item in items)
        return [Answer(item_id=item.id, scores=self.scores(item), blanks=self.blanks(item)) for item in items]

    def blanks(self, item: Item) -> tuple[dict[str, Any], ...]:
        return () if item.choices else tuple({"gold": gold, "guess": gold} for gold in item.facts["gold"])


class First(Oracle):
    """Gives the first option whatever is asked."""

    name = "first"

    def scores(self, item: Item) -> tuple[float, ...]:
        return tuple(float(at == 0) for at in range(len(item.choices)))

    def blanks(self, item: Item) -> tuple[dict[str, Any], ...]:
        return () if item.choices else tuple({"gold": gold, "guess": ["the"]} for gold in item.facts["gold"])


ORACLE, FIRST = (f"{__name__}.models:{each.__name__}" for each in (Oracle, First))


@pytest.fixture(autouse=True)
def loadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models by name, as a user's own module has them."""
    own = {ORACLE: Oracle, FIRST: First}

    def with_own(spec: str, *arguments: Any, **how: Any) -> Any:
        if spec not in own:
            return load_model(spec, *arguments, **how)
        model = own[spec]()
        model.name = spec
        return model

    monkeypatch.setattr("proband.pipeline.evaluate.load_model", with_own)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    with pytest.MonkeyPatch.context() as patch:
        loadable.__wrapped__(patch)  # type: ignore[attr-defined]
        return proband.evaluate(ORACLE, FIRST, out=tmp_path_factory.mktemp("page"), size="quick", card=True)


def rows(made: Evaluation, model: str) -> dict[str, dict[str, Any]]:
    return {row["capability"]: row for row in made.frame().to_dicts() if row["model"] == model}


def test_nothing_is_said_for_a_model_that_does_not_read_the_question(both: Evaluation) -> None:
    own = rows(both, FIRST)
    assert not [name for name, row in own.items() if row["can"]]
    same = own["answers the same when asked otherwise"]
    assert same["score"] == 1.0 == same["level"]  # it always agrees with itself, as does whoever does not listen
    assert own["says when it cannot be told"]["score"] == 0.5
    assert "in none of the 11 capabilities" in " ".join(both.sentences)


def test_the_page_says_of_a_model_that_it_always_gives_the_same_answer(both: Evaluation) -> None:
    page = both.page.read_text(encoding="utf-8")
    assert f"{FIRST} chooses option 1 in 16 of 16 items, of which it is right for 1." in page  # facts
    assert f"{FIRST} chooses option 1 in 46 of 46 items, of which it is right for 26." in page  # pairs of words
    assert f"{ORACLE} chooses option" not in page


def test_who_knows_all_is_right_everywhere(both: Evaluation) -> None:
    own = rows(both, ORACLE)
    assert len(own) == 11
    assert {row["score"] for row in own.values()} == {1.0}
    assert own["recalls facts"]["can"]
    assert own["compares relations"]["can"]
    ahead = [text for text in both.sentences if "is ahead of" in text]
    assert len(ahead) == 1
    assert "recalls facts" in ahead[0]


def test_there_are_five_sentences_of_each_model_and_its_tests_are_corrected_together(both: Evaluation) -> None:
    told = [model for model, _ in both.profile.sentences]
    assert told.count(FIRST) == 5
    assert told.count(ORACLE) >= 4
    tests = [row.test for row in both.profile.rows if row.test] + list(both.profile.contrasts)
    assert both.profile.tests == len(tests) + 4  # two contrasts of each model
    assert all((test.p_holm or 0.0) >= (test.difference.p or 0.0) for test in tests)


def test_the_page_begins_with_the_profile_and_has_what_others_read(both: Evaluation) -> None:
    page = both.page.read_text(encoding="utf-8")
    assert page.index('id="profile"') < page.index('id="examples"') < page.index('id="kinship"')
    assert all(f">{name}<" in page for name in rows(both, ORACLE))
    numbers = json.loads((both.folder / "profile.json").read_text(encoding="utf-8"))
    assert len(numbers["capabilities"]) == 22
    assert numbers["capabilities"][0]["score"] == 1.0
    assert "| recalls facts | **100.0" in (both.folder / "tables" / "profile.md").read_text(encoding="utf-8")
    card = (both.folder / "card.md").read_text(encoding="utf-8")
    front = yaml.safe_load(card.split("---")[1])
    assert [each["metrics"][0]["value"] for each in front["model-index"][0]["results"]] == [100.0] * 11
    assert both.figure()._repr_svg_().startswith("<svg")


def test_the_same_command_asks_nothing_again_and_a_larger_size_what_is_new(both: Evaluation) -> None:
    asked.clear()
    proband.evaluate(ORACLE, FIRST, out=both.folder, size="quick", suite="facts")
    tried = 2  # each model is tried on one item first
    assert len(asked) == tried
    proband.evaluate(ORACLE, out=both.folder, suite="facts")
    assert 50 < len(asked) < 78


def test_the_items_are_those_that_were_frozen() -> None:
    panel = read_panel()
    for each in panel.sets:
        raw = gzip.decompress((panel.folder / f"{each.name}.jsonl.gz").read_bytes())
        assert hashlib.sha256(raw).hexdigest() == each.sha256
    named = {part.set for row in panel.capabilities for part in row.parts}
    assert named == {each.name for each in panel.sets}


NIGHTLY = [pytest.param(name, marks=pytest.mark.nightly) for name in ("answers", "steps")]


@pytest.mark.parametrize("name", ["facts", *NIGHTLY])  # the stories of panel 1 were told by an earlier teller
def test_the_seeds_build_the_frozen_items(name: str, tmp_path: Path) -> None:
    each = next(each for each in read_panel().sets if each.name == name)
    items = (built_again(each, tmp_path / name) / "items.jsonl").read_bytes()
    assert hashlib.sha256(items).hexdigest() == each.sha256


def test_every_label_of_the_panels_stories_follows() -> None:
    """By the complete search, which uses neither rules nor certificates."""
    for each in read_panel().sets:
        if each.suite == "kinship":
            raw = gzip.decompress((read_panel().folder / f"{each.name}.jsonl.gz").read_bytes())
            for facts in (msgspec.json.decode(line, type=Item).facts for line in raw.splitlines()):
                story = facts["genders"], [tuple(edge) for edge in facts["edges"]], tuple(facts["query"])
                if facts["certificate"] == "entailed":
                    assert entailed(*story, facts["target"])
                else:
                    assert len(possible(*story)) > 1


def test_bad_input_is_one_line_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "index.html").write_text("mine")
    (tmp_path / "file").write_text("")
    asked.clear()
    call: Any = proband.evaluate
    for said, models, what in (
        ("no report wrote it", [ORACLE], {"out": tmp_path / "taken"}),
        ("is a file", [ORACLE], {"out": tmp_path / "file"}),
        ("the same model is named twice", [ORACLE, ORACLE], {}),
        ("no suite 'chess'", [ORACLE], {"suite": "chess"}),
        ("no panel '9'", [ORACLE], {"panel": "9"}),
        ("no option 'limmit'", [ORACLE], {"limmit": 3}),
        ("no model 'xx:y'", ["xx:y"], {}),
        ("did you mean embedded?", ["embeded:mlm"], {}),
        ("did you mean hf:gpt2?", ["gpt2"], {}),
        ("has no text `name`", [object()], {}),
        ("needs a model", [], {}),
        ("no such file or folder", ["hf:./absent"], {}),
    ):
        with pytest.raises(ProbandError) as error:
            call(*models, **{"out": tmp_path / "out", **what})
        assert said in str(error.value)
        assert "\n" not in str(error.value)
    assert not asked


def test_an_object_of_ones_own_is_evaluated_under_its_name(tmp_path: Path) -> None:
    made = proband.evaluate(Oracle(), out=tmp_path / "page", size="quick", suite="facts")
    assert {row["model"] for row in made.summary()["capabilities"]} == {"oracle"}
    scores = [row["score"] for row in made.summary()["capabilities"] if row["score"] is not None]
    assert scores
    assert min(scores) == 1


def test_sets_that_nobody_can_be_asked_have_rows_and_no_page(tmp_path: Path) -> None:
    """Word vectors read no stories, and open stories have no baseline either."""
    (tmp_path / "words.txt").write_text("king 1.0 0.2\nqueen 0.9 -0.3\nman 0.1 0.4\nwoman 0.0 -0.2\n")
    made = proband.evaluate(f"vec:{tmp_path / 'words.txt'}", out=tmp_path / "page", suite="analogy,kinship")
    assert f"vec:{tmp_path / 'words.txt'}: open-stories" in made.left_out
    rows = {row.capability.does: row for row in made.profile.rows}
    assert rows["says when it cannot be told"].estimate is None
    assert "supports none of the solvers of kinship" in made.page.read_text()


def test_a_folder_with_files_of_others_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ProbandError, match="has other files and no page of `evaluate`"):
        proband.evaluate(ORACLE, out=tmp_path, suite="facts")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    proband.evaluate(ORACLE, out=tmp_path, suite="facts", size="quick", force=True)
    proband.evaluate(ORACLE, out=tmp_path, suite="analogy", size="quick")  # it is ours now


def test_a_dry_run_says_what_would_be_asked_and_how_long_it_takes(tmp_path: Path) -> None:
    forecasts = proband.evaluate(ORACLE, out=tmp_path / "page", suite="facts,kinship", dry_run=True)
    assert [each.items for each in forecasts] == [78, 192, 32, 48]
    assert all(each.seconds is not None for each in forecasts)
    assert not (tmp_path / "page" / "index.html").exists()


def test_the_answers_that_ship_are_to_these_items_and_give_the_references() -> None:
    panel = read_panel()
    hashes = {each.name: each.sha256 for each in panel.sets}
    recalled = {}
    facts = [json.loads(raw) for raw in lines_of(panel.folder / "facts.jsonl.gz")]
    gold = {item["id"]: item["gold"] for item in facts}
    for note in sorted(panel.folder.glob("answers/*/*/run.json")):
        run = json.loads(note.read_text(encoding="utf-8"))
        assert run["items_sha"] == hashes[note.parent.name]
        answers = [json.loads(raw) for raw in lines_of(note.parent / "answers.jsonl.gz")]
        if run["suite"] == "facts" and run["solver"] != "prior":
            right = [
                sum(each["scores"].index(max(each["scores"])) == gold[answer["item_id"]] for each in answer["blanks"])
                / 3
                for answer in answers
            ]
            recalled[run["model"]] = round(sum(right) / len(right), 4)
    scores = references(panel)["models"]
    assert recalled == {model: own["scores"]["recalls facts"] for model, own in scores.items()}
    assert len(recalled) == 2


def lines_of(path: Path) -> list[bytes]:
    return gzip.decompress(path.read_bytes()).splitlines()


def test_answers_that_ship_are_said_to_on_the_page_and_in_what_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They were computed on another machine; a fifth of the panel, or --no-cache, asks the model itself."""
    words = ["evaluate", "embedded:mlm", "-o", str(tmp_path / "page"), "--suite", "script"]
    for _ in range(2):  # also where the page is there
        assert main(words) == 0
        said = "The answers of embedded:mlm ship with the panel (computed in float32)"
        assert said in " ".join(capsys.readouterr().out.split())
        assert said in (tmp_path / "page" / "index.html").read_text(encoding="utf-8")
        assert said in (tmp_path / "page" / "tables" / "profile.md").read_text(encoding="utf-8")
        assert said in json.loads((tmp_path / "page" / "profile.json").read_text(encoding="utf-8"))["notes"][0]


def test_a_fifth_of_the_panel_is_said_to_be_a_first_look_and_answers_of_this_machine_have_no_note(
    both: Evaluation,
) -> None:
    assert both.summary()["notes"] == [QUICK]


def test_a_model_of_one_suite_is_asked_what_it_can_answer(tmp_path: Path) -> None:
    made = proband.evaluate("solver:symbolic", out=tmp_path / "page", size="quick", suite="facts,kinship")
    own = rows(made, "solver:symbolic")
    assert own["composes six relations"]["score"] == 1.0
    assert own["recalls facts"]["score"] is None
    assert own["recalls facts"]["reason"].startswith("no 'solver:symbolic' for facts")
    with pytest.raises(ProbandError, match="no 'solver:symbolik' for"):
        proband.evaluate("solver:symbolik", ORACLE, out=tmp_path / "other", size="quick", suite="facts,kinship")


def test_the_full_size_is_built_by_the_same_seeds_and_resumes(tmp_path: Path) -> None:
    asked.clear()
    made = proband.evaluate(ORACLE, out=tmp_path / "page", size="full", suite="facts")
    (row,) = rows(made, ORACLE).values()
    assert row["n"] > 500
    assert row["score"] == 1.0
    items = (tmp_path / "page" / "items" / "facts" / "items.jsonl").read_bytes()
    whole = len(asked)
    assert whole > 500
    proband.evaluate(ORACLE, out=tmp_path / "page", size="full", suite="facts")
    assert len(asked) == whole + 1  # tried on one item, nothing asked again
    assert (tmp_path / "page" / "items" / "facts" / "items.jsonl").read_bytes() == items
    proband.evaluate(ORACLE, out=tmp_path / "panel", size="quick", suite="facts")
    for there, out, size in (("quick", "panel", "full"), ("full", "page", "panel"), ("full", "page", "quick")):
        with pytest.raises(
            ProbandError, match=f"holds an evaluation of --size {there}: give that size to resume it, or"
        ):
            proband.evaluate(ORACLE, out=tmp_path / out, size=size, suite="facts")  # type: ignore[call-overload]
    proband.evaluate(ORACLE, out=tmp_path / "panel", size="panel", suite="facts")  # quick goes on
    with pytest.raises(ProbandError, match="panel: holds an evaluation of --size panel"):
        proband.evaluate(ORACLE, out=tmp_path / "panel", size="quick", suite="facts", dry_run=True)
