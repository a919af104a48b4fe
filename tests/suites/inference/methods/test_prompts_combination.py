"""Files of rules: their formats, swapped arguments, types, and what stands first."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.suites.inference.items import Example, InferenceFacts, Triple, items
from proband.suites.inference.methods.prompts import ReadingOptions, RuleOptions, RuleSolver, combined, solve_directly
from proband.suites.inference.methods.rule_files import read_graph, read_ppdb


def pair(premise: str, hypothesis: str, *, straight: bool = True, types: tuple[str, str] = ("", "")) -> InferenceFacts:
    return InferenceFacts(Triple("a", premise, "b"), Triple("a", hypothesis, "b"), straight, types)


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


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


def example(premise: str, hypothesis: str) -> Example:
    return Example(
        premise=Triple("a", premise, "b"),
        hypothesis=Triple("a", hypothesis, "b"),
        entailed=True,
        straight=True,
        question="q",
        pair="p",
        direction="answer to question",
        source="own",
    )


def test_rules_come_first_and_the_rest_keeps_its_order(tmp_path: Path) -> None:
    graph = write(tmp_path / "g.tsv", "eliminate\ttreat")
    made = list(
        items(
            [example("treated", "treats"), example("eliminates", "treats"), example("x", "treats")] * 2, control="none"
        )
    )
    options = RuleOptions(on_lemma=True, graph=str(graph))
    scores = [answer.scores[0] for answer in combined(made, [-3.0, -2.0, 0.5, 9.0, 9.0, 50.0], options)]
    assert scores[0] == scores[3] == 2.0  # lemma
    assert scores[1] == scores[4] == 1.0  # the graph
    assert -1 < scores[2] < scores[5] < 1
    only = solve_directly(made, RuleSolver(), seed=0, options=ReadingOptions(graph=str(graph)))
    assert [answer.scores[0] > 0 for answer in only] == [False, True, False] * 2
    with pytest.raises(ProbandError, match="solver:rules needs rules"):
        solve_directly(made, RuleSolver(), seed=0, options=ReadingOptions())


def test_typed_is_an_error_on_items_without_types(tmp_path: Path) -> None:
    graph = write(tmp_path / "typed.tsv", "<cure::drug::disease>\t->\t<treat::drug::disease>")
    made = [
        Example(
            premise=Triple("a", "cures", "b"), hypothesis=Triple("a", "treats", "b"), entailed=True, straight=True,
            question="q", pair="p", direction="d", source="x", typed=typed,
        )
        for typed in (("", ""), ("drug", ""))
    ]  # fmt: skip
    options = ReadingOptions(graph=str(graph), typed=True)
    assert solve_directly(list(items(made)), RuleSolver(), seed=0, options=options)[1].scores == (1.0, 0.0)
    with pytest.raises(ProbandError, match="'typed' asks for the types of arguments, and these items have none"):
        solve_directly(list(items(made[:1])), RuleSolver(), seed=0, options=options)
