"""Nets over a frozen encoder, with a real one: trained, saved, loaded with the same encoder, run."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_answers, read_json, write_json

pytestmark = pytest.mark.skipif(find_spec("proband_mlm") is None, reason="embedded:mlm is not installed")

OPTIONS = {
    "bert": {"epochs": 3},
    "bert-lstm": {"epochs": 1, "hidden": 8, "layers": 1},
}


@pytest.mark.nightly
def test_nets_of_a_real_encoder_are_trained_reloaded_and_run(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path / "items", k="2", per_k=8, hold_out="clauses,paraphrases", test_per_k=2)
    encoder = proband.load_model("embedded:mlm")
    for kind, options in OPTIONS.items():
        folder = tmp_path / kind
        proband.train(tmp_path / "items", net=kind, model=encoder, out=folder, options={**options, "batch": 4})
        assert read_json(folder / "net.json")["model"]["name"] == "embedded:mlm"
    for kind in ("bert", "bert-lstm"):
        proband.run(tmp_path / "items", model=f"net:{tmp_path / kind}", out=tmp_path / f"run-{kind}", split="all")
        answers = list(read_answers(tmp_path / f"run-{kind}" / "answers.jsonl"))
        assert len({answer.scores for answer in answers}) == len(answers) == 10  # each story has its own
    note = read_json(tmp_path / "bert" / "net.json")
    note["model"]["weights"] = "0" * 64
    write_json(tmp_path / "bert" / "net.json", note)
    with pytest.raises(ProbandError, match="was trained with another version of embedded:mlm"):
        proband.load_model(f"net:{tmp_path / 'bert'}")
