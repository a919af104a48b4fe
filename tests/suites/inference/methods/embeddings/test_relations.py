"""Skip-gram finds relations that share their arguments; the net through the pipeline; context."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.files import read_answers, read_items
from proband.pipeline.build import build
from proband.pipeline.frames import run
from proband.pipeline.train import train
from proband.suites.inference.methods.embeddings.relations import (
    RelationEmbeddings,
    columns,
    inverse,
    part_of,
    read_table,
    triples_to_pairs,
)
from proband.suites.inference.methods.rule_files import canonical


@pytest.fixture(scope="module")
def trained(assertions: Path) -> tuple[Path, Path]:
    folder = assertions.parent
    rows = (
        ("x, devours, y", "x, eats, y"),
        ("x, devours, y", "x, governs, y"),
        ("x, was written by, y", "y, writes, x"),
        ("x, was written by, y", "x, writes, y"),
        ("x, frobs, y", "x, eats, y"),
    )
    data = folder / "pairs.tsv"
    data.write_text("".join(f"{h}\t{p}\ty\n" for p, h in rows), encoding="utf-8")
    build("inference", out=folder / "items", data=data)
    note = train(
        folder / "items", net="relations", out=folder / "net", options={"data": assertions, "batch": 256, "epochs": 12}
    )
    assert note["relations"] == 12  # six and their inverses
    return folder / "items", folder / "net"


def test_relations_that_share_arguments_are_close(trained: tuple[Path, Path], tmp_path: Path) -> None:
    items, net = trained
    run(items, model=f"net:{net}", out=tmp_path / "run")
    same, other, swapped, straight, unknown = (a.scores[0] for a in read_answers(tmp_path / "run" / "answers.jsonl"))
    assert same > 0.8 > other
    assert swapped > 0.8 > straight
    assert unknown == -1.0


def test_without_a_store_the_premises_are_the_assertions(tmp_path: Path) -> None:
    build("inference", out=tmp_path / "items", splits="valid")
    note = train(tmp_path / "items", net="relations", out=tmp_path / "net", options={"min-count": 3, "epochs": 1})
    assert note["options"]["data"] is None
    known, _ = read_table(tmp_path / "net", "relations")
    assert len(known) == note["relations"] > 50


def test_a_pair_is_scored_by_premises_of_other_questions_alone(tmp_path: Path) -> None:
    """A relation that only the premises of one question have is unknown where its pairs are scored."""
    build("inference", out=tmp_path / "items", splits="test")
    items = list(read_items(tmp_path / "items"))
    for which in ("all", "other"):
        options = {"questions": which, "min-count": 1, "epochs": 1}
        train(tmp_path / "items", net="relations", out=tmp_path / which, options=options)
        run(tmp_path / "items", model=f"net:{tmp_path / which}", out=tmp_path / "runs" / which)
    net = RelationEmbeddings(tmp_path / "other")
    everything = RelationEmbeddings(tmp_path / "all")
    premises: dict[int, set[str]] = {}
    for item in items:
        premises.setdefault(part_of(item), set()).add(canonical(item.facts["premise"][1]))
    hidden = 0
    for part, mine in premises.items():
        others: set[str] = set().union(*(each for other, each in premises.items() if other != part))
        net.use(part)
        assert set(net.relations) <= others | {inverse(each) for each in others}
        hidden += len(mine - others)
        assert mine <= set(everything.relations)
    assert hidden > 0


def test_in_context_and_bad_contexts(trained: tuple[Path, Path], tmp_path: Path) -> None:
    items, net = trained
    for kind in ("add", "bal-add", "mult", "bal-mult"):
        run(items, model=f"net:{net}", out=tmp_path / kind, options={"context": kind})
    with pytest.raises(ProbandError, match="'context' is 'sum', not one of none, add"):
        run(items, model=f"net:{net}", out=tmp_path / "x", options={"context": "sum"})
    with pytest.raises(ProbandError, match="solver:lemma has none"):
        run(items, model="solver:lemma", out=tmp_path / "y", options={"context": "add"})


def test_bad_assertions_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("a\tb\n", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"a.tsv line 1: must be subject, relation, object"):
        triples_to_pairs(columns(tmp_path / "a.tsv"), least=1)
    (tmp_path / "b.tsv").write_text("a\tb\tc\t1\na\tb\tc\tmany\n", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"b.tsv line 2: count 'many' is not a whole number"):
        triples_to_pairs(columns(tmp_path / "b.tsv"), least=1)


def test_n_grams_and_labelled_pairs_are_not_assertions(tmp_path: Path) -> None:
    for row in ("raised\traised/VBD/ROOT/0 taxes/NNS/dobj/1\t12", "country, exports, oil\toil, is sold in, egypt\tn"):
        (tmp_path / "a.tsv").write_text(f"{row}\n", encoding="utf-8")
        with pytest.raises(ProbandError, match=r"a.tsv line 1: '.*' is not a relation"):
            columns(tmp_path / "a.tsv")
