"""Files of rules: their formats, swapped arguments, types."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.suites.inference.methods.conftest import write

from proband.core.errors import ProbandError
from proband.suites.inference.items import InferenceFacts, Triple
from proband.suites.inference.methods.rule_files import read_graph, read_ppdb


def pair(premise: str, hypothesis: str, *, straight: bool = True, types: tuple[str, str] = ("", "")) -> InferenceFacts:
    return InferenceFacts(Triple("a", premise, "b"), Triple("a", hypothesis, "b"), straight, types)


def test_arguments_of_typed_rules_follow_their_types(tmp_path: Path) -> None:
    graph = read_graph(
        write(
            tmp_path / "typed.tsv",
            "<contain::fruit::metal>\t->\t<be find in::metal::fruit>",
            "<be part of::region::region>\t-R>\t<include::region::region>",
            "<be make from::hormone::substance>\t->\t<be derive from::hormone::substance>",
        )
    )
    assert graph.accepts(pair("contained", "is found in", straight=False))
    assert not graph.accepts(pair("contained", "is found in"))
    assert not graph.accepts(pair("is found in", "contains", straight=False))  # rules have a direction
    assert graph.accepts(pair("is a part of", "includes", straight=False))
    assert graph.accepts(pair("was made from", "is derived from"))
    assert not graph.accepts(pair("was not made from", "is derived from"))
    known = pair("contained", "is found in", straight=False, types=("", "heavy metals"))
    assert graph.accepts(known, typed=True)
    other = pair("contained", "is found in", straight=False, types=("country", ""))
    assert graph.accepts(other)
    assert not graph.accepts(other, typed=True)


def test_untyped_rules_mark_swapped_arguments(tmp_path: Path) -> None:
    path = tmp_path / "untyped.tsv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("be captivated by\tcaptivate@R@\nunlock@R@\topen@R@\n")
    graph = read_graph(path)
    assert graph.accepts(pair("was captivated by", "captivates", straight=False))
    assert graph.accepts(pair("unlocks", "opens"))
    assert not graph.accepts(pair("unlocks", "opens", straight=False))


def test_ppdb_in_its_released_format(tmp_path: Path) -> None:
    score = "PPDB2.0Score=4.2 other=1"
    path = write(
        tmp_path / "ppdb",
        f"[VP] ||| [NP,1] was devoured by [NP,2] ||| [NP,2] ate up [NP,1] ||| {score} ||| 0-0 ||| Equivalence",
        f"[VB] ||| eliminate ||| treat ||| {score} ||| 0-0 ||| ForwardEntailment",
        "[VB] ||| murder ||| treat ||| PPDB2.0Score=1.0 ||| 0-0 ||| Equivalence",
        f"[VB] ||| cure ||| kill ||| {score} ||| 0-0 ||| Exclusion",
    )
    ppdb = read_ppdb(path, 2.0)
    assert ppdb.accepts(pair("was devoured by", "ate up", straight=False))
    assert not ppdb.accepts(pair("was devoured by", "ate up"))
    assert ppdb.accepts(pair("eliminates", "treats"))
    assert ppdb.accepts(pair("is eliminated by", "treats", straight=False))
    assert not ppdb.accepts(pair("treats", "eliminates"))
    assert not ppdb.accepts(pair("murders", "treats"))  # its score is low
    assert read_ppdb(path, 0.0).accepts(pair("murders", "treats"))
    assert not ppdb.accepts(pair("cures", "kills"))


@pytest.mark.parametrize("line", ["eliminates\ttreats", "eliminate treat cure"])
def test_extracts_of_ppdb(tmp_path: Path, line: str) -> None:
    assert read_ppdb(write(tmp_path / line[10], line)).accepts(pair("eliminated", "treats"))


def test_bad_rules_are_named(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="line 1: is neither"):
        read_graph(write(tmp_path / "g.tsv", "a\tb\tc\td"))
    with pytest.raises(ProbandError, match="line 1: a typed predicate is"):
        read_graph(write(tmp_path / "h.tsv", "<a::b>\t->\t<c::d::e>"))
    with pytest.raises(ProbandError, match="line 1: has 2 fields"):
        read_ppdb(write(tmp_path / "p", "a ||| b"))
    with pytest.raises(ProbandError, match="line 1: the score 'abc' is not a number"):
        read_ppdb(write(tmp_path / "s", "[VP] ||| ate ||| eats ||| PPDB2.0Score=abc"))
