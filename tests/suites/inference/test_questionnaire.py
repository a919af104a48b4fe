"""Questionnaires: short, masked, shuffled by seed, written as documented."""

from __future__ import annotations

import json
from pathlib import Path

from proband.suites.inference.questionnaire import MAX_CANDIDATES, Candidate, masked, questionnaires, write
from proband.suites.inference.questions import TypedQuestion

QUESTION = TypedQuestion("country", "borders", "Ethiopia")


def some(n: int) -> list[Candidate]:
    return [Candidate(f"Land{k}", "invaded", "Ethiopia", k + 1, "subject") for k in range(n)]


def test_at_most_24_each_once() -> None:
    for n in (0, 1, 24, 25, 100):
        sheets = list(questionnaires(QUESTION, 3, some(n), seed=0))
        sizes = [len(sheet.candidates) for sheet in sheets]
        assert sum(sizes) == n
        assert len(sheets) == -(-n // MAX_CANDIDATES)
        assert not sizes or max(sizes) <= MAX_CANDIDATES
        assert not sizes or max(sizes) - min(sizes) <= 1
        names = [one.id for sheet in sheets for one in sheet.candidates]
        assert len(set(names)) == n
        assert {one.answer for sheet in sheets for one in sheet.candidates} == {one.subject for one in some(n)}


def test_the_seed_decides_the_order_and_the_draw() -> None:
    def answers(seed: int, most: int | None = None) -> list[str]:
        sheets = questionnaires(QUESTION, 3, some(60), seed=seed, most=most)
        return [one.answer for sheet in sheets for one in sheet.candidates]

    assert answers(0) == answers(0) != answers(1)
    assert len(answers(0, most=10)) == 10
    assert set(answers(0, most=10)) != set(answers(1, most=10))


def test_the_answer_is_hidden_on_its_side() -> None:
    assert (
        masked(Candidate("Eritrea", "invaded", "Ethiopia", 1, "subject"), "US state") == "[US STATE] invaded Ethiopia"
    )
    assert masked(Candidate("Ethiopia", "is near", "Sudan", 1, "object"), "country") == "Ethiopia is near [COUNTRY]"


def test_the_files(tmp_path: Path) -> None:
    sheets = list(questionnaires(QUESTION, 17, some(2), seed=0))
    assert write(tmp_path, sheets) == (1, 2)
    (line,) = (tmp_path / "questionnaires.jsonl").read_text(encoding="utf-8").splitlines()
    record = json.loads(line)
    assert list(record) == ["id", "question", "q_type", "q_rel", "q_arg", "candidates"]
    assert record["id"] == "q017-1"
    assert record["question"] == "Which country borders Ethiopia?"
    one = record["candidates"][0]
    assert list(one) == ["id", "text", "answer", "subject", "relation", "object", "side", "count"]
    assert one["id"] == "q017-1-01"
    assert one["answer"] not in one["text"]
    table = (tmp_path / "questionnaires.tsv").read_text(encoding="utf-8").splitlines()
    assert table[0].split("\t") == ["questionnaire", "question", "candidate", "text", "judgment"]
    assert table[1].split("\t")[:4] == ["q017-1", record["question"], "q017-1-01", one["text"]]
