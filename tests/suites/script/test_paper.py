"""The paper's study from end to end: a corpus of the released form, tiny nets, a tiny model trained further."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proband
from proband.pipeline.report import report
from proband.pipeline.studies.study_file import read_study
from proband.pipeline.study import study_path
from proband.suites.script import SUITE

pytestmark = pytest.mark.nightly  # by day the same verb makes the tables of `analogy`
TOOLS = {"cut": "use a sharp knife", "mix": "take the big whisk", "boil": "find one large pot"}
QUICK = {
    "seeds": "1,2",
    "hidden": 8,
    "width": 8,
    "min_count": 1,
    "epochs": 1,
    "tuned-seeds": "0",
    "tuned-epochs": 1,
    "models": "",
    "device": "cpu",
}


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
    (folder / "vocab.txt").write_text("egg\nknife\n")
    np.save(folder / "glove2_for_vocab.npy", np.eye(2, dtype=np.float32))
    return folder


@pytest.fixture(scope="module")
def out(released: Path, tiny_causal: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paper")
    proband.paper("script", data=released, out=folder, parameters=parameters(released, tiny_causal))
    return folder


def parameters(released: Path, tiny_causal: Path) -> dict[str, Any]:
    return {**QUICK, "tuned": f"hf:{tiny_causal}"}


def table(out: Path, name: str) -> str:
    return (out / "tables" / f"{name}.md").read_text()


def test_every_table_is_written(out: Path) -> None:
    for name in (table.name for table in SUITE.tables if not table.of_scores):
        made = (out / "tables" / f"script-{name}.csv").exists()
        assert made or name == "table3"  # of pairs that are seen three times: these texts have none
    assert "307573" not in table(out, "script-table1")  # published, of KidsCook: these are other texts
    assert "24.91" not in table(out, "script-table4")  # published, greedy match of the transducer
    assert "use a [sharp knife] for egg" in (out / "tables" / "script-table5.csv").read_text()


def test_nets_have_the_vectors_that_were_named(out: Path) -> None:
    notes = [json.loads(path.read_text()) for path in (out / "stages" / "train").glob("*/net.json")]
    assert [note["vectors"]["found"] for note in notes if note["net"] != "finetune"] == [2] * 14


def test_both_transducers_are_trained_by_viterbi_em_in_the_end(out: Path) -> None:
    notes = [json.loads(path.read_text()) for path in (out / "stages" / "train").glob("transducer*/net.json")]
    assert Counter(note["net"] for note in notes) == {"transducer": 2, "transducer-param": 2}
    assert {note["options"]["schedule"] for note in notes} == {"marginal-viterbi"}
    read = read_study(study_path("script"), {"data": "KIDSCOOK"})
    trained = {train.name: train.options for train in read.train if train.name.startswith("transducer")}
    assert {(each["marginal-epochs"], each["epochs"], each["vectors"]) for each in trained.values()} == {
        (10, 50, "KIDSCOOK")
    }


def test_seeds_of_a_net_are_one_line(out: Path) -> None:
    lines = [line for line in table(out, "script-table4").splitlines() if "net:seq2seq" in line]
    assert lines, table(out, "script-table4")
    assert all(line.rstrip(" |").endswith("2") for line in lines)
    assert "over 2 seeds" in table(out, "script-whole_greedy")


def test_published_figures_do_not_stand_beside_other_texts(out: Path) -> None:
    text = table(out, "script-surprisal")
    assert "Bisk" not in text
    assert "net:tuned" in text
    assert "16.6" not in table(out, "script-alignment_length")


@pytest.mark.data
def test_kidscook_is_known_by_its_content(data: Path, tmp_path: Path) -> None:
    """Published rows stand beside it in both splits; blanks by our own rule carry a mark."""
    for name, blanks in (("released", True), ("own", False)):
        proband.build("script", out=tmp_path / name, data=data / "kidscook", splits="valid,test", released=blanks)
        settings: dict[str, Any] = {"model": "solver:chance", "split": "valid,test", "cache": False}
        proband.run(tmp_path / name, out=tmp_path / f"{name}-run", limit=40, **settings)
        report([tmp_path / f"{name}-run"], out=tmp_path / f"{name}-report")
        rows = (tmp_path / f"{name}-report" / "tables" / "script-whole_greedy.csv").read_text().splitlines()
        theirs = [row for row in rows if ",published,transducer," in row]
        assert len(theirs) == 2  # valid and test
        ours = [row for row in rows if ",ours," in row]
        assert all("of the questions of the published rows" in row for row in ours)
        assert all(("blanks: by our own rule, published as released" in row) is not blanks for row in ours)
    proband.run(tmp_path / "released", out=tmp_path / "whole", **settings)
    report([tmp_path / "whole"], out=tmp_path / "whole-report")
    for table in (
        "whole_greedy",
        "top5_word_oracle",
        "surprisal_released",
    ):  # the paper's program cuts texts, these are whole
        rows = (tmp_path / "whole-report" / "tables" / f"script-{table}.csv").read_text().splitlines()
        ours = [row for row in rows if ",ours," in row]
        assert len(ours) == 2
        assert all("1.04" in row or "1.05" in row for row in ours)
        assert all("times the questions of the published rows" in row for row in ours)


def test_every_claim_has_a_verdict(out: Path) -> None:
    verdicts = json.loads((out / "claims.json").read_text())
    listed: list[Any] = verdicts["claims"] if isinstance(verdicts, dict) else verdicts
    assert {each["statement"] for each in listed} == {claim.statement for claim in SUITE.claims}
    without_data = [each["statement"] for each in listed if each["p"] is None]
    assert set(without_data) == {
        "a language model that is not fine-tuned is below fixed transitions",  # none was asked here
        "fine-tuned, a language model is above all in-domain models by five points or more",  # trained once here
    }


def test_the_same_command_again_redoes_nothing(out: Path, released: Path, tiny_causal: Path) -> None:
    again = proband.paper("script", data=released, out=out, parameters=parameters(released, tiny_causal))
    assert {stage["state"] for stage in again["stages"]} == {"done"}
