"""Candidates by the three criteria of section 3.1, on a store one can look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.lexicon.taxonomy import open_taxonomy
from proband.suites.inference.assertions.command import build_store
from proband.suites.inference.assertions.store import Store
from proband.suites.inference.candidates import FILTERS, CandidateSearch, Kinds, candidates, filters_without
from proband.suites.inference.questionnaire import Candidate
from proband.suites.inference.questions import TypedQuestion

ROWS = """Eritrea\tinvaded\tEthiopia\t3
the Sudan\tis next to\tthe ethiopia\t2
Ethiopia\twas occupied by\tItaly\t4
Italy\tborders on\tEthiopia\t1
Eritrea\tborders\tEthiopia\t9
the lion\tlives in\tEthiopia\t2
She\tleft\tEthiopia\t5
the country\tinvaded\tEthiopia\t5
1936\tchanged\tEthiopia\t5
Egypt\tis\tEthiopia\t1
Egypt (old)\tinvaded\tEthiopia\t1
Egypt\tnear\tEthiopia\t1
Kenya\tinvaded and\tEthiopia\t1
Egypt\tsent more and more of its troops into\tEthiopia\t1
Ethiopia\tfought\tEthiopia\t1
eritrea\tinvaded\tthe Ethiopia\t1
Kenya\tdid not invade\tEthiopia\t8
Egypt\tbarely touches\tEthiopia\t1
Kenya\tinvaded\tSomalia\t6
"""
QUESTION = TypedQuestion("country", "borders", "Ethiopia")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("store")
    (folder / "a.tsv").write_text(ROWS, encoding="utf-8")
    build_store([folder / "a.tsv"], out=folder / "store")
    return Store(folder / "store")


def search(store: Store, *without: str, least: int = 1) -> CandidateSearch:
    return CandidateSearch(store, Kinds(open_taxonomy("small")), filters_without(without), least=least)


def texts(found: list[Candidate]) -> list[str]:
    return [f"{one.subject} {one.relation} {one.object}" for one in found]


def test_the_three_criteria_and_the_filters(store: Store) -> None:
    looked = search(store)
    found = looked.candidates(QUESTION)
    assert texts(found) == [
        "Eritrea invaded Ethiopia",
        "Ethiopia was occupied by Italy",
        "the Sudan is next to the ethiopia",
        "Italy borders on Ethiopia",
    ]
    assert [one.count for one in found] == [4, 4, 2, 1]  # the first was there twice, once in lower case
    assert [one.side for one in found] == ["subject", "object", "subject", "subject"]
    expected = dict.fromkeys(FILTERS, 1) | {
        "same-argument": 2,
        "no-content": 2,
        "wrong-type": 1,
        "repeated": 1,
        "rare": 0,
        "negated": 2,
    }
    assert dict(looked.removed) == expected
    assert looked.matching == sum(expected.values()) + len(found)


@pytest.mark.parametrize("name", FILTERS)
def test_each_filter_can_be_switched_off(store: Store, name: str) -> None:
    looked = search(store, name)
    looked.candidates(QUESTION)
    assert name not in looked.removed
    assert set(FILTERS) - {name} <= set(looked.removed)


def test_rare_assertions_can_be_left_out(store: Store) -> None:
    looked = search(store, least=3)
    assert texts(looked.candidates(QUESTION)) == ["Ethiopia was occupied by Italy", "Eritrea invaded Ethiopia"]
    assert looked.removed["rare"] == sum(row.split("\t")[-1] in "12" for row in ROWS.splitlines()[:-1]) + 1


def test_what_is_negated_answers_only_a_negated_question(store: Store) -> None:
    assert "Kenya did not invade Ethiopia" not in texts(search(store, *FILTERS).candidates(QUESTION))
    negative = search(store).candidates(TypedQuestion("country", "never bordered", "Ethiopia"))
    assert "Kenya did not invade Ethiopia" in texts(negative)


def test_the_answer_may_be_anything_or_nothing(store: Store) -> None:
    everything = search(store).candidates(TypedQuestion("thing", "borders", "Ethiopia"))
    assert "the lion lives in Ethiopia" in texts(everything)
    assert search(store).candidates(TypedQuestion("qwertz", "borders", "Ethiopia")) == []
    assert search(store).candidates(TypedQuestion("country", "borders", "Atlantis")) == []


def test_the_relation_of_the_question_counts_up_to_inflection(store: Store) -> None:
    past = search(store).candidates(TypedQuestion("country", "bordered", "Ethiopia"))
    assert "Eritrea borders Ethiopia" not in texts(past)


def test_fewer_than_one_candidate_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="--max-candidates is -1, not 1 or more"):
        candidates(tmp_path, questions=tmp_path, out=tmp_path, max_candidates=-1)


def test_an_unknown_filter() -> None:
    with pytest.raises(ProbandError, match="no filter 'nonsense'; there are same-relation"):
        filters_without(["nonsense"])
