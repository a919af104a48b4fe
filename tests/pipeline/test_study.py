"""Studies: stages resumed by content, errors with their line, a plan before anything is asked."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.models import fake
from proband.pipeline.studies.stages import contents, fingerprint


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("finished") / "out"


@pytest.fixture
def finished(file: Path, shelf: Path, tmp_path: Path) -> Path:
    """The folder of the study when all is done: made once, and a copy for each test."""
    if not shelf.exists():
        (shelf.parent / "result.json").write_text(json.dumps(proband.study(file, out=shelf)))
    return shutil.copytree(shelf, tmp_path / "finished")


def folders(out: Path) -> dict[str, int]:
    """Every file of the stages, and when it was written."""
    return {str(p.relative_to(out)): p.stat().st_mtime_ns for p in sorted((out / "stages").rglob("*.json*"))}


def states(result: dict[str, Any]) -> list[str]:
    return [stage["state"] for stage in result["stages"]]


def test_a_finished_study_is_not_redone(file: Path, finished: Path, shelf: Path) -> None:
    first = json.loads((shelf.parent / "result.json").read_text())
    assert states(first) == ["ran"] * 8
    page = shelf / "index.html"
    assert page.exists()
    before, written = folders(shelf), page.stat().st_mtime_ns
    again = proband.study(file, out=shelf)
    assert states(again) == ["done"] * 8
    assert folders(shelf) == before
    assert page.stat().st_mtime_ns == written  # the report is left alone too
    assert {**again, "stages": 0} == {**first, "stages": 0}
    (finished / "index.html").unlink()
    assert states(proband.study(file, out=finished)) == ["done"] * 8
    assert (finished / "index.html").exists()
    note = json.loads((finished / "study.json").read_text())
    assert note["versions"]["proband"]
    assert len(note["stages"]) == 8


def test_a_changed_line_redoes_only_what_depends_on_it(file: Path, finished: Path, study: str) -> None:
    file.write_text(
        study.replace('task = "irrelevant", k = "2", per-k = 22', 'task = "irrelevant", k = "2", per-k = 11')
    )
    again = proband.study(file, out=finished)
    redone = [stage["name"] for stage in again["stages"] if stage["state"] == "ran"]
    assert redone == ["noisy", "noisy · solver:symbolic", "noisy · baseline:majority"]
    file.write_text(study.replace('norm = ["sum", "token"]', 'norm = ["sum", "token", "word"]'))
    again = proband.study(file, out=finished)
    assert [stage["name"] for stage in again["stages"] if stage["state"] == "ran"] == [
        "clean · fake:script.json · likelihood · word"
    ]


KILLED = """
import os, signal, sys
from proband.cli import main
name, left = sys.argv[1], int(sys.argv[2])
function = getattr(os, name)
def counted(*words, **more):
    global left
    left -= 1
    return function(*words, **more) if left else os.kill(os.getpid(), signal.SIGKILL)
setattr(os, name, counted)
main(sys.argv[3:])
"""


@pytest.mark.parametrize(
    "kills",
    [
        (("replace", 2), ("fsync", 2)),
        pytest.param((("replace", 2), ("replace", 6), ("fsync", 2)), marks=pytest.mark.nightly),
    ],
    ids=len,
)
def test_a_killed_study_ends_with_the_same_bytes(
    file: Path, finished: Path, tmp_path: Path, kills: Sequence[tuple[str, int]]
) -> None:
    """Killed while it builds, and while it runs: before a file takes its name, and before answers reach the disk."""
    for function, calls in kills:
        words = [sys.executable, "-c", KILLED, function, str(calls), "study", str(file), "-o", str(tmp_path / "out")]
        child = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert child.returncode == -signal.SIGKILL
        assert not (tmp_path / "out" / "study.json").exists()
    proband.study(file, out=tmp_path / "out")
    for name in ("items.jsonl", "answers.jsonl"):
        made, whole = (
            {p.relative_to(o): p.read_bytes() for p in (o / "stages").rglob(name)} for o in (tmp_path / "out", finished)
        )
        assert made == whole
    table = "tables/kinship-by-k.csv"
    assert any((finished / "tables").iterdir())
    for path in (finished / "tables").iterdir():
        assert (tmp_path / "out" / "tables" / path.name).read_bytes() == path.read_bytes(), table


def test_a_part_by_the_names_of_runs_has_what_they_need(file: Path, tmp_path: Path) -> None:
    result = proband.study(file, out=tmp_path / "out", part="clean · baseline")
    assert [stage["name"] for stage in result["stages"]] == ["clean", "clean · baseline:majority"]
    assert not (tmp_path / "out" / "report.json").exists()
    assert states(proband.study(file, out=tmp_path / "out")).count("done") == 2
    with pytest.raises(ProbandError, match="--part nothing: no run has this in its name"):
        proband.study(file, out=tmp_path / "out", part="nothing")


def test_runs_that_ask_the_same_of_a_model_ask_it_once(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two norms of one score: the same answers as two runs by themselves, from half the texts."""
    scored: list[int] = []
    score = fake.ScriptedModel.score

    def counting(self: fake.ScriptedModel, texts: Any, **settings: Any) -> Any:
        scored.append(len(texts))
        return score(self, texts, **settings)

    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(fake.ScriptedModel, "score", counting)
    stages = proband.study(file, out=tmp_path / "out")["stages"]
    assert sum(scored) == 44 * 22
    items = next(stage["folder"] for stage in stages if stage["name"] == "clean")
    for norm in ("sum", "token"):
        (mine,) = (stage["folder"] for stage in stages if stage["name"].endswith(f"likelihood · {norm}"))
        alone = tmp_path / norm
        proband.run(
            items, model="fake:script.json", out=alone, solver="likelihood", options={"norm": norm}, cache=False
        )
        assert (alone / "answers.jsonl").read_bytes() == (Path(mine) / "answers.jsonl").read_bytes()
    assert sum(scored) == 3 * 44 * 22


def test_a_dry_run_lists_the_stages_and_makes_nothing(file: Path, finished: Path, tmp_path: Path) -> None:
    plan = proband.study(file, out=tmp_path / "out", dry_run=True)
    assert states(plan) == ["to do"] * 8
    assert not (tmp_path / "out").exists()
    assert states(proband.study(file, out=finished, dry_run=True)) == ["done"] * 8


@pytest.mark.data
@pytest.mark.parametrize("suite", ["analogy", "kinship", "inference", "script"])
def test_a_dry_run_of_a_paper_takes_15_seconds_of_a_processor_at_most(suite: str, data: Path, tmp_path: Path) -> None:
    def seconds() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    begun = seconds()
    words = ["paper", suite, "--data", str(data), "--dry-run", "--json", "-o", str(tmp_path / "out")]
    done = subprocess.run([sys.executable, "-m", "proband", *words], capture_output=True, text=True, check=True)
    assert seconds() - begun < 15
    assert len(json.loads(done.stdout)["stages"]) >= 6
    assert not (tmp_path / "out").exists()


def test_parameters_are_set_from_outside(file: Path, tmp_path: Path) -> None:
    plan = proband.study(file, out=tmp_path, parameters={"k": "2", "models": "baseline:random"}, dry_run=True)["stages"]
    assert [stage["name"] for stage in plan if stage["verb"] == "run"][:2] == [
        "clean · baseline:random",
        "noisy · baseline:random",
    ]
    with pytest.raises(ProbandError, match="has no parameter 'depth'; it has k, models"):
        proband.study(file, out=tmp_path, parameters={"depth": "2"})


def test_a_failing_stage_names_its_line(file: Path, tmp_path: Path, study: str) -> None:
    file.write_text(study.replace("fake:script.json", "hf:no/such/model"))
    with pytest.raises(ProbandError, match=r"study.toml line 25: run clean · hf:no/such/model"):
        proband.study(file, out=tmp_path / "out")


def test_an_optional_model_is_left_out_with_the_reason(file: Path, tmp_path: Path, study: str) -> None:
    changed = study.replace('models = ["fake:script.json"]', 'optional = true\nmodels = ["hf:no/such/model"]')
    file.write_text(changed)
    result = proband.study(file, out=tmp_path / "out")
    assert states(result)[-2:] == ["skipped", "skipped"]
    assert "no/such/model" in result["stages"][-1]["reason"]


def test_the_key_follows_the_content_of_a_file_not_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "data.tsv").write_text("x")
    before = contents({"data": f"{tmp_path}/a"})
    assert contents({"data": f"{tmp_path}/b"}) == before
    (tmp_path / "b" / "data.tsv").write_text("y")
    assert contents({"data": f"{tmp_path}/b"}) != before
    assert fingerprint(f"hf:{tmp_path}/a", path=True) == f"hf:{before['data']}"
    assert fingerprint("hf:gpt2", path=True) == "hf:gpt2"
    monkeypatch.chdir(tmp_path / "a")
    monkeypatch.setenv("HOME", str(tmp_path))
    plain = {"prompt": "data.tsv", "bank": f"clutrr:{tmp_path}/a", "ppdb": f"data.tsv,{tmp_path}/b/data.tsv"}
    assert all(str(tmp_path) not in value and value != plain[name] for name, value in contents(plain).items())
    assert fingerprint("hf:~/a", path=True) == fingerprint(f"hf:{tmp_path}/a", path=True)
    monkeypatch.chdir(tmp_path)
    assert contents({"shots-from": "a"}) == {"shots-from": before["data"]}
    texts = {"task": "a", "system": "his/her " * 99, "norm": "0.5", "none": "", "size": 3}
    assert contents(texts) == texts


OPTIONAL_NET = """
[study]
title = "A net that cannot be trained"

[[build]]
name = "own"
suite = "inference"
options = { splits = "valid" }

[[train]]
name = "words"
items = "own"
net = "dependency-words"
options = { data = "no-such-text" }
optional = true

[[run]]
items = ["own"]
models = ["solver:lemma"]

[[run]]
items = ["own"]
models = ["net:words"]
optional = true
"""


@pytest.mark.nightly
def test_an_optional_net_is_left_out_and_so_are_its_runs(file: Path, tmp_path: Path) -> None:
    file.write_text(OPTIONAL_NET)
    result = proband.study(file, out=tmp_path / "out")
    assert states(result) == ["ran", "skipped", "ran", "skipped"]
    assert "no-such-text: does not exist" in result["stages"][1]["reason"]
    assert result["stages"][3]["reason"] == "net words was not trained"
    file.write_text(OPTIONAL_NET.replace("optional = true\n\n[[run]]", "\n[[run]]"))
    with pytest.raises(ProbandError, match="train words: no-such-text: does not exist"):
        proband.study(file, out=tmp_path / "out")


@pytest.mark.nightly
def test_stages_at_a_time_give_the_same_results(
    file: Path, finished: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    capfd.readouterr()
    made = proband.study(file, out=tmp_path / "two", jobs=2)
    together = capfd.readouterr().err

    def answers(folder: Path) -> dict[str, bytes]:
        return {str(path.relative_to(folder)): path.read_bytes() for path in (folder / "stages").rglob("*.jsonl")}

    assert answers(finished) == answers(tmp_path / "two")
    assert {stage["state"] for stage in made["stages"]} == {"done"}  # by the processes, not by the loop after them
    numbered = [line for line in together.splitlines() if " of " in line and "(done)" not in line]
    assert len(numbered) == len(set(numbered)) == len(made["stages"])  # each stage once
    assert (finished / "study.json").read_text() == (tmp_path / "two" / "study.json").read_text()


@pytest.mark.nightly
def test_a_stage_that_fails_among_others_is_named_with_its_line(file: Path, study: str) -> None:
    file.write_text(study.replace('models = ["fake:script.json"]', 'models = ["fake:missing.json"]'))
    with pytest.raises(ProbandError, match=r"run clean · fake:missing.json .*missing.json"):
        proband.study(file, out="out", jobs=2)
    assert len(list(Path("out/stages/run").glob("*/answers.jsonl"))) == 4  # the others were done


# ---- what cannot be done -------------------------------------------------------------------------------------------


CANNOT = """
[study]
title = "Blanks"
[[build]]
name = "steps"
suite = "script"
[[train]]
name = "net"
items = "steps"
net = "recurrent"
[[run]]
items = ["steps"]
models = ["solver:chance", "net:net"]
[[run]]
items = ["steps"]
models = ["MODEL"]
"""


def test_one_failed_stage_does_not_withhold_the_report_of_the_others(tmp_path: Path) -> None:
    """The model is there when the study starts, and cannot be opened."""
    file, broken = tmp_path / "study.toml", tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text("{}")
    lines = CANNOT.replace("MODEL", f"hf:{broken}").replace(', "net:net"', "").splitlines()
    start = lines.index("[[train]]")
    file.write_text("\n".join(lines[:start] + lines[start + 4 :]))
    with pytest.raises(
        ProbandError, match=r"run steps · hf:.*the report of the 1 runs that are finished is in"
    ) as error:
        proband.study(file, out=tmp_path / "out")
    assert "\n" not in str(error.value)
    assert "solver:chance" in (tmp_path / "out" / "index.html").read_text()
    assert any("reason" in stage for stage in json.loads((tmp_path / "out" / "study.json").read_text())["stages"])
