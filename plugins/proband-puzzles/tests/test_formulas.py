"""Puzzles of the books, and formulas against Python's own `and`, `or`, `not`."""

from __future__ import annotations

import random

import pytest

from proband_puzzles.formulas import (
    check_island,
    follows,
    island_answer,
    models,
    parse,
    read_island,
    read_premises,
    satisfiable,
    solve_island,
    true,
    variables,
)

ISLAND = (
    "A very special island is inhabited only by knights and knaves. Knights always tell the truth, and knaves always "
    "lie. You meet 2 inhabitants: Al, and Bo. {claims} So who is a knight and who is a knave?"
)


@pytest.mark.parametrize(
    ("claims", "answers"),
    [
        ('Al said, "Al is a knave or Bo is a knight."', ["Al is a knight, Bo is a knight"]),  # Smullyan's 28
        ('According to Al, "Al is a knave and Bo is a knave".', ["Al is a knave, Bo is a knight"]),  # his 29
        ('"Al is a knight if and only if Bo is a knight" - Al.', ["Al is a knight, Bo is a knight"] * 0),
        ("Al said that Al is a knave.", []),  # nobody can say so
        ('Al noted, "it is not the case that (Al is a knight and Bo is a knight)".', ["Al is a knight, Bo is a knave"]),
    ],
)
def test_islanders_of_the_books(claims: str, answers: list[str]) -> None:
    parsed = read_island(ISLAND.format(claims=claims))
    assert parsed
    possible = solve_island(parsed, "").possible
    assert check_island(parsed, "") == frozenset(possible)
    if answers or "knave." in claims:
        assert list(possible) == answers
    else:  # he says that they are alike: Bo is a knight whatever he is
        assert all(each.endswith("Bo is a knight") for each in possible)
        assert len(possible) == 2


@pytest.mark.parametrize("claims", ["Al laughed.", "Cy said that Al is a knight.", 'Al said, "Al is a spy."'])
def test_what_is_not_understood_is_not_read(claims: str) -> None:
    assert read_island(ISLAND.format(claims=claims)) is None


def test_an_answer_names_everybody_once() -> None:
    parsed = read_island(ISLAND.format(claims="Al said that Bo is a knave."))
    assert parsed
    good = ("Bo is a knave, and Al is a knight", "Al is knight, Bo is knave.")
    bad = ("Al is a knight", "Al is a knight/knave, Bo is a knave", "Al is a knight, Al is a knave, Bo is a knave", "")
    assert [island_answer(text, parsed) for text in (*good, *bad)] == ["Al is a knight, Bo is a knave"] * 2 + [None] * 4
    assert island_answer("It is false that Al is a knight and Bo is a knave.", parsed) is None


def test_formulas_mean_what_python_means_by_them() -> None:
    draw, words = random.Random(0), {"¬": " not ", "∧": " and ", "∨": " or ", "→": " <= ", "↔": " == "}

    def text(depth: int) -> str:
        if not depth:
            return draw.choice("PQR")
        if draw.random() < 0.2:
            return f"(¬{text(depth - 1)})"
        return f"({text(depth - 1)} {draw.choice('∧∨→↔')} {text(depth - 1)})"

    for _ in range(60):
        written = text(3)
        formula = parse(written)
        assert formula
        python = written
        for symbol, word in words.items():
            python = python.replace(symbol, word)
        rows = models([], variables(formula))
        truth = [true(formula, row) for row in rows]
        assert truth == [bool(eval(python, {}, row)) for row in rows]
        assert satisfiable([formula]) == any(truth)


def test_what_follows_and_what_does_not() -> None:
    parsed = read_premises("Given:\n1. (P ∨ Q)\n.2. ¬P\n.What can we conclude from the above statements?")
    assert parsed
    right, wrong = ("Q", "Q ∧ ¬P", "P → Q", "(Q)"), ("P", "Q ∨ ¬Q", "Q and not P", "R", "", "Q ∧", "⊥")
    assert [follows(each, parsed, "") for each in (*right, *wrong)] == [True] * 4 + [False] * 7
    nonsense = read_premises("Given:\n1. P\n.2. ¬P\n.What can we conclude from the above statements?")
    assert nonsense
    assert follows("P", nonsense, "") is None
