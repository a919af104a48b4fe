"""The bank `release2`: frames by construction, settings with openings and doings, told again and read back."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_items
from proband.suites.kinship.reading.lexicon import KIN, PRONOUN
from proband.suites.kinship.reading.story import read_story
from proband.suites.kinship.telling.bank import FAMILIES, load_bank
from proband.suites.kinship.telling.paraphrases import Template
from proband.suites.kinship.telling.settings import AND, doings_in, fill_doings, parse_settings
from proband.suites.kinship.telling.template_check import STAND_INS, castings, check_template, clauses
from proband.suites.kinship.telling.template_language import fill
from proband.suites.kinship.verify.retelling import untold
from proband.suites.kinship.world.rules import of_item

BANK = load_bank("release2")


def test_many_openings_and_settings_and_no_doing_twice() -> None:
    assert len(BANK.settings) >= 150
    openings = [opening for setting in BANK.settings for opening in setting.openings]
    assert len(set(openings)) == len(openings) >= 200
    assert max(Counter(setting.name for setting in BANK.settings).values()) == 1
    doings = Counter(doing.forms["base"] for setting in BANK.settings for doing in setting.doings)
    assert [doing for doing, count in doings.items() if count > 1] == []
    assert min(len(setting.doings) for setting in BANK.settings) >= 12
    assert len({doing.id for setting in BANK.settings for doing in setting.doings}) == len(doings)


def test_no_word_of_kin_or_gender_around_the_facts() -> None:
    for setting in BANK.settings:
        for text in (*setting.openings, *(doing.forms["base"] for doing in setting.doings)):
            words = set(re.findall(r"[a-z-]+", text.lower()))
            assert not words & (KIN.keys() | PRONOUN.keys()), text
            assert text.isascii()
        for doing in setting.doings:  # frames go on with `with her aunt Ann`, and with several people
            assert not {"with", "both"} & set(doing.forms["base"].split()) or "tires" in doing.forms["base"], doing


def test_every_construction_has_frames_of_one_fact_and_of_two() -> None:
    assert set(BANK.families.values()) == set(FAMILIES["release2"])
    for family in FAMILIES["release2"]:
        own = [template for template in BANK.templates if BANK.families[template.id] == family]
        assert sum(template.facts == 1 for template in own) >= 8
        assert sum(template.facts == 2 for template in own) >= 2
        assert all(1 <= doings_in(template.text) <= 2 for template in own)


@pytest.mark.parametrize("template", BANK.templates, ids=lambda template: template.text)
def test_frames_tell_their_facts_for_both_readers(template: Template) -> None:
    rng = random.Random(template.text)
    doings = rng.sample(rng.choice(BANK.settings).doings, 2)
    filled = Template("a", fill_doings(template.text, doings), template.patterns)
    assert [str(fault) for fault in check_template(filled)] == []
    for relations in rng.sample(list(clauses(template.patterns[0])), 4):
        genders = rng.choice(list(castings(relations)))
        names = [STAND_INS[gender][i] for i, gender in enumerate(genders)]
        text = fill(filled.text, relations, genders, names)
        story = read_story(text, names=names, genders=dict(zip(names, genders)), ours=True)
        assert story.unread is None, text
        assert len(story.facts) == len(relations), text


def _built(folder: Path, **options: Any) -> list[Any]:
    proband.build("kinship", out=folder, bank="release2", seed=3, **{"per_k": 4, **options})
    return list(read_items(folder))


def test_stories_are_told_again_and_one_setting_follows_the_other(tmp_path: Path) -> None:
    items = _built(tmp_path, k="2,20", levels=5)
    checked = proband.verify(tmp_path)
    assert list(checked["checked"]) == [
        "text told again, proof replayed with the rule table proved in Coq, family checked"
    ]
    long = [sum(o in item.prompt for s in BANK.settings for o in s.openings) for item in items if item.tags["k"] == 20]
    assert {2} <= set(long) <= {1, 2, 3}


def test_an_altered_word_is_not_told_again(tmp_path: Path) -> None:
    for item in _built(tmp_path, k=3):
        first, *_ = item.facts["templates"]
        doing = next(d for s in BANK.settings for d in s.doings if d.id == first.split(AND)[1])
        for form in doing.forms.values():
            prompt = item.prompt.replace(form, f"{form} again")
            altered = msgspec.structs.replace(item, prompt=prompt)
            assert prompt == item.prompt or "we would not write" in (untold(altered, of_item(item)) or "")
        facts = {**item.facts, "templates": [first.split(AND)[0] + AND + "00000000", *item.facts["templates"][1:]]}
        assert untold(msgspec.structs.replace(item, facts=facts), of_item(item)) is not None


def test_held_out_settings_and_constructions_stand_in_the_test_alone(tmp_path: Path) -> None:
    settings = {doing.id: setting.name for setting in BANK.settings for doing in setting.doings}
    seen: dict[str, set[str]] = {"train": set(), "test": set()}
    for item in _built(tmp_path / "a", k="2,4", per_k=11, hold_out="paraphrases"):
        seen[item.split] |= {settings[d] for t in item.facts["templates"] for d in t.split(AND)[1:]}
    assert not seen["train"] & seen["test"]
    assert all(seen.values())
    seen = {"train": set(), "test": set()}
    for item in _built(tmp_path / "b", k="2,4", hold_out="constructions", constructions="pronoun,cleft"):
        seen[item.split] |= {BANK.families[t.split(AND)[0]] for t in item.facts["templates"]}
    assert seen["test"] <= {"pronoun", "cleft"}
    assert not seen["train"] & {"pronoun", "cleft"}


def test_a_setting_needs_an_opening_and_doings() -> None:
    with pytest.raises(ProbandError, match="needs an opening"):
        parse_settings("== bees\nlight the smoker\nbrush off bees", name="mine")
    with pytest.raises(ProbandError, match="more words"):
        parse_settings("== bees\nBees.\nbuzz", name="mine")


def test_variations_stay_in_the_setting_and_weave_their_noise_in(tmp_path: Path) -> None:
    _built(tmp_path / "items", k="2,5", per_k=11, hold_out="constructions,paraphrases", constructions="cleft,list")
    proband.vary(tmp_path / "items", out=tmp_path / "varied", as_="noise,reorder,reword,twin")
    assert proband.verify(tmp_path / "varied")["failed"] == 0
    settings = {doing.id: setting.name for setting in BANK.settings for doing in setting.doings}
    noisy = [item for item in read_items(tmp_path / "varied") if item.tags.get("variation") == "noise"]
    assert len(noisy) == 22
    for item in noisy:
        assert len({settings[d] for t in item.facts["templates"] for d in t.split(AND)[1:]}) == 1
        held = {BANK.families[t.split(AND)[0]] in ("cleft", "list") for t in item.facts["templates"]}
        assert held == {item.split == "test"}
        noise = {tuple(edge) for edge, _ in item.facts["noise"]}
        order = [tuple(item.facts["edges"][fact]) in noise for group in item.facts["groups"] for fact in group]
        assert sorted(order) != order != sorted(order, reverse=True)
