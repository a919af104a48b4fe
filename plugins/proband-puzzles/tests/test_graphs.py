"""Mazes and courses that are drawn: the provers agree with each other and with a library that knows neither."""

from __future__ import annotations

import random

import pytest

from proband_puzzles import graphs
from proband_puzzles.graphs import NO_WAY, STEPS, Cell, Courses, Maze

MAZE = "Now, find the shortest path from * to # in the following grid:\n{}\n"
COURSES = "There are a total of {} courses ... prerequisites[i] = (a_i, b_i) ...\n{}\n\nReturn True if you can finish"


def maze(draw: random.Random) -> Maze:
    rows = [[draw.choice("OOXX") for _ in range(5)] for _ in range(4)]
    (a, b), (c, d) = draw.sample([(y, x) for y in range(4) for x in range(5)], 2)
    rows[a][b], rows[c][d] = "*", "#"
    read = graphs.read_maze(MAZE.format("\n".join(map(" ".join, rows))))
    assert read
    return read


def ways(maze: Maze, longest: int) -> list[str]:
    """Every way of so many steps at most that visits no cell twice."""
    found: list[str] = []
    begun: list[tuple[Cell, tuple[Cell, ...], str]] = [(maze.start, (maze.start,), "")]
    while begun:
        at, seen, words = begun.pop()
        if at == maze.end:
            found.append(words.strip())
        elif len(seen) <= longest:
            for word, (dy, dx) in STEPS.items():
                there = at[0] + dy, at[1] + dx
                if there in maze.open_ and there not in seen:
                    begun.append((there, (*seen, there), f"{words} {word}"))
    return found


def test_the_shortest_of_all_ways_is_the_length_that_both_provers_find() -> None:
    draw, closed = random.Random(0), 0
    for _ in range(60):
        drawn = maze(draw)
        every = sorted(ways(drawn, 20), key=lambda way: len(way.split()))
        right = f"{len(every[0].split())} steps" if every else NO_WAY
        assert graphs.solve_maze(drawn, "").possible == (right,)
        assert graphs.check_maze(drawn, "") == {right}
        assert all(graphs.answer_maze(way, drawn) == f"{len(way.split())} steps" for way in every)
        closed += not every
    assert 5 <= closed <= 55


def test_a_way_through_a_wall_or_to_another_cell_is_none() -> None:
    read = graphs.read_maze(MAZE.format("* O O\nX X #"))
    assert read
    parsed = ["right right down", "Right right down", "down right right", "right right", "up", "infeasible", "3", ""]
    assert [graphs.answer_maze(each, read) for each in parsed] == [
        "3 steps", "3 steps", "not a way", "not a way", "not a way", NO_WAY, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize("grid", ["* O\nO", "* O\nO O", "* #\n* O", "* #\nO ?", ""])
def test_what_is_no_maze_is_unread(grid: str) -> None:
    assert graphs.read_maze(MAZE.format(grid)) is None


def test_courses_by_a_library() -> None:
    networkx = pytest.importorskip("networkx")
    draw, possible = random.Random(1), 0
    for _ in range(200):
        count = draw.randint(2, 8)
        every = [(a, b) for a in range(count) for b in range(count) if a != b]
        pairs = draw.sample(every, draw.randint(1, min(len(every), count + 1)))
        read = graphs.read_courses(COURSES.format(count, pairs))
        assert read == Courses(count, tuple(pairs))
        right = str(networkx.is_directed_acyclic_graph(networkx.DiGraph(pairs)))
        assert graphs.solve_courses(read, "").possible == (right,)
        assert graphs.check_courses(read, "") == {right}
        possible += right == "True"
    assert 20 <= possible <= 180
    assert graphs.read_courses(COURSES.format(2, [(0, 2)])) is None
    assert graphs.read_courses(COURSES.format(2, "[(0, one)]")) is None
    assert [graphs.answer_courses(each, Courses(2, ())) for each in ("True.", "false", "yes", "")] == [
        "True", "False", None, None,
    ]  # fmt: skip
    alone = graphs.read_courses(COURSES.format(1, [(0, 0)]))
    assert alone
    assert graphs.check_courses(alone, "") == {"False"} == set(graphs.solve_courses(alone, "").possible)
