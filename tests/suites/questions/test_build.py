"""Questions from files as people have them, and what is said of those that do not fit."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import polars
import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.core.types import Item
from proband.suites.questions import SUITE

# as a spreadsheet program exports it: byte-order mark, semicolons, quoted line breaks and quotation marks
SPREADSHEET = (
    "\ufeffNr.;Question;Option A;Option B;Option C;Correct;Chapter;Topic\r\n"
    '1;"Which ""river""\r\nflows through Paris?";the Seine;the Rhine;the Po;A;one;rivers\r\n'
    "2;What is 3,5 + 1?;4,5;5;;A;one;sums\r\n"
    ";;;;;;;\r\n"
    '3;"Ball; bat: which is round?";the ball;the bat;;a;two;things\r\n'
)


def built(tmp_path: Path, name: str, text: str | bytes, **options: Any) -> tuple[list[Item], dict[str, Any]]:
    file = tmp_path / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    manifest = proband.build("questions", out=tmp_path / "items", force=True, data=str(file), **options)
    return list(read_items(tmp_path / "items")), manifest


def test_a_spreadsheet(tmp_path: Path) -> None:
    items, manifest = built(tmp_path, "sheet.csv", SPREADSHEET, cluster="Chapter")
    assert [item.id for item in items] == ["1", "2", "3"]
    assert items[0].prompt == 'Which "river"\r\nflows through Paris?'
    assert [item.choices for item in items] == [
        ("the Seine", "the Rhine", "the Po"), ("4,5", "5"), ("the ball", "the bat")
    ]  # fmt: skip
    assert [item.gold for item in items] == [0, 0, 0]
    assert items[0].facts == {"clusters": ["Chapter=one"]}
    assert items[1].tags == {"Topic": "sums"}
    assert {item.split for item in items} == {"test"}
    assert manifest["columns"] == {
        "prompt": "Question", "choices": ["Option A", "Option B", "Option C"], "gold": "Correct",
        "cluster": ["Chapter"], "id": "Nr.", "tags": ["Topic"], "right choice as": "letter",
    }  # fmt: skip
    assert manifest["kinds"] == {"2 choices": 2, "3 choices": 1}


def test_other_ways_to_write_a_table(tmp_path: Path) -> None:
    plain = SPREADSHEET.removeprefix("\ufeff")
    expected = [(item.prompt, item.choices) for item in built(tmp_path, "a.csv", SPREADSHEET)[0]]
    tabs = plain.replace(";", "\t").replace("Ball\t", "Ball;")
    for name, text in (
        ("b.csv", b"sep=;\r\n" + plain.encode()),
        ("c.csv", plain.encode("utf-16")),
        ("d.tsv", tabs.encode()),
    ):
        assert [(item.prompt, item.choices) for item in built(tmp_path, name, text)[0]] == expected, name


# as Excel saves "CSV" on a German machine: Windows-1252, a title, decimal commas, empty columns at the end
WINDOWS = (
    "Prüfung 2024;;;;;;;\r\n"
    ";;;;;;;\r\n"
    "Nr.;Frage;Antwort A;Antwort B;Richtig;Punkte;;\r\n"
    '1;"Welcher Fluss fließt\ndurch Köln?";der Rhein;die Elbe;A;1,5;;\r\n'
    "2;Was kostet 2 mal 3,50 €?;7,00 €;5,50 €;A;2,0;;\r\n"
)


def test_windows_characters_and_a_title_above_the_header(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items, manifest = built(tmp_path, "sheet.csv", WINDOWS.encode("cp1252"))
    assert [item.prompt for item in items] == ["Welcher Fluss fließt\ndurch Köln?", "Was kostet 2 mal 3,50 €?"]
    assert items[1].choices == ("7,00 €", "5,50 €")
    assert manifest["columns"]["gold"] == "Richtig"
    said = capsys.readouterr().err
    assert "line 1: is not UTF-8; read as Windows-1252 ('Prüfung 2024;" in said
    assert "row 3 has the names of the columns, below the title 'Prüfung 2024'" in said
    with pytest.raises(ProbandError, match="row 4, column 'Richtig': 'X' is no letter"):
        built(tmp_path, "wrong.csv", WINDOWS.replace("Elbe;A", "Elbe;X").encode("cp1252"))


def test_a_workbook(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["Question", "A", "B", "Correct"], ["What is 1 + 1?", 2, 3, "A"], ["What is 2 + 2?", 5, 4, "B"]):
        book.active.append(row)
    book.save(tmp_path / "book.xlsx")
    items, manifest = built(tmp_path, "quiz.xlsx", (tmp_path / "book.xlsx").read_bytes())
    assert [(item.choices, item.gold) for item in items] == [(("2", "3"), 0), (("5", "4"), 1)]
    assert manifest["columns"]["choices"] == ["A", "B"]


ROWS: list[dict[str, Any]] = [
    {"question": "a?", "choices": ["x", "y", "z"], "answer": 2, "split": "validation"},
    {"question": "b?", "choices": ["x", "y"], "answer": 0, "split": "test"},
]


def test_json_and_parquet(tmp_path: Path) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    for name, text in (("a.jsonl", lines), ("a.json", json.dumps(ROWS))):
        items, manifest = built(tmp_path, name, text)
        assert [(item.choices, item.gold, item.split) for item in items] == [
            (("x", "y", "z"), 2, "valid"), (("x", "y"), 0, "test")
        ]  # fmt: skip
        assert manifest["columns"]["right choice as"] == "from-0"
    polars.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    proband.build("questions", out=tmp_path / "parquet", data=str(tmp_path / "a.parquet"))
    assert list(read_items(tmp_path / "parquet")) == items


def test_a_hugging_face_folder(tmp_path: Path) -> None:
    """Splits by file; choices with labels as in ARC; what stands beside the data is left alone."""
    folder = tmp_path / "arc" / "data"
    folder.mkdir(parents=True)
    rows = [{"id": "q1", "question": "Which?", "choices": {"text": ["x", "y"], "label": ["A", "B"]}, "answerKey": "B"}]
    for split in ("train", "validation", "test"):
        named = [{**row, "id": f"{split}-{row['id']}"} for row in rows]
        polars.DataFrame(named).write_parquet(folder / f"{split}-00000-of-00001.parquet")
    (tmp_path / "arc" / "dataset_infos.json").write_text("{}")
    (tmp_path / "arc" / "LICENCE.txt").write_text("MIT")
    proband.build("questions", out=tmp_path / "items", data=str(tmp_path / "arc"), licence="MIT")
    items = list(read_items(tmp_path / "items"))
    assert {item.id: (item.split, item.gold) for item in items} == {
        "test-q1": ("test", 1), "train-q1": ("train", 1), "validation-q1": ("valid", 1)
    }  # fmt: skip
    saved = tmp_path / "saved" / "test"
    saved.mkdir(parents=True)
    polars.DataFrame(rows).write_ipc_stream(saved / "data-00000-of-00001.arrow")
    (saved / "state.json").write_text("{}")
    proband.build("questions", out=tmp_path / "items2", data=str(tmp_path / "saved"))
    assert [item.split for item in read_items(tmp_path / "items2")] == ["test"]


def test_open_questions_and_common_contexts(tmp_path: Path) -> None:
    rows = [
        {"context": "Ann has a cat.", "question": "What has Ann?", "answers": ["a cat", "cat"]},
        {"context": "Ann has a cat.", "question": "Who has a cat?", "answers": "Ann"},
        {"context": "Bo ran.", "question": "Who ran?", "answers": "Bo|Bob"},
    ]
    items, _ = built(tmp_path, "open.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert items[0].prompt == "Ann has a cat.\n\nWhat has Ann?"
    assert [item.facts["answers"] for item in items] == [["a cat", "cat"], ["Ann"], ["Bo", "Bob"]]
    assert [item.facts["clusters"] for item in items] == [["context 1"], ["context 1"], ["context 2"]]
    assert {item.tags["setting"] for item in items} == {"open"}


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (
            "question,a,b,correct\nx?,1,2,C\ny?,1,2,A\n",
            {},
            "row 2, column 'correct': 'C' is no letter of one of 2 choices",
        ),
        ("question,a,b,correct\nx?,1,2,A\n,1,2,A\n", {}, "row 3, column 'question': the question is empty"),
        ("question,a,b,correct\nx?,1,2,A\ny?,1,,A\n", {}, "row 3, column 'a': has one choice"),
        ("question,a,b,c,correct\nx?,1,,3,A\n", {}, "row 2, column 'b': is empty, but a later choice is not"),
        ("question,a,b,correct\nx?,1,1,A\n", {}, "row 2, column 'a': the choice '1' occurs twice"),
        ("id,question,a,b,correct\nq,x?,p,r,A\nq,y?,p,r,A\n", {}, "row 3, column 'id': 'q' is already in row 2"),
        (
            "question,a,b,correct\nx?,p,r,A\ny?,p,r,A\nx?,p,r,B\n",
            {},
            "row 4, column 'correct': 'r' is right here, and 'p' in row 2",
        ),
        ("question,a,b,correct,split\nx?,p,r,A,later\n", {}, "row 2, column 'split': 'later' is none of train, valid"),
        ("question,a,b,correct\nx?,p,r,A,B\n", {}, r"row 2: has 5 cells but the header names 4 \(separated by ','\)"),
        (
            "question,a,b,c,correct\nx?,p,r,s,1\n",
            {},
            "column 'correct': it may hold its number from 1 or its",
        ),
        ("question,question\nx?,p\n", {}, "row 1, column 'question': occurs a second time"),
        ("question,answer\nx?,\n", {}, "row 2, column 'answer': the accepted answer is empty"),
        ("number,remark\n1,x\n", {}, "no column looks like the question; name it with --prompt: there are number, rem"),
        ("question,remark\n1,x\n", {}, "no column looks like the right answer; name it with --gold"),
        ("question,answer\n1,x\n", {"tags": "topic"}, "--tags topic: no column 'topic'; there are question, answer"),
        ('question,answer\n"x?,y\n', {}, "is not CSV"),
        (b"question,answer\n\x81\xff,y\n", {}, "row 2: column .question. is not UTF-8"),
        ("question\tchoices\tgold\nx?\t[1\ta\n", {}, "row 2, column 'choices': begins like JSON and is not JSON"),
        ("", {}, "is empty"),
        ("question,answer\n", {}, "has no rows"),
    ],
)
def test_an_error_names_row_and_column(text: Any, options: dict[str, str], words: str, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match=words) as found:
        built(tmp_path, "mine.csv", text, **options)
    assert "mine.csv" in str(found.value)
    assert "\n" not in str(found.value)


def test_columns_can_be_named_and_numbers_settled(tmp_path: Path) -> None:
    text = "stem,first,second,third,right,who\nx?,p,r,s,1,me\ny?,p,r,s,2,you\n"
    chosen = {"choices": "first,second,third", "gold": "right", "gold_as": "from-1", "tags": "who", "id": "none"}
    items, manifest = built(tmp_path, "mine.csv", text, **chosen)
    assert [item.gold for item in items] == [0, 1]
    assert [item.tags for item in items] == [{"who": "me"}, {"who": "you"}]
    assert manifest["columns"]["right choice as"] == "from-1"


def test_the_same_file_gives_the_same_bytes(tmp_path: Path) -> None:
    for out in ("one", "two"):
        proband.build("questions", out=tmp_path / out)
    assert (tmp_path / "one/items.jsonl").read_bytes() == (tmp_path / "two/items.jsonl").read_bytes()


def test_variations_keep_the_answer(tmp_path: Path) -> None:
    proband.build("questions", out=tmp_path / "items")
    for variation in SUITE.all_variations():
        for item in read_items(tmp_path / "items"):
            varied: Any = variation.make(item, rng=random.Random(f"{variation.name} {item.id}"))
            assert varied.choices[varied.gold] == item.choices[item.gold]
            assert (varied.choices, varied.prompt) != (item.choices, item.prompt)
            assert sorted(varied.choices) == sorted(item.choices)
            assert item.prompt in varied.prompt
    open_item = Item(id="q", suite="questions", prompt="?", facts={"answers": ["a"]})
    assert SUITE.variation("reorder").make(open_item, rng=random.Random(0)) == "it has no choices"
    single = msgspec.structs.replace(open_item, choices=("a",), gold=0)
    assert SUITE.variation("reorder").make(single, rng=random.Random(0)) == "it has no choices"


def test_bad_rows_of_two_files_are_both_named(tmp_path: Path) -> None:
    (tmp_path / "quiz").mkdir()
    for name in ("train", "test"):
        (tmp_path / "quiz" / f"{name}.csv").write_text("Q,a,b,Key\nx?,1,2,A\n,1,2,A\n")
    with pytest.raises(ProbandError, match=r"2 rows do not fit: .*test.csv.*; .*train.csv") as error:
        proband.build("questions", out=tmp_path / "items", data=tmp_path / "quiz")
    assert str(error.value).count("row 3") == 2


def test_a_right_choice_with_a_column_of_its_own_may_be_a_digit(tmp_path: Path) -> None:
    text = "question,correct,wrong 1,wrong 2\nHow many legs?,2,4,6\nHow many eyes?,1,3,2\n"
    items, manifest = built(tmp_path, "mine.csv", text, choices="correct,wrong 1,wrong 2", gold="correct")
    assert [item.choices[item.gold or 0] for item in items] == ["2", "1"]
    assert manifest["columns"]["right choice as"] == "text, choices in random order"


def test_a_number_that_may_be_a_text_or_a_place_is_refused(tmp_path: Path) -> None:
    text = "Q,options,Key\nHow many legs?,3|4|1|2,2\nHow many eyes?,3|4|1|2,4\n"
    with pytest.raises(ProbandError, match="may hold the text of the right choice or its number from 1; say --gold-as"):
        built(tmp_path, "mine.csv", text)
    for gold_as, gold in (("text", [3, 1]), ("from-1", [1, 3])):
        items, manifest = built(tmp_path, "mine.csv", text, gold_as=gold_as)
        assert [item.gold for item in items] == gold
    assert (manifest["columns"]["prompt"], manifest["columns"]["gold"]) == ("Q", "Key")
    items, _ = built(tmp_path, "mine.csv", "Q,options,Key\nHow many?,30|40|10,40\n")  # no place: nothing to confuse
    assert items[0].gold == 1


def test_all_bad_rows_are_named_at_once_or_skipped(tmp_path: Path) -> None:
    text = "Q,options,Key\nlegs?,3|4,x\n,3|4|1|2,4\nok?,a|b,b\nz?,a,a\n"
    with pytest.raises(ProbandError) as error:
        built(tmp_path, "mine.csv", text)
    assert "3 rows do not fit: row 2, column 'Key'" in str(error.value)
    assert "row 3, column 'Q': the question is empty; row 5, column 'options': has one choice" in str(error.value)
    assert str(error.value).endswith("(--skip-bad leaves them out)")
    assert "\n" not in str(error.value)
    items, manifest = built(tmp_path, "mine.csv", text, skip_bad=True)
    assert [(item.prompt, item.gold) for item in items] == [("ok?", 1)]
    assert manifest["skipped_rows"] == 3


def test_layouts_of_published_sets(tmp_path: Path) -> None:
    """The right choice in a column of its own; keys that are labels; answers that have a mark; one wrong key."""
    own = [{"question": f"{n}?", "correct": f"r{n}", "w1": f"v{n}", "w2": f"u{n}"} for n in range(60)]
    lines = "\n".join(map(json.dumps, own)).encode()
    items, manifest = built(tmp_path, "own.jsonl", lines, gold="correct", choices="correct,w1,w2")
    assert {item.choices[item.gold or 0][0] for item in items} == {"r"}
    assert min(Counter(item.gold for item in items).values()) > 8
    assert "random order" in manifest["columns"]["right choice as"]
    arc = [{"question": "a?", "choices": {"text": ["x", "y"], "label": ["2", "1"]}, "answerKey": "1"},
           {"question": "b?", "choices": {"text": ["x", "y"], "label": ["A", "B"]}, "answerKey": "A"}]  # fmt: skip
    items, _ = built(tmp_path, "arc.jsonl", "\n".join(map(json.dumps, arc)).encode())
    assert [item.choices[item.gold or 0] for item in items] == ["y", "x"]
    gsm = {"question": "1 + 1?", "answer": "We add; so it is two.\n#### 2"}
    (item,), _ = built(tmp_path, "gsm.jsonl", json.dumps(gsm).encode())
    assert item.facts["answers"] == ["2"]
    bad = "q,A,B,gold\n" + "".join(f"{n}?,x,y,{'AB'[n % 2]}\n" for n in range(9)) + "9?,x,y,E\n"
    with pytest.raises(ProbandError, match="row 11, column 'gold': 'E' is no letter of one of 2 choices"):
        built(tmp_path, "bad.csv", bad.encode(), prompt="q")
