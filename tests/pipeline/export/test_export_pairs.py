"""Counterfactual pairs in the tokens of a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proband.cli import main
from proband.core.files import read_items
from proband.pipeline.export import pairs_of, tokens_of


class Words:
    """A tokenizer that knows words: a token is the number of a word."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": [self.known.setdefault(word, len(self.known)) for word in text.split()]}


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pairs")
    assert main(["build", "kinship", "--k", "2", "--per-k", "22", "-o", str(folder / "items")]) == 0
    assert main(["vary", str(folder / "items"), "-o", str(folder / "varied"), "--as", "counterfactual"]) == 0
    return folder / "varied"


def test_pairs_differ_in_one_token_and_in_their_answer(varied: Path) -> None:
    words = Words()
    pairs = [tokens_of(source, other, words) for source, other in pairs_of(varied)]
    assert len(pairs) == sum(1 for item in read_items(varied) if item.tags["variation"] == "counterfactual") == 22
    names = {number: word for word, number in words.known.items()}
    for pair in pairs:
        assert pair["aligned"]
        assert len(pair["differ"]) == 1
        assert [names[token] for token in pair["answer_tokens"]] == pair["answers"]
        assert pair["answers"][0] != pair["answers"][1]


def test_texts_of_another_length_are_counted(varied: Path) -> None:
    class Letters(Words):
        def __call__(self, text: str) -> dict[str, list[int]]:
            return {"input_ids": [ord(letter) for letter in text]}

    source, other = next(pairs_of(varied))
    pair = tokens_of(source, other, Letters())
    assert pair["aligned"] == (len(pair["texts"][0]) == len(pair["texts"][1]))


def test_bad_input(varied: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(varied), "--to", "pairs", "-o", str(tmp_path / "pairs.jsonl")]) == 2
    assert "--to pairs needs --tokenizer MODEL" in capsys.readouterr().err
    plain = varied.parent / "items"
    words = ["export", str(plain), "--to", "pairs", "--tokenizer", "baseline:random", "-o", str(tmp_path / "p.jsonl")]
    assert main(words) == 2
    assert "baseline:random has no tokenizer" in capsys.readouterr().err


@pytest.mark.slow
def test_written_in_the_tokens_of_an_embedded_model(varied: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.jsonl"
    assert main(["export", str(varied), "--to", "pairs", "--tokenizer", "embedded:mlm", "-o", str(out)]) == 0
    pairs = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(pairs) == 22
    assert all(pair["differ"] for pair in pairs if pair["aligned"])
