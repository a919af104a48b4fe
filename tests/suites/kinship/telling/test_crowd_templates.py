"""The importer of crowd templates, on a folder of our own making and on the released one."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.pipeline.build import build
from proband.suites.kinship.telling.bank import Bank, load_bank
from proband.suites.kinship.telling.crowd_templates import SLOT, load_crowd, read_rows, states_exactly, tidy, words_of
from proband.suites.kinship.telling.stories import render, tell, telling_of
from proband.suites.kinship.world.relations import FEMALE, GENDER, MALE, NEUTRAL

THREE = "male-female-female"
ROWS = [
    ("aunt", "male-female", "ENT_0_male sold a goat to his aunt, ENT_1_female", True),
    ("aunt", "male-female", "ENT_1_female fears her nephew ENT_0_male.", True),
    ("aunt", "male-female", "ENT_0_male fears his niece ENT_1_female.", False),
    ("aunt", "male-female", "ENT_0_male fears his mother ENT_1_female.", False),
    ("aunt", "male-female", "ENT_0_male fears his uncle ENT_1_female.", False),
    ("aunt", "male-female", "ENT_0_male fears his aunt ENT_1_male.", False),
    ("aunt", "male-female", "ENT_0_male did n't see ENT_1_female at the mill.", False),
    ("aunt", "male-female", "ENT_0_male fears his aunt.", False),
    ("aunt", "male-female", "Nobody believes that ENT_1_female is the aunt of ENT_0_male.", False),
    ("aunt", "male-female", "ENT_1_female may be the aunt of ENT_0_male.", False),
    ("sister-mother", THREE, "ENT_1_female's brother ENT_0_male fears ENT_2_female, ENT_1_female's mother.", True),
    (
        "sister-mother",
        THREE,
        "ENT_0_male and his sister ENT_1_female fear their mother ENT_2_female.",
        False,
    ),
    ("sister-mother", THREE, "ENT_0_male fears his sister ENT_1_female and his wife ENT_2_female.", False),
    ("sister-mother", THREE, "ENT_0_male fears his sister ENT_1_female. His wife is ENT_2_female.", False),
]


KIN = [
    (word, one, other, {"male": "his", "female": "her"}[one])
    for word, other in (
        *(("father", "male"), ("mother", "female"), ("son", "male"), ("daughter", "female")),
        *(("brother", "male"), ("sister", "female"), ("husband", "male"), ("wife", "female")),
        *(("grandfather", "male"), ("grandmother", "female"), ("uncle", "male"), ("aunt", "female")),
    )
    for one in ("male", "female")
    if (word, one) not in (("husband", "male"), ("wife", "female"))
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with open(tmp_path / "amt_train.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "rel_comb", "gender_comb", "template", "ignore"])
        writer.writerows([0, relations, genders, text, False] for relations, genders, text, _ in ROWS)
    return tmp_path


def test_only_templates_that_state_exactly_their_facts_are_kept(folder: Path) -> None:
    """Not those that turn a fact round, name another relation or gender, leave a person out or state the answer."""
    found = {row.text: states_exactly(row.text, row.words, row.genders) for row in read_rows(folder)}
    assert found == {text: exact for _, _, text, exact in ROWS}
    kept = [tidy(SLOT.sub(lambda match: f"{{{match[1]}}}", text)) for _, _, text, exact in ROWS if exact]
    assert [row.text for row in load_crowd(folder, longest=3)] == kept


def test_its_bank_tells_stories(folder: Path) -> None:
    bank = load_bank(f"clutrr:{folder}")
    facts, genders = [(0, "aunt", 1)], ["male", "female"]
    telling = tell(facts, genders=genders, bank=bank, rng=random.Random(3))
    assert render(telling, facts, names=["Al", "Bo"], genders=genders, bank=bank) in (
        "Al sold a goat to his aunt, Bo.",
        "Bo fears her nephew Al.",
    )
    assert {split for name, split in bank.split.items() if name.startswith("clutrr.")} == {"train"}


def test_a_build_tells_stories_with_them(folder: Path, tmp_path: Path) -> None:
    rows = [["father", "male-male", "ENT_0_male rang his father ENT_1_male."]]
    rows += [["mother", "male-female", "ENT_0_male rang his mother ENT_1_female."]]
    rows += [[word, f"{one}-{other}", f"ENT_0_{one} met ENT_1_{other}, {own} {word}."] for word, one, other, own in KIN]
    with open(tmp_path / "amt_train.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["rel_comb", "gender_comb", "template"], *rows])
    build("kinship", out=tmp_path / "mixed", k="2", per_k=20, bank=f"clutrr:{tmp_path}")
    tellings = [telling_of(item.facts) for item in read_items(tmp_path / "mixed")]
    assert any(each.frame.startswith("clutrr.") for telling in tellings for each in telling.sentences)
    assert all(each.frame.startswith(("clutrr.", "bare-")) for telling in tellings for each in telling.sentences)


def test_what_the_crowd_cannot_tell_is_told_in_our_words(folder: Path) -> None:
    bank = load_bank(f"clutrr:{folder}")
    telling = tell([(0, "wife", 1)], genders=["male", "female"], bank=bank, rng=random.Random(3))
    assert telling.sentences[0].frame.startswith("bare-")
    frames = tuple(frame for frame in bank.frames if frame.id.startswith("clutrr."))
    with pytest.raises(ProbandError, match=r"no paraphrase of '(mother|daughter)'"):
        tell([(0, "mother", 1)], genders=["female"] * 2, bank=Bank("crowd", frames), rng=random.Random(3))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,rel_comb,template\n1,aunt,x\n", "line 1: has no column 'gender_comb'"),
        (
            "rel_comb,gender_comb,template\ncousin,male-male,x\n",
            "row 2, column 'rel_comb': 'cousin' is not one of the 22",
        ),
        (
            "rel_comb,gender_comb,template\naunt,male,x\n",
            "row 2, column 'gender_comb': 'male' does not give a gender for each of 2",
        ),
    ],
)
def test_bad_files(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "amt_train.csv").write_text(content, encoding="utf-8")
    with pytest.raises(ProbandError, match=message):
        load_crowd(tmp_path, longest=3)


def test_bad_folders(tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match="contains neither"):
        load_crowd(tmp_path, longest=3)
    with pytest.raises(ProbandError, match="no such folder"):
        load_crowd(tmp_path / "nowhere", longest=3)


def test_words_of() -> None:
    assert words_of("son-in-law-neice") == ("son-in-law", "niece")
    assert not states_exactly("ENT_0_male ENT_1_male ENT_2_male", ("aunt",), ("male", "female"))


@pytest.mark.nightly
@pytest.mark.data
def test_released_templates(data: Path) -> None:
    """The figures of docs/kinship-stories.md, and agreement with the reading that CLUTRR 1.3 got from two models."""
    folder = data / "clutrr" / "templates"
    rows = list(read_rows(folder))
    exact = {row.id: states_exactly(row.text, row.words, row.genders) for row in rows}
    bank = load_bank(f"clutrr:{folder}")
    facts = [(g, w) for w, n in NEUTRAL.items() for g in (MALE, FEMALE) if n != "spouse" or GENDER[w] != g]
    assert min(len(bank.frames_of((NEUTRAL[w],), (g, GENDER[w]))) for g, w in facts if "law" not in w) >= 3
    assert len(rows) == 6005
    assert sum(exact.values()) == 2522  # 42.0 %
    correct: dict[tuple[str, str, str], list[bool]] = {}
    for path in sorted(folder.glob("*_v1.3.csv")):
        with open(path, encoding="utf-8", newline="") as file:
            for cells in csv.DictReader(file):
                key = ("-".join(words_of(cells["rel_comb"])), cells["gender_comb"], cells["template"])
                correct.setdefault(key, []).append(cells["is_correct"] == "True")
    models = {row.id: correct.get(("-".join(row.words), "-".join(row.genders), row.text)) for row in rows}
    assert sum(flags is None for flags in models.values()) < 10  # 1.3 dropped some rows outright
    good = [any(models[name] or ()) for name, kept in exact.items() if kept]
    assert sum(good) / len(good) > 0.95  # what we accept, at least one of them accepts
