"""Every format that relations come in, against counted files and small ones written here."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proband.core.errors import ProbandError
from proband.core.files import dumps
from proband.core.types import Item
from proband.suites.analogy import sources
from proband.suites.analogy.build import BuildOptions, build
from proband.suites.analogy.paper.tables import figures

EXAMPLES = 400 if "PROBAND_MUTATIONS" in os.environ else 100  # `make test-all`, `make test`


@pytest.mark.data
def test_bats_as_released(data: Path) -> None:
    relations, licence = sources.read(str(data / "bats"))
    assert len(relations) == 40
    assert {len(r.tuples) for r in relations} == {50}
    assert {r.group: sum(s.group == r.group for s in relations) for r in relations} == dict.fromkeys(
        ("ES", "LS", "DM", "IM"), 10
    )
    assert "do not redistribute" in licence
    named = {r.name: r for r in relations}
    assert {f.relation for f in figures() if f.relation} == set(named)
    # the trap: E01 is called country - capital, and has the capital in column 1
    assert named["country : capital"].holds(("athens", "greece"))
    assert not named["country : capital"].holds(("greece", "athens"))
    # alternatives, a trailing slash, several words
    assert named["things : color"].tuples[0].tails == ("black", "brown", "red")
    assert all(tail for r in relations for t in r.tuples for tail in t.tails)
    assert not any("_" in tail for r in relations for t in r.tuples for tail in t.tails)


@pytest.mark.data
def test_what_is_detected_in_bats(data: Path) -> None:
    named = {r.name: r for r in sources.read_bats(data / "bats")}
    assert {name for name, r in named.items() if r.symmetric} == {
        "antonyms : binary",
        "antonyms : gradable",
        "synonyms : exact",
    }
    # all that the paper marks as one/many-to-many are found, and no inflection is
    marked = {f.relation for f in figures() if f.mark == "many"}
    many = {name for name, r in named.items() if r.cardinality.endswith("to-many")}
    assert marked <= many
    assert many - marked == {"country : language", "name : nationality", "name : occupation"}
    assert named["over+adj_reg"].cardinality == "one-to-one"  # its alternatives are spellings
    assert named["UK_city : county"].cardinality == "many-to-one"


@pytest.mark.data
def test_google(data: Path) -> None:
    relations, _ = sources.read(str(data / "analogy" / "questions-words.txt"))
    assert len(relations) == 14
    named = {r.name: r for r in relations}
    assert len(named["capital-common-countries"].tuples) == 23  # 23 x 22 = 506 questions
    assert named["gram2-opposite"].group == "DM"
    assert named["capital-world"].holds(("Athens", "Greece"))
    assert sources.is_google(data / "analogy" / "questions-words.txt")


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "rows", "options"), [("sat", 337, {5}), ("u2", 228, {3, 4, 5}), ("u4", 432, {3, 4, 5})]
)
def test_multiple_choice(data: Path, name: str, rows: int, options: set[int]) -> None:
    built = build(BuildOptions(data=str(data / "analogy" / f"{name}.test.jsonl")), seed=0)
    items = [item for item in built.items if isinstance(item, Item)]
    assert len(items) == rows == sum(built.summary()["relations"].values())
    assert {len(item.choices) for item in items} <= options
    assert {item.tags["group"] for item in items} == {name.upper()}


def test_multiple_choice_compressed_and_broken(tmp_path: Path) -> None:
    row = {"stem": ["a_b", "c"], "choice": [["d", "e"], ["f", "g"]], "answer": 1, "prefix": "p"}
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    (item,) = build(BuildOptions(data=str(path)), seed=0).items
    assert isinstance(item, Item)
    assert item.choices == ("d : e", "f : g")
    assert item.gold == 1
    assert item.facts["query"] == ["a b", "c"]
    broken = tmp_path / "y.jsonl"
    broken.write_text(json.dumps({**row, "answer": 2}) + "\n")
    with pytest.raises(ProbandError, match=r"y.jsonl line 1: 'answer' is 2 but there are 2 choices"):
        list(build(BuildOptions(data=str(broken)), seed=0).items)


TABLE = [
    ("Paris", "France", "capital"),
    ("Rome", "Italy", "capital"),
    ("Bern", "Switzerland/Suisse", "capital"),
    ("Oslo", "Norway", "capital"),
]


def test_tables_and_json_lines_say_the_same(tmp_path: Path) -> None:
    for ending, gap in ((".tsv", "\t"), (".csv", ",")):
        lines = [gap.join(("head", "tails", "relation", "group"))] + [gap.join((*row, "ES")) for row in TABLE]
        (tmp_path / f"x{ending}").write_text("\n".join(lines) + "\n")
    rows = [{"head": h, "tails": t.split("/"), "relation": r, "group": "ES"} for h, t, r in TABLE]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = [sources.read_list(tmp_path / f"x{ending}") for ending in (".tsv", ".csv", ".jsonl")]
    assert found[0] == found[1] == found[2]
    assert found[0][0].holds(("Bern", "Suisse"))
    (merged,), _ = sources.read(str(tmp_path))
    assert (merged.tuples, merged.duplicates) == (found[0][0].tuples, 8)


def test_a_relation_in_several_files_is_one(tmp_path: Path) -> None:
    """A pair that another file lists is right, so it is no wrong option."""
    for name, rows in (("train", TABLE[:2]), ("test", TABLE[2:])):
        (tmp_path / f"{name}.csv").write_text("head,tails,relation\n" + "".join(",".join(row) + "\n" for row in rows))
    (relation,), _ = sources.read(str(tmp_path))
    assert {each.pair for each in relation.tuples} == set(PAIRS)
    (tmp_path / "more.csv").write_text("head,tails,relation,symmetric\nRiga,Latvia,capital,yes\n")
    with pytest.raises(ProbandError, match=r"test.csv: row 2: relation 'capital' has two values of group or symmetric"):
        sources.read(str(tmp_path))


def test_a_question_in_a_row_is_two_pairs_of_its_relation(tmp_path: Path) -> None:
    """As MSR, SemEval-2012 and JAIR have them."""
    path = tmp_path / "msr.csv"
    rows = ["JJ_JJR,good,better,rough,rougher", "JJ_JJR,old ,older,new,newer", "VB_VBD,see,saw,go,went"]
    path.write_text("\n".join([",type,word1,word2,word3,target", *(f"{n},{row}" for n, row in enumerate(rows))]))
    first, second = sources.read_list(path)
    assert (first.name, second.name) == ("JJ JJR", "VB VBD")
    assert [each.pair for each in first.tuples] == [
        ("good", "better"), ("rough", "rougher"), ("old", "older"), ("new", "newer"),
    ]  # fmt: skip
    assert second.holds(("go", "went"))
    path.write_text("type,word1,word2,word3\nJJ_JJR,good,better,rough\n")
    with pytest.raises(ProbandError, match=r"msr.csv: row 2: a question needs the columns type, word1, word2, word3"):
        sources.read_list(path)


PAIRS = [(head, tail.partition("/")[0]) for head, tail, _ in TABLE]


@pytest.mark.parametrize(
    ("name", "text", "relation", "said"),
    [
        ("capital.csv", "\n".join(map(",".join, PAIRS)), "capital", "no header; the first pair is Paris : France"),
        ("capital.txt", "\n".join(map("\t".join, PAIRS)), "capital", "the relation is the file's name, 'capital'"),
        ("x.tsv", "\n".join(f"{h}\t{t}\tcapital" for h, t in PAIRS), "capital", "the relation in the third column"),
        ("x.tsv", "\n".join(f"{h}\tcapital\t{t}" for h, t in PAIRS), "capital", "the relation in the second column"),
        ("capital.csv", "Head;Tail\n" + "\n".join(map(";".join, PAIRS)), "capital", "the relation is the file's name"),
        ("cities.csv", "Subject,Country\n" + "\n".join(map(",".join, PAIRS)), "cities", "tail is 'Country'"),
        (
            "P36.jsonl",
            "\n".join(json.dumps({"sub_id": "Q", "sub_label": h, "obj_label": t, "answer_idx": 0}) for h, t in PAIRS),
            "P36",
            "head is 'sub_label', tail is 'obj_label'; the relation is the file's name, 'P36'; not used: sub_id",
        ),
    ],
)
def test_lists_as_others_have_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, relation: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    (found,), _ = sources.read(str(tmp_path / name))
    assert found.name == relation
    assert [each.pair for each in found.tuples] == PAIRS
    assert found.group == "ungrouped"
    assert said in capsys.readouterr().err


def test_our_own_columns_are_not_worth_a_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "\n".join(f"{h},{t},capital" for h, t in PAIRS)
    (tmp_path / "x.csv").write_text(f"head,tail,relation\n{rows}\n")
    sources.read(str(tmp_path / "x.csv"))
    assert not capsys.readouterr().err


@pytest.mark.data
def test_bear(data: Path) -> None:
    relations, _ = sources.read(str(data / "bear" / "BEAR"))
    assert len(relations) == 60
    assert sum(len(relation.tuples) for relation in relations) == 7731
    assert {relation.name for relation in relations} >= {"P103", "P36"}


@pytest.mark.data
def test_one_file_of_bats(data: Path) -> None:
    (file,) = (data / "bats").rglob("E01*.txt")
    relations, _ = sources.read(str(file))
    assert [(relation.name, relation.group, len(relation.tuples)) for relation in relations] == [
        ("country : capital", "ES", 50)
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("head\ttail\trelation\nParis\tFrance\tcapital\tES\n", "line 2: has 4 cells but the header names 3"),
        ("head\ttail\trelation\tgroup\nParis\t\tcapital\tES\n", "line 2: column 'tail': must be text"),
        (
            "city\ttail\trelation\tcolour\nParis\tFrance\tcapital\tXX\n",
            "line 2: no column looks like the head; there are",
        ),
        (
            "head\ttail\trelation\tsymmetric\nParis\tFrance\tcapital\tperhaps\n",
            "column 'symmetric': 'perhaps' must be yes",
        ),
        ("head\ttail\trelation\nParis\tFrance\tcapital\n", "has 1 different tuples; probes need 4"),
        ("head\ttail\n", "contains no pairs"),
        ("", "is empty"),
    ],
)
def test_a_bad_table_is_refused_with_the_place(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text(text)
    with pytest.raises(ProbandError, match=says):
        sources.read(str(path))


def test_bad_bytes_are_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    path.write_bytes(b"head\ttail\trelation\na\tb\tc\n\x81\n")
    with pytest.raises(ProbandError, match=r"line 3: .*is not UTF-8"):
        sources.read(str(path))


FRAGMENTS = st.sampled_from(
    [
        "head",
        "tail",
        "relation",
        "group",
        "symmetric",
        "\t",
        ",",
        "\n",
        '"',
        "{",
        "}",
        "[",
        "]",
        ":",
        "ES",
        "yes",
        "/",
        "\x00",
        ": x",
        '{"head":"a","tail":"b","relation":"r","symmetric":[]}',
        '{"stem":["a","b"],"choice":[["c","d"],["e","f"]],"answer":0}',
        '"\\ud800"',
        "1e999",
        "é",
        " ",
    ]
)
READERS = (".tsv", ".csv", ".jsonl", ".txt", ".jsonl.gz")


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.one_of(st.lists(FRAGMENTS, max_size=40).map("".join), st.text(max_size=60)), ending=st.sampled_from(READERS)
)
def test_malformed_files_give_one_line_or_items(tmp_path: Path, text: str, ending: str) -> None:
    path = tmp_path / f"x{ending}"
    path.write_bytes(text.encode("utf-8", "replace"))
    try:
        for item in build(BuildOptions(data=str(path), per_relation=4), seed=0).items:
            assert isinstance(item, Item)
            dumps(item).encode("utf-8")
    except ProbandError as error:
        assert "\n" not in str(error)
