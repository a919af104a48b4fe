"""Prompts as a source of chance: rewordings, the mean over prompts with its interval, and the cheap design."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from proband import suites
from proband.cli import main
from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.reporting.several_runs import over_prompts
from proband.solvers.prompts import expand_names, read_prompt, rewordings
from proband.stats import Scores
from proband.stats.clusters import Clusters

SUITES = ("analogy", "kinship", "inference", "script")


PARROT = """
class Parrot:
    name = "parrot"
    def identity(self): return {"kind": "test"}
    def generate(self, prompts, *, max_tokens, temperature=0.0, seed=0, stop=()): return ["father" for _ in prompts]
"""


@pytest.fixture
def parrot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A model that replies, by its place."""
    (tmp_path / "a_parrot.py").write_text(PARROT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PROBAND_CACHE", str(tmp_path / ".cache"))
    return "a_parrot:Parrot"


def folder_of(suite: str) -> Path:
    return next(each.prompts for each in suites.suite(suite).solvers if each.prompts is not None)


@pytest.mark.parametrize("suite", SUITES)
def test_ten_rewordings_or_more(suite: str) -> None:
    names = rewordings(folder_of(suite))
    texts = {read_prompt(name, folder_of(suite), default="").text for name in names}
    assert len(names) == len(texts) >= 10


@pytest.mark.parametrize("suite", SUITES)
def test_each_asks_the_same_item_in_other_words(
    suite: str, parrot: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"analogy": ["--per-relation", "1"], "kinship": ["--k", "2", "--per-k", "4"]}.get(suite, [])
    assert main(["build", suite, *more, "-o", str(tmp_path / "items")]) == 0
    item = next(each for each in read_items(tmp_path / "items/items.jsonl") if each.split == "test")
    sent = set()
    for name in rewordings(folder_of(suite)):
        capsys.readouterr()
        words = ["show", str(tmp_path / "items"), item.id, "--prompt", "-m", parrot, "--set", f"prompt={name}"]
        assert main(words) == 0, capsys.readouterr().err
        sent.add(capsys.readouterr().out)
        assert all(choice in max(sent, key=len) for choice in item.choices[:2])
    assert len(sent) >= 10


def test_all_is_the_default_and_the_rewordings(tmp_path: Path) -> None:
    folder = folder_of("kinship")
    assert expand_names(["all"], folder, default="choices") == ["choices", *rewordings(folder)]
    bank = tmp_path / "mine.txt"
    bank.write_text("# mine\nSay it.\n\nSay it in one word.\n")
    assert expand_names([str(bank)], folder, default="choices") == [f"{bank}#1", f"{bank}#2"]
    assert "Say it in one word." in read_prompt(f"{bank}#2", folder, default="").text
    with pytest.raises(ProbandError, match="there are 2 instructions"):
        read_prompt(f"{bank}#3", folder, default="")
    with pytest.raises(ProbandError, match="no prompt 'nosuch': there are"):
        read_prompt("nosuch", folder, default="")


def test_the_interval_counts_prompts_and_items() -> None:
    rng = np.random.default_rng(0)
    spread = rng.normal(size=12) * 0.2
    x = (rng.random((300, 12)) < 0.5 + np.clip(spread, -0.4, 0.4)).astype(float)
    clusters = Clusters.of([(str(i),) for i in range(300)])
    whole = over_prompts({str(at): Scores.of(x[:, at], clusters=clusters) for at in range(12)}, share=True)
    one = over_prompts({str(at): Scores.of(x[:, 0], clusters=clusters) for at in range(12)}, share=True)
    assert whole.high - whole.low > 0.15 > one.high - one.low  # items alone would give about 0.11
    assert whole.mean == pytest.approx(x.mean())


def test_a_run_with_all_prompts_and_its_report(parrot: str, tmp_path: Path) -> None:
    assert main(["build", "kinship", "--k", "2", "--per-k", "22", "-o", str(tmp_path / "items")]) == 0
    words = ["run", str(tmp_path / "items"), "-m", parrot, "--prompt", "all"]
    assert main([*words, "-o", str(tmp_path / "whole")]) == 0
    answers = [path.read_bytes().count(b"\n") for path in (tmp_path / "whole").glob("*/answers.jsonl")]
    assert answers == [22] * 13
    assert main(["report", str(tmp_path / "whole"), "-o", str(tmp_path / "report")]) == 0
    (made,) = json.loads((tmp_path / "report/report.json").read_text())["sets"]
    (sheet,) = (each for each in made["sheets"] if each["name"] == "prompts")
    assert sheet["rows"][0][1] == 13
