"""One occasion per story, its phrases once each and its moments in order; English that fits: tense, aspect, thread."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from proband.cli.main import main
from proband.core.errors import ProbandError
from proband.suites.kinship.reading.grammar import read_facts
from proband.suites.kinship.telling.bank_sources import load_bank
from proband.suites.kinship.telling.occasions import JOINTS, VERBS, Occasion, Phrase, inflected, parse_occasions
from proband.suites.kinship.telling.stories import Edge, tell
from proband.suites.kinship.world.relations import FEMALE, MALE

BANK = load_bank()
OCCASION_OF = {phrase.id: occasion for occasion in BANK.occasions for phrase in occasion.phrases}
CHAIN: list[Edge] = [(i, "sister", i + 1) for i in range(9)]
NAMES = ["Ann", "Bea", "Cora", "Dora", "Edna", "Fay", "Gwen", "Hope", "Ines", "Jo"]


def stories(count: int, edges: list[Edge] = CHAIN) -> list[tuple[str, list[str], Occasion]]:
    rng, made = random.Random(8), []
    for _ in range(count):
        told = tell(edges, names=NAMES, genders=[FEMALE] * 10, bank=BANK, rng=rng)
        made.append((told.text, list(told.templates), OCCASION_OF[told.templates[0]]))
    return made


def test_a_story_happens_at_one_occasion() -> None:
    for text, phrases, occasion in stories(200):
        assert {OCCASION_OF[phrase].name for phrase in phrases} == {occasion.name}
        assert len(set(phrases)) == len(phrases)
        assert any(text.startswith(opening) for opening in occasion.openings)


def test_moments_follow_each_other() -> None:
    timed = 0
    for text, _, occasion in stories(200):
        places = [text.find(f"{moment}, ") for moment in occasion.moments]
        told = [place for place in places if place >= 0]
        assert told == sorted(told)
        timed += len(told)
        if places[0] >= 0:  # the first moment stands at the beginning
            assert any(text.startswith(f"{opening} {occasion.moments[0]}, ") for opening in occasion.openings)
        assert not any(text.startswith(f"{o} {moment}, ") for o in occasion.openings for moment in occasion.moments[1:])
    assert timed > 200


def test_a_long_story_goes_on_at_another_occasion() -> None:
    edges: list[Edge] = [(i, "sister", i + 1) for i in range(60)]
    names = [f"@entity-{i}" for i in range(61)]
    told = tell(edges, names=names, genders=[FEMALE] * 61, bank=BANK, rng=random.Random(0))
    assert len({OCCASION_OF[phrase].name for phrase in told.templates}) >= 2
    assert len(set(told.templates)) == 60


def test_no_event_without_duration_is_going_on() -> None:
    """Not `who was dropping a plate on`, `who was finding a coin with`."""
    sudden = [p.heads["ing"] for o in BANK.occasions for p in o.phrases if not p.lasting]
    assert len(sudden) > 100
    for text, _, _ in stories(300):
        for clause in re.findall(r" was (\w+ing [^.]*)", text):
            assert not any(clause.startswith(head) for head in sudden)


def test_no_habit_beside_an_event() -> None:
    """`often`, `soon`, `once`, `every Sunday` and `on the same day` belong to no phrase, joint or moment."""
    wrong = re.compile(
        r"\b(often|soon (?!after)|usually|always|once|every (week|month|year|day)|on the same day)\b", re.I
    )
    for occasion in BANK.occasions:
        for phrase in occasion.phrases:
            assert not wrong.search(phrase.heads["past"] + phrase.tail), phrase
        for moment in occasion.moments:
            assert not wrong.search(moment), moment
    for joint in (joint for joints in JOINTS.values() for joint in joints):
        assert not wrong.search(" ".join(joint.literals)), joint


def test_no_two_events_share_a_verb() -> None:
    """No zeugma: two phrases of one subject are told one after the other (`and then`, `before`, `after`)."""
    for joint in (joint for joints in JOINTS.values() for joint in joints):
        for (_, subject, _, _), (_, other, _, named), between in zip(
            joint.clauses, joint.clauses[1:], joint.literals[1:]
        ):
            if subject == other and not named:
                assert re.search(r"\b(then|later|before|after)\b", between), joint


def test_no_after_behind_after() -> None:
    """Not `jumped after her uncle Ben after singing`."""
    for text, _, _ in stories(400):
        assert not re.search(r"\b(after|before) her \S+ \w+ (after|before) \w+ing\b", text)


def test_who_stands_beside_the_person_it_means() -> None:
    for text, _, _ in stories(300):
        for before in re.findall(r"(\S+), who\b", text):
            assert before in NAMES


def test_no_phrase_is_told_at_two_occasions() -> None:
    """What stands before the kin is the phrase: so the hold-out of an occasion holds out its phrases."""
    heads = Counter(phrase.heads["past"] for occasion in BANK.occasions for phrase in occasion.phrases)
    assert [head for head, count in heads.items() if count > 1] == []
    openings = Counter(text for occasion in BANK.occasions for text in occasion.openings)
    assert max(openings.values()) == 1


def test_only_plain_statements() -> None:
    """Nothing negated, possible, believed or asked; no kin word and no pronoun in what surrounds the facts."""
    wrong = re.compile(
        r"\b(not|never|nobody|none|nor|neither|could|would|should|might|must|may|can|hope|believe|dream|pretend|wish"
        r"|he|she|him|his|her|hers|n't)\b|\?",
        re.I,
    )
    for occasion in BANK.occasions:
        assert len(occasion.phrases) >= 28
        assert len(occasion.openings) == 3
        assert 4 <= len(occasion.moments) <= 5
        for text in (*occasion.openings, *occasion.moments):
            assert not wrong.search(text), text
            reading = read_facts(f"{text}. Ann left.", {"Ann": FEMALE}, strict=True)
            assert (reading.facts, reading.problems) == ([], [])
        for phrase in occasion.phrases:
            text = phrase.heads["past"] + phrase.tail
            assert not wrong.search(text), text
            assert "," not in text


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("carry", "carried carrying carried"),
        ("chat", "chatted chatting chatted"),
        ("wait", "waited waiting waited"),
        ("tiptoe", "tiptoed tiptoeing tiptoed"),
        ("squat", "squatted squatting squatted"),
        ("volley", "volleyed volleying volleyed"),
        ("mimic", "mimicked mimicking mimicked"),
        ("ride", "rode riding ridden"),
        ("be", "was being been"),
        ("lie", "lay lying lain"),
        ("mix", "mixed mixing mixed"),
    ],
)
def test_inflection(verb: str, forms: str) -> None:
    assert inflected(verb, VERBS) == dict(zip(("past", "ing", "done"), forms.split()))


def test_every_irregular_verb_is_used() -> None:
    used = {phrase.heads["past"].split()[0] for occasion in BANK.occasions for phrase in occasion.phrases}
    assert [verb for verb, forms in VERBS.items() if forms[0] not in used] == []


def test_clauses() -> None:
    phrase = Phrase.parse("hand a cup of cider to @", VERBS)
    said = {phrase.clause("past", MALE, "aunt", "Mia", loose) for loose in (0.0, 0.7, 0.9)}
    head = "handed a cup of cider to "
    assert said == {f"{head}his aunt Mia", f"{head}Mia, his aunt", f"{head}his aunt, Mia"}


@pytest.mark.parametrize("line", ["wave", "wave @", "wave to @ and @"])
def test_a_bad_phrase_is_refused_with_its_file(line: str) -> None:
    text = f'[[occasion]]\nname = "x"\nopenings = ["Hello."]\nmoments = []\nphrases = """\n{line}\n"""\n'
    with pytest.raises(ProbandError, match=r"mine\.toml: a phrase is a verb"):
        parse_occasions(text, name="mine.toml", verbs=VERBS)
    with pytest.raises(ProbandError, match="not a file of occasions"):
        parse_occasions("[[occasion]]\n", name="mine.toml", verbs=VERBS)
    with pytest.raises(ProbandError, match="occasion 'x' needs an opening and at least 3 phrases"):
        parse_occasions(text.replace(line, "sing to @"), name="mine.toml", verbs=VERBS)


OWN = """[[occasion]]
name = "class reunion"
openings = ["The class of ninety met in the old gym."]
moments = ["At eight"]
phrases = \"\"\"
share an old yearbook with @
! spill punch on @
{more}
\"\"\"
"""


def test_occasions_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OWN.format(more="hang paper stars for @"), encoding="utf-8")
    options = ["--k", "2", "--per-k", "5", "--bank", str(path)]
    assert main(["build", "kinship", "-o", str(tmp_path / "items"), *options]) == 0
    text = (tmp_path / "items" / "items.jsonl").read_text(encoding="utf-8")
    assert text.count("The class of ninety met in the old gym.") == 5
    assert " shared an old yearbook with " in text or " hung paper stars for " in text
    assert main(["build", "kinship", "-o", str(tmp_path / "split"), *options, "--hold-out", "paraphrases"]) == 2
    assert "one occasion" in capsys.readouterr().err
    path.write_text(OWN.format(more="praise the cousin of @"), encoding="utf-8")
    assert main(["build", "kinship", "-o", str(tmp_path / "bad"), *options]) == 2
    assert "mine.toml line 8: does not tell its label" in capsys.readouterr().err
