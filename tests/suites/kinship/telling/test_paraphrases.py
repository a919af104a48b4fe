"""Menus: the lines that tell a path, each said as the template compiled for these very facts says it."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from proband.cli.main import main
from proband.core.errors import ProbandError
from proband.suites.kinship.reading.grammar import read_facts
from proband.suites.kinship.telling import paraphrases as module
from proband.suites.kinship.telling.bank import Bank, load_bank
from proband.suites.kinship.telling.paraphrases import (
    ANY,
    JOINTS,
    OWN_WEIGHT,
    VERBS,
    Key,
    Menus,
    Occasion,
    Phrase,
    Template,
    inflect,
    parse_occasions,
)
from proband.suites.kinship.telling.stories import tell
from proband.suites.kinship.telling.template_language import fill, genders_told
from proband.suites.kinship.world.relations import FEMALE, GENDER, INVERSE, MALE, NEUTRAL, RELATIONS, Edge

SPOUSES = (("husband", MALE), ("wife", FEMALE))
NAMES = ["Ann", "Ben", "Clara", "Dan"]


def keys(longer: int) -> list[Key]:
    """Every single fact, and some paths of two and three."""
    rng = random.Random(0)
    single: list[Key] = [(g, w) for g in (MALE, FEMALE) for w in RELATIONS if (w, g) not in SPOUSES]
    return [
        *single,
        *((rng.choice((MALE, FEMALE)), *rng.choices(RELATIONS, k=rng.choice((2, 3)))) for _ in range(longer)),
    ]


def expected(bank: Bank, key: Key, split: str | None) -> Counter[tuple[str, str, frozenset[int]]]:
    """The long way: every template of the bank, read along the path and against it, compiled for these facts."""
    relations = tuple(NEUTRAL[w] for w in key[1:])
    genders = (key[0], *(GENDER[w] for w in key[1:]))
    n, found = len(relations), Counter[tuple[str, str, frozenset[int]]]()
    back = tuple(INVERSE[r] for r in reversed(relations))
    for row, people, names in ((relations, genders, NAMES[: n + 1]), (back, genders[::-1], NAMES[n::-1])):
        for t in bank.templates:
            if split is not None and bank.split[t.id] != split:
                continue
            if not any(len(p) == n and all(a in (ANY, b) for a, b in zip(p, row)) for p in t.patterns):
                continue
            text = fill(t.text, row, people, names)
            known = genders_told(t.text, row, people)
            if t.echo is None or not echoes(text):
                known = frozenset(n - i for i in known) if names[0] != NAMES[0] else known
                found[t.id, text, known] += 1 if t.general else OWN_WEIGHT
    return found


def echoes(text: str) -> bool:
    """`his sister Ann and sister Bea`"""
    words = text.replace(",", "").replace(".", "").split()
    return any(words[i] == "and" and words[i - 2] == words[i + 1] for i in range(2, len(words) - 2))


@pytest.mark.parametrize("split", [None, "train", "test"])
def test_a_menu_has_every_line_and_says_it_right(split: str | None) -> None:
    bank = load_bank("scenes").hold_out(0.2, 1)
    for key in keys(150):
        menu = bank.menus(split)[key]
        told = Counter((line[0].id, menu.tell(line, NAMES[: len(key)]), menu.known(line)) for line in menu.lines)
        assert told == expected(bank, key, split), key


def test_echoes_are_left_out() -> None:
    template = Template("a", "{0}'s {1 of 0} {1} and {2 of 0} {2}", (("child", "sibling"),))
    both = Template("b", "{1}'s {0 of 1} {0} and {2 of 1} {2} met.", (("parent", "child"),))
    assert template.facts == 2
    menus = Menus([both])
    assert menus[MALE, "mother", "son"].lines == []
    menu = menus[FEMALE, "mother", "son"]
    assert [menu.tell(line, ["Ann", "Bea", "Cy"]) for line in menu.lines[:1]] == ["Bea's daughter Ann and son Cy met."]


def test_a_template_for_certain_genders() -> None:
    menus = Menus([Template("a", "{1} is the aunt of {0}.", (("pibling",),), (MALE, FEMALE))])
    assert len(menus[MALE, "aunt"].lines) == len(menus[FEMALE, "nephew"].lines) == OWN_WEIGHT
    assert menus[FEMALE, "aunt"].lines == menus[MALE, "uncle"].lines == []
    menu = menus[FEMALE, "nephew"]
    assert menu.tell(menu.lines[0], ["Ann", "Ben"]) == "Ann is the aunt of Ben."


def test_only_so_many_menus_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 5)
    menus = Menus(load_bank("scenes").templates)
    for key in keys(0):
        assert menus[key].lines
        assert menus._menu.cache_info().currsize <= 5


BANK = load_bank()
OCCASION_OF = {phrase.id: occasion for occasion in BANK.occasions for phrase in occasion.phrases}
CHAIN: list[Edge] = [(i, "sister", i + 1) for i in range(9)]
WOMEN = ["Ann", "Bea", "Cora", "Dora", "Edna", "Fay", "Gwen", "Hope", "Ines", "Jo"]


def stories(count: int, edges: list[Edge] = CHAIN) -> list[tuple[str, list[str], Occasion]]:
    rng, made = random.Random(8), []
    for _ in range(count):
        told = tell(edges, names=WOMEN, genders=[FEMALE] * 10, bank=BANK, rng=rng)
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
            assert before in WOMEN


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
    assert inflect(verb, VERBS) == dict(zip(("past", "ing", "done"), forms.split()))


def test_every_irregular_verb_is_used() -> None:
    used = {phrase.heads["past"].split()[0] for occasion in BANK.occasions for phrase in occasion.phrases}
    used |= {doing.forms["past"].split()[0] for each in load_bank("release2").settings for doing in each.doings}
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
