"""Facts of files: what is read, what is refused in one line, what is left out and listed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.suites.facts.conftest import items_of

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_manifest
from proband.suites.facts.build import BuildOptions, build
from proband.suites.facts.sources import read


@pytest.mark.data
def test_bear_has_its_published_size_and_keeps_its_answer_spaces(data: Path) -> None:
    relations, licence, _ = read(str(data / "bear" / "BEAR"))
    assert (len(relations), sum(len(r.facts) for r in relations)) == (60, 7731)
    assert "do not redistribute" in licence
    declared = json.loads((data / "bear" / "BEAR" / "metadata_relations.json").read_text(encoding="utf-8"))
    assert all(r.answers == tuple(declared[r.name]["answer_space_labels"]) for r in relations)


def test_lama_pararel_and_lre_are_read(tmp_path: Path) -> None:
    facts = [("France", "Paris"), ("Italy", "Rome")]
    lama = tmp_path / "lama"
    lama.mkdir()
    lines = [json.dumps({"predicate_id": "P36", "sub_label": x, "obj_label": y}) for x, y in [*facts, facts[0]]]
    (lama / "P36.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (lama / "relations.jsonl").write_text(
        json.dumps({"relation": "P36", "template": "The capital of [X] is [Y] ."}), encoding="utf-8"
    )
    assert [item.prompt for item in items_of(data=str(lama))] == [f"The capital of {x} is ___." for x, _ in facts]
    patterns = tmp_path / "pararel"
    patterns.mkdir()
    (patterns / "P36.jsonl").write_text('{"pattern": "[X], whose capital is [Y] ."}\n{"pattern": "[Y] governs [X]."}')
    reworded = items_of(data=str(lama), patterns=str(patterns))
    assert reworded[0].facts["prompts"] == ["France, whose capital is ___.", "___ governs France."]
    (lama / "P36.jsonl").write_text('{"sub_label": "Plato", "obj_label": ["Athens", "Aegina"]}\n' + lines[0])
    (listed, _) = items_of(data=str(lama))
    assert (listed.choices, listed.facts["accepted"]) == (("Athens", "Paris"), ["Athens", "Aegina"])
    rows = [{"pred": "AtLocation", "sub": x, "obj": y, "obj_label": y, "masked_sentences": []} for x, y in facts]
    (tmp_path / "conceptnet.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert items_of(data=str(tmp_path / "conceptnet.jsonl"))[0].prompt == "The AtLocation of France is ___."
    lre = tmp_path / "capital.json"
    samples = [{"subject": x, "object": y} for x, y in facts]
    lre.write_text(json.dumps({"name": "capital", "prompt_templates": ["The capital of {} is"], "samples": samples}))
    assert items_of(data=str(lre))[1].prompt == "The capital of Italy is ___."


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "subject,object\nFrance,Paris\n", "relation 'a' has one answer; a choice needs two"),
        ("a.csv", "subject,object\nFrance,\nItaly,\n", "row 2: no object: one of the columns object, obj_label"),
        ("a.csv", "id,subject,object\n7,France,Paris\n7,Italy,Rome\n", "row 3: the id '7' occurs twice"),
        ("a.csv", "subject,object\n", "contains no facts"),
        ("a.jsonl", "", "contains no facts"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ProbandError) as caught:
        items_of(data=str(file))
    assert str(file) in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("template", "place", "message"),
    [
        ("The capital of [X] is [Y].", 7, "P36.jsonl line 2: column 'answer_idx': is 7, but there are 2 answers"),
        (
            "The capital of [X] is Rome.",
            1,
            "metadata_relations.json: relation 'P36': 'The capital of [X] is Rome.' must",
        ),
        ("Its capital is [Y].", 1, "metadata_relations.json: relation 'P36': 'Its capital is [Y].' must have [X] once"),
    ],
)
def test_bad_rows_and_templates_of_bear_are_refused(tmp_path: Path, template: str, place: int, message: str) -> None:
    about = {"P36": {"templates": [template], "answer_space_labels": ["Paris", "Rome"]}}
    (tmp_path / "metadata_relations.json").write_text(json.dumps(about), encoding="utf-8")
    rows = [("France", "Paris", 0), ("Italy", "Rome", place)]
    lines = [json.dumps({"sub_label": x, "obj_label": y, "answer_idx": at}) for x, y, at in rows]
    (tmp_path / "P36.jsonl").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ProbandError) as caught:
        items_of(data=str(tmp_path))
    assert message in str(caught.value)


def test_an_empty_file_and_an_id_twice_are_refused_in_bear_too(tmp_path: Path) -> None:
    about = {"P36": {"templates": ["[X] has [Y]."], "answer_space_labels": ["Paris", "Rome"]}}
    (tmp_path / "metadata_relations.json").write_text(json.dumps(about), encoding="utf-8")
    for text, message in (
        ("", "P36.jsonl: contains no facts"),
        ('{"id": 1}\n{"id": 1}', "line 2: the id 1 occurs twice"),
    ):
        (tmp_path / "P36.jsonl").write_text(text, encoding="utf-8")
        with pytest.raises(ProbandError, match=message):
            items_of(data=str(tmp_path))


def test_a_relation_in_several_files_is_one(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("subject,object,relation\nFrance,Paris,capital\nItaly,Rome,capital\n")
    (tmp_path / "capital.csv.gz").write_bytes(gzip.compress(b"subject,object\nSpain,Madrid\nFrance,Paris\n"))
    items = items_of(data=str(tmp_path), relations="capital")
    assert [item.facts["subject"] for item in items] == ["France", "Italy", "Spain"]
    assert {item.choices for item in items} == {("Paris", "Rome", "Madrid")}
    assert len({item.id for item in items}) == 3


def test_damaged_files_of_lre_are_refused_with_their_name(tmp_path: Path) -> None:
    file, pairs = tmp_path / "capital.json", [{"subject": x, "object": y} for x, y in (("a", "b"), ("c", "d"))]
    file.write_text(json.dumps({"samples": pairs}))
    assert [item.prompt for item in items_of(data=str(file))] == [
        "The capital of a is ___.",
        "The capital of c is ___.",
    ]
    for text, message in (
        (b'{"samples": [{}], "prompt_templates": 5}', "'prompt_templates' must be"),
        (b'{"samples": [{"subject": "\x81"}]}', "capital.json: not a JSON object"),
        (b"{}", "has no field 'samples' with objects"),
    ):
        file.write_bytes(text)
        with pytest.raises(ProbandError, match=f"capital.json: .*{message.removeprefix('capital.json: ')}"):
            items_of(data=str(file))


def test_a_table_without_wordings_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text("")
    with pytest.raises(ProbandError, match=r"p.jsonl: contains no wordings"):
        items_of(patterns=str(tmp_path / "p.jsonl"))


def test_the_folder_above_bear_is_told_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "BEAR").mkdir()
    (tmp_path / "BEAR" / "metadata_relations.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"has BEAR in a folder below it: --data .*/BEAR names it"):
        items_of(data=str(tmp_path))


def test_patterns_of_other_relations_are_refused(tmp_path: Path) -> None:
    facts, patterns = tmp_path / "P36.csv", tmp_path / "patterns.csv"
    facts.write_text("subject,object\nFrance,Paris\nItaly,Rome\n", encoding="utf-8")
    patterns.write_text("relation,wording\nP99,[X] has [Y].\n", encoding="utf-8")
    for data in (str(facts), ""):
        with pytest.raises(ProbandError, match=r"patterns.csv: has wordings of P99; the facts have no such relation"):
            items_of(data=data, patterns=str(patterns))


def test_a_pattern_without_its_slots_is_refused_with_its_row(tmp_path: Path) -> None:
    facts, patterns = tmp_path / "P36.csv", tmp_path / "patterns.csv"
    facts.write_text("subject,object\nFrance,Paris\nItaly,Rome\n", encoding="utf-8")
    patterns.write_text("relation,wording\nP36,[X] has [Y].\nP36,[X] has a capital.\n", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"patterns.csv.*row 3.*'\[X\] has a capital.' must have \[Y\] once"):
        items_of(data=str(facts), patterns=str(patterns))


def test_rows_that_cannot_be_asked_are_left_out_and_listed(tmp_path: Path) -> None:
    """As LRE and LAMA have them: a subject that is its own object (right, and tagged), rows without an object, facts in
    two spellings, a relation of one answer, a subject for which every answer is right."""
    past = [("cut", "cut"), ("go", "went"), ("Go", "Went"), ("be", "was"), ("be", "went"), ("be", "cut"), ("see", "")]
    samples = [{"subject": x, "object": y} for x, y in past]
    lre = {"name": "past", "prompt_templates": ["The past tense of {} is"], "samples": samples}
    (tmp_path / "past.json").write_text(json.dumps(lre), encoding="utf-8")
    sizes = {**lre, "name": "size", "samples": [{"subject": x, "object": "big"} for x in ("ox", "whale")]}
    (tmp_path / "size.json").write_text(json.dumps(sizes), encoding="utf-8")
    lama = [("Walter Scott", "Walter Scott"), ("Emma", "Jane Austen"), ("Emma", None)]
    rows = [json.dumps({"predicate_id": "P50", "sub_label": x, "obj_label": y}) for x, y in lama]
    (tmp_path / "P50.jsonl").write_text("\n".join(rows), encoding="utf-8")
    built = build(BuildOptions(data=str(tmp_path)), seed=0)
    asked = [(item.facts["subject"], item.facts["object"], item.tags["leak"]) for item in built.items]
    assert asked == [
        ("Walter Scott", "Walter Scott", True),
        ("Emma", "Jane Austen", False),
        ("cut", "cut", True),
        ("go", "went", False),
    ]
    left_out = built.summary()["left_out"]
    assert left_out["rows"] == 6
    for place, reason in (
        ("P50.jsonl", "no object"),
        ("past.json", "row 7"),
        ("past.json", "every answer is right for 'be'"),
        ("size.json", "relation 'size' has one answer"),
    ):
        assert any(place in each and reason in each for each in left_out["listed"]), (place, left_out)
    proband.build("facts", out=tmp_path / "items", data=str(tmp_path))
    made = proband.run(tmp_path / "items", model="baseline:majority", out=tmp_path / "run")
    assert len(made.answers()) == 4
    assert read_manifest(tmp_path / "items")["left_out"]["rows"] == 6
