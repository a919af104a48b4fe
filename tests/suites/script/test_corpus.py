"""Reading corpora, and their figures against the paper's table 1."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.metrics import SPLITS
from proband.suites.script import corpus
from proband.suites.script.corpus import new_words, overlaps, read_own, table1
from proband.suites.script.paper.tables import value


def test_tsv_with_and_without_a_header(tmp_path: Path) -> None:
    plain, named = tmp_path / "plain.tsv", tmp_path / "named.tsv"
    plain.write_text("Stir it.\tUse a spoon. Go round.\n")
    named.write_text("split\tconcrete\tabstract\ntest\tUse a spoon. Go round.\tStir it.\n")
    (one,), (other,) = corpus.read(plain), corpus.read(named)
    assert one.abstract == other.abstract == ("stir", "it", ".")
    assert one.steps == (("use", "a", "spoon", "."), ("go", "round", "."))
    assert (one.split, other.split) == ("train", "test")


def test_jsonl_packed_and_with_steps(tmp_path: Path) -> None:
    path = tmp_path / "valid.jsonl.gz"
    with gzip.open(path, "wt") as file:
        file.write(json.dumps({"abstract": "Stir it.", "steps": ["Use a spoon.", "Go round."]}) + "\n")
    (pair,) = corpus.read(path)
    assert len(pair.steps) == 2
    assert pair.split == "valid"


def test_released_sequences_are_tokenised_already(tmp_path: Path) -> None:
    path = tmp_path / "train.sequences.jsonl"
    path.write_text(json.dumps({"abstract": "cook #UNK# .", "steps": ["do n't   rush , it 's 1/2 done ."]}) + "\n")
    (pair,) = corpus.read(path)
    assert pair.abstract == ("cook", "#UNK#", ".")
    assert pair.concrete == ("do", "n't", "rush", ",", "it", "'s", "1/2", "done", ".")


@pytest.mark.parametrize(
    ("name", "split"),
    [("testimonies.tsv", "train"), ("test.tsv", "test"), ("dev-2.jsonl", "valid"), ("train.template.tsv", "train")],
)
def test_the_split_of_a_file(name: str, split: str) -> None:
    assert corpus.split_of(Path(name)) == split


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "only one column\n", "a.tsv line 1: one column; abstract and concrete need two"),
        ("a.template.tsv", "a b\tc d\t1\n", "a.template.tsv line 1: column 'tags': are not 2 times 0 or 1"),
        ("a.jsonl", "{}\n", "a.jsonl line 1: 'abstract' must be text"),
        (
            "a.jsonl",
            '{"abstract": "a", "steps": ["b"], "split": "dev"}\n',
            "line 1: column 'split': 'dev' is not one of",
        ),
        ("a.tsv", "a\t\n", "a.tsv line 1: an empty side"),
        ("a.doc", "x\n", "is not a corpus"),
        ("a.jsonl", "", "a.jsonl: contains no texts"),
    ],
)
def test_bad_files_are_told_in_one_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ProbandError, match=r"^[^\n]*$") as error:
        corpus.read(tmp_path / name)
    assert message in str(error.value)


def test_our_corpus_is_what_it_says() -> None:
    pairs = read_own()
    by_caption: dict[str, list[corpus.TextPair]] = {}
    for pair in pairs:
        by_caption.setdefault(pair.caption, []).append(pair)
    assert len(by_caption) == 64
    assert {len(versions) for versions in by_caption.values()} == {3}
    assert {pair.category for pair in pairs} == {"cooking", "household"}
    assert overlaps(pairs) == dict.fromkeys(overlaps(pairs), 0)
    assert {pair.split for pair in pairs} == set(SPLITS)


@pytest.mark.data
def test_table_1(data: Path) -> None:
    """Sequences exactly; tokens to one in five thousand; lengths to the printed digit."""
    pairs = [p for split in SPLITS for p in corpus.read(data / "kidscook" / f"{split}.sequences.jsonl.gz")]
    for row in table1(pairs):
        split = row["split"]
        assert row["sequences"] == value("table1", split, "sequences")
        assert row["padded_tokens"] == pytest.approx(value("table1", split, "padded_tokens"), rel=3e-4)
        assert row["abstract_length"] == pytest.approx(value("table1", split, "abstract_length"), abs=0.051)
        assert row["padded_length"] == pytest.approx(value("table1", split, "padded_length"), abs=0.051)


@pytest.mark.data
def test_vocabulary_and_leaks(data: Path) -> None:
    """The cloze texts lack the pairs without blanks, so their types are a little fewer than printed."""
    pairs = corpus.read(data / "kidscook")
    for row in table1(pairs):
        printed = value("table1", row["split"], "vocabulary")
        assert 0.985 * printed < row["vocabulary"] <= printed
    assert overlaps(pairs) == {
        "duplicates": 0,
        "captions_train_valid": 11,
        "captions_train_test": 15,
        "captions_valid_test": 4,
    }
    found = new_words(pairs)
    assert found["types"] == pytest.approx(value("section2.1", "new words", "types"), rel=0.01)
    assert found["lemmas"] == pytest.approx(value("section2.1", "new words", "lemmas"), rel=0.02)
