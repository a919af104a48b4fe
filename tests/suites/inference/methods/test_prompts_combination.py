"""Rules and prompts combined: what comes first, and items without types."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.suites.inference.methods.conftest import write

from proband.core.errors import ProbandError
from proband.suites.inference.items import Example, Triple, items
from proband.suites.inference.methods.prompts import ReadingOptions, RuleOptions, RuleSolver, combined, solve_directly


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
