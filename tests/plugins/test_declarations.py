"""What a suite of another package declares is used as that of the built-in ones: commands, variations, work
for people."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from proband import suites
from proband.cli import main
from proband.core.files import read_items

OUTSIDE = Path(__file__).parent / "outside" / "src"
ENTRY_POINTS = "[proband.suites]\nmore = proband_outside.more:SUITE\n"
Proband = Callable[..., Any]


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package as if it were installed: on the path, with its entry point."""
    place = tmp_path / "site" / "proband_outside-1.0.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: proband-outside\nVersion: 1.0\n")
    (place / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.setattr(sys, "path", [*sys.path, str(OUTSIDE), str(place.parent)])
    monkeypatch.chdir(tmp_path)
    yield
    for name in [name for name in sys.modules if name.split(".")[0] == "proband_outside"]:
        del sys.modules[name]


@pytest.fixture
def proband(capsys: pytest.CaptureFixture[str]) -> Proband:
    def run(*words: object) -> Any:
        code = main([*map(str, words), "--json"])
        out, err = capsys.readouterr()
        assert code == 0, err
        return json.loads(out)

    return run


def test_its_commands(proband: Proband, capsys: pytest.CaptureFixture[str]) -> None:
    proband("build", "more", "-o", "items", "--count", 20, "--most", 50)
    made = proband("more", "largest", "items", "--top", 2)["largest"]
    assert len(made) == 2
    assert made[0] > made[1]
    assert main(["more", "largest", "items", "--top", "0"]) == 2
    assert "Must be >= 1" in capsys.readouterr().err
    assert main(["more", "--help"]) == 0
    assert "largest  Print the largest numbers of an item set." in capsys.readouterr().out
    listed = {row["name"] for row in proband("list", "verbs")["verbs"]}
    assert {"inference assertions", "inference candidates", "more largest"} <= listed


def test_its_variations(proband: Proband) -> None:
    assert {row["name"] for row in proband("list", "variations")["variations"]} >= {"more/turned"}
    proband("build", "more", "-o", "items", "--count", 3)
    made = proband("vary", "items", "-o", "varied", "--as", "turned")
    assert made["variations"]["turned"]["items"] == 3
    for item in read_items(Path("varied")):
        assert item.facts["source"] == item.id.removesuffix("~turned")
    with pytest.raises(Exception, match="more has no variation 'twisted'; it has turned"):
        suites.suite("more").variation("twisted")


def test_its_work_for_people(proband: Proband, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Made, shown, answered wrongly and rightly by two people, aggregated and exported, by a task nobody here knows."""
    from starlette.testclient import TestClient

    from proband_annotate.site.app import application
    from proband_annotate.site.context import open_project

    assert {row["name"] for row in proband("list", "tasks")["tasks"]} >= {"kinship/write", "more/larger"}
    proband("build", "more", "-o", "items", "--count", 2)
    words = ["annotate", "init", "study", "--kind", "larger", "--items", "items", "--contact", "Lab <lab@example.org>"]
    assert proband(*words)["answers_wanted"] == 4  # two people each, as the task's defaults say
    gold = {item.prompt: str(item.gold) for item in read_items(Path("items"))}
    study = open_project(Path("study"))
    with TestClient(application(study)) as site:
        for link in proband("annotate", "links", "study", "--count", 2)["links"]:
            page = site.get(f"/join/{link.rpartition('/')[2]}")
            home = str(page.url)
            for name, field in (("consent", {"agree": "yes", "terms": "1"}), ("understood", {})):
                assert "Which number is larger?" in page.text
                page = site.post(f"{home}/{name}", data={"form": hidden(page.text, "form"), **field})
            while 'id="task"' in page.text:
                assert "Choose the larger of the two" in page.text
                prompt = re.findall(r'<p class="story">(.*?)</p>', page.text)[0]
                fields = {name: hidden(page.text, name) for name in ("form", "unit", "id")}
                refused = site.post(f"{home}/answer", data=fields)
                assert "Please choose one of the numbers." in refused.text
                page = site.post(f"{home}/answer", data={**fields, "choice": gold[prompt]})
    status = proband("annotate", "status", "study")
    assert status["paper"]["right"] == {**status["paper"]["right"], "here": 1.0, "n": 4}
    assert main(["annotate", "status", "study"]) == 0
    assert re.search(r"Right answers +100.0 % +95 % interval", capsys.readouterr().out)
    made = proband("annotate", "export", "study", "--to", "suite", "-o", "out")
    assert made["numbers"] == 2
    assert {row["label"] for row in map(json.loads, Path("out/numbers.jsonl").read_text().splitlines())} == {
        item.choices[item.gold or 0] for item in read_items(Path("items"))
    }
    (tmp_path / "study" / "project.toml").write_text(
        (tmp_path / "study" / "project.toml").read_text().replace('kind = "larger"', 'kind = "smaller"')
    )
    assert main(["annotate", "status", "study"]) == 2
    assert "project.toml: 'kind': no kind of task 'smaller'; there are write" in capsys.readouterr().err


def hidden(html: str, name: str) -> str:
    return str(re.findall(rf'name="{name}" value="([^"]*)"', html)[0])
