"""Judgments of simulated annotators become items; what is dropped, audited and turned round."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from proband.core.errors import ProbandError
from proband.core.files import DATA, encode, group_by_key, read_items
from proband.core.types import Judgment
from proband.pipeline.build import build
from proband.suites.inference.gold import (
    ANSWERS,
    DOES_NOT,
    NONSENSE,
    JudgedQuestion,
    read_judged,
    read_questions,
)
from proband.suites.inference.questionnaire import Questionnaire, Shown

if TYPE_CHECKING:
    from benchmarks.simulated_judgments import simulated_judgments
else:
    sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
    from simulated_judgments import simulated_judgments

TRUTH = {"=": ANSWERS, "+": ANSWERS, "<": DOES_NOT, "-": DOES_NOT, "?": NONSENSE}
REVERSE = {"=": ANSWERS, "+": DOES_NOT, "<": ANSWERS, "-": DOES_NOT, "?": NONSENSE}


def sheet(question: JudgedQuestion) -> tuple[Questionnaire, dict[str, str]]:
    name = f"q{question.number:03}-1"
    made, truth = list[Shown](), dict[str, str]()
    for place, (said, first, _) in enumerate(question.phrases):
        for answer in question.answers:
            triple, side = question.assertion(place, answer), "subject" if first else "object"
            made.append(Shown(id=f"{name}-{len(made):02}", side=side, answer=answer, **triple._asdict()))
            truth[made[-1].id] = said[0]
    asked = Questionnaire(
        id=name,
        question=question.text,
        q_type=question.type,
        q_rel=question.relation,
        q_arg=question.argument,
        candidates=tuple(made),
    )
    return asked, truth


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("judged")
    made = [sheet(question) for question in read_questions(DATA / "inference" / "questions.txt")]
    sheets, labels = [each for each, _ in made], {name: label for _, each in made for name, label in each.items()}
    lines = {"questionnaires.jsonl": sheets}
    for file, truth in (("judgments.jsonl", TRUTH), ("reverse-judgments.jsonl", REVERSE)):
        said = {name: truth[label] for name, label in labels.items()}
        lines[file] = list(simulated_judgments(sheets, said, seed=1).judgments)  # type: ignore[arg-type]
    expert = [Judgment(item_id=n, worker="expert", value=TRUTH[l], seconds=1.0) for n, l in list(labels.items())[:594]]
    lines["expert.jsonl"] = expert  # type: ignore[assignment]
    for file, records in lines.items():
        (place / file).write_bytes(b"".join(encode(each) + b"\n" for each in records))
    return place


@pytest.mark.parametrize("rule", ["all-but-one", "majority", "dawid-skene", "mace"])
@pytest.mark.nightly
def test_every_rule_gives_items_with_nearly_the_right_labels(folder: Path, tmp_path: Path, rule: str) -> None:
    manifest = build("inference", out=tmp_path / "items", data=folder, rule=rule)
    found = manifest["judgments"]
    pairs = found["pairs_judged"]
    assert found["judgments"] == 5 * pairs
    assert found["questionnaires"] == 42
    assert 0.5 < found["alpha"]["low"] < found["alpha"]["value"] < found["alpha"]["high"] < 0.95
    assert found["audit"]["precision"] > 0.93
    assert found["audit"]["recall_of_agreed"] > 0.9
    assert found["audit"]["recall_of_all"] < found["audit"]["recall_of_agreed"] or rule != "all-but-one"
    kept = found["retained"]
    assert kept["pairs"] + kept["dropped_as_nonsense"] + kept["dropped_without_agreement"] == pairs
    if rule == "all-but-one":
        assert kept["dropped_without_agreement"] > 100
    backwards = [item for item in read_items(tmp_path / "items") if item.tags["direction"] == "question to answer"]
    assert len(backwards) > 900


def test_instantiated_pairs_are_those_of_our_own_set(folder: Path, tmp_path: Path) -> None:
    build("inference", out=tmp_path / "judged", data=folder, rule="dawid-skene")
    build("inference", out=tmp_path / "own")
    truth = {(tuple(i.facts["premise"]), tuple(i.facts["hypothesis"])): i.gold for i in read_items(tmp_path / "own")}
    judged = list(read_items(tmp_path / "judged"))
    same = [truth.get((tuple(i.facts["premise"]), tuple(i.facts["hypothesis"]))) == i.gold for i in judged]
    assert sum(same) / len(same) > 0.95
    own_types = {
        (tuple(i.facts["premise"]), tuple(i.facts["hypothesis"])): i.facts["types"]
        for i in read_items(tmp_path / "own")
    }
    for item in judged:  # the types belong to the arguments of the premise, in either direction
        pair = tuple(item.facts["premise"]), tuple(item.facts["hypothesis"])
        assert item.facts["types"] == own_types.get(pair, item.facts["types"])
    pairs = group_by_key(((item.facts["question"], item.facts["pair"]), item) for item in judged)
    for two in (two for two in pairs.values() if len(two) <= 2):
        assert {item.tags["directional"] for item in two} == {len({item.gold for item in two}) == 2}
    assert any(item.tags["directional"] for item in judged)


def test_our_own_set_is_as_large_as_promised() -> None:
    questions = read_questions(DATA / "inference" / "questions.txt")
    assert len(questions) >= 40
    assertions = {
        q.assertion(place, answer) for q in questions for place in range(len(q.phrases)) for answer in q.answers
    }
    assert len(assertions) >= 1500
    assert {len(said) for question in questions for said, _, _ in question.phrases} == {3}  # judges
    assert {question.split for question in questions} == {"train", "valid", "test"}


OWN = """drug | treats | headaches | aspirin; codeine
=+- cures
+++~ are relieved by
-?? is spoken by
<<< may help with
"""


@pytest.mark.parametrize(
    ("rule", "labels"),
    [
        ("all-but-one", {"are relieved by": (0, 1), "may help with": (1, 0)}),  # of three judges, all must agree
        ("majority", {"cures": (0, 1), "are relieved by": (0, 1), "may help with": (1, 0)}),
    ],
)
def test_several_judges_of_our_own_format(tmp_path: Path, rule: str, labels: dict[str, tuple[int, int]]) -> None:
    """gold is 0 for yes; the two directions of a phrase are decided one by one."""
    (tmp_path / "questions.txt").write_text(OWN, encoding="utf-8")
    manifest = build("inference", out=tmp_path / "items", data=tmp_path, rule=rule)
    assert manifest["judgments"]["rule"] == ("unanimous" if rule == "all-but-one" else rule)
    assert manifest["judgments"]["workers"]["people"] == 3
    found: dict[str, list[int | None]] = {}
    for item in read_items(tmp_path / "items"):
        turned = item.tags["direction"] == "question to answer"
        phrase = item.facts["hypothesis" if turned else "premise"][1]
        found.setdefault(phrase, [None, None])[turned] = item.gold
    assert {phrase: tuple(both) for phrase, both in found.items()} == labels


def test_bad_lines_of_our_own_format_are_named(tmp_path: Path) -> None:
    for line, message in (
        ("+ heals", "line 6: has 1 judgments, the first phrase 3"),
        ("*+- heals", "line 6: a phrase needs"),
    ):
        (tmp_path / "questions.txt").write_text(OWN + line + "\n", encoding="utf-8")
        with pytest.raises(ProbandError, match=message):
            build("inference", out=tmp_path / "items", data=tmp_path)


def test_bad_judgments_are_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "questionnaires.jsonl").write_bytes((folder / "questionnaires.jsonl").read_bytes())
    for judgment, message in (
        (Judgment(item_id="q999", worker="w", value="yes", seconds=1.0), "judgments.jsonl line 1: 'item_id' 'q999'"),
        (Judgment(item_id="q000-1-00", worker="w", value="perhaps", seconds=1.0), "'value' is 'perhaps'"),
    ):
        (tmp_path / "judgments.jsonl").write_bytes(encode(judgment) + b"\n")
        with pytest.raises(ProbandError, match=message):
            build("inference", out=tmp_path / "x", data=tmp_path)


def test_one_candidate_in_two_questionnaires_and_two_experts_are_refused(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "questionnaires.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "judgments.jsonl").write_bytes((folder / "judgments.jsonl").read_bytes())
    (tmp_path / "questionnaires.jsonl").write_bytes(b"".join([*lines, lines[0].replace(b'"id":"q', b'"id":"p', 1)]))
    with pytest.raises(ProbandError, match=r"questionnaires.jsonl: the candidate id 'q\S+' occurs twice"):
        read_judged(tmp_path, "majority")
    (tmp_path / "questionnaires.jsonl").write_bytes(b"".join(lines))
    (tmp_path / "decisions.jsonl").write_bytes(b"")
    with pytest.raises(ProbandError, match=r"decisions.jsonl: contains no judgments"):
        read_judged(tmp_path, "majority")
    (tmp_path / "decisions.jsonl").unlink()
    judged = b'{"item_id":"ID","worker":"a","value":"yes","seconds":1}\n'.replace(
        b"ID", re.findall(rb'"item_id":"([^"]+)', (folder / "judgments.jsonl").read_bytes())[0]
    )
    (tmp_path / "expert.jsonl").write_bytes(judged + judged.replace(b"yes", b"no"))
    with pytest.raises(ProbandError, match=r"expert.jsonl line 2"):
        read_judged(tmp_path, "majority")


def test_people_may_judge_sentences_alone_but_examples_need_triples(folder: Path, tmp_path: Path) -> None:
    """One record of a questionnaire: what is optional for people is missed by the build, with its line and field."""
    sheet = {"id": "q1", "question": "Which country borders Ethiopia?", "q_type": "country"}
    candidate = {"id": "c1", "text": "Italy invaded Ethiopia.", "answer": "Italy"}
    (tmp_path / "questionnaires.jsonl").write_bytes(encode({**sheet, "candidates": [candidate]}) + b"\n")
    with pytest.raises(ProbandError, match="line 1: 'q_rel' is missing"):
        read_judged(tmp_path, "majority")
    whole = {**sheet, "q_rel": "borders", "q_arg": "Ethiopia", "candidates": [candidate]}
    (tmp_path / "questionnaires.jsonl").write_bytes(encode(whole) + b"\n")
    with pytest.raises(ProbandError, match="line 1: 'subject' of candidate 'c1' is missing"):
        read_judged(tmp_path, "majority")
