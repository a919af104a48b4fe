"""What audit, compare, demo, export, plan, study and train print, and that their options arrive."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband import stats
from proband.cli import main
from proband.suites.kinship.clutrr.items import HEADER, csv_line

# ---- audit -----------------------------------------------------------------------------------------------------------


def test_options_reach_the_auditor(proband: Any, stage: Any) -> None:
    made = stage(
        "audit",
        {"rows": 100, "entailed": 36, "verdicts": {"entailed": 36, "ambiguous": 64}, "page": "x.html"},
        "pipeline.checking",
    )
    text = proband("audit", "data.csv", "-o", "audit", "--domain", "grid", "--reader", "hf:one", "--no-cache")
    assert made.arguments == (Path("data.csv"),)
    assert made.given == {"out": Path("audit"), "domain": "grid", "readers": ("hf:one",), "cache": False}
    assert text.splitlines()[-2].split(maxsplit=1) == ["verdicts:", "entailed 36, ambiguous 64"]
    assert text.splitlines()[-1] == "open x.html"


def test_published_scores_under_proved_labels_are_a_table(proband: Any, stage: Any) -> None:
    def over(mean: float) -> dict[str, float]:
        return {"mean": mean, "low": mean - 0.05, "high": mean + 0.05}

    one = {"replies": 12, "published": over(0.6), "proved": over(0.9), "read again": None}
    both = {**one, "replies": 24, "change": over(0.3)}
    models = {"hf:a": {**one, "change": {**over(0.3), "p corrected": 0.01}}}
    level = {"items": 14, "settled items": 12, "models": models, "all models": both, "order": {"proved": ["hf:a"]}}
    stage("audit", {"rows": 12, "models": {"easy": {**level, "swapped": [("hf:b", "hf:a")]}}}, "pipeline.checking")
    assert proband("audit", "data.csv", "-o", "audit").splitlines()[1:] == [
        "easy: 12 of 14 items have a proved answer",
        "model       replies          published             proved                change  p (Holm)  read again",
        "hf:a             12  60.0 [55.0, 65.0]  90.0 [85.0, 95.0]  +30.0 [+25.0, +35.0]     0.010           –",
        "all models       24  60.0 [55.0, 65.0]  90.0 [85.0, 95.0]  +30.0 [+25.0, +35.0]         –           –",
        "hf:b is published as better than hf:a; under the proved labels it is not",
    ]


def test_the_form_of_the_rows_says_how_they_are_read(proband: Any, tmp_path: Path) -> None:
    proband("build", "kinship", "-o", tmp_path / "families", "--k", 2, "--per-k", 2)
    made = proband.json("audit", tmp_path / "families", "-o", tmp_path / "audit")
    assert made["verdicts"]["entailed"] == made["rows"] == 2
    proband("export", tmp_path / "families", "--to", "clutrr", "-o", tmp_path / "rows.csv")
    assert proband.json("audit", tmp_path / "rows.csv", "-o", tmp_path / "again")["rows"] == 2
    (tmp_path / "release").mkdir()
    (tmp_path / "rows.csv").rename(tmp_path / "release" / "rows.csv")
    assert proband.json("audit", tmp_path / "release", "-o", tmp_path / "folder")["rows"] == 2
    assert "2 rows, 2 of them read" in (tmp_path / "audit" / "index.html").read_text(encoding="utf-8")


def test_a_source_that_no_suite_audits(proband: Any, items: Path, tmp_path: Path) -> None:
    """Items of a suite without an auditor are unread, and checked for what needs no domain."""
    made = proband.json("audit", items, "-o", tmp_path / "audit")
    assert made["verdicts"]["unread"] == made["rows"] == 12
    (tmp_path / "notes.txt").write_text("nothing")
    assert "not a file of rows" in proband.fails("audit", tmp_path / "notes.txt", "-o", tmp_path / "x")
    assert "no such file or folder" in proband.fails("audit", tmp_path / "none", "-o", tmp_path / "x")


# ---- compare ---------------------------------------------------------------------------------------------------------


GROUP = {
    "undecided": False,
    "group": "all", "mean_a": 0.5, "mean_b": 0.25, "difference": 0.25, "low": 0.1, "high": 0.4, "p": 0.01,
    "p_holm": 0.02, "n": 1200, "detectable": 0.05, "few": False, "verdict": "hf:a is better",
}  # fmt: skip


def test_groups_are_a_table(proband: Any, stage: Any) -> None:
    groups = [GROUP, {**GROUP, "group": "k=2", "p_holm": 0.4, "n": 60, "verdict": "not significant"}]
    made = stage(
        "compare", {"a": "hf:a", "b": "hf:b", "suite": "toy", "metric": "accuracy", "unit": "share", "groups": groups}
    )
    words = ["compare", "runs/a", "runs/b", "--by", "k", "--metric", "accuracy", "--items", "items"]
    assert proband(*words).splitlines() == [
        "toy, accuracy (%): A = hf:a, B = hf:b",
        "        A     B  A - B  95 % interval   p (Holm)      n",
        "all  50.0  25.0  +25.0  [+10.0, +40.0]     0.020  1,200  hf:a is better",
        "k=2  50.0  25.0  +25.0  [+10.0, +40.0]     0.400     60  not significant",
        "80 % power to detect a difference of 5.0 over all",
    ]
    assert made.arguments == (Path("runs/a"), Path("runs/b"))
    assert made.given == {
        "items": Path("items"),
        "by": "k",
        "metric": "accuracy",
    }
    assert proband.json(*words)["groups"] == groups


def test_a_solver_is_told_from_a_coin(proband: Any, items: Path) -> None:
    one, two = items.parent / "runs/adder", items.parent / "runs/random"
    proband("run", items, "-m", "solver:adder", "-o", one)
    proband("run", items, "-m", "baseline:random", "-o", two)
    result = proband.json("compare", one, two, "--by", "parity")
    assert [group["group"] for group in result["groups"]] == ["test items", "parity = 0", "parity = 1"]
    assert result["groups"][0]["mean_a"] == 1.0
    same = proband.json("compare", two, two)
    assert [group["verdict"] for group in same["groups"]] == ["not significant", "too few to tell", "too few to tell"]
    assert "no metric 'beauty'" in proband.fails("compare", one, two, "--metric", "beauty")


def scores(path: Path, right: int, of: int = 200) -> Path:
    rows = [f"q{i},{int(i < right)}" for i in range(of)]
    path.write_text("\n".join(["item,correct", *rows]) + "\n", encoding="utf-8")
    return path


def test_a_check_for_a_regression(
    proband: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    base, same, bad = (scores(tmp_path / f"{name}.csv", n) for name, n in (("base", 160), ("same", 156), ("bad", 130)))
    check = ["compare", base, same, "--fail-if-worse", "2"]
    assert "not shown that same is worse than base by more than 2.0: 2.0 points" in proband(*check)
    found = proband.json(*check)["check"]
    assert found["failed"] is False
    assert found["low"] < found["limit"] == 0.02
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    capsys.readouterr()
    assert main(["compare", str(base), str(bad), "--fail-if-worse", "2"]) == 3
    out, err = capsys.readouterr()
    line = "bad is worse than base by 15.0 points [10.0, 20.0], more than 2.0 (chance of a false alarm: at most 2.5 %)"
    assert err == f"proband: {line}\n"
    assert out.splitlines()[-1] == f"::error title=proband compare::{line}"
    assert main(["compare", str(base), str(bad), "--fail-if-worse", "11"]) == 0  # within the interval
    assert main(["compare", str(bad), str(base), "--fail-if-worse", "0"]) == 0  # better
    assert capsys.readouterr().out.splitlines()[-1].startswith("::notice title=proband compare::not shown")


def test_a_check_that_cannot_be_made_is_an_error(proband: Any, tmp_path: Path) -> None:
    few = scores(tmp_path / "few.csv", 2, of=4)
    assert "too few to tell" in proband.fails("compare", few, few, "--fail-if-worse", "2")
    many = scores(tmp_path / "many.csv", 20)
    assert "needs two runs" in proband.fails("compare", many, many, many, "--fail-if-worse", "2")
    assert "0 or more" in proband.fails("compare", many, many, "--fail-if-worse=-1")


def test_false_alarms_are_as_rare_as_stated() -> None:
    """Two equal systems, 400 times over: the check at 0 points fails in at most 2.5 % of cases, give or take."""
    rng = np.random.default_rng(6)
    alarms = 0
    for _ in range(400):
        ease = rng.random(120)
        a, b = (rng.random((2, 120)) < ease).astype(float)
        alarms += stats.difference(a, b).low > 0
    assert alarms <= 20  # P(more than 20 of 400 at 2.5 %) is 0.1 %


# ---- demo ------------------------------------------------------------------------------------------------------------


def test_what_is_left_out_is_named(proband: Any, stage: Any) -> None:
    result = {"page": "out/index.html", "runs": 3, "seconds": 1.5, "left_out": ["hf:x needs the package torch"]}
    result |= {"learnt": ["it is blue"]}
    made = stage("demo", result, "cli.verbs.demo")
    assert proband("demo", "-o", "out", "--seed", 3).splitlines() == [
        "3 runs in 1.5 s",
        "- it is blue",
        "left out: hf:x needs the package torch",
        "open out/index.html",
    ]
    assert made.given == {"out": Path("out"), "seed": 3}
    assert proband.json("demo") == result
    assert made.given == {}


# ---- export ----------------------------------------------------------------------------------------------------------


def test_csv_holds_every_item(proband: Any, items: Path) -> None:
    text = proband("export", items, "--to", "csv", "-o", items.parent / "items.csv")
    assert text.startswith(f"12 items as csv in {items.parent / 'items.csv'}\n")
    with open(items.parent / "items.csv", newline="", encoding="utf-8") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [f"sum-{n}" for n in range(12)]
    assert proband.json("export", items, "--to", "csv", "-o", items.parent / "items.csv")["items"] == 12


# ---- plan ------------------------------------------------------------------------------------------------------------


def test_a_plan_from_items_from_one_run_and_from_two(proband: Any, items: Path) -> None:
    one, two = items.parent / "runs/adder", items.parent / "runs/random"
    proband("run", items, "-m", "baseline:random", "-o", two)
    proband("run", items, "-m", "baseline:majority", "-o", one)
    sources = ((items,), (two,), (two, one))
    found = [proband.json("plan", *source) for source in sources]
    for source, each in zip(sources, found):
        small = proband.json("plan", *source, "-d", "0.02")
        assert small["more_clusters"]["items"] > each["more_clusters"]["items"]
        assert 0 < each["now"]["power"] < 1
    assert [each["basis"].split()[0] for each in found] == ["assumed:", "pilot", "pilot"]
    assert found[0]["interval"] is None  # nothing was measured
    for each in found[1:]:
        low, high = each["interval"]["more_clusters"]
        assert low["items"] < each["more_clusters"]["items"] < high["items"]
        assert each["now"]["interval"] is None  # at its upper end a dozen items detect no possible difference
    low, high = found[2]["interval"]["more_clusters"]
    assert f"{found[2]['more_clusters']['items']:,} [{low['items']:,}, {high['items']:,}]" in proband("plan", two, one)
    printed = proband("plan", items, "--by", "parity", "-d", "0.3")
    assert "needed, with clusters as large as these" in printed
    assert "a difference of 0.3 at p < 0.05" in printed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere",), "nowhere: no such file"),
        (("ITEMS", "-d", "-1"), "--difference is -1"),
        (("ITEMS", "-d", "5"), "difference is 5: a difference of shares is below 1"),
        (("ITEMS", "--metric", "accuracy"), "--metric accuracy needs a pilot run"),
        (("ITEMS", "--power", "2"), "--power is 2"),
        (("ITEMS", "--accuracy", "1"), "--accuracy is 1"),
        (("ITEMS", "--by", "colour"), "have no tag 'colour'"),
    ],
)
def test_what_cannot_be_planned_is_said(proband: Any, items: Path, words: tuple[str, ...], said: str) -> None:
    code, _, err = proband.run("plan", *(items if word == "ITEMS" else word for word in words))
    assert code == 2
    assert said in err


def test_a_pilot_that_does_not_know_an_item(proband: Any, items: Path) -> None:
    """As GloVe in the README, which one item of the first build is unknown to."""
    runs = items.parent / "runs"
    for seed in (0, 1):
        proband("run", items, "-m", "baseline:random", "--seed", seed, "-o", runs / str(seed))
    answers = runs / "0" / "answers.jsonl"
    first, *rest = answers.read_text().splitlines(keepends=True)
    answer = json.loads(first) | {"scores": [], "status": "not covered"}
    answers.write_text(json.dumps(answer) + "\n" + "".join(rest))
    plan = proband.json("plan", runs / "0", runs / "1")
    assert plan["design"]["items"] == len(rest)


# ---- study -----------------------------------------------------------------------------------------------------------


STAGES = [
    {"verb": "build", "name": "clean", "state": "done", "items": 1200, "calls": None},
    {"verb": "run", "name": "clean · solver:symbolic", "state": "to do", "items": 1200, "calls": 1200},
]


def test_a_dry_run_prints_the_stages(proband: Any, stage: Any) -> None:
    made = stage("study", {"title": "Noise", "stages": STAGES})
    lines = proband("study", "noise.toml", "-o", "out", "--dry-run", "--set", "per-k=5", "--workers", 2).splitlines()
    assert made.arguments == (Path("noise.toml"),)
    assert made.given == {"out": Path("out"), "dry_run": True, "parameters": {"per-k": "5"}, "workers": 2}
    assert lines == [
        "Noise",
        "verb   name                     state",
        "build  clean                    done",
        "run    clean · solver:symbolic  to do",
    ]


def test_a_study_says_where_its_page_is(proband: Any, stage: Any) -> None:
    stage("study", {"title": "Noise", "stages": STAGES, "page": "out/index.html", "claims": {"open": 1, "holds": 2}})
    text = proband("study", "noise.toml", "-o", "out")
    assert text.splitlines()[-1] == "open out/index.html"
    assert [line.split() for line in text.splitlines() if line.startswith("holds")] == [["holds", "2"]]
    assert proband.json("study", "noise.toml", "-o", "out")["stages"] == STAGES


# ---- train -----------------------------------------------------------------------------------------------------------


NOTE = {"suite": "toy", "net": "line", "seed": 0, "epochs": 3, "kept": 2, "valid": 0.5, "seconds": 1.25}


def test_options_reach_the_pipeline(proband: Any, stage: Any) -> None:
    made = stage("train", {**NOTE, "curve": [{"epoch": 1}], "versions": {"torch": "2"}})
    text = proband("train", "items", "--net", "line", "-o", "net", "-m", "hf:x", "--set", "epochs=3", "--seed", 4)
    assert made.arguments == (Path("items"),)
    options = {"options": {"epochs": "3"}, "model": "hf:x"}
    assert made.given == {"net": "line", "out": Path("net"), "seed": 4, **options}
    assert "torch" not in text
    assert "curve" not in text
    assert [line.split() for line in text.splitlines()][-1] == ["seconds:", "1.25"]


# ---- train on CLUTRR's own rows, from the file to the answers --------------------------------------------------------

ROW = {
    "id": "a",
    "story": "[Ann]'s father is [Ben]. [Ben]'s sister is [Cat].",
    "query": "('Ann', 'Cat')",
    "target": "aunt",
    "task_name": "task_1.2",
    "story_edges": "[(0, 1), (1, 2)]",
    "edge_types": "['father', 'sister']",
    "query_edge": "(0, 2)",
    "genders": "Ann:female,Ben:male,Cat:female",
    "task_split": "train",
}
OTHER = ROW | {
    "id": "b",
    "story": "[Ben] is [Ann]'s father. [Cat] is [Ben]'s.",
    "target": "grandfather",
    "edge_types": "['father', 'father']",
    "genders": "Ann:female,Ben:male,Cat:male",
}


def rows(path: Path, *made: dict[str, str]) -> Path:
    path.write_text(HEADER + "".join(map(csv_line, made)), encoding="utf-8")
    return path


def test_from_rows_to_answers(proband: Any, tmp_path: Path) -> None:
    file = rows(tmp_path / "rows.csv", ROW, OTHER, OTHER | {"id": "c", "task_split": "test"})
    proband("build", "kinship", "--data", file, "-o", tmp_path / "items")
    for net, small in (("gat", "width=8"), ("bilstm-mean", "hidden=4")):
        options = ("--set", "epochs=1", "--set", small)
        note = proband.json("train", tmp_path / "items", "--net", net, "-o", tmp_path / net, *options)
        assert (note["net"], note["epochs"]) == (net, 1)
        proband("run", tmp_path / "items", "-m", f"net:{tmp_path / net}", "-o", tmp_path / f"run-{net}")
        assert len((tmp_path / f"run-{net}" / "answers.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_a_story_longer_than_the_window_is_named(proband: Any, tmp_path: Path) -> None:
    file = rows(tmp_path / "a.csv", OTHER, ROW | {"story": "so " * 501})
    message = "has a story of 501 words and marks in 'prompt', more than the net's window of 500"
    proband("build", "kinship", "--data", file, "-o", tmp_path / "i")
    for net in ("bilstm-mean",):
        failed = proband.fails("train", tmp_path / "i", "--net", net, "-o", tmp_path / net)
        assert failed == f"proband: {tmp_path / 'i' / 'items.jsonl'} line 2: item 'a' {message}"
