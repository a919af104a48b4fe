"""Lists and sudokus: labels that are rounded or of a board with two solutions are found, right ones are not accused."""

from __future__ import annotations

import random
from itertools import permutations, product

from proband_puzzles import numbers
from proband_puzzles.numbers import ANOTHER, BROKEN, SOLVED, Board
from proband_puzzles.puzzle import label_verdict

LIST = "Sort these numbers in {} order: {}\nPlease follow the instruction below:\n## 1. ..., -13, 1, 7"
BOARD = "- Each row must contain each number\nSolve this 4x4 Mini Sudoku puzzle:\n{}\nFormat your response as above."


def test_lists_are_sorted_by_both_provers_as_by_floats() -> None:
    draw = random.Random(0)
    for _ in range(100):
        drawn = [f"{draw.uniform(-9, 9):.{draw.randint(0, 2)}f}" for _ in range(draw.randint(1, 8))]
        for way in ("ascending", "descending"):
            read = numbers.read_list(LIST.format(way, ", ".join(drawn)))
            assert read
            right = sorted(drawn, key=float, reverse=way == "descending")
            settled = numbers.solve_list(read, "")
            assert numbers.check_list(read, "") == set(settled.possible)
            assert [float(each) for each in settled.possible[0].split(", ")] == [float(each) for each in right]
            assert numbers.answer_list(str(right), read) == settled.possible[0]
            assert label_verdict(numbers.answer_list(str(right), read), settled) == "entailed"


def test_a_rounded_label_is_false_and_one_that_is_written_otherwise_is_not() -> None:
    read = numbers.read_list(LIST.format("ascending", "97.45, 17.0"))
    assert read
    settled = numbers.solve_list(read, "")
    parsed = ["['17.0', '97.45']", "[17, 97.450]", "17, 97.45", "['17.0', '97.5']", "['97.45', '17.0']", "[]", "none"]
    assert [label_verdict(numbers.answer_list(each, read), settled) for each in parsed[:5]] == ["entailed"] * 3 + [
        "false"
    ] * 2
    assert [numbers.answer_list(each, read) for each in parsed[5:]] == [None, None]
    assert numbers.read_list("Sort these words in ascending order: b, a") is None


def all_boards() -> list[Board]:
    latin = (
        b for b in product(permutations(range(1, 5)), repeat=4) if all(len(set(column)) == 4 for column in zip(*b))
    )
    return [board for board in latin if numbers.answer_board(written(board), ((0,) * 4,) * 4) == SOLVED]


def written(board: Board) -> str:
    return "\n".join(" ".join(str(cell or "_") for cell in row) for row in board)


def test_sudokus_against_every_board_there_is() -> None:
    boards, draw, seen = all_boards(), random.Random(0), set()
    assert len(boards) == 288
    for _ in range(80):
        full, kept = draw.choice(boards), draw.randint(3, 8)
        shown = set(draw.sample(range(16), kept))
        board = tuple(tuple(v if 4 * y + x in shown else 0 for x, v in enumerate(row)) for y, row in enumerate(full))
        fits = sum(all(a in (0, b) for r, s in zip(board, each) for a, b in zip(r, s)) for each in boards)
        read = numbers.MINI_SUDOKU.read(BOARD.format(written(board)))
        assert read == board
        settled = numbers.solve_board(read, "")
        assert settled.possible == (SOLVED, ANOTHER)[:fits]
        assert numbers.check_board(read, "") == set(settled.possible)
        assert label_verdict(numbers.answer_board(written(full), read), settled) == (
            "entailed" if fits == 1 else "ambiguous"
        )
        assert all(numbers.answer_board(each.replace(" / ", "\n"), read) == SOLVED for each in settled.why)
        other = next(each for each in boards if any(a not in (0, b) for r, s in zip(board, each) for a, b in zip(r, s)))
        assert numbers.answer_board(written(other), read) == BROKEN
        seen.add(min(fits, 2))
    assert seen == {1, 2}


def test_a_board_that_cannot_be_filled_and_what_is_no_board() -> None:
    twice = ((1, 1, 0, 0),) + ((0,) * 4,) * 3
    assert numbers.solve_board(twice, "").possible == ()
    assert numbers.check_board(twice, "") == frozenset()
    assert numbers.read_board(BOARD.format("_ _ _\n_ 1 _\n_ _ _")) is None
    assert numbers.read_board(BOARD.format("9 _ _ _\n_ _ _ _\n_ _ _ _\n_ _ _ _")) is None
    assert numbers.MINI_SUDOKU.read(BOARD.format("\n".join(["_ _ _ _ _ _ _ _ _"] * 9))) is None
    assert numbers.answer_board("1 2 3 4\n_ _ _ _\n_ _ _ _\n_ _ _ _", twice) is None


def test_what_is_no_plain_number_is_no_answer_and_nothing_is_rounded() -> None:
    question = "Sort these numbers in ascending order: 12345678901234567890123456789012345.5, -0.0"
    read = numbers.read_list(question)
    assert read
    assert numbers.solve_list(read, "").possible == ("0, 12345678901234567890123456789012345.5",)
    assert numbers.answer_list("0, 12345678901234567890123456789012345.6", read) not in numbers.check_list(read, "")
    assert [numbers.answer_list(text, read) for text in ("sNaN", "NaN, 1", "1e999999999999", "3e0")] == [None] * 4
