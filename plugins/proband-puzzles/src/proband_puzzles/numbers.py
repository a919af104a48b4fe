"""Numbers to be put in order, and sudokus: one solution, and is the label it?

A list is sorted as decimal fractions; the second prover counts, for each number, those that come before it. A sudoku of
n x n cells is filled by a SAT solver, which is then asked for another way; the second prover fills cell after cell, the
one with the fewest choices first. An answer is read as solving the sudoku or not, so that a board with two
solutions has the answers SOLVED and ANOTHER, and no label is the right one.

>>> parsed = read_list("Sort these numbers in descending order: 1.5, -2, 97.45")
>>> solve_list(parsed, "").possible, answer_list("['97.5', '1.5', '-2']", parsed)
(('97.45, 1.5, -2',), '97.5, 1.5, -2')
>>> board = read_board("Solve this 4x4 Mini Sudoku puzzle:\\n_ _ 2 _\\n_ 4 _ 1\\n4 3 _ _\\n_ _ _ _")
>>> solve_board(board, "").possible, sorted(check_board(board, ""))
(('a solution',), ['a solution'])
"""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import chain, combinations, product
from math import isqrt
from typing import Final, NamedTuple

from proband.proof.problem import Solution
from proband_puzzles.puzzle import Puzzle, solution

# ---- a list in order -----------------------------------------------------------------------------------------------

SORT: Final = re.compile(r"Sort these numbers in (ascending|descending) order: ([-\d., ]+)(?:\n|\Z)")
DECIMAL: Final = re.compile(r"-?(?:\d{1,50}(?:\.\d{0,50})?|\.\d{1,50})")


class Unsorted(NamedTuple):
    numbers: tuple[Decimal, ...]
    down: bool


def read_list(question: str) -> Unsorted | None:
    asked = SORT.search(question)
    numbers = _decimals(asked[2]) if asked else None
    return Unsorted(numbers, asked[1] == "descending") if asked and numbers else None


def _decimals(text: str) -> tuple[Decimal, ...] | None:
    parts = [each.strip(" '\"") for each in text.split(",")]
    return tuple(map(Decimal, parts)) if all(map(DECIMAL.fullmatch, parts)) else None


def _written(numbers: tuple[Decimal, ...]) -> str:
    written = (f"{each or 0:f}" for each in numbers)
    return ", ".join(each.rstrip("0").rstrip(".") if "." in each else each for each in written)


def solve_list(parsed: Unsorted, world: str) -> Solution:
    return solution((_written(tuple(sorted(parsed.numbers, reverse=parsed.down))),))


def check_list(parsed: Unsorted, world: str) -> frozenset[str]:
    places: dict[int, Decimal] = {}
    for at, one in enumerate(parsed.numbers):
        before = sum((other > one) if parsed.down else (other < one) for other in parsed.numbers)
        places[before + parsed.numbers[:at].count(one)] = one
    return frozenset((_written(tuple(places[n] for n in range(len(places)))),))


def answer_list(text: str, parsed: Unsorted) -> str | None:
    numbers = _decimals(text.strip().strip("[]"))
    return _written(numbers) if numbers else None


NUMBER_SORTING: Final = Puzzle(
    name="number_sorting",
    gym_world="",
    worlds={"numbers": "the numbers as they are written"},
    read=read_list,
    solve=solve_list,
    check=check_list,
    answer=answer_list,
    statements=lambda parsed: (_written(parsed.numbers),),
    form=lambda parsed: "a list",
)

# ---- sudokus -------------------------------------------------------------------------------------------------------

SOLVED, ANOTHER, BROKEN = "a solution", "another solution", "not a solution"
ROW: Final = re.compile(r"(?m)^[1-9_](?: [1-9_])+ *$")
Board = tuple[tuple[int, ...], ...]  # 0: empty


def read_board(question: str) -> Board | None:
    board = _board(question) if "Sudoku puzzle" in question else None
    return board if board and len(board) in (4, 9) else None


def _board(text: str) -> Board | None:
    rows = tuple(tuple(0 if cell == "_" else int(cell) for cell in line.split()) for line in ROW.findall(text))
    return rows if rows and {len(row) for row in rows} == {len(rows)} and max(map(max, rows)) <= len(rows) else None


def _units(size: int) -> list[list[tuple[int, int]]]:
    """Rows, columns and squares."""
    side, every = isqrt(size), range(size)
    squares = [[(y + a, x + b) for a in range(side) for b in range(side)] for y in every[::side] for x in every[::side]]
    return [[(y, x) for x in every] for y in every] + [[(y, x) for y in every] for x in every] + squares


def solve_board(board: Board, world: str) -> Solution:
    from pysat.solvers import Solver

    size = len(board)

    def number(y: int, x: int, value: int) -> int:
        return 1 + (y * size + x) * size + value - 1

    cells = list(product(range(size), repeat=2))
    clauses = [[number(y, x, value) for value in range(1, size + 1)] for y, x in cells]
    for unit, value in product(_units(size), range(1, size + 1)):
        clauses += [[-number(*one, value), -number(*other, value)] for one, other in combinations(unit, 2)]
    clauses += [[number(y, x, board[y][x])] for y, x in cells if board[y][x]]
    with Solver(name="minisat22", bootstrap_with=clauses) as solver:
        ways: list[str] = []
        while len(ways) < 2 and solver.solve():
            held = set(solver.get_model())
            way = {(y, x): v for (y, x), v in product(cells, range(1, size + 1)) if number(y, x, v) in held}
            ways.append(" / ".join(" ".join(str(way[y, x]) for x in range(size)) for y in range(size)))
            solver.add_clause([-number(*cell, value) for cell, value in way.items()])
    return solution((SOLVED, ANOTHER)[: len(ways)], *ways)


def check_board(board: Board, world: str) -> frozenset[str]:
    units = _units(len(board))
    near = {cell: {other for unit in units if cell in unit for other in unit} - {cell} for cell in chain(*units)}
    filled = {(y, x): value for y, row in enumerate(board) for x, value in enumerate(row) if value}
    if any(filled[cell] == filled.get(other) for cell in filled for other in near[cell]):
        return frozenset()

    def ways(most: int) -> int:
        free = {c: set(range(1, len(board) + 1)) - {filled.get(o) for o in near[c]} for c in near if c not in filled}
        if not free:
            return 1
        cell, found = min(free, key=lambda each: (len(free[each]), each)), 0
        for value in sorted(free[cell]):
            filled[cell] = value
            found += ways(most - found)
            del filled[cell]
            if found >= most:
                break
        return found

    return frozenset((SOLVED, ANOTHER)[: ways(2)])


def answer_board(text: str, board: Board) -> str | None:
    """Whether what is written fills the board by the rules."""
    own = _board(text.strip())
    if own is None or len(own) != len(board) or not all(map(all, own)):
        return None
    kept = all(given in (0, value) for row, line in zip(board, own) for given, value in zip(row, line))
    return SOLVED if kept and all(len({own[y][x] for y, x in u}) == len(u) for u in _units(len(own))) else BROKEN


def sudoku(name: str, size: int) -> Puzzle:
    def read(question: str) -> Board | None:
        board = read_board(question)
        return board if board and len(board) == size else None

    return Puzzle(
        name=name,
        gym_world="",
        worlds={"sudoku": "every row, column and square has each number once"},
        read=read,
        solve=solve_board,
        check=check_board,
        answer=answer_board,
        statements=lambda board: tuple(" ".join(str(n or "_") for n in row) for row in board),
        form=lambda board: f"{size} x {size}",
    )


MINI_SUDOKU: Final = sudoku("mini_sudoku", 4)
SUDOKU: Final = sudoku("sudoku", 9)
