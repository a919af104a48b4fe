from __future__ import annotations

from pathlib import Path

import pytest

import proband
from proband.core.errors import ProbandError
from proband.pipeline.frames import Results


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("results")
    proband.build("kinship", out=folder / "items", task="clean,memory", k="2,3", per_k=10)
    results: Results = proband.run(folder / "items", model="baseline:majority", out=folder / "run", cache=False)
    return results


def test_frames_agree_with_each_other_and_with_what_run_prints(made: Results) -> None:
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


def test_reading_back_gives_the_same(made: Results) -> None:
    again = proband.read(made.folder)
    assert again.run == made.run
    assert again.scores().equals(made.scores())
    with pytest.raises(ProbandError, match="contains no run"):
        proband.read(made.folder.parent / "items")


def test_pandas(made: Results) -> None:
    frame = made.answers().to_pandas()
    assert frame["accuracy"].mean() == pytest.approx(made.score["mean"])


def test_a_notebook_shows_a_table(made: Results) -> None:
    assert f"accuracy {100 * made.score['mean']:.1f}%" in repr(made)
    page = made._repr_html_()
    assert page.count("<tr>") == 1 + 1 + len(made.score["groups"])
    assert "baseline:majority" in page


def test_the_verbs_are_listed_and_can_be_called_in_any_order(made: Results, tmp_path: Path) -> None:
    assert {"build", "run", "read", "report", "compare"} <= set(dir(proband))
    assert not {"Any", "sys"} & set(dir(proband))
    out = tmp_path / "report"
    assert proband.report([made.folder], out=out)["page"] == str(out / "index.html")
