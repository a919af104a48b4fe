"""`proband items` on logs and on runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.core.files import write_jsonl
from proband.core.types import Item


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Eight systems on 120 items of 24 clusters; k makes items hard, item 7 is labelled wrong."""
    folder, rng = tmp_path_factory.mktemp("logs"), np.random.default_rng(0)
    k = 2 + np.arange(120) % 4
    files = []
    for system, ability in enumerate(np.linspace(-0.5, 3, 8)):
        right = rng.random(120) < 1 / (1 + np.exp(k - 3 - ability))
        right[7] = system < 4
        lines = [f"i{at},{int(r)},c{at // 5},{k[at]}" for at, r in enumerate(right)]
        file = folder / f"{'old' if system < 4 else 'new'}-{system}.csv"
        file.write_text("\n".join(["item,correct,cluster,k", *lines]) + "\n")
        files.append(str(file))
    return files


def test_a_page_a_table_and_the_items_to_audit(proband: Any, logs: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = proband.json("items", *logs, "-o", out, "--group", "old*")
    assert (result["systems"], result["items"]) == (8, 120)
    weight = next(row for sheet in result["sheets"] for row in sheet["rows"] if row[0] == "k")
    assert 0.5 < float(weight[1]) < 1.6
    suspects = [json.loads(line)["id"] for line in (out / "suspects.jsonl").read_text().splitlines()]
    assert "i7" in suspects[:5]  # the best half has it wrong
    groups = next(sheet for sheet in result["sheets"] if "old* against the others" in sheet["title"])
    assert [row[0] for row in groups["rows"]] == ["k 2", "k 3", "k 4", "k 5"]
    assert len((out / "items.csv").read_text().splitlines()) == 121
    page = (out / "index.html").read_text()
    assert "Can this set rank these systems?" in page
    hardest = (out / "data" / "logs-0.js").read_text()[:60]
    again = proband.json("items", *logs, "-o", tmp_path / "again", "--group", "old*")
    assert again["sheets"] == result["sheets"]
    assert (tmp_path / "again" / "data" / "logs-0.js").read_text()[:60] == hardest


def test_too_few_runs_are_refused_in_one_line(proband: Any, logs: list[str], tmp_path: Path) -> None:
    line = proband.fails("items", *logs[:4], "-o", tmp_path / "out")
    assert line == "proband: item analysis needs 5 runs or logs; there are 4"


def test_odd_input_is_refused_in_one_line(proband: Any, logs: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert "no such file or folder" in proband.fails("items", *logs, tmp_path / "none", "-o", out)
    assert "the items have no tag 'length'; there are k" in proband.fails("items", *logs, "-o", out, "--by", "length")
    assert "--group z* matches 0 of the systems" in proband.fails("items", *logs, "-o", out, "--group", "z*")
    assert "groups of 1 and 7 systems are too few" in proband.fails("items", *logs, "-o", out, "--group", "old-0")
    odd = {
        "a,1\nb,0\n": "there are 5 systems on 2 items",
        "": "contains no scored item",
        "a,maybe\n": "line 2: 'correct' is",
    }
    for number, (rows, said) in enumerate(odd.items()):
        files = [tmp_path / f"{number}-{at}.csv" for at in range(5)]
        for file in files:
            file.write_text(f"item,correct\n{rows}")
        assert said in proband.fails("items", *files, "-o", out)
    assert not out.exists()


def test_a_short_test_that_cannot_be_drawn_is_refused_before_anything_is_written(
    proband: Any, logs: list[str], tmp_path: Path
) -> None:
    assert "a short test of these 120 items has 20 to 60 items" in proband.fails(
        "items", *logs, "-o", tmp_path / "o", "--short", "99"
    )
    assert "--estimate needs --short N" in proband.fails("items", *logs, "-o", tmp_path / "o", "--estimate", logs[0])
    assert not (tmp_path / "o").exists()


def test_the_score_of_a_run_on_the_short_test(proband: Any, logs: list[str], tmp_path: Path) -> None:
    items = [Item(id=f"i{at}", suite="questions", prompt=f"{at}?", choices=("a", "b"), gold=0) for at in range(120)]
    write_jsonl(tmp_path / "items" / "items.jsonl", items)
    runs = [tmp_path / "runs" / f"{at}" for at in range(6)]
    for at, folder in enumerate(runs):
        scores = tmp_path / f"{at}.csv"
        scores.write_text("id,score\n" + "".join(f"i{n},{(n * 7 + at) % 5 - 1.5}\n" for n in range(120)))
        proband("run", tmp_path / "items", "-m", f"scores:{scores}", "-o", folder)
    words = ["items", *runs[:5], "--short", "20", "--force", "-o", tmp_path / "out"]
    assert "%" in proband(*words, "--estimate", runs[5])
    assert "has several runs: name one of them" in proband.fails(*words, "--estimate", tmp_path / "runs")
