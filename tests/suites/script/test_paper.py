"""`proband paper script` on a corpus of the released form, with a real net."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.suites.script import SUITE
from proband.suites.script.paper import paper
from proband.suites.script.published import published, rows


def named(names: list[str]) -> list[tuple[str, Any]]:
    return [(name, proband.load_model(name, suite=SUITE)) for name in names]


TOOLS = {"cut": "use a sharp knife", "mix": "take the big whisk", "boil": "find one large pot"}


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Templates as KidsCook's: a slot for every tool word."""
    folder = tmp_path_factory.mktemp("kidscook")
    words = {"sharp", "knife", "big", "whisk", "large", "pot"}
    for split, count in (("train", 24), ("valid", 9), ("test", 9)):
        lines = []
        for n in range(count):
            verb = list(TOOLS)[n % 3]
            concrete = f"{TOOLS[verb]} for egg {n} . then wait ."
            tags = " ".join("0" if word in words else "1" for word in concrete.split())
            lines.append(f"{verb} egg {n // 3} .\t{concrete}\t{tags}")
        (folder / f"{split}.template.tsv").write_text("\n".join(lines) + "\n")
    (folder / "slot_whitelist.txt").write_text("\n".join(sorted(words)) + "\n")
    return folder


@pytest.fixture(scope="module")
def told(released: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], Path]:
    out = tmp_path_factory.mktemp("paper")
    proband.build("script", out=out / "items", data=released, released=True)
    options = {"hidden": 8, "width": 8, "epochs": 1, "least": 1, "device": "cpu"}
    for net in ("transducer", "seq2seq"):
        proband.train(out / "items", net=net, out=out / "nets" / net, options=options)
    names = ["solver:chance", "solver:frequent"]
    said = paper(data=released, out=out / "tables", models=named(names), nets=out / "nets")
    return dict(said), out / "tables"


def test_every_table_is_written(told: tuple[dict[str, object], Path]) -> None:
    said, out = told
    assert len(list(said["models"])) == 4  # type: ignore[call-overload]
    for name in ("table1", "table3", "table4", "table5", "breakdown", "claims", "alignments", "phrases"):
        assert (out / f"{name}.md").read_text().strip()
    assert "| *published: transducer* |" in (out / "table4.md").read_text()
    assert "307,573" in (out / "table1.md").read_text()
    for n in (1, 2):
        assert ET.fromstring((out / f"figure2-{n}.svg").read_text()).tag.endswith("svg")
    assert (out / "alignments.md").read_text().count("- **") > 20


def test_ours_stand_beside_the_published(told: tuple[dict[str, object], Path]) -> None:
    _, out = told
    lines = (out / "table4.csv").read_text().splitlines()
    assert any(",transducer,test,whole_oracle," in line and line.endswith(",0.2472") for line in lines)
    assert any(",seq2seq,valid,surprisal," in line and line.endswith(",3.755") for line in lines)
    assert not any(",seq2seq,valid,alignment_length," in line for line in lines)  # only transducers align


def test_the_same_command_again_asks_nobody(told: tuple[dict[str, object], Path], released: Path) -> None:
    _, out = told
    before = {path: path.stat().st_mtime_ns for path in (out / "answers").iterdir()}
    names = ["solver:chance", "solver:frequent"]
    paper(data=released, out=out, models=named(names), nets=out.parent / "nets")
    assert {path: path.stat().st_mtime_ns for path in (out / "answers").iterdir()} == before


def test_answers_from_elsewhere_are_taken_in(
    told: tuple[dict[str, object], Path], released: Path, tmp_path: Path
) -> None:
    """A net's run, and one of a fine-tuned model known by the net.json beside it."""
    items, net = told[1].parent / "items", f"net:{told[1].parent / 'nets' / 'seq2seq'}"
    for name in ("seq2seq", "tuned"):
        proband.run(items, model=net, out=tmp_path / "runs" / name)
    note = tmp_path / "runs" / "tuned" / "run.json"
    run = json.loads(note.read_text())
    note.write_text(json.dumps({**run, "model": "hf:far/away/model", "identity": {"kind": "causal"}}))
    (note.parent / "net.json").write_text('{"net": "finetune"}')
    out = tmp_path / "tables"
    paper(data=released, out=out, runs=tmp_path / "runs")
    lines = (out / "table4.csv").read_text().splitlines()
    assert any(",seq2seq,test,whole_greedy," in line for line in lines)
    assert any(line.startswith("hf:far/away/model (tuned),gpt fine-tuned,test,") for line in lines)
    assert "gpt fine-tuned - seq2seq: +0.00 points" in (out / "claims.md").read_text()  # they are the same answers
    with pytest.raises(ProbandError, match="no such folder of runs"):
        paper(data=released, out=out, runs=tmp_path / "nowhere")


def test_options_are_checked(released: Path, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="no option 'nests'"):
        paper(data=released, out=tmp_path, nests="x")
    with pytest.raises(ProbandError, match="'epochs' is 'many'"):
        paper(data=released, out=tmp_path, epochs="many")


def test_published_figures() -> None:
    """Counted by hand: seven models by five columns in table 4, three splits by five figures in table 1."""
    assert sum(row["table"] == "table4" for row in rows()) == 35
    assert sum(row["table"] == "table1" for row in rows()) == 15
    assert all(row.metric in {metric.name for metric in SUITE.metrics} for row in published())
    assert {row.value for row in published() if row.model == "gpt fine-tuned"} == {
        0.3801,
        0.6369,
        0.3105,
        0.5705,
        3.151,
    }
