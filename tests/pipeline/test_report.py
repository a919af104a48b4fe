"""The score of a run is the one that its report gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import proband
from proband import suites
from proband.core.types import Answer, Item
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.pipeline.report import item_sets, legend, report, score, with_tag_tables
from proband.reporting.numbers.study import Study
from proband.reporting.write import colour


def test_the_score_is_that_of_the_report(tmp_path: Path) -> None:
    build("kinship", out=tmp_path / "items", k="2,3", per_k=20)
    run(tmp_path / "items", model="baseline:random", out=tmp_path / "run", cache=False, limit=30)
    found = score(tmp_path / "run")
    report([tmp_path / "run"], out=tmp_path / "report")
    (section,) = json.loads((tmp_path / "report" / "report.json").read_text())["sets"]
    overall = next(each for each in section["tables"][0]["estimates"] if not each["group"])
    assert {name: overall[name] for name in ("mean", "low", "high", "n", "chance", "metric")}.items() <= found.items()
    assert found["answers"] == 30


def test_run_compare_and_report_give_the_same_number_of_a_varied_set(tmp_path: Path) -> None:
    """That of the source items: another form of a question is no further question."""
    proband.build("kinship", out=tmp_path / "items", k="2", per_k=22)
    proband.vary(tmp_path / "items", out=tmp_path / "varied", as_="rename,reorder")
    made = [
        proband.run(tmp_path / "varied", model="baseline:random", out=tmp_path / "runs" / str(seed), seed=seed)
        for seed in (0, 1)
    ]
    scores = [each.score for each in made]
    assert [score["n"] for score in scores] == [22, 22]
    assert scores[0]["group"] == "test source items"
    named = {each["group"]: each["n"] for each in scores[0]["groups"]}
    assert named["rename"] == 22
    compared = proband.compare(tmp_path / "runs" / "0", tmp_path / "runs" / "1")["groups"][0]
    assert (compared["n"], compared["mean_a"], compared["mean_b"]) == (22, scores[0]["mean"], scores[1]["mean"])
    reported = proband.report(tmp_path / "runs", out=tmp_path / "report")
    assert [line["n"] for line in reported["scores"]] == [22, 22]
    assert {line["mean"] for line in reported["scores"]} == {f"{100 * score['mean']:.1f}" for score in scores}
    assert all("source items" in line for line in reported["sentences"] if "test" in line)
    assert reported["items"] == sum(named[name] for name in ("rename", "reorder", "original"))


class AlwaysNo:
    """A model that does not read the question."""

    name = "always-no"

    def identity(self) -> dict[str, str]:
        return {"kind": "test"}

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        return [Answer(item_id=item.id, scores=tuple(float(c == "no") for c in item.choices)) for item in items]


def test_a_model_that_always_gives_the_same_answer_is_said_to(tmp_path: Path) -> None:
    """By run, compare and report; a model that reads the question is not accused."""
    proband.build("kinship", out=tmp_path / "items", k="2", per_k=22, question="yes-no")
    always = proband.run(tmp_path / "items", model=AlwaysNo(), out=tmp_path / "runs" / "no")
    reads = proband.run(tmp_path / "items", model="solver:symbolic", out=tmp_path / "runs" / "reads")
    count = always.score["n"]
    right = round(always.score["mean"] * count)
    text = f"always-no answers 'no' to {count} of {count} items; {right} of these answers are right."
    assert always.score["constant"] == text
    assert reads.score["constant"] == ""
    assert proband.compare(tmp_path / "runs" / "no", tmp_path / "runs" / "reads")["constant"] == [text]
    reported = proband.report(tmp_path / "runs", out=tmp_path / "report")
    assert text in reported["sentences"]


class NowAndThen(AlwaysNo):
    """Says yes to every other item, whatever is asked."""

    name = "now-and-then"

    def answer(self, items: Sequence[Item]) -> list[Answer]:
        picks = [item.choices[int(item.id[-1], 36) % 2] for item in items]
        return [
            Answer(item_id=item.id, scores=tuple(float(c == pick) for c in item.choices))
            for item, pick in zip(items, picks)
        ]


def test_a_model_that_stands_at_the_majority_is_said_to(tmp_path: Path) -> None:
    """By run, compare and report; a model that reads the question is not accused."""
    proband.build("kinship", out=tmp_path / "items", k="2", per_k=22, question="yes-no")
    guesses = proband.run(tmp_path / "items", model=NowAndThen(), out=tmp_path / "runs" / "guesses")
    proband.run(tmp_path / "items", model="solver:symbolic", out=tmp_path / "runs" / "reads")
    text = guesses.score["constant"]
    assert text.startswith(f"now-and-then is right on {100 * guesses.score['mean']:.1f} %, not distinguishable from")
    assert proband.compare(tmp_path / "runs" / "guesses", tmp_path / "runs" / "reads")["constant"] == [text]
    reported = proband.report(tmp_path / "runs", out=tmp_path / "report")
    assert [line for line in reported["sentences"] if "always answering" in line] == [text]


class AlwaysA:
    """Writes the letter A, whatever stands behind it."""

    name = "always-a"

    def identity(self) -> dict[str, str]:
        return {"kind": "test"}

    def generate(self, prompts: Sequence[str], **settings: Any) -> list[str]:
        return ["A"] * len(prompts)


def test_a_model_that_prefers_a_letter_is_said_to(tmp_path: Path) -> None:
    """By run, compare and report: in several orders every option has as many votes, so no answer is the same."""
    proband.build("kinship", out=tmp_path / "items", k="2", per_k=22)
    always = proband.run(tmp_path / "items", model=AlwaysA(), solver="choose", out=tmp_path / "runs" / "a")
    reads = proband.run(tmp_path / "items", model="solver:symbolic", out=tmp_path / "runs" / "reads")
    text = always.score["constant"]
    assert text.endswith("chooses letter A in 100.0 % of its replies, 25.0 % without position bias.")
    assert reads.score["constant"] == ""
    assert proband.compare(tmp_path / "runs" / "a", tmp_path / "runs" / "reads")["constant"] == [text]
    reported = proband.report(tmp_path / "runs", out=tmp_path / "report")
    assert text in reported["sentences"]


def test_errors_are_not_unread(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path / "items", k="2", per_k=22)
    made = proband.run(tmp_path / "items", model="solver:symbolic", out=tmp_path / "run")
    path = tmp_path / "run" / "answers.jsonl"
    first, *rest = path.read_text().splitlines()
    failed = json.loads(first) | {"scores": [], "status": "error", "text": "429: busy"}
    path.write_text("\n".join([json.dumps(failed), *rest]) + "\n")
    found = score(made.folder)
    assert (found["unread"], len(found["errors"])) == (0.0, 1)
    assert found["mean"] == (found["n"] - 1) / found["n"]


def test_abbreviations_are_explained_where_they_are_printed() -> None:
    suite = suites.suite("analogy")
    assert legend(suite, ["ES · random", "reverse"]) == "ES: encyclopedic"
    assert legend(suite, ["random"]) == ""


def test_a_model_has_one_colour_however_it_is_asked(tmp_path: Path) -> None:
    """On two item sets by two solvers: one colour; two solvers on one set: two."""
    proband.build("kinship", out=tmp_path / "k", k="2", per_k=22)
    proband.build("analogy", out=tmp_path / "a", per_relation=1)
    for name in ("k", "a"):
        for model in ("baseline:random", "solver:symbolic") if name == "k" else ("baseline:random", "embedded:glove"):
            proband.run(tmp_path / name, model=model, out=tmp_path / "runs" / name / model.replace(":", "-"))
    studies = [Study(each) for each in item_sets([tmp_path / "runs"])]
    colour(studies)
    hues = [dict(zip([str(s.tags["run.model"]) for s in study.systems], study.hues)) for study in studies]
    assert hues[0]["baseline:random"] == hues[1]["baseline:random"]
    assert len({hue for each in hues for hue in each.values()}) == 3
    proband.run(tmp_path / "a", model="embedded:glove", out=tmp_path / "runs" / "a" / "3cosadd", solver="3cosadd")
    (study,) = (Study(each) for each in item_sets([tmp_path / "runs" / "a"]))
    colour([study])
    assert len(set(study.hues)) == 3


def test_two_tags_never_share_a_table() -> None:
    tables = with_tag_tables(suites.suite("questions"), ["категория", "тип"]).tables
    assert len({table.name for table in tables}) == len(tables)


def test_questions_have_a_table_by_each_column_of_tags(tmp_path: Path) -> None:
    """Even where a column is empty; `run` and the paired tests are not changed by it."""
    lines = [f"Is {n} odd?,yes,no,{('no', 'yes')[n % 2]},{('sums', 'words')[n > 9]}," for n in range(20)]
    (tmp_path / "quiz.csv").write_text("\n".join(["question,a,b,correct,main topic,note", *lines]))
    build("questions", out=tmp_path / "items", data=str(tmp_path / "quiz.csv"), tags="main topic,note")
    run(tmp_path / "items", model="baseline:random", out=tmp_path / "run")
    report(tmp_path / "run", out=tmp_path / "page")
    table = (tmp_path / "page" / "tables" / "questions-by-main-topic.md").read_text(encoding="utf-8")
    assert [line.split(" |")[0] for line in table.splitlines() if "baseline:random" in line] == [
        "| sums", "| words", "| All"
    ]  # fmt: skip
    assert "Accuracy by main topic" in (tmp_path / "page" / "questions.html").read_text(encoding="utf-8")
    assert score(tmp_path / "run")["groups"] == []
