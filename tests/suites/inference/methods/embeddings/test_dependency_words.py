"""Words with the same neighbours in trees get close vectors, through train and run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proband.core.errors import ProbandError
from proband.core.files import read_answers
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.pipeline.train import train
from proband.suites.inference.methods.embeddings.dependency_words import contexts, pairs_of, sentences


def conllu(rng: np.random.Generator) -> str:
    """`subject verb object` of two worlds: eat and devour share theirs, rule has others."""
    lines = []
    for _ in range(600):
        verb = ("eats", "devours", "rules")[rng.integers(3)]
        world = "r" if verb == "rules" else "e"
        words = (f"s{world}{rng.integers(9)}", verb, f"o{world}{rng.integers(9)}")
        for place, (word, head, arc) in enumerate(zip(words, (2, 0, 2), ("nsubj", "root", "obj"), strict=True), 1):
            lines.append(f"{place}\t{word}\t_\t_\t_\t_\t{head}\t{arc}\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


def test_vectors_of_a_net_serve_the_solver_over_words(tmp_path: Path) -> None:
    (tmp_path / "text.conllu").write_text(conllu(np.random.default_rng(0)), encoding="utf-8")
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("x, eats, y\tx, devours, y\ty\nx, eats, y\tx, rules, y\tn\n", encoding="utf-8")
    build("inference", out=tmp_path / "items", data=pairs)
    options = {"data": tmp_path / "text.conllu", "batch": 128, "epochs": 15, "dimensions": 20}
    note = train(tmp_path / "items", net="dependency-words", out=tmp_path / "net", options=options)
    assert note["pairs"] == 2400
    run(tmp_path / "items", model=f"net:{tmp_path / 'net'}", out=tmp_path / "run")
    same, other = (answer.scores[0] for answer in read_answers(tmp_path / "run" / "answers.jsonl"))
    assert same > other + 0.3


def test_bad_trees_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("1\tcat\n", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"a\.conllu line 1: has 2 columns instead of ten"):
        pairs_of(sentences(tmp_path / "a.conllu"), least=1)
    with pytest.raises(ProbandError, match="does not exist"):
        pairs_of(sentences(tmp_path / "b.conllu"), least=1)


def test_plain_text_is_parsed_first(tmp_path: Path) -> None:
    pytest.importorskip("proband_english", reason="our English pipeline is not installed")
    (tmp_path / "text.txt").write_text("The old cat chased a mouse.\nThe dog chased the old cat.\n", encoding="utf-8")
    found = [pair for each, _ in sentences(tmp_path) for pair in contexts(each)]
    assert found.count(("cat", "old/amod")) == 2
    assert ("chased", "dog/nsubj") in found
    assert ("chased", "cat/obj") in found


@pytest.mark.nightly
def test_without_text_the_premises_are_parsed(tmp_path: Path) -> None:
    pytest.importorskip("proband_english", reason="our English pipeline is not installed")
    build("inference", out=tmp_path / "items", splits="valid")
    note = train(tmp_path / "items", net="dependency-words", out=tmp_path / "net", options={"epochs": 1})
    assert note["words"] > 50


NGRAMS = """invaded\tItaly/NNP/nsubj/2 invaded/VBD/ccomp/0 Ethiopia/NNP/dobj/2\t12\t1936,5\t1937,7
sleep\tcats/NNS/nsubj/2 sleep/VBP/ROOT/0 in/IN/prep/2 houses/NNS/pobj/3\t3\t1990,3
"""


def test_syntactic_ngrams_give_words_and_not_their_tags(tmp_path: Path) -> None:
    """They were read as plain text, with vectors for tags ('nn')."""
    (tmp_path / "arcs.00-of-99").write_text(NGRAMS, encoding="utf-8")
    pairs = pairs_of(sentences(tmp_path), least=1)
    assert set(pairs.left_names) == {"italy", "invaded", "ethiopia", "cats", "sleep", "houses"}
    found = [pair for each, _ in sentences(tmp_path) for pair in contexts(each)]
    assert ("sleep", "houses/prep:in") in found
    assert not any("in/prep" in context for _, context in found)
    at = pairs.left_names.index("invaded")
    assert int((pairs.left == at).sum()) == 24  # two contexts, twelve times each


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("triples.tsv", "aspirin\trelieves\tpain\n", r"triples\.tsv: looks like tsv, needed: syntactic n-grams"),
        ("pairs.txt", "athens\tgreece\nrome\titaly\n", r"pairs\.txt: is a table; needed: syntactic n-grams"),
        ("items.jsonl", '{"id": "a"}\n', r"items\.jsonl: is JSON or binary"),
        ("arcs.01", "word\tnot an n-gram\t12\n", r"arcs\.01 line 1: not a syntactic n-gram"),
        ("arcs.02", "word\ta/NN/dobj/0\tmany\n", r"arcs\.02 line 1: not a syntactic n-gram"),
    ],
)
def test_other_kinds_of_file_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ProbandError, match=message):
        pairs_of(sentences(tmp_path), least=1)
