"""Rows in the form of BIG-Bench-Hard's `logical_deduction`, written for this test: read and settled, or unread."""

from __future__ import annotations

import pytest

from proband.proof.rows import AuditRow
from proband_puzzles.orders import ORDERS, answer, check, read, solve
from proband_puzzles.puzzle import PuzzleJudge

INTRODUCTION = (
    "The following paragraphs each describe a set of {count} objects arranged in a fixed order. "
    "The statements are logically consistent within each paragraph. "
)
ROWS = [
    (
        "three",
        "On a wall, there are three hooks: a red hook, a blue hook, and a tan hook. The red hook is to the "
        "right of the tan hook. The blue hook is the leftmost.",
        [
            "The red hook is the second from the left",
            "The tan hook is the second from the left",
            "The blue hook is the second from the left",
        ],
        "B",
    ),
    (
        "three",
        "At a museum, there are three wagons: a cart, a coach, and a sled. The cart is older than the coach. "
        "The sled is newer than the coach.",
        ["The cart is the oldest", "The coach is the oldest", "The sled is the oldest"],
        "A",
    ),
    (
        "three",
        "A stall sells three fruits: figs, limes, and dates. The figs are more expensive than the limes. The "
        "dates are less expensive than the limes.",
        [
            "The figs are the second-most expensive",
            "The limes are the second-most expensive",
            "The dates are the second-most expensive",
        ],
        "B",
    ),
    (
        "three",
        "In a regatta, there were three sailors: Ida, Jon, and Kim. Ida finished below Jon. Kim finished above Jon.",
        ["Ida finished last", "Jon finished last", "Kim finished last"],
        "A",
    ),
    (
        "three",
        "On a bench, there are three cups: a tin cup, a clay cup, and a glass cup. The tin cup is to the left "
        "of the clay cup. The glass cup is to the right of the clay cup.",
        ["The tin cup is the rightmost", "The clay cup is the rightmost", "The glass cup is the rightmost"],
        "C",
    ),
    (
        "five",
        "On a rail, there are five coats: a grey coat, a black coat, a green coat, a pink coat, and a brown "
        "coat. The grey coat is the leftmost. The black coat is the rightmost. The green coat is the third "
        "from the left. The pink coat is to the left of the green coat.",
        [
            "The brown coat is the second from the right",
            "The pink coat is the second from the right",
            "The green coat is the second from the right",
        ],
        "A",
    ),
    (
        "five",
        "In a yard, there are five boats: a canoe, a dinghy, a ferry, a kayak, and a yacht. The canoe is the "
        "second-oldest. The yacht is newer than the ferry. The dinghy is the newest. The kayak is older than "
        "the canoe. The ferry is newer than the canoe.",
        ["The kayak is the oldest", "The ferry is the oldest", "The yacht is the oldest"],
        "A",
    ),
    (
        "five",
        "A shop sells five teas: mint, sage, black, green, and white. The mint is the cheapest. The white is "
        "the most expensive. The sage is the second-cheapest. The black is less expensive than the green.",
        [
            "The green is the third-most expensive",
            "The black is the third-most expensive",
            "The sage is the third-most expensive",
        ],
        "B",
    ),
    (
        "five",
        "In a race, there were five runners: Ada, Bo, Cy, Di, and Ed. Ada finished first. Ed finished last. "
        "Bo finished second. Cy finished above Di.",
        ["Cy finished third", "Di finished third", "Bo finished third"],
        "A",
    ),
    (
        "five",
        "In a race, there were five runners: Ada, Bo, Cy, Di, and Ed. Ada finished above Bo. Bo finished "
        "above Cy. Cy finished above Di. Di finished above Ed.",
        ["Cy finished second-to-last", "Di finished second-to-last", "Ed finished second-to-last"],
        "B",
    ),
    (
        "seven",
        "On a shelf, there are seven jars: a red jar, a blue jar, a tan jar, a pink jar, a grey jar, a gold "
        "jar, and a black jar. The red jar is the leftmost. The blue jar is the second from the left. The tan "
        "jar is the third from the left. The pink jar is the fourth from the left. The grey jar is the third "
        "from the right. The gold jar is to the left of the black jar.",
        [
            "The gold jar is the second from the right",
            "The black jar is the second from the right",
            "The grey jar is the second from the right",
        ],
        "A",
    ),
    (
        "seven",
        "In a cup, there were seven players: Al, Bea, Cal, Dot, Eve, Fay, and Gus. Al finished first. Gus "
        "finished last. Bea finished second. Fay finished second-to-last. Cal finished above Dot. Dot "
        "finished above Eve.",
        ["Eve finished fourth", "Dot finished fourth", "Cal finished fourth"],
        "B",
    ),
    (
        "three",
        "On a mat, there are three pens: a quill, a marker, and a biro. The quill is the second from the "
        "left. The marker is to the right of the quill.",
        ["The biro is the leftmost", "The marker is the leftmost", "The quill is the leftmost"],
        "A",
    ),
    (
        "three",
        "A kiosk sells three papers: dailies, weeklies, and monthlies. The dailies are the cheapest. The "
        "weeklies are cheaper than the monthlies.",
        [
            "The weeklies are the most expensive",
            "The monthlies are the most expensive",
            "The dailies are the most expensive",
        ],
        "B",
    ),
    (
        "three",
        "In a garage, there are three bikes: a racer, a tandem, and a trike. The racer is newer than the "
        "tandem. The trike is the newest.",
        ["The racer is the oldest", "The tandem is the oldest", "The trike is the oldest"],
        "B",
    ),
    (
        "four",
        "On a line, there are four socks: a red sock, a blue sock, a tan sock, and a pink sock. The red sock "
        "is to the left of the blue sock. The blue sock is to the left of the tan sock. The pink sock is the "
        "rightmost.",
        ["The blue sock is the second from the left", "The tan sock is the second from the left"],
        "A",
    ),
    (
        "three",
        "On a branch, there are three birds: an owl, a crow, and a wren. The owl is to the right of the crow. "
        "The wren is to the right of the owl.",
        ["The owl is to the left of the crow", "The crow is to the left of the wren"],
        "B",
    ),
    (
        "five",
        "A fair sells five toys: tops, kites, balls, dolls, and drums. The tops are the third-cheapest. The "
        "kites are cheaper than the tops. The balls are cheaper than the kites. The drums are the most "
        "expensive.",
        [
            "The dolls are the second-most expensive",
            "The tops are the second-most expensive",
            "The kites are the second-most expensive",
        ],
        "A",
    ),
    (
        "three",
        "At a show, there were three dogs: Rex, Pip, and Zed. Rex finished second. Pip finished below Rex.",
        ["Zed finished first", "Pip finished first", "Rex finished first"],
        "A",
    ),
    (
        "six",
        "On a deck, there are six chairs: a red chair, a blue chair, a tan chair, a pink chair, a grey chair, "
        "and a gold chair. The red chair is the leftmost. The gold chair is the rightmost. The blue chair is "
        "the second from the left. The tan chair is the third from the left. The pink chair is to the left of "
        "the grey chair.",
        ["The pink chair is the second from the right", "The grey chair is the second from the right"],
        "B",
    ),
]


def question(count: str, text: str, options: list[str]) -> str:
    offered = "\n".join(f"({letter}) {option}" for letter, option in zip("ABCDEFG", options))
    return f"{INTRODUCTION.format(count=count)}{text}\nOptions:\n{offered}"


@pytest.mark.parametrize(("count", "text", "options", "right"), ROWS)
def test_rows(count: str, text: str, options: list[str], right: str) -> None:
    asked = question(count, text, options)
    row = read(asked)
    assert row is not None
    assert solve(row, "").possible == (f"({right})",)
    assert check(row, "") == {f"({right})"}
    judge = PuzzleJudge(ORDERS)
    for letter in "ABC"[: len(options)]:
        judged = judge.judge(AuditRow(file="", line=1, key="", cells={}, text="", question=asked, answer=f"({letter})"))
        assert judged.verdict == ("entailed" if letter == right else "false")
    assert [answer(text, row) for text in (f"(A) {options[0]}", "A.", "A or B", "(A) or (B)")] == ["(A)"] * 2 + [
        None
    ] * 2


@pytest.mark.parametrize(
    "clue",
    [
        "The red cup may be to the left of the blue cup.",
        "The red cup is not to the left of the blue cup.",
        "The red cup is next to the blue cup.",
        "The red cup is to the left of the green cup.",
        "The red cup is the fourth from the left.",
        "Perhaps the red cup is the leftmost.",
        "The cups are cold.",
    ],
)
def test_what_is_not_understood_is_unread(clue: str) -> None:
    text = (
        f"On a tray, there are three cups: a red cup, a blue cup, and a tan cup. {clue} The tan cup is the rightmost."
    )
    assert read(question("three", text, ["The red cup is the leftmost", "The blue cup is the leftmost"])) is None


def test_statements_without_a_world_have_no_answer() -> None:
    text = (
        "On a tray, there are three cups: a red cup, a blue cup, and a tan cup. The red cup is the leftmost. "
        "The blue cup is the leftmost."
    )
    row = read(question("three", text, ["The red cup is the leftmost", "The tan cup is the rightmost"]))
    assert row is not None
    assert solve(row, "").possible == ()
    assert check(row, "") == frozenset()
