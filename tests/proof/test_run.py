"""An audit through the command line: verdicts, findings, the corrected copy, and what is wrong with files."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import polars
import pytest

from proband.cli import main
from proband.core.errors import ProbandError
from proband.pipeline.checking import audit

QUESTION = "What is the relation of the agent {a} to the agent {b}?"


def row(text: str, a: str, b: str, label: str) -> dict[str, str]:
    return {"story": text, "question": QUESTION.format(a=a, b=b), "label": label}


ROWS = [
    row("P is to the left of Q.", "P", "Q", "left"),
    row("P is to the left of Q.", "Q", "P", "left"),
    row("P is above Q. R is right of Q.", "P", "R", "upper-left"),
    row("P is above Q. Q is below R.", "P", "R", "above"),
    row("P is above Q. S is right of R.", "P", "R", "left"),
    row("P is above Q. Q is above P.", "P", "Q", "above"),
    row("P is near Q.", "P", "Q", "left"),
    row("P is left of Q.", "P", "Q", "sideways"),
]
VERDICTS = ["entailed", "false", "entailed", "false", "ambiguous", "inconsistent", "unread", "unread"]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    def audit(rows: Any, *words: str, name: str = "rows.jsonl", code: int = 0) -> Any:
        path = tmp_path / name
        if isinstance(rows, bytes):
            path.write_bytes(rows)
        elif name.endswith(".jsonl"):
            path.write_text("".join(json.dumps(each) + "\n" for each in rows))
        else:
            with path.open("w", newline="") as file:
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(rows)
        if b"relation of the agent" in path.read_bytes() and "--world" not in words:
            words = (*words, "--world", "unit")
        given = main(["audit", str(path), "-o", str(tmp_path / "audit"), *words])
        captured = capsys.readouterr()
        assert given == code, captured.err
        return captured.err.strip() if code else captured.out

    return audit


def lines(tmp_path: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tmp_path / "audit" / name).read_text(encoding="utf-8").splitlines()]


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


def test_unread_rows_are_in_no_rate(run: Callable[..., Any], tmp_path: Path) -> None:
    run(ROWS)
    summary = json.loads((tmp_path / "audit" / "summary.json").read_text())
    assert summary["read"] == 6
    assert summary["readings"]["cautious"] == pytest.approx(100 * 2 / 6, abs=0.1)
    assert summary["readings"]["lenient"] == pytest.approx(100 * 3 / 6, abs=0.1)
    assert 33.3 < summary["readings"]["guess"] < 50
    assert [each["rows"] for each in summary["unread"]] == [1, 1]
    assert summary["second prover"] == {"rows": 6, "agree": 6, "weaker": 0, "against": 0}


def test_one_row_is_not_one_rows(run: Callable[..., Any], tmp_path: Path) -> None:
    run(ROWS[:1])
    assert "<p>1 row, 1 of them read" in (tmp_path / "audit" / "index.html").read_text()


def test_the_corrected_copy_says_what_was_changed(run: Callable[..., Any], tmp_path: Path) -> None:
    run(ROWS, name="rows.csv")
    with (tmp_path / "audit" / "corrected.csv").open() as file:
        corrected = list(csv.DictReader(file))
    assert [each["label"] for each in corrected] == [
        "left", "right", "upper-left", "overlap", "left", "above", "left", "sideways",
    ]  # fmt: skip
    assert [each["audit_verdict"] for each in corrected] == VERDICTS
    assert corrected[1]["audit_change"] == (
        "label left replaced by right: follows from P left Q (sentence 1) (was reversed)"
    )
    assert corrected[0]["audit_change"] == ""
    assert corrected[5]["audit_change"] == "unchanged: no world fits the facts"


def test_the_label_is_spelled_as_in_the_file(run: Callable[..., Any], tmp_path: Path) -> None:
    rows = [
        {"text": "P lies west of Q.", "question": "Where is Q seen from P?", "answer": "East"},
        {"text": "P lies west of Q.", "question": "Where is P seen from Q?", "answer": "East"},
        {"text": "P lies east of Q.", "question": "Where is Q seen from P?", "answer": "West"},
    ]
    run(rows)
    assert [each["answer"] for each in lines(tmp_path, "corrected.jsonl")] == ["East", "West", "West"]


def test_findings_are_grouped_by_the_template_to_blame(run: Callable[..., Any], tmp_path: Path) -> None:
    """A template that its author takes for the other direction, alone and within longer stories."""
    rows = [
        row(f"{a} and {b} are parallel, and {a} is to the right of {b}.", a, b, "left") for a, b in ("PQ", "RS", "TU")
    ]
    rows += [row("P is above Q. Q and R are parallel, and Q is to the right of R.", "P", "R", "upper-left")]
    rows += [row(f"{a} is to the right of {b}.", a, b, "right") for a, b in ("PQ", "RS", "TU", "VW")]
    run([{**each, "story": [each["story"]]} for each in rows])  # StepGame's form: sentences made from templates
    finding = lines(tmp_path, "findings.jsonl")[0]
    assert finding["claim"] == (
        "“A and B are parallel, and A is to the right of B” says right, labelled as if it said left (reversed)"
    )
    assert (finding["rows"], finding["severity"], len(finding["evidence"])) == (4, "error", 3)
    assert finding["suggested_label"] == {"left -> right": 3, "upper-left -> upper-right": 1}
    report = (tmp_path / "audit" / "report.md").read_text()
    assert "### 1. “A and B are parallel, and A is to the right of B” says right" in report


def test_duplicates_and_leaks(run: Callable[..., Any], tmp_path: Path) -> None:
    told = row("P is above Q. Q is left of R.", "P", "R", "upper-left")
    leaked = {**row("P is left of Q. Q is below R.", "P", "R", "lower-left")}
    leaked["story"] += " The answer is lower-left."
    run([told, {**told, "label": "left"}, leaked])
    notes = [each["notes"] for each in lines(tmp_path, "verdicts.jsonl")]
    assert all("duplicate with another label" in each[0] for each in notes[:2])
    assert notes[2] == ["answer leaked"]
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == ["entailed", "false", "entailed"]


def test_the_same_bytes_again(run: Callable[..., Any], tmp_path: Path) -> None:
    run(ROWS)
    first = {path.name: path.read_bytes() for path in (tmp_path / "audit").iterdir()}
    run(ROWS)
    assert first == {path.name: path.read_bytes() for path in (tmp_path / "audit").iterdir()}


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


def test_what_is_wrong_with_a_row_is_that_row_s(run: Callable[..., Any], tmp_path: Path) -> None:
    good = json.dumps(ROWS[0]).encode()
    long = json.dumps({**ROWS[0], "story": "P is left of Q. " * 70_000}).encode()
    bad = [
        b'{"story": "P is left of Q.", "ques',
        b"[1, 2]",
        json.dumps({"story": "P is left of Q."}).encode(),
        json.dumps({**ROWS[0], "label": 7}).encode(),
        good.replace(b"left", b"l\xe9ft"),
        long,
    ]
    run(b"\n".join([good, *bad, good, b""]))
    verdicts = lines(tmp_path, "verdicts.jsonl")
    assert [each["verdict"] for each in verdicts] == ["entailed", *["unread"] * 6, "entailed"]
    reasons = [each["reason"] for each in verdicts[1:-1]]
    wanted = [
        "not a JSON object",
        "a JSON array",
        "'question' is missing",
        "not text: '7'",
        "not UTF-8",
        "1,120,000 characters",
    ]
    assert all(want in reason for want, reason in zip(wanted, reasons)), reasons
    assert [each["line"] for each in verdicts] == list(range(1, 9))


def test_half_a_csv_row(run: Callable[..., Any], tmp_path: Path) -> None:
    run(b"story,question,label\nP is left of Q.,What is the relation of P to Q?,left\nP is left\n", name="rows.csv")
    verdicts = lines(tmp_path, "verdicts.jsonl")
    assert [each["verdict"] for each in verdicts] == ["entailed", "unread"]
    assert verdicts[1]["reason"] == "has 1 cells but the header names 3"


@pytest.mark.parametrize("name", ["rows.tsv", "rows.csv", "utf16.csv", "rows.parquet", "rows.xlsx"])
def test_tables_of_other_programs(run: Callable[..., Any], tmp_path: Path, name: str) -> None:
    """The one reader of strangers' tables: separators, encodings, workbooks."""
    rows = [[*ROWS[0]], *([str(cell) for cell in each.values()] for each in ROWS)]
    text = "".join((";" if "csv" in name else "\t").join(cells) + "\n" for cells in rows)
    if name == "rows.parquet":
        polars.DataFrame(ROWS).write_parquet(tmp_path / name)
        content = (tmp_path / name).read_bytes()
    elif name == "rows.xlsx":
        book = openpyxl.Workbook()
        for cells in rows:
            book.active.append(cells)
        book.save(tmp_path / name)
        content = (tmp_path / name).read_bytes()
    else:
        content = text.encode("utf-16" if name == "utf16.csv" else "utf-8")
    run(content, "--world", "unit", name=name)
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == VERDICTS
    with (tmp_path / "audit" / "corrected.csv").open(newline="", encoding="utf-8") as file:
        assert [each["label"] for each in csv.DictReader(file)][:2] == ["left", "right"]


def test_json_objects_and_arrays_gzipped_too(run: Callable[..., Any], tmp_path: Path) -> None:
    keyed = {str(number): {**each, "story": [each["story"]]} for number, each in enumerate(ROWS)}
    run(gzip.compress(json.dumps(keyed).encode()), name="rows.json.gz")
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == VERDICTS
    assert json.loads((tmp_path / "audit" / "corrected.json").read_text())["1"]["label"] == "right"
    run(json.dumps(ROWS).encode(), name="list.json")
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == VERDICTS
    assert "not JSON" in run(json.dumps(ROWS).encode()[:-30], name="cut.json", code=2)


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


def test_families_in_all_worlds(run: Callable[..., Any], tmp_path: Path) -> None:
    """What only the strict world decides depends on the world; what no world fits is inconsistent."""
    told = [
        ("Tom's husband is Jim. Jim is the father of Sam.", "What is Jim to Sam?", "father"),
        ("Ned's wife is Fay. Sam is the son of Fay.", "What is Ned to Sam?", "father"),
        ("Ann is the mother of Sam. Sam is the mother of Ann.", "What is Ann to Sam?", "aunt"),
        ("Ann is the mother of Bo. Bo is the father of Cy.", "What is Ann to Cy?", "daughter"),
        ("Ann is the mother of Bo. Bo is the father of Cy.", "What is Ann to Cy?", "aunt"),  # and married again
    ]
    rows = [{"text": text, "question": question, "answer": answer} for text, question, answer in told]
    run(rows, "--domain", "kinship")
    verdicts = lines(tmp_path, "verdicts.jsonl")
    assert [each["verdict"] for each in verdicts[:2]] == ["depends on the world"] * 2
    assert verdicts[0]["by_world"]["any-gender"]["verdict"] == "entailed"
    assert verdicts[0]["by_world"]["strict"]["verdict"] == "inconsistent"
    assert [each["verdict"] for each in verdicts[2:]] == ["inconsistent", "false", "depends on the world"]
    by_world = {world: each["verdict"] for world, each in verdicts[4]["by_world"].items()}
    assert (by_world["strict"], by_world["relaxed"]) == ("false", "ambiguous")


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


@pytest.mark.data
def test_the_templates_of_stepgame_that_say_something_else(data: Path, tmp_path: Path) -> None:
    """The one-step file: ten templates are not what their labels say, and a sentence relates a thing to itself."""
    path = data / "audit" / "stepgame" / "clean-qa1-valid.json.gz"
    assert main(["audit", str(path), "-o", str(tmp_path / "audit")]) == 0
    summary = json.loads((tmp_path / "audit" / "summary.json").read_text())
    assert summary["verdicts"] == {"entailed": 951, "ambiguous": 0, "false": 40, "inconsistent": 1, "unread": 8}
    findings = lines(tmp_path, "findings.jsonl")
    assert sum(each["kind"] == "template" for each in findings) >= 8


def test_reasoning_gym_turns_in_laws_round(tmp_path: Path) -> None:
    pytest.importorskip("reasoning_gym", reason="reasoning-gym is not installed (the extra audit)")
    source = "reasoning-gym:family_relationships?size=200&seed=0"
    assert main(["audit", source, "-o", str(tmp_path / "audit")]) == 0
    verdicts = lines(tmp_path, "verdicts.jsonl")
    wrong = [each for each in verdicts if each["verdict"] != "entailed"]
    assert wrong
    assert all(each["label"].endswith("-in-law") and each["reversed"] for each in wrong)
    assert all(not each["label"].endswith("-in-law") for each in verdicts if each["verdict"] == "entailed")


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


def test_a_gender_that_is_not_told_is_a_cause_of_its_own(run: Callable[..., Any], tmp_path: Path) -> None:
    run(
        [{"text": "Sage is the child of Ann.", "question": "What is Sage to Ann?", "answer": "son"}],
        "--domain",
        "kinship",
    )
    assert lines(tmp_path, "verdicts.jsonl")[0]["verdict"] == "gender open"
    summary = json.loads((tmp_path / "audit" / "summary.json").read_text())
    assert summary["readings"] == {}  # outside the headline
    assert lines(tmp_path, "findings.jsonl")[0]["claim"] == "the relation follows, the gender is not given"


def test_relations_are_called_as_people_call_them(run: Callable[..., Any], tmp_path: Path) -> None:
    """Not by the name that stands for both genders inside."""
    told = {"story": "Ann is the mother of Bo. Bo is the father of Cy. Di is the sister of Ann.", "label": "niece"}
    run([{**told, "question": "What is Bo to Di?"}], "--domain", "kinship")
    files = [path for path in (tmp_path / "audit").rglob("*") if path.suffix in (".html", ".jsonl", ".md")]
    assert files
    written = " ".join(path.read_text(encoding="utf-8") for path in files)
    assert "niece" in written
    assert "nephew" in written
    assert "nibling" not in written


def test_columns_for_the_pair_and_for_facts(tmp_path: Path) -> None:
    """Nothing needs reading where the two people and the facts stand in columns."""
    rows = [
        {
            "note": "?!",
            "a": "Ann",
            "b": "Cy",
            "facts": '[["Ann", "mother", "Bo"], ["Bo", "father", "Cy"]]',
            "label": "daughter",
        },
        {"note": "", "a": "Ann", "b": "Bo", "facts": [["Ann", "mother", "Bo"]], "label": "mother"},
        {"note": "", "a": "Ann", "b": "Ann", "facts": [["Ann", "mother", "Bo"]], "label": "mother"},
        {"note": "", "a": "Ann", "b": "Bo", "facts": "nothing", "label": "mother"},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns: dict[str, Any] = {"pair_columns": "a,b", "facts_column": "facts", "text_column": "note"}
    audit(tmp_path / "rows.jsonl", out=tmp_path / "out", domain="kinship", **columns)
    lines = [json.loads(line) for line in (tmp_path / "out" / "verdicts.jsonl").read_text().splitlines()]
    assert [line["verdict"] for line in lines] == ["false", "entailed", "unread", "unread"]
    assert [line.get("one_reading") for line in lines[:2]] == [False, False]
    assert lines[0]["readers"] == ["columns"]
    del columns["text_column"]  # then `facts`, a usual name of a text, is not taken for one
    assert audit(tmp_path / "rows.jsonl", out=tmp_path / "out", domain="kinship", **columns)["verdicts"]["unread"] == 2
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"facts_column": "facts"}, "needs --pair-columns"),
        ({"pair_columns": "a"}, "takes two columns"),
    ]
    for bad, message in wrong:
        with pytest.raises(ProbandError, match=message):
            audit(tmp_path / "rows.jsonl", out=tmp_path / "out", domain="kinship", **bad)


def test_what_grammar_reads_as_a_contradiction_among_people(run: Callable[..., Any], tmp_path: Path) -> None:
    """Two people may have one name, *are married* may be to others, and relatives do marry: such a text is unread."""
    told = [
        ("Luke and Emma are siblings. Luke and Emma are married.", "What is Luke to Emma?", "brother"),
        ("Kate's son is Paul Reed. Kate's brother is Paul.", "What is Paul Reed to Kate?", "son"),
        (
            "Tom is the husband of Anna. Tom's father is the brother of Anna's father.",
            "What is Tom to Anna?",
            "husband",
        ),
        ("Ann is the mother of Sam. Sam is the mother of Ann.", "What is Ann to Sam?", "mother"),
    ]
    run([dict(zip(("text", "question", "answer"), each)) for each in told], "--domain", "kinship")
    assert [each["verdict"] for each in lines(tmp_path, "verdicts.jsonl")] == [*["unread"] * 3, "inconsistent"]


def test_a_page_of_others_is_not_written_over(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    (tmp_path / "audit" / "index.html").write_text("mine")
    row = {"text": "P is above Q.", "question": "What is the relation of P to Q?", "answer": "above"}
    run([row], code=2)
    assert (tmp_path / "audit" / "index.html").read_text() == "mine"
