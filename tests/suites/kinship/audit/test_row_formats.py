"""Audits of CLUTRR's rows and of our items: against planted flaws, and on the releases."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import dumps, write_text
from proband.pipeline.checking import audit
from proband.suites.kinship.clutrr.items import HEADER, csv_line, to_item
from proband.suites.kinship.clutrr.rows import COLUMNS, read_rows
from proband.suites.kinship.generate.released_rows import clutrr_files
from proband.suites.kinship.world.relations import Family


def row(id: str, facts: str, target: str, **changes: str) -> dict[str, str]:
    """A row from facts such as "Ann:female son Bo, Bo uncle Cy"; the question is about the first and last person."""
    genders: dict[str, str] = {}
    edges = []
    for fact in facts.split(", "):
        a, relation, b = fact.split()
        for person in (a, b):
            name, _, gender = person.partition(":")
            genders.setdefault(name, gender or "male")
        edges.append((a.partition(":")[0], relation, b.partition(":")[0]))
    names = list(genders)
    number = {name: x for x, name in enumerate(names)}
    a, b = edges[0][0], edges[-1][2]
    cells = {
        "": "0",
        "id": id,
        "story": " ".join(f"[{i}]'s {r} is [{j}]." for i, r, j in edges),
        "query": repr((a, b)),
        "target": target,
        "f_comb": "-".join(r for _, r, _ in edges),
        "task_name": f"task_1.{len(edges)}",
        "story_edges": repr([(number[i], number[j]) for i, _, j in edges]),
        "edge_types": repr([r for _, r, _ in edges]),
        "query_edge": repr((number[a], number[b])),
        "genders": ",".join(f"{name}:{gender}" for name, gender in genders.items()),
        "task_split": "test",
    }
    return cells | changes


PLANTED = {
    "entailed": row("sound", "Ann:female father Bo, Bo sister Cy:female", "aunt"),
    "ambiguous": row(
        "open",
        "Ann:female son Bo, Bo uncle Cy",
        "brother",
        proof_state="[{('Ann', 'brother', 'Cy'): [('Ann', 'son', 'Bo'), ('Bo', 'uncle', 'Cy')]}]",
    ),
    "false": row(
        "wrong",
        "Al son Bo, Bo mother Cy:female, Cy:female father Di",
        "father",
        proof_state="[{('Al', 'father', 'Di'): [('Al', 'son', 'Bo'), ('Bo', 'grandfather', 'Di')]}, "
        "{('Bo', 'grandfather', 'Di'): [('Bo', 'mother', 'Cy'), ('Cy', 'father', 'Di')]}]",
    ),
    "inconsistent": row("broken", "Al son Bo, Bo son Cy, Cy son Al, Al son Di", "son"),
    "unread": row("spoilt", "Al son Bo, Bo son Cy", "grandson", story_edges="[(0, 1), (1,"),
}


def run(tmp_path: Path, rows: list[dict[str, str]], **options: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    (tmp_path / "data.csv").write_text(HEADER + "".join(map(csv_line, rows)))
    result = audit(tmp_path / "data.csv", out=tmp_path / "out", **options)
    figures = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert result["verdicts"] == figures["verdicts"]
    lines = (tmp_path / "out" / "verdicts.jsonl").read_text().splitlines()
    return figures, [json.loads(line) for line in lines]


def test_planted_flaws_are_caught(tmp_path: Path) -> None:
    figures, lines = run(tmp_path, list(PLANTED.values()))
    assert [line["verdict"] for line in lines] == list(PLANTED)
    assert figures["verdicts"] == dict.fromkeys(PLANTED, 1)
    sound, open_, wrong, broken, spoilt = lines
    assert (sound["possible"], len(sound["proof"]), sound["worlds"]) == (["aunt"], 2, {})
    assert open_["possible"] == ["brother", "brother-in-law"]
    assert wrong["possible"] == ["father-in-law"]
    assert broken["possible"] == []
    assert spoilt["line"] == 6
    assert spoilt["reason"].startswith("column 'story_edges' ")


@pytest.mark.parametrize(("verdict", "relation"), [("ambiguous", "brother-in-law"), ("false", "father-in-law")])
def test_counter_families_can_be_looked_at(tmp_path: Path, verdict: str, relation: str) -> None:
    """The family in the file is a family, the facts hold in it, the label does not."""
    _, (line,) = run(tmp_path, [PLANTED[verdict]])
    shown = line["worlds"][relation]
    family = Family(
        named=sum(person is not None for person in shown["people"]),
        genders=tuple(shown["genders"]),
        father=tuple(shown["father"]),
        mother=tuple(shown["mother"]),
        spouses=tuple(() if s is None else (s,) for s in shown["spouse"]),
    )
    assert family.broken() is None
    place = {name: x for x, name in enumerate(shown["people"])}
    (original,) = read_rows(tmp_path / "data.csv")
    for i, word, j in original.chain:
        assert family.relations(place[original.names[i]], place[original.names[j]]) == {word}
    asker, asked = (place[original.names[x]] for x in original.query)
    assert family.relations(asker, asked) == {relation}


def test_files_of_an_audit(tmp_path: Path) -> None:
    figures, _ = run(tmp_path, list(PLANTED.values()))
    out = tmp_path / "out"
    with (out / "corrected.csv").open() as file:
        corrected = {each["id"]: (each["target"], each["audit_verdict"]) for each in csv.DictReader(file)}
    assert corrected["wrong"] == ("father-in-law", "false")
    assert corrected["open"] == ("brother", "ambiguous")
    assert len(corrected) == 5
    assert figures["copies"] == {"labels replaced": 1, "labels kept": 1, "other rows": 3}
    audit(tmp_path / "data.csv", out=out)
    page = (out / "index.html").read_text()
    assert page.count("<svg") == 3  # two families of the open label, one of the false one
    assert "http:" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https:" not in page


def test_an_audit_of_the_corrected_file_finds_what_cannot_be_corrected(tmp_path: Path) -> None:
    run(tmp_path, list(PLANTED.values()))
    again = audit(tmp_path / "out" / "corrected.csv", out=tmp_path / "corrected")
    assert again["verdicts"] == {"entailed": 2, "ambiguous": 1, "false": 0, "inconsistent": 1, "unread": 1}


def test_a_gold_choice_that_is_not_the_target_is_found(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(HEADER + csv_line(PLANTED["entailed"]))
    (first,) = read_rows(tmp_path / "data.csv")
    item = to_item(first)
    wrong = msgspec.structs.replace(item, gold=item.choices.index("mother"))
    write_text(tmp_path / "built" / "items.jsonl", dumps(wrong) + "\n")
    assert audit(tmp_path / "built", out=tmp_path / "out")["verdicts"]["false"] == 1
    corrected = json.loads((tmp_path / "out" / "corrected.jsonl").read_text())
    assert corrected["choices"][corrected["gold"]] == "aunt"


def test_our_items_are_audited(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(HEADER + "".join(map(csv_line, [PLANTED["entailed"], PLANTED["false"]])))
    rows = read_rows(tmp_path / "data.csv")
    write_text(tmp_path / "built" / "items.jsonl", "".join(dumps(to_item(row)) + "\n" for row in rows))
    figures = audit(tmp_path / "built", out=tmp_path / "out")
    assert (figures["verdicts"]["entailed"], figures["verdicts"]["false"]) == (1, 1)


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    planted = {key: value.replace("Ann", evil) for key, value in PLANTED["ambiguous"].items()}
    run(tmp_path, [planted])
    audit(tmp_path / "data.csv", out=tmp_path / "out")
    assert "<script" not in (tmp_path / "out" / "index.html").read_text()


def test_a_story_too_long_to_search_is_told_so(tmp_path: Path) -> None:
    _, (line,) = run(tmp_path, [row("long", ", ".join(f"P{i} uncle P{i + 1}" for i in range(40)), "uncle")])
    assert line["verdict"] == "unread"
    assert "40 facts about 41 people" in line["reason"]


def test_bad_paths(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="no such file"):
        audit(tmp_path / "none", out=tmp_path / "out")
    with pytest.raises(ProbandError, match="contains no file of rows"):
        audit(tmp_path, out=tmp_path / "out")
    (tmp_path / "a.csv").write_text(",".join(COLUMNS) + "\n")
    with pytest.raises(ProbandError, match="contains no rows"):
        audit(tmp_path / "a.csv", out=tmp_path / "out")
    with pytest.raises(ProbandError, match="into the folder it reads"):
        audit(tmp_path, out=tmp_path)


def test_the_same_bytes_again(tmp_path: Path) -> None:
    """Patterns of several sizes in two files; which family is shown does not depend on what was asked before."""
    words = ("son", "uncle", "father", "brother", "grandson")
    rows = []
    for n in range(30):
        chain = [words[(n // 5**place) % 5] for place in range(2 + n % 3)]
        facts = ", ".join(f"P{place} {relation} P{place + 1}" for place, relation in enumerate(chain))
        rows.append(row(f"r{n}", facts, ("brother", "father", "nephew")[n % 3]))
    (tmp_path / "in" / "one").mkdir(parents=True)
    (tmp_path / "in" / "two").mkdir()
    (tmp_path / "in" / "one" / "1.2_test.csv").write_text(HEADER + "".join(map(csv_line, rows[:20])))
    (tmp_path / "in" / "two" / "1.2_test.csv").write_text(HEADER + "".join(map(csv_line, rows[20:])))
    for time in ("first", "second"):
        audit(tmp_path / "in", out=tmp_path / time)
    files = sorted(p.relative_to(tmp_path / "first") for p in (tmp_path / "first").rglob("*") if p.is_file())
    assert Path("corrected/one/1.2_test.csv") in files
    for name in files:
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes(), name


@pytest.mark.data
def test_only_data_files_are_taken_from_a_folder(data: Path) -> None:
    """Templates and name lists that stand beside the releases are left alone."""
    found = clutrr_files(data / "clutrr")
    assert len(found) == 44
    assert {file.path.parent.name[:5] for file in found} == {"data_"}


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, *(pytest.param(k, marks=pytest.mark.nightly) for k in (4, 5))])
def test_a_release(data: Path, tmp_path: Path, k: int) -> None:
    """The tests of the first release, in the strict world, which the format names."""
    name = f"1.{k}_test.csv.gz"
    figures = audit(data / "clutrr" / "data_089907f8" / name, out=tmp_path / name)
    assert figures["world"].startswith("strict")
    if k == 3:
        assert figures["verdicts"] == {
            "entailed": 30,
            "ambiguous": 45,
            "false": 30,
            "inconsistent": 0,
            "unread": 0,
        }


def test_labels_of_other_worlds_are_not_judged(tmp_path: Path) -> None:
    """A half-sister is a sister in no world of the domain, and a file may begin with stories of the classic world."""
    for rules in ("sound", "blended", "wide"):
        proband.build("kinship", out=tmp_path / rules, rules=rules, k=3, per_k=4)
    lines = [(tmp_path / rules / "items.jsonl").read_text("utf-8") for rules in ("sound", "blended", "wide")]
    write_text(tmp_path / "all.jsonl", "".join(lines))
    verdicts = audit(tmp_path / "all.jsonl", out=tmp_path / "out")["verdicts"]
    assert verdicts == {"entailed": 4, "ambiguous": 0, "false": 0, "inconsistent": 0, "unread": 8}


@pytest.mark.parametrize(
    "odd",
    [
        {"facts": "Ann mother Bo"},
        {"facts": {"names": ["Ann", "Bo"], "edges": [[0, "mother", 7]], "query": [0, 1]}},
        {"facts": {"names": ["Ann", "Bo"], "edges": [[0, "mother", 1]], "query": [0, 1, 1]}},
        {"facts": {}, "gold": True},
        {"facts": 3, "suite": "kinship"},
    ],
)
def test_an_item_with_facts_of_another_form_is_that_row_s_problem(odd: dict[str, Any], tmp_path: Path) -> None:
    prompt = "Ann is the mother of Bo. How is Ann related to Bo?"
    item = {"suite": "own", "id": "1", "prompt": prompt, "choices": ["mother", "aunt"], "gold": 0, **odd}
    write_text(tmp_path / "rows.jsonl", dumps(item) + "\n")
    result = audit(tmp_path / "rows.jsonl", out=tmp_path / "audit", domain="kinship")
    assert result["rows"] == 1
