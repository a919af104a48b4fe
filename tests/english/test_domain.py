"""The files of the domains, and what is wrong with one that is not."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.english.domain import SHIPPED, load, parse
from proband.english.phrases import Grammar


@pytest.mark.parametrize("name", SHIPPED)
def test_every_word_of_a_domain_means_one_relation(name: str) -> None:
    domain = load(name)
    for word, shown in domain.shown.items():
        if word in domain.words:
            assert domain.word(shown) == word
    Grammar(domain)  # every phrase compiles


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('name = "x"', "'relations' is missing or empty"),
        ('name = "x"\n[relations.a]\ninverse = "b"', "'prover' is missing or empty"),
        ("name = ", "not TOML"),
    ],
)
def test_a_broken_file_is_one_line(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ProbandError, match=problem) as error:
        load(str(path))
    assert "mine.toml" in str(error.value)


def test_inverses_must_be_mutual() -> None:
    text = 'name="x"\nprover="differences"\nphrases=[1]\nquestions=[1]\nworlds={w="w"}\n[relations.a]\ninverse="a"\n'
    with pytest.raises(ProbandError, match="relation 'b': 'inverse' must name a relation whose inverse is 'b'"):
        parse(text + '[relations.b]\ninverse="a"\n', file="x")


def test_no_such_domain() -> None:
    with pytest.raises(ProbandError, match="no domain 'maths': neither a file nor one of kinship, grid, temporal"):
        load("maths")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            'means = ["a.end < b.start"]',
            'means = ["a.end before b.start"]',
            "is not a condition such",
        ),
        (
            'means = ["a.end < b.start"]',
            'means = ["a.finish < b.start"]',
            "'finish', which is none of start",
        ),
        ('means = ["a.end < b.start"]', "means = []", "relation 'before': 'means' is missing or empty"),
        ('always = ["a.start < a.end"]', 'always = ["a.start"]', "'always': 'a.start' is not a condition"),
        (
            'means = ["a.end < b.start"]',
            'means = ["a.end < b.start"]\nstep = []',
            "has a 'step', and 'step_world' names none",
        ),
        ('says = "a r b"', 'says = "a near b"', "a phrase says 'near', which is neither a relation nor a slot"),
        ('says = "a r b"', "", "not in the form of a domain (docs/extending.md): 'says'"),
    ],
)
def test_a_malformed_domain_fails_when_the_file_is_loaded(old: str, new: str, said: str) -> None:
    text = (files("proband") / "data" / "domains" / "temporal.toml").read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(ProbandError, match=re.escape(said)):
        parse(text.replace(old, new), file="x.toml")
