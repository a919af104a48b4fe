"""Which items a score is over, through every door: run, report, compare, Python, an endpoint that costs money."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.models.conftest import build
from tests.models.remote.stub_server import Stub, chat

import proband as api
from proband.core.files import dumps, read_answers, write_text
from proband.core.types import Answer, Item, Split
from proband.models import hf
from proband.models.checkpoints import Files
from proband.suites import kinship

COUNTS: dict[Split, int] = {"train": 30, "valid": 20, "test": 10}


def item(split: Split, number: int) -> Item:
    """A story whose answer is the first choice in training items, the second in valid and the third in test items."""
    return Item(
        id=f"{split}-{number}",
        suite="kinship",
        prompt=f"[Ann{split}{number}] has a father, [Bob]. Bob is the ___ of Ann{split}{number}.",
        choices=("father", "mother", "son"),
        gold={"train": 0, "valid": 1, "test": 2}[split],
        tags={"task": "clean", "k": 1 + number % 2, "depth": 1, "target": "father"},
        facts={
            "names": ["Ann", "Bob"],
            "genders": ["female", "male"],
            "edges": [[0, "father", 1]],
            "query": [0, 1],
            "target": "father",
            "k": 1,
            "depth": 1,
            "clusters": [f"{split}{number}"],
        },
        split=split,
    )


def write(folder: Path, *splits: Split) -> Path:
    items = [item(split, number) for split in splits for number in range(COUNTS[split])]
    write_text(folder / "items.jsonl", "".join(dumps(each) + "\n" for each in items))
    return folder


class First:
    """Prefers the first choice: right on training items alone."""

    name = "solver:first"

    def identity(self) -> dict[str, str]:
        return {"kind": "first"}

    def answer(self, items: list[Item]) -> list[Answer]:
        return [Answer(item_id=each.id, scores=(1.0, 0.0, 0.0)) for each in items]


@pytest.fixture(autouse=True)
def first(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = replace(kinship.SUITE, own_models={"first": First}, check=lambda item: None)
    monkeypatch.setattr(kinship, "SUITE", changed)


def asked(run: Path) -> Counter[str]:
    return Counter(answer.item_id.partition("-")[0] for answer in read_answers(run / "answers.jsonl"))


def test_a_run_asks_and_scores_test_items(proband: Any, tmp_path: Path) -> None:
    items = write(tmp_path / "items", "train", "valid", "test")
    made = proband.json("run", items, "-m", "solver:first", "-o", tmp_path / "run")
    assert asked(tmp_path / "run") == {"test": 10}
    assert made["settings"] == {"split": "test", "asked": 10}
    assert (made["score"]["mean"], made["score"]["n"], made["score"]["split"]) == (0.0, 10, ["test"])
    text = proband("run", items, "-m", "solver:first", "-o", tmp_path / "run")
    assert "test items  0.0 %" in text


@pytest.mark.parametrize(
    ("there", "scored", "mean"),
    [(("train", "valid"), "valid", 0.0), (("train",), "train", 1.0), (("test",), "test", 0.0)],
)
def test_valid_stands_in_for_test_and_training_items_only_for_both(
    proband: Any, tmp_path: Path, there: tuple[Split, ...], scored: Split, mean: float
) -> None:
    made = proband.json("run", write(tmp_path / "items", *there), "-m", "solver:first", "-o", tmp_path / "run")
    assert asked(tmp_path / "run") == {scored: COUNTS[scored]}
    assert (made["score"]["split"], made["score"]["mean"], made["score"]["group"]) == (
        [scored],
        mean,
        f"{scored} items",
    )


def test_a_named_split_is_asked_and_scored(proband: Any, tmp_path: Path) -> None:
    items = write(tmp_path / "items", "train", "valid", "test")
    for split, counted, mean in (("all", COUNTS, 0.5), ("valid,test", {"valid": 20, "test": 10}, 0.0)):
        made = proband.json("run", items, "-m", "solver:first", "--split", split, "-o", tmp_path / split)
        assert asked(tmp_path / split) == counted
        assert made["score"]["mean"] == mean
    text = proband.fails("run", items, "-m", "solver:first", "--split", "dev", "-o", tmp_path / "dev")
    assert text == "proband: --split dev: 'dev' is not one of train, valid, test, all"
    one = write(tmp_path / "one", "test")
    text = proband.fails("run", one, "-m", "solver:first", "--split", "valid", "-o", tmp_path / "dev")
    assert text == "proband: --split valid: there are no such items, only test items"


def test_report_compare_and_frames_count_test_items_of_a_run_on_everything(proband: Any, tmp_path: Path) -> None:
    """61.9 % in the headline, 12.5 % in the tables below it: the headline counted training items."""
    items = write(tmp_path / "items", "train", "valid", "test")
    for name, model in (("first", "solver:first"), ("random", "baseline:random")):
        proband("run", items, "-m", model, "--split", "all", "-o", tmp_path / "runs" / name)
    runs, out = tmp_path / "runs", tmp_path / "report"
    said = proband("report", runs, "-o", out)
    assert "10 of 10 items; 0 of these answers are right" in said.splitlines()[0]
    scores = [line.split() for line in said.splitlines() if line.startswith("kinship")]
    assert [(line[1], line[-3]) for line in scores] == [("test", "10")] * 2
    (summary,) = json.loads((out / "report.json").read_text())["sets"]
    assert summary["split"] == ["test"]
    for table in summary["tables"]:
        if table["name"] != "kinship-by_split":
            assert {each["n"] for each in table["estimates"] if not each["group"]} <= {10}
            assert table["scope"] == "test items"
    for name in ("kinship-headline.md", "kinship-by_k.tex"):
        assert "test items" in (out / "tables" / name).read_text()
    row = (out / "tables" / "kinship-headline.csv").read_text().splitlines()[1]
    assert row.endswith(",test items")
    for page in ("index.html", "kinship.html"):
        text = (out / page).read_text()
        assert "test items, 95\N{NO-BREAK SPACE}% intervals over 10 items" in text
    assert "on the test items that both models answered" in (out / "kinship.html").read_text()
    assert "75.0" not in (out / "tables" / "kinship-headline.md").read_text()

    found = proband.json("compare", runs / "first", runs / "random")
    assert (found["split"], found["groups"][0]["n"], found["groups"][0]["mean_a"]) == (["test"], 10, 0.0)
    found = proband.json("compare", runs / "first", runs / "random", "--split", "train")
    assert (found["groups"][0]["group"], found["groups"][0]["mean_a"]) == ("train items", 1.0)

    frame = api.read(runs / "first").scores()
    assert (frame["group"][0], frame["mean"][0], frame["split"].unique().to_list()) == ("test items", 0.0, ["test"])
    assert api.read(runs / "first", split="all").scores()["mean"][0] == 0.5

    proband("report", runs, "--split", "train", "-o", tmp_path / "trained")
    (summary,) = json.loads((tmp_path / "trained" / "report.json").read_text())["sets"]
    assert summary["tables"][0]["estimates"][0]["mean"] == 1.0


@pytest.mark.parametrize("shots", [0, 2])
def test_an_endpoint_is_never_asked_a_training_item(proband: Any, tmp_path: Path, shots: int) -> None:
    """Nor an item that worked examples are taken from; the plan says so before anything is spent."""
    items = write(tmp_path / "items", "train", "test")
    with Stub(lambda path, body: chat("father")) as stub:
        model = f"openai:m@{stub.url}"
        settings = ("--model-set", "scores=no", "--set", f"shots={shots}", "--no-cache", "-o", tmp_path / "run")
        (plan,) = proband.json("run", items, "-m", model, *settings, "--dry-run")["forecasts"]
        proband("run", items, "-m", model, *settings)
    assert plan["calls"] == len(stub.bodies) == 10
    asked_about = [body["messages"][-1]["content"].rpartition("[Ann")[2] for body in stub.bodies]
    assert all(each.startswith("test") for each in asked_about)


@pytest.mark.parametrize("split", ["train", "all", ""])
def test_the_items_that_examples_are_taken_from_are_not_asked(proband: Any, tmp_path: Path, split: str) -> None:
    there: tuple[Split, ...] = ("train", "test") if split else ("train",)  # without another split, train is the default
    items = write(tmp_path / "items", *there)
    settings = (
        "--model-set",
        "scores=no",
        "--set",
        "shots=2",
        "-o",
        tmp_path / "run",
        *(("--split", split) if split else ()),
    )
    with Stub(lambda path, body: chat("father")) as stub:
        text = proband.fails("run", items, "-m", f"openai:m@{stub.url}", *settings)
        assert text.startswith("proband: shots come from the training items, which this run evaluates")
        assert stub.bodies == []
        other = write(tmp_path / "other", "train")
        proband("run", items, "-m", f"openai:m@{stub.url}", *settings, "--set", f"shots-from={other}", "--limit", 1)
    assert len(stub.bodies) == 1


def test_a_study_asks_test_items(proband: Any, tmp_path: Path) -> None:
    build = '[[build]]\nname = "items"\nsuite = "toy"\n'  # a dozen sums, every third for training
    for name, line in (("plain", ""), ("all", 'split = "all"')):
        write_text(
            tmp_path / f"{name}.toml",
            f'[study]\ntitle = "x"\n{build}[[run]]\nitems = ["items"]\nmodels = ["solver:adder"]\n{line}\n',
        )
        made = proband.json("study", tmp_path / f"{name}.toml", "-o", tmp_path / name)
        (folder,) = (tmp_path / name / "stages" / "run").iterdir()
        assert asked(folder).total() == (12 if line else 8)
        assert made["scores"][0]["split"] == "test"
        assert proband.json("study", tmp_path / f"{name}.toml", "-o", tmp_path / name)["stages"][-1]["state"] == "done"


def test_a_plan_is_over_the_items_that_are_scored(proband: Any, tmp_path: Path) -> None:
    found = proband.json("plan", write(tmp_path / "items", "train", "valid", "test"))
    assert found["design"]["items"] == 10


# ---- which solver gave the score -----------------------------------------------------------------------------------


@pytest.fixture
def small_smollm2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tiny chat model under the name of one that takes seconds to load."""
    folder = build("llama", tmp_path / "small")
    for name, more in (
        ("config.json", {"max_position_embeddings": 2048}),
        ("tokenizer_config.json", {"chat_template": "{% for m in messages %}{{ m['content'] }}\n{% endfor %}"}),
    ):
        write_text(folder / name, json.dumps(json.loads((folder / name).read_text()) | more))
    monkeypatch.setitem(
        hf.LOADERS, "smollm2", lambda name, options: hf.open_model(Files(folder), name=name, options=options)
    )


@pytest.mark.usefixtures("small_smollm2")
@pytest.mark.nightly
def test_every_page_says_how_a_model_was_asked_and_calls_it_by_its_short_name(proband: Any, tmp_path: Path) -> None:
    """A chat model whose probabilities can be read is asked by them. One model has one name; the solver stands beside
    the scores, and in the name only where one model was asked in two ways."""
    items = write(tmp_path / "items", "test")
    runs, out = tmp_path / "runs", tmp_path / "report"
    made = proband.json("run", items, "-m", "embedded:smollm2", "--limit", 1, "-o", runs / "default")
    assert made["solver"] == "likelihood"
    made = proband.json(
        "run", items, "-m", "embedded:smollm2", "--set", "max-tokens=1", "--limit", 1, "-o", runs / "words"
    )
    assert made["solver"] == "generate"
    proband("run", items, "-m", "baseline:random", "-o", runs / "random")
    result = proband.json("report", runs / "default", runs / "random", "-o", out)
    asked = {line["model"]: line["solver"].partition(",")[0] for line in result["scores"]}
    assert asked == {"SmolLM2-135M-Instruct": "likelihood", "baseline:random": ""}
    for file in ("index.html", "kinship.html", "tables/kinship-headline.md", "data/kinship-index.js"):
        assert "SmolLM2-135M-Instruct ·" not in (out / file).read_text()
    for file in ("kinship.html", "tables/kinship-headline.md", "tables/kinship-headline.tex"):
        assert "Solver: likelihood." in (out / file).read_text()
    both = proband.json("report", runs, "-o", out)
    names = {"SmolLM2-135M-Instruct · likelihood", "SmolLM2-135M-Instruct · generate", "baseline:random"}
    assert {line["model"] for line in both["scores"]} == names
    found = proband.json("compare", runs / "default", runs / "random")
    assert (found["a"], found["asked"]) == ("SmolLM2-135M-Instruct", "Solver: likelihood.")
    board = proband.json("report", runs / "default", "--leaderboard", "-o", tmp_path / "board")
    assert [line["model"] for line in board["scores"]] == ["SmolLM2-135M-Instruct"]
    results = api.read(runs / "default")
    assert "of SmolLM2-135M-Instruct (likelihood, first token" in repr(results)
    assert "<b>SmolLM2-135M-Instruct</b> on <b>kinship</b>, solver likelihood" in results._repr_html_()


# ---- everything random ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [pytest.param("baseline:random", marks=pytest.mark.nightly), "solver:chance"])
def test_another_seed_draws_anew_and_the_same_seed_repeats_its_bytes(proband: Any, tmp_path: Path, model: str) -> None:
    items = tmp_path / "items"
    suite = "analogy" if model == "baseline:random" else "script"
    proband("build", suite, "-o", items, *(("--per-relation", 1) if suite == "analogy" else ()))
    for name, seed in (("a", 0), ("b", 0), ("c", 1), ("d", 2)):
        proband("run", items, "-m", model, "--seed", seed, "-o", tmp_path / name)
    a, b, c, d = ((tmp_path / name / "answers.jsonl").read_bytes() for name in "abcd")
    assert a == b
    assert len({a, c, d}) == 3


# ---- comparing -----------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_answers_outside_the_intersection_make_no_difference(proband: Any, tmp_path: Path) -> None:
    """The same script items were 127 blanks, or 25 items, depending on what else the first run had answered."""
    items, runs = tmp_path / "items", tmp_path / "runs"
    proband("build", "script", "-o", items)
    for name, model, *settings in (
        ("all", "solver:frequent", "--split", "all"),
        ("test", "solver:frequent"),
        ("ten", "solver:frequent", "--limit", 10),
        ("valid", "solver:frequent", "--split", "valid,test"),
        ("other", "solver:chance", "--limit", 10),
        ("only-valid", "solver:chance", "--split", "valid"),
    ):
        proband("run", items, "-m", model, *settings, "-o", runs / name)
    wanted = proband.json("compare", runs / "ten", runs / "other")
    assert wanted["groups"][0]["n"] > 10  # blanks, not items
    for name in ("all", "test", "valid"):
        assert proband.json("compare", runs / name, runs / "other") == wanted
        assert proband.json("compare", runs / "other", runs / name)["groups"][0]["n"] == wanted["groups"][0]["n"]
    by_valid = proband.json("compare", runs / "all", runs / "only-valid")
    assert by_valid["split"] == ["valid"]
    assert by_valid["groups"][0] == proband.json("compare", runs / "valid", runs / "only-valid")["groups"][0]
    text = proband.fails("compare", runs / "test", runs / "only-valid")
    assert "share no" in text


def test_a_tag_that_no_item_has_is_an_error(proband: Any, tmp_path: Path) -> None:
    items = write(tmp_path / "items", "test")
    for name, model in (("first", "solver:first"), ("random", "baseline:random")):
        proband("run", items, "-m", model, "-o", tmp_path / name)
    text = proband.fails("compare", tmp_path / "first", tmp_path / "random", "--by", "NOSUCH")
    assert text == "proband: --by NOSUCH: the items have no tag 'NOSUCH'; there are depth, k, target, task"


def test_a_split_that_nobody_was_asked_has_no_row(proband: Any, tmp_path: Path) -> None:
    proband(
        "build",
        "kinship",
        "--k",
        "2",
        "--per-k",
        22,
        "--hold-out",
        "clauses",
        "--test-per-k",
        22,
        "-o",
        tmp_path / "items",
    )
    for split in ("test", "all"):
        proband("run", tmp_path / "items", "-m", "baseline:majority", "--split", split, "-o", tmp_path / split)
        proband("report", tmp_path / split, "-o", tmp_path / f"report-{split}")
        tables = tmp_path / f"report-{split}"
        for file in ("tables/kinship-by_split.md", "figures/kinship-by_split.svg"):
            assert ("train · clean" in (tables / file).read_text()) == (split == "all")
            assert "test · clean" in (tables / file).read_text()
