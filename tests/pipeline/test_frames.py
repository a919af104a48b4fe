from __future__ import annotations

import importlib.util
import pickle
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.pipeline.frames import RunResults
from proband.pipeline.run_options import RunOptions


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> RunResults:
    folder = tmp_path_factory.mktemp("results")
    proband.build("kinship", out=folder / "items", task="clean,memory", k="2,3", per_k=10)
    results: RunResults = proband.run(folder / "items", model="baseline:majority", out=folder / "run", cache=False)
    return results


def test_frames_agree_with_each_other_and_with_what_run_prints(made: RunResults) -> None:
    scores, items, answers = made.scores(), made.items(), made.answers()
    assert items.height == answers.height == 40
    assert items["id"].to_list() == answers["item_id"].to_list()
    assert set(items.columns) >= {"prompt", "choices", "gold", "split", "task", "k"}
    mean = answers["accuracy"].mean()
    assert scores.row(0, named=True)["mean"] == pytest.approx(mean) == made.score["mean"]
    chosen = answers.filter(answers["answer"] == answers["gold"])
    assert (chosen["accuracy"] == 1).all()
    both = answers.join(items, left_on="item_id", right_on="id").filter(items["k"] == 2)
    (row,) = scores.filter(scores["group"] == "k = 2").iter_rows(named=True)
    assert (row["n"], row["mean"]) == (both.height, pytest.approx(both["accuracy"].mean()))


def test_reading_back_gives_the_same(made: RunResults) -> None:
    again = proband.read(made.folder)
    assert again.run == made.run
    assert again.scores().equals(made.scores())
    with pytest.raises(ProbandError, match="contains no run"):
        proband.read(made.folder.parent / "items")


def test_pandas(made: RunResults) -> None:
    frame = made.answers().to_pandas()
    assert frame["accuracy"].mean() == pytest.approx(made.score["mean"])


def test_a_notebook_shows_a_table(made: RunResults) -> None:
    assert f"accuracy {100 * made.score['mean']:.1f} %" in repr(made)
    page = made._repr_html_()
    assert page.count("<tr>") == 1 + 1 + len(made.score["groups"])
    assert "baseline:majority" in page


def test_the_verbs_are_listed_and_can_be_called_in_any_order(made: RunResults, tmp_path: Path) -> None:
    assert {"build", "run", "read", "report", "compare"} <= set(dir(proband))
    assert not {"Any", "sys"} & set(dir(proband))
    out = tmp_path / "report"
    assert proband.report([made.folder], out=out)["page"] == str(out / "index.html")


def test_answers_have_the_tags_of_their_items(made: RunResults) -> None:
    answers, items = made.answers(), made.items()
    assert answers["k"].to_list() == items["k"].to_list()
    assert set(answers["task"].unique()) == {"clean", "memory"}
    assert answers.group_by("k").len().height == 2


def test_a_wrong_keyword_is_named(made: RunResults, tmp_path: Path) -> None:
    out: dict[str, Any] = {"out": tmp_path}
    with pytest.raises(ProbandError, match="run has no option 'limmit'; it has cache, "):
        proband.run(made.folder, model="baseline:random", limmit=3, **out)
    with pytest.raises(ProbandError, match="run cannot be called so: missing a required argument: 'model'; it has "):
        proband.run(made.folder, **out)
    with pytest.raises(ProbandError, match="report has no option 'tittle'; it has claims, "):
        proband.report(made.folder, tittle="x", **out)  # type: ignore[call-arg]
    with pytest.raises(ProbandError, match="evaluate has no option 'limmit'"):
        proband.evaluate("embedded:glove", limmit=3)
    assert pickle.loads(pickle.dumps(proband.run)) is proband.run
    with pytest.raises(ProbandError, match="'limit' is 0; it must be a whole number, at least 1"):
        proband.run(made.folder, model="baseline:random", limit=0, **out)
    with pytest.raises(ProbandError, match="build kinship has no option 'per_kk'"):
        proband.build("kinship", per_kk=3, **out)


def test_a_profile_and_a_dry_run(made: RunResults, tmp_path: Path) -> None:
    """As on the command line: the profile's options, those given count more, and nothing is asked."""
    profile = tmp_path / "run.toml"
    profile.write_text('limit = 7\nseed = 3\n[where]\nk = "2"\n')
    items, out = made.folder.parent / "items", tmp_path / "run"
    settings: dict[str, Any] = {"model": "baseline:random", "profile": profile}
    (forecast,) = proband.run(items, out=out, dry_run=True, **settings)
    assert (forecast.items, out.exists()) == (7, False)
    results = proband.run(items, out=out, limit=5, where={"task": "clean"}, **settings)
    assert (results.answers().height, results.run.seed) == (5, 3)
    assert set(results.answers().select("k", "task").unique().iter_rows()) == {(2, "clean")}
    profile.write_text("per_k = 4\nk = 2")
    assert proband.build("kinship", out=tmp_path / "a", profile=profile, task="clean")["items"] == 4
    assert proband.build("kinship", out=tmp_path / "b", profile=profile, task="clean", per_k=2)["items"] == 2


MISTAKES = """
import proband
proband.build("kinship", outt="items")
proband.report(["runs"], out="report", tittle="x")
reveal_type(proband.run("items", model="m", out="o", limit=3, options={"shots": 2}))
reveal_type(proband.run("items", model="m", out="o", dry_run=True, profile="run.toml"))
reveal_type(proband.evaluate("m", out="o", prices="1,2"))
"""


@pytest.mark.nightly
def test_a_type_checker_sees_the_results(tmp_path: Path, root: Path) -> None:
    """A mistake in the arguments of a function is an error, and results have their types."""
    file = tmp_path / "mistakes.py"
    file.write_text(MISTAKES)
    api = pytest.importorskip("mypy.api")
    said, _, _ = api.run(
        [str(file), "--config-file", str(root / "pyproject.toml"), "--cache-dir", str(root / ".mypy_cache")]
    )
    wrong = {line.split(":")[1]: line for line in said.splitlines() if ": error:" in line}
    assert sorted(wrong) == ["3", "4"], said
    types = [line.partition("Revealed type is ")[2] for line in said.splitlines() if "Revealed type" in line]
    results, forecasts = "proband.pipeline.frames.RunResults", "list[proband.pipeline.run.Forecast]"
    assert types == [f'"{each}"' for each in (results, forecasts, "proband.pipeline.evaluate.Evaluation")]


def test_several_repetitions_are_one_result(made: RunResults, tmp_path: Path) -> None:
    several = proband.run(
        made.folder.parent / "items", model="baseline:random", out=tmp_path / "run", repeat=3, cache=False
    )
    assert [part.folder.name for part in several.parts] == ["repeat-1", "repeat-2", "repeat-3"]
    assert several.answers().height == 3 * 40
    assert several.scores()["run"].unique().sort().to_list() == ["repeat-1", "repeat-2", "repeat-3"]


def test_the_page_of_the_interface_lists_every_function_and_option(root: Path) -> None:
    spec = importlib.util.spec_from_file_location("docs_api", root / "tests" / "docs_api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (root / "docs" / "api.md").read_text(encoding="utf-8")
    assert page == module.page(), "run: python tests/docs_api.py"
    assert all(f"`{name}(" in page for name in proband.__all__)
    assert all(f"| `{field.name}` |" in page for field in fields(RunOptions))
