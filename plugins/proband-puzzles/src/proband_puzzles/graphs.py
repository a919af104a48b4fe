"""Two questions about graphs: the shortest way through a grid, and whether courses can be taken in some order.

A shortest path is a label like any other of its length: an answer is read as the number of steps of a way that keeps to
the open cells, so that each of several shortest ways is right. Breadth-first search decides; the second prover takes
powers of the matrix of neighbours. Courses are put in order by the standard library, which shows a circle where there
is one; the second prover looks for a course that comes before itself in the powers of that matrix.

>>> maze = read_maze("find the shortest path from * to # in the following grid:\\n* O O\\nO X #")
>>> solve_maze(maze, "").possible, answer_maze("right right down", maze), answer_maze("down right right", maze)
(('3 steps',), '3 steps', 'not a way')
>>> text = "There are a total of 3 courses ... (a_i, b_i) ...:\\n[(0, 1), (1, 2), (2, 0)]\\n\\nReturn True"
>>> solution = solve_courses(read_courses(text), "")
>>> solution.possible, solution.why
(('False',), ('0 before 2 before 1 before 0',))
"""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proband.proof.problem import Solution
from proband_puzzles.puzzle import Puzzle, solution

ASKED: Final = re.compile(
    r"find the (?:length of the )?shortest path from \* to # in the following grid:\s+((?:.+\s*)+)\Z"
)
STEPS: Final = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
NO_WAY: Final = "infeasible"
TOTAL: Final = re.compile(r"There are a total of (\d+) courses")
PAIRS: Final = re.compile(r"(?m)^(\[(?:\(\d+, \d+\)(?:, )?)*\])\s+Return True")
Cell = tuple[int, int]


def powers(near: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Of a graph's matrix, from the first to the n-th: what can be reached in exactly so many steps."""
    made = [near]
    for _ in range(len(near) - 1):
        made.append((made[-1].astype(int) @ near) > 0)
    return made


# ---- the shortest way through a grid -------------------------------------------------------------------------------


class Maze(NamedTuple):
    start: Cell
    end: Cell
    open_: frozenset[Cell]  # start and end among them
    text: str


def read_maze(question: str) -> Maze | None:
    asked = ASKED.search(question)
    rows = [line.split() for line in asked[1].strip().splitlines()] if asked else []
    cells = {(y, x): sign for y, row in enumerate(rows) for x, sign in enumerate(row)}
    start, end = ([at for at, sign in cells.items() if sign == wanted] for wanted in "*#")
    if (
        len({len(row) for row in rows}) != 1
        or not set(cells.values()) <= set("*#OX")
        or (len(start), len(end)) != (1, 1)
    ):
        return None
    return Maze(
        start[0], end[0], frozenset(at for at, sign in cells.items() if sign != "X"), "\n".join(map(" ".join, rows))
    )


def solve_maze(maze: Maze, world: str) -> Solution:
    reached, seen, steps = {maze.start}, {maze.start}, 0
    while reached and maze.end not in reached:
        near = {(y + dy, x + dx) for y, x in reached for dy, dx in STEPS.values()}
        reached, steps = (near & maze.open_) - seen, steps + 1
        seen |= reached
    if not reached:
        return solution((NO_WAY,), f"from * only {len(seen)} cells can be reached, # is not among them")
    return solution((f"{steps} steps",), f"in {steps} steps, and in no fewer")


def check_maze(maze: Maze, world: str) -> frozenset[str]:
    cells = sorted(maze.open_)
    near = np.array([[abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for b in cells] for a in cells])
    start, end = cells.index(maze.start), cells.index(maze.end)
    lengths = (f"{n} steps" for n, each in enumerate(powers(near), start=1) if each[start, end])
    return frozenset((next(lengths, NO_WAY),))


def answer_maze(text: str, maze: Maze) -> str | None:
    plain = text.strip().lower().split()
    if plain == [NO_WAY]:
        return NO_WAY
    if not plain or not set(plain) <= STEPS.keys():
        return None
    at = maze.start
    for word in plain:
        at = at[0] + STEPS[word][0], at[1] + STEPS[word][1]
        if at not in maze.open_:
            return "not a way"
    return f"{len(plain)} steps" if at == maze.end else "not a way"


SHORTEST_PATH: Final = Puzzle(
    name="shortest_path",
    gym_world="",
    worlds={"grid": "one step goes up, down, left or right to an open cell"},
    read=read_maze,
    solve=solve_maze,
    check=check_maze,
    answer=answer_maze,
    statements=lambda maze: (maze.text,),
    form=lambda maze: "grid",
)


# ---- courses that come before courses ------------------------------------------------------------------------------


class Courses(NamedTuple):
    total: int
    pairs: tuple[tuple[int, int], ...]  # a course, and one that comes before it


def read_courses(question: str) -> Courses | None:
    total, listed = TOTAL.search(question), PAIRS.search(question)
    if not total or not listed or "(a_i, b_i)" not in question:
        return None
    pairs = tuple(ast.literal_eval(listed[1]))
    return Courses(int(total[1]), pairs) if all(max(pair) < int(total[1]) for pair in pairs) else None


def solve_courses(parsed: Courses, world: str) -> Solution:
    before: dict[int, set[int]] = {course: set() for course in range(parsed.total)}
    for course, first in parsed.pairs:
        before[course].add(first)
    try:
        order = list(TopologicalSorter(before).static_order())
    except CycleError as error:
        return solution(("False",), " before ".join(map(str, error.args[1])))
    return solution(("True",), f"in the order {', '.join(map(str, order))}")


def check_courses(parsed: Courses, world: str) -> frozenset[str]:
    near = np.zeros((parsed.total, parsed.total), dtype=bool)
    for course, first in parsed.pairs:
        near[course, first] = True
    return frozenset(("False" if any(each.diagonal().any() for each in powers(near)) else "True",))


def answer_courses(text: str, parsed: Courses) -> str | None:
    plain = text.strip().strip(".*`\"'").capitalize()
    return plain if plain in ("True", "False") else None


COURSE_SCHEDULE: Final = Puzzle(
    name="course_schedule",
    gym_world="",
    worlds={"order": "one course after the other"},
    read=read_courses,
    solve=solve_courses,
    check=check_courses,
    answer=answer_courses,
    statements=lambda parsed: tuple(f"{first} before {course}" for course, first in parsed.pairs),
    form=lambda parsed: "prerequisites",
    choices=lambda parsed: ("True", "False"),
)
