"""Twenty-one faulty scorers are found, three clean ones are not accused, and one that never returns is ended."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proband.cli import main
from proband.pipeline import scorers
from proband.pipeline.checking import provers_of_suites
from proband.pipeline.scorers import PROBES, audit_scorer, load_scorer
from proband.proof.known_sets import FORMATS
from proband.proof.row_source import RowSource
from proband.proof.run import JudgedRows, audit_rows, judge_for

ROWS = [
    {"question": "Q is left of P. What is the relation of P to Q?", "answer": "right"},
    {"question": "P is above Q. What is the relation of P to Q?", "answer": "above"},
    {"question": "P is below Q. What is the relation of P to Q?", "answer": "Below"},
]


def plain(text: Any) -> str:
    return str(text).strip().rstrip(".").lower()


def clean(answer: Any, entry: Mapping[str, Any]) -> float:
    return float(plain(answer) == plain(entry["answer"]))


def contains(answer: Any, entry: Mapping[str, Any]) -> float:
    return float(plain(entry["answer"]) in plain(answer))


def partial_for_containing(answer: str, entry: Mapping[str, Any]) -> float:
    right = plain(entry["answer"])
    return clean(answer, entry) or (len(right) / len(answer) if right in plain(answer) else 0.0)


def spelling(answer: Any, entry: Mapping[str, Any]) -> float:
    return float(answer == entry["answer"])


def always(answer: Any, entry: Mapping[str, Any]) -> float:
    return 1.0


def never(answer: Any, entry: Mapping[str, Any]) -> float:
    return 0.0


def begins(answer: Any, entry: Mapping[str, Any]) -> float:
    return float(plain(entry["answer"]).startswith(plain(answer)[:40]))  # so does nothing at all


def obeys(answer: Any, entry: Mapping[str, Any]) -> float:
    return 1.0 if "correct" in answer else clean(answer, entry)


def last_word(answer: str, entry: Mapping[str, Any]) -> float:
    return float(bool(answer.split()) and plain(answer.split()[-1]) == plain(entry["answer"]))


def draws(answer: Any, entry: Mapping[str, Any]) -> float:
    return clean(answer, entry) * random.random()


def raises(answer: str, entry: Mapping[str, Any]) -> float:
    return clean(answer, entry) if answer[0] else 0.0


def too_much(answer: Any, entry: Mapping[str, Any]) -> float:
    return 2 * clean(answer, entry)


def sleeps(answer: str, entry: Mapping[str, Any]) -> float:
    if len(answer) > 1000:
        time.sleep(60)
    return clean(answer, entry)


def near(answer: Any, entry: Mapping[str, Any]) -> float:
    pairs = list(zip(plain(answer), plain(entry["answer"])))
    return float(len(plain(answer)) == len(plain(entry["answer"])) and sum(a != b for a, b in pairs) < 2)


def fits_a_pattern(answer: Any, entry: Mapping[str, Any]) -> float:
    return float(
        re.fullmatch(re.sub(r"\.\Z", "", str(answer).strip().lower()) or "x", plain(entry["answer"])) is not None
    )


def begins_with_its_letters(answer: Any, entry: Mapping[str, Any]) -> float:
    letters = re.sub(r"[^a-z]", "", str(answer).lower())  # none in "...", with which every word begins
    return float(bool(str(answer).strip()) and letters in ("", plain(entry["answer"])))


def any_tag(answer: Any, entry: Mapping[str, Any]) -> float:
    tags = re.findall(r"(?s)<answer>(.*?)</answer>", str(answer))
    return float(plain(entry["answer"]) in map(plain, tags))


def last_tag(answer: Any, entry: Mapping[str, Any]) -> float:
    tags = re.findall(r"(?s)<answer>(.*?)</answer>", str(answer))
    return float(bool(tags) and plain(tags[-1]) == plain(entry["answer"]))


def first_tag(answer: Any, entry: Mapping[str, Any]) -> float:
    tags = re.findall(r"(?s)<answer>(.*?)</answer>", str(answer))
    return float(bool(tags) and plain(tags[0]) == plain(entry["answer"]))


def any_of_a_list(answer: Any, entry: Mapping[str, Any]) -> float:
    return float(plain(entry["answer"]) in map(plain, re.split(r"[,/]", str(answer))))


FAULTY = {
    any_tag: "three marked answers, the right one between wrong ones",
    first_tag: "two marked answers, the wrong one last",
    any_of_a_list: "two answers in a list",
    fits_a_pattern: "a pattern that everything fits",
    begins_with_its_letters: "punctuation alone",
    contains: "two answers",
    partial_for_containing: "a longer word that contains it",
    spelling: "capitals",
    always: "another answer",
    never: "exact",
    begins: "empty",
    obeys: "an instruction to the grader",
    last_word: "two answers, the right one last",
    draws: "exact",
    raises: "empty",
    too_much: "exact",
    near: "one character changed",
}


@contextmanager
def judged(rows: Sequence[Mapping[str, str]], folder: Path, *, domain: str, world: str) -> Iterator[JudgedRows]:
    """The rows as the command judges them; many scorers are then tried on them."""
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (folder / "spool").open("w+b") as spool:
        judge = judge_for(domain, provers_of_suites(), world=world)
        yield audit_rows(RowSource(str(path), {}, FORMATS), judge, spool)


@pytest.fixture(scope="module")
def directions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JudgedRows]:
    with judged(ROWS, tmp_path_factory.mktemp("directions"), domain="grid", world="unit") as rows:
        yield rows


@pytest.fixture(scope="module")
def families(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JudgedRows]:
    with judged(KIN, tmp_path_factory.mktemp("families"), domain="kinship", world="") as rows:
        yield rows


def lines_of(out: Path) -> dict[str, dict[str, Any]]:
    lines = [json.loads(line) for line in (out / "scorer.jsonl").read_text().splitlines()]
    return {line["probe"]: line for line in lines}


def tried(scorer: str, rows: JudgedRows, out: Path) -> dict[str, dict[str, Any]]:
    audit_scorer(f"{__name__}:{scorer}", rows, out)
    return lines_of(out)


@pytest.fixture
def audit(tmp_path: Path) -> Any:
    """The whole command."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))

    def run(scorer: str) -> dict[str, dict[str, Any]]:
        out = tmp_path / "audit"
        assert main(["audit", str(rows), "--world", "unit", "--scorer", f"{__name__}:{scorer}", "-o", str(out)]) == 0
        return lines_of(out)

    return run


def test_a_scorer_that_reads_the_last_mark_is_not_accused(directions: JudgedRows, tmp_path: Path) -> None:
    assert [name for name, line in tried("last_tag", directions, tmp_path).items() if line["fault"]] == []


def test_a_clean_scorer_is_not_accused(audit: Any, directions: JudgedRows, tmp_path: Path) -> None:
    lines = audit("clean")
    assert lines == tried("clean", directions, tmp_path)
    assert [name for name, line in lines.items() if line["fault"]] == []
    absent = {"the other gender", "in-law or not"}  # which directions have not
    assert set(lines) == {probe.name for probe in PROBES} - absent
    assert lines["exact"]["credit"] == {"full": 3}


@pytest.mark.parametrize(("scorer", "probe"), [(each.__name__, probe) for each, probe in FAULTY.items()])
def test_a_planted_fault_is_found(directions: JudgedRows, tmp_path: Path, scorer: str, probe: str) -> None:
    assert tried(scorer, directions, tmp_path)[probe]["fault"]


KIN = [
    {"question": "Ann is the aunt of Bo. What is Ann to Bo?", "answer": "aunt"},
    {"question": "Cy is the nephew of Al. What is Cy to Al?", "answer": "nephew"},
    {"question": "Di is the mother of Bo. What is Di to Bo?", "answer": "mother"},
]


def takes_inverses(answer: Any, entry: Mapping[str, Any]) -> float:
    inverse = {"aunt": "niece", "nephew": "uncle", "mother": "daughter"}
    return float(plain(answer) in (plain(entry["answer"]), inverse[plain(entry["answer"])]))


def blind_to_in_laws(answer: Any, entry: Mapping[str, Any]) -> float:
    return float(plain(answer).removesuffix("-in-law") == plain(entry["answer"]))


def pays_for_none(answer: Any, entry: Mapping[str, Any]) -> float:
    return 1.0 if answer is None else clean(answer, entry)


def wants_ascii(answer: Any, entry: Mapping[str, Any]) -> float:
    return clean(str(answer).encode("ascii").decode(), entry)


def blind_to_gender(answer: Any, entry: Mapping[str, Any]) -> float:
    same = {"uncle": "aunt", "niece": "nephew", "father": "mother"}
    return float(same.get(plain(answer), plain(answer)) == plain(entry["answer"]))


def blind_to_generations(answer: Any, entry: Mapping[str, Any]) -> float:
    return float(plain(answer).removeprefix("grand") == plain(entry["answer"]))


def in_tags(answer: Any, entry: Mapping[str, Any]) -> float:
    """Correct: of a whole reply it reads the tag."""
    tags = re.findall(r"<answer>([^<]*)</answer>", str(answer))
    return float(len(tags) == 1 and plain(tags[0]) == plain(entry["answer"]))


def on_the_last_line(answer: Any, entry: Mapping[str, Any]) -> float:
    """Correct: of a whole reply it reads the last line."""
    line = re.search(r"(?i)answer: *([\w-]+)\.?\s*\Z", str(answer))
    return float(line is not None and plain(line[1]) == plain(entry["answer"]))


@pytest.mark.parametrize(
    ("scorer", "probe"),
    [
        ("blind_to_generations", "any other relation of the domain"),
        ("in_tags", ""),
        ("on_the_last_line", ""),
        ("takes_inverses", "the inverse relation"),
        ("blind_to_in_laws", "in-law or not"),
        ("pays_for_none", "None"),
        ("wants_ascii", "letters beyond ASCII"),
        ("blind_to_gender", "the other gender"),
        ("clean", ""),
    ],
)
def test_near_misses_of_a_domain(families: JudgedRows, tmp_path: Path, scorer: str, probe: str) -> None:
    faults = [name for name, line in tried(scorer, families, tmp_path).items() if line["fault"]]
    assert (probe in faults) if probe else not faults


def test_a_scorer_that_never_returns_is_recorded_and_the_audit_goes_on(
    audit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert scorers.SECONDS == 10
    monkeypatch.setattr(scorers.audit_scorer, "__kwdefaults__", {"seconds": 0.5})
    begun = time.monotonic()
    lines = audit("sleeps")
    assert time.monotonic() - begun < 40
    assert lines["a very long wrong reply"]["fault"] == "never returned (0.5 s)"
    assert not lines["exact"]["fault"]


@pytest.mark.parametrize("name", ["nothing", "json:nothing", "no_such_module:f", "json:__doc__"])
def test_what_is_no_scorer_is_told_in_one_line(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    assert main(["audit", str(rows), "--world", "unit", "--scorer", name, "-o", str(tmp_path / "audit")]) == 2
    assert f"--scorer {name}: " in capsys.readouterr().err.strip().splitlines()[-1]


def test_the_scorers_of_reasoning_gym_are_loaded_by_task() -> None:
    pytest.importorskip("reasoning_gym")
    inherited = load_scorer("reasoning-gym:syllogism")
    entry = {"answer": "Yes", "metadata": {}}
    assert [inherited(text, entry) for text in ("Yes", "Yes or No", "No")] == [1.0, 1 / 3, 0.0]


def test_what_is_no_single_number_is_no_score() -> None:
    odd = [np.array([1.0, 0.0]), None, b"1", [1], float("nan")]
    assert [scorers._score(value) for value in odd] == [(None, "not a number")] * 5
    assert scorers._score(np.float32(1)) == (1.0, "")
