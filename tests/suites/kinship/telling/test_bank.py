"""Banks are data: ours reads back to its label; files of others are checked; what is held out is held out."""

from __future__ import annotations

from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.suites.kinship.telling.bank import BARE, check_bank, checked_bank, completed, load_bank, parse_bank
from proband.suites.kinship.telling.template_language import Frame
from proband.suites.kinship.world.relations import NEUTRALS


def test_every_frame_of_ours_reads_back_to_its_label() -> None:
    assert [str(fault) for fault in check_bank(load_bank())] == []


def test_ours_has_enough_to_tell_with() -> None:
    bank = load_bank()
    assert len(bank.occasions) >= 60
    assert len(bank.families) == 8
    assert all({frame.facts for frame in bank.frames if frame.family == family} == {1, 2} for family in bank.families)
    ids = [phrase.id for occasion in bank.occasions for phrase in occasion.phrases]
    assert len(set(ids)) == len(ids)  # what is held out with an occasion is in no other


def test_held_out_occasions_and_frames() -> None:
    bank = load_bank().hold_out(0.2, seed=1).hold_out_constructions(["of"])
    train, test = bank.of_split("train"), bank.of_split("test")
    assert not {each.name for each in train.occasions} & {each.name for each in test.occasions}
    assert "of" not in train.families
    assert test.families == ("of",)
    assert bank.of_split(None) is bank
    with pytest.raises(ProbandError, match="'constructions' has no 'cleft'"):
        load_bank().hold_out_constructions(["cleft"])


def test_a_bank_of_others_is_completed_and_checked(tmp_path: Path) -> None:
    bank = parse_bank("== parent\n{0} rang {0 his} {1 of 0} {1}.", name="mine")
    whole = completed(bank)
    assert all(any(frame.tells((name,)) for frame in whole.frames) for name in NEUTRALS if name != "child")
    assert [Frame.parse(text, family="bare", patterns=(("*",),)).text for text in BARE] == list(BARE)
    (tmp_path / "bad.txt").write_text("== pibling\n{0}'s {0 of 1} {1} left.\n", encoding="utf-8")
    with pytest.raises(ProbandError, match=r"bad.txt line 2: does not tell its label"):
        checked_bank(str(tmp_path / "bad.txt"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{0} met {1}.", "comes before the first"),
        ("== friend\n{0} met {1}.", "no relation 'friend'"),
        ("== parent\n{0} met {1}.\n{0} met {1}.", "repeats line 2"),
        ("== parent, child parent\n{0} met {1}.", "the same number"),
    ],
)
def test_files_that_are_no_banks(text: str, message: str) -> None:
    with pytest.raises(ProbandError, match=message):
        parse_bank(text, name="mine")
