"""An audit through the command line: verdicts, what is wrong with files, other sources."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.proof.conftest import ROWS, VERDICTS, lines, row

from proband.cli import main


def test_a_verdict_for_every_row(run: Callable[..., Any], tmp_path: Path) -> None:
    result = json.loads(run(ROWS, "--json"))
    verdicts = lines(tmp_path, "verdicts.jsonl")
    assert [each["verdict"] for each in verdicts] == VERDICTS
    assert result["domain"] == "grid (guessed)"
    assert result["verdicts"] == {"entailed": 2, "ambiguous": 1, "false": 2, "inconsistent": 1, "unread": 2}
    assert verdicts[1]["reversed"]
    assert verdicts[1]["right"] == "right"
    assert verdicts[2]["proof"] == ["P above Q (sentence 1)", "R right Q (sentence 2)"]
    assert not verdicts[3]["reversed"]
    assert verdicts[3]["right"] == "overlap"
    assert set(verdicts[4]["worlds"]) >= {"left"}
    assert len(verdicts[4]["worlds"]) == 2
    assert verdicts[6]["sentence"] == "P is near Q."
    assert "'sideways' is not a word of grid" in verdicts[7]["reason"]


def test_duplicates_and_leaks(run: Callable[..., Any], tmp_path: Path) -> None:
    clean = row("P is above Q. Q is left of R.", "P", "R", "upper-left")
    leaked = {**row("P is left of Q. Q is below R.", "P", "R", "lower-left")}
    leaked["story"] += " The answer is lower-left."
    run([clean, {**clean, "label": "left"}, leaked, {**leaked, "label": "Lower-Left"}])
    notes = [each["notes"] for each in lines(tmp_path, "verdicts.jsonl")]
    assert all("duplicate with another label" in each[0] for each in notes[:2])
    assert notes[2] == notes[3] == ["answer leaked"]
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == [
        "entailed",
        "false",
        "entailed",
        "entailed",
    ]


# ---- as a check ------------------------------------------------------------------------------------------------------


def test_the_exit_code(run: Callable[..., Any]) -> None:
    said = run(ROWS, "--fail-on", "false,ambiguous", code=3)
    assert said.endswith("labels: 2 false, 1 ambiguous (--fail-on false,ambiguous)")
    run(ROWS[:1], "--fail-on", "false,ambiguous")
    assert "--fail-on takes entailed" in run(ROWS, "--fail-on", "wrong", code=2)


# ---- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "words", "said"),
    [
        ([{"story": "x", "answer": "left"}], (), "rows.jsonl: no column for the question (known names: question"),
        ([{"story": "x", "answer": "left"}], (), "there are: story, answer; say which with --question-column"),
        (ROWS, ("--answer-column", "gold"), "no column 'gold' (--answer-column); there are: story, question, label"),
        ([{"text": "2 and 2", "question": "Sum?", "answer": "4"}], (), "no domain reads these rows"),
        (ROWS, ("--domain", "maths"), "no domain 'maths'"),
        (ROWS, ("--world", "flat"), "has no world 'flat'; it has unit, any-distance"),
        (b"", (), "contains no rows"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line(run: Callable[..., Any], rows: Any, words: Any, said: str) -> None:
    problem = run(rows, *words, code=2)
    assert said in problem
    assert "\n" not in problem.replace("\nproband:", "proband:")


def test_another_domain_is_unread_and_nothing_else_is_lost(run: Callable[..., Any], tmp_path: Path) -> None:
    kin = {"story": "Ann is Bo's aunt.", "question": "What is Ann to Bo?", "label": "aunt"}
    run([*ROWS[:2], kin], "--domain", "grid")
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == ["entailed", "false", "unread"]


# ---- other sources ---------------------------------------------------------------------------------------------------


def test_families_told_in_plain_sentences(run: Callable[..., Any], tmp_path: Path) -> None:
    story = "Jayden is married to Elizabeth. They have a child called Edward. Edward is married to Sarah."
    rows = [
        {"question": f"{story} What is Sarah to Elizabeth? One word.", "answer": "mother-in-law"},
        {"question": f"{story} How is Elizabeth related to Sarah?", "answer": "mother-in-law"},
        {"question": f"{story} How is Edward related to Elizabeth?", "answer": "son"},
        {"question": "Ann is the daughter of Bo. Cy is Ann's uncle. What is Cy to Bo?", "answer": "brother"},
        {"question": "Ann is the aunt of Cy. Bo is not the son of Ann. What is Bo to Cy?", "answer": "nephew"},
    ]
    run(rows, "--world", "strict")
    verdicts = lines(tmp_path, "verdicts.jsonl")
    assert [each["verdict"] for each in verdicts] == ["false", "entailed", "entailed", "ambiguous", "unread"]
    assert verdicts[0]["reversed"]
    assert verdicts[0]["right"] == "daughter-in-law"
    assert verdicts[3]["possible"] == ["brother", "brother-in-law"]
    assert len(verdicts[3]["worlds"]["brother-in-law"]["people"]) >= 3


def test_our_own_items_on_a_grid_and_of_other_suites(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["build", "kinship", "--rules", "grid", "--k", "2,3", "--per-k", "16", "-o", str(tmp_path / "places")]
    assert main(words) == 0
    assert main(["audit", str(tmp_path / "places"), "-o", str(tmp_path / "audit"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result["verdicts"] == {"entailed": 32, "ambiguous": 0, "false": 0, "inconsistent": 0, "unread": 0}
    assert result["world"].startswith("any-distance")
    item = {"id": "a", "suite": "analogy", "prompt": "hot : cold", "choices": ["up : down", "up : sky"], "gold": 0}
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, [item, {**item, "id": "b", "gold": 1}])))
    assert main(["audit", str(tmp_path / "pairs.jsonl"), "-o", str(tmp_path / "audit"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result["verdicts"]["unread"] == result["rows"] == 2
    assert [each["kind"] for each in result["finding"]] == ["duplicate with another label"]


def test_stories_in_english_are_read_strictly(run: Callable[..., Any], tmp_path: Path) -> None:
    """A sentence that says more than relations, denies or is of another kind is unread."""
    rows = [
        ("[Ann] is the niece of [Bea].", "('Ann', 'Bea')", "aunt", "entailed"),
        ("Mary has a son, Joe. Joe's wife is Di.", "What is Di to Mary?", "daughter-in-law", "entailed"),
        ("Mary has a son, Joe. Joe's wife is Di. Mary made it up.", "What is Di to Mary?", "daughter-in-law", "unread"),
        ("Mary is not the mother of Jerry, but his aunt.", "What is Mary to Jerry?", "mother", "unread"),
        ("Mary met her stepsister Joan.", "What is Joan to Mary?", "sister", "unread"),
        ("Mary met her sister. Zorkon saw his aunt Joan.", "What is Joan to Mary?", "aunt", "unread"),  # Joan?,
    ]
    run([{"story": story, "query": query, "target": target} for story, query, target, _ in rows], "--domain", "kinship")
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == [verdict for *_, verdict in rows]


def test_what_grammar_reads_as_a_contradiction_among_people(run: Callable[..., Any], tmp_path: Path) -> None:
    """Two people may have one name, *are married* may be to others, and relatives do marry: such a text is unread."""
    clean = [
        ("Luke and Emma are siblings. Luke and Emma are married.", "What is Luke to Emma?", "brother"),
        ("Kate's son is Paul Reed. Kate's brother is Paul.", "What is Paul Reed to Kate?", "son"),
        (
            "Tom is the husband of Anna. Tom's father is the brother of Anna's father.",
            "What is Tom to Anna?",
            "husband",
        ),
        ("Ann is the mother of Sam. Sam is the mother of Ann.", "What is Ann to Sam?", "mother"),
    ]
    run([dict(zip(("text", "question", "answer"), each)) for each in clean], "--domain", "kinship")
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == [*["unread"] * 3, "inconsistent"]
