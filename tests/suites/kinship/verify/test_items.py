"""Verification from the text to the label: what we build passes; one altered word, edge, step or label is found."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.cli import main
from proband.core.errors import ProbandError
from proband.core.files import decode, read_items
from proband.core.types import Item
from proband.suites.kinship.logic.closure import close
from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.telling.stories import seal
from proband.suites.kinship.verify.items import _certified, _replayed, verify
from proband.suites.kinship.world.relations import RELATIONS
from proband.suites.kinship.world.rules import PROVED, load

Line = dict[str, Any]
OWN = """name = "office"
sentences = ["{j} is the {word} of {i}."]
[relations]
boss = { word = "superior", inverse = "report" }
report = { inverse = "boss" }
peer = { inverse = "peer" }
[compose.peer]
peer = "peer"
boss = "boss"
"""


def built(tmp_path: Path, **options: Any) -> list[Line]:
    proband.build("kinship", out=tmp_path / "items", **options)
    return [json.loads(line) for line in (tmp_path / "items" / "items.jsonl").read_text("utf-8").splitlines()]


def checked(line: Line) -> str:
    result = verify(decode(Item, json.dumps(line).encode(), file="altered"))
    return result.problem or result.uncertified


@pytest.mark.parametrize(
    "options",
    [
        {"task": "clean,supporting,irrelevant,disconnected,all,memory,mixed", "k": "2,4"},
        {"k": 1},
        {"task": "mixed", "k": 4, "question": "yes-no"},
        {"k": 5, "question": "text", "form": "facts"},
        {"k": 3, "form": "graph"},
        {"task": "either,both", "k": 2},
        {"k": 3, "hold_out": "all", "test_k": 5},
    ],
)
def test_what_we_build_passes(options: dict[str, Any], tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, per_k=22, **options)
    result = proband.verify(tmp_path)
    assert result["failed"] == 0
    assert result["problems"] == []
    assert list(result["checked"]) == [
        "text rendered again, proof replayed with the rule table proved in Coq, family checked"
    ]


def test_other_rule_bases(tmp_path: Path) -> None:
    own = tmp_path / "office.toml"
    own.write_text(OWN, encoding="utf-8")
    for rules, method in ((str(own), "'office'"), ("grid", "'grid'")):
        folder = tmp_path / method.strip("'")
        proband.build("kinship", out=folder, rules=rules, k=2, per_k=8)
        result = proband.verify(folder)
        assert list(result["checked"]) == [f"text rendered again, proof replayed with the rule base {method}"]
    own.unlink()  # the items carry their rules: they can be solved and checked without the file
    assert proband.verify(tmp_path / "office")["failed"] == 0
    proband.run(tmp_path / "office", model="solver:symbolic", out=tmp_path / "run")
    item = next(iter(read_items(tmp_path / "office")))
    assert str(tmp_path) not in json.dumps(item.facts)
    with pytest.raises(ProbandError, match="not about a family"):
        proband.export(tmp_path / "office", to="clutrr", out=tmp_path / "rows")


GUILD = """name = "guild"
[names]
male = ["Ansel", "Berend", "Corin", "Dunstan"]
female = ["Gisela", "Hedda", "Isolde", "Jorunn"]
[relations]
master = { male = "master", female = "mistress", inverse = "pupil" }
pupil = { male = "prentice", female = "maiden", inverse = "master" }
elder = { male = "patriarch", female = "matriarch", inverse = "younger" }
younger = { male = "lad", female = "lass", inverse = "elder" }
[compose.master]
master = "elder"
[compose.pupil]
pupil = "younger"
"""


def test_a_rule_base_with_a_word_per_gender_builds_verifies_and_is_solved(tmp_path: Path) -> None:
    (tmp_path / "guild.toml").write_text(GUILD, encoding="utf-8")
    lines = built(tmp_path, rules=str(tmp_path / "guild.toml"), k=2, per_k=12)
    assert {line["facts"]["target"] for line in lines} == {"patriarch", "matriarch", "lad", "lass"}
    result = proband.verify(tmp_path / "items")
    assert result["checked"] == {"text rendered again, proof replayed with the rule base 'guild'": 12}
    assert result["problems"] == []
    for solver in ("symbolic", "read"):
        proband.run(tmp_path / "items", model=f"solver:{solver}", out=tmp_path / solver)
        assert proband.read(tmp_path / solver).scores()["mean"].to_list() == [1.0]


FALSE = {"grandmother": "sister", "grandfather": "brother"}


def with_false_table(line: Line) -> str:
    """The item by a table that calls itself sound and in which a parent's parent is a sibling; the table's hash."""
    text = load("sound").text
    false = text.replace('[compose.parent]\nparent = "grandparent"', '[compose.parent]\nparent = "sibling"')
    assert false != text
    facts = line["facts"]
    facts |= {"rules": false, "table": load(false).sha256, "target": FALSE[facts["target"]]}
    line["tags"]["target"] = facts["target"]
    for edge in facts["proof"][-1]:
        edge[1] = FALSE.get(edge[1], edge[1])
    line["gold"] = line["choices"].index(facts["target"])
    return str(facts["table"])


@pytest.mark.parametrize("manifest", ["as built", "with the hash", "with the hash and the table", "none"])
def test_an_item_with_a_table_of_its_own_called_sound_does_not_pass(manifest: str, tmp_path: Path) -> None:
    lines = built(tmp_path, k=2, per_k=240, form="facts")
    line = next(
        each for each in lines if each["facts"]["target"] in FALSE and each["facts"]["clause"] == "parent.parent"
    )
    table = with_false_table(line)
    items, described = tmp_path / "items" / "items.jsonl", tmp_path / "items" / "manifest.json"
    items.write_text(json.dumps(line) + "\n", encoding="utf-8")
    record = json.loads(described.read_text("utf-8"))
    if manifest != "as built":
        record["sha256"]["items.jsonl"] = hashlib.sha256(items.read_bytes()).hexdigest()
    if manifest == "with the hash and the table":
        record["rules"] = {"sound": table}
    described.write_text(json.dumps(record), encoding="utf-8")
    if manifest == "none":
        described.unlink()
    if manifest == "with the hash":
        assert "not those of its manifest" in proband.verify(tmp_path / "items")["problems"][0]
    assert main(["verify", str(tmp_path / "items")]) != 0
    allowed = proband.verify(tmp_path / "items", allow_uncertified=True)
    assert not any("proved in Coq" in method for method in allowed["checked"])


@pytest.mark.parametrize("recorded", [None, {}, "0", {"other.jsonl": "0"}])
def test_a_manifest_without_the_hash_of_its_items_does_not_pass(recorded: Any, tmp_path: Path) -> None:
    built(tmp_path, k=2, per_k=2)
    described = tmp_path / "items" / "manifest.json"
    described.write_text(json.dumps({**json.loads(described.read_text("utf-8")), "sha256": recorded}), encoding="utf-8")
    assert (
        "manifest.json has no sha256 of it" in proband.verify(tmp_path / "items", allow_uncertified=True)["problems"][0]
    )


def test_a_folder_without_a_manifest_does_not_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built(tmp_path, k=2, per_k=22)
    (tmp_path / "items" / "manifest.json").unlink()
    assert main(["verify", str(tmp_path / "items")]) != 0
    assert "no manifest.json describes it" in capsys.readouterr().err


def test_unsound_rules_are_not_called_proved(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, rules="clutrr", k=3, per_k=108)
    refused = proband.verify(tmp_path)
    assert 0 < refused["failed"] < 108
    assert any("--allow-uncertified" in problem for problem in refused["problems"])
    found = proband.verify(tmp_path, allow_uncertified=True)["checked"]
    assert any("ambiguous" in method for method in found)
    assert any("not proved" in method for method in found)
    assert "failed" not in found
    assert sum(found.values()) == 108


# ---- one alteration each, of items whose seal is made anew, so that it is the substance that is found wrong ----------


def alter_word(line: Line, rng: random.Random) -> bool:
    """Another kin word in the story."""
    story, question = line["prompt"].rsplit("\n", 1)
    places = [m for m in re.finditer(r"[A-Za-z]+(?:-in-law)?", story) if m[0] in RELATIONS]
    if not places:
        return False
    place = rng.choice(places)
    other = rng.choice([word for word in RELATIONS if word != place[0]])
    line["prompt"] = f"{story[: place.start()]}{other}{story[place.end() :]}\n{question}"
    return True


def alter_edge(line: Line, rng: random.Random) -> bool:
    edge = rng.choice(line["facts"]["edges"])
    part = rng.randrange(3)
    options = RELATIONS if part == 1 else range(len(line["facts"]["names"]))
    edge[part] = rng.choice([value for value in options if value != edge[part]])
    return True


def alter_step(line: Line, rng: random.Random) -> bool:
    if not line["facts"]["proof"]:
        return False
    step = rng.choice(line["facts"]["proof"])
    edge, part = rng.choice(step), rng.randrange(3)
    options = RELATIONS if part == 1 else range(len(line["facts"]["names"]))
    edge[part] = rng.choice([value for value in options if value != edge[part]])
    return True


def alter_label(line: Line, rng: random.Random) -> bool:
    other = rng.choice([word for word in RELATIONS if word != line["facts"]["target"]])
    line["facts"]["target"] = line["tags"]["target"] = other
    line["gold"] = line["choices"].index(other)
    return True


def alter_family(line: Line, rng: random.Random) -> bool:
    """A couple parts on one side: no family any more."""
    married = [row for row in line["facts"]["family"] if row[3] is not None]
    if not married:
        return False
    rng.choice(married)[3] = None
    return True


def alter_query(line: Line, rng: random.Random) -> bool:
    line["facts"]["query"].reverse()
    return True


ALTERATIONS: tuple[Callable[[Line, random.Random], bool], ...] = (
    alter_word,
    alter_edge,
    alter_step,
    alter_label,
    alter_family,
    alter_query,
)


def test_a_thousand_alterations_are_found(tmp_path: Path) -> None:
    lines = built(tmp_path, task="clean,supporting,irrelevant,disconnected,all", k="2,3,5", per_k=22)
    rng, done = random.Random(0), Counter[str]()
    while done.total() < 1000:
        line = copy.deepcopy(rng.choice(lines))
        alter = ALTERATIONS[done.total() % len(ALTERATIONS)] if rng.random() < 0.9 else rng.choice(ALTERATIONS)
        if not alter(line, rng):
            continue
        line["facts"]["seal"] = seal(line["prompt"])
        assert checked(line), (alter.__name__, line)
        done[alter.__name__] += 1
    assert min(done.values()) > 100


def story_of(line: Line) -> tuple[str, str]:
    story, _, question = line["prompt"].rpartition("\n")
    return story, question


def in_story(change: Callable[[str, Line, random.Random], str]) -> Callable[[Line, random.Random], bool]:
    def alter(line: Line, rng: random.Random) -> bool:
        story, question = story_of(line)
        line["prompt"] = f"{change(story, line, rng)}\n{question}"
        return bool(line["prompt"] != f"{story}\n{question}")

    return alter


def before_a_fact(story: str, words: str, rng: random.Random) -> str:
    """The words before a sentence (or line) that tells a fact."""
    starts = [m.start() for m in re.finditer(r"[^.\n]+", story) if set(re.findall(r"[\w-]+", m[0])) & set(RELATIONS)]
    at = rng.choice(starts)
    return f"{story[:at]} {words} {story[at:]}"


def name(line: Line, rng: random.Random) -> str:
    return str(rng.choice(line["facts"]["names"]))


def sentence(line: Line, rng: random.Random, middle: str) -> str:
    (i, word, j), names = rng.choice(line["facts"]["edges"]), line["facts"]["names"]
    return f"{names[j]} {middle} the {word} of {names[i]}."


def in_metadata(change: Callable[[Line, random.Random], None]) -> Callable[[Line, random.Random], bool]:
    def alter(line: Line, rng: random.Random) -> bool:
        before = json.dumps(line)
        change(line, rng)
        return json.dumps(line) != before

    return alter


def set_k(line: Line, rng: random.Random) -> None:
    line["facts"]["k"] = line["tags"]["k"] = line["facts"]["k"] + rng.choice((-1, 1))


def set_depth(line: Line, rng: random.Random) -> None:
    line["facts"]["depth"] = line["tags"]["depth"] = line["facts"]["depth"] + rng.choice((-1, 1))


def set_task(line: Line, rng: random.Random) -> None:
    line["tags"]["task"] = rng.choice(
        [t for t in ("clean", "supporting", "all", "memory") if t != line["tags"]["task"]]
    )


def set_noise(line: Line, rng: random.Random) -> None:
    noise = line["facts"]["noise"]
    if noise and rng.random() < 0.5:
        noise[0][1] = rng.choice([k for k in ("supporting", "irrelevant", "disconnected") if k != noise[0][1]])
    elif noise:
        noise.pop()
    else:
        noise.append([line["facts"]["edges"][0], "irrelevant"])


def set_split(line: Line, rng: random.Random) -> None:
    line["split"] = {"train": "test", "test": "train"}[line["split"]]


def no_certificate(line: Line, rng: random.Random) -> None:
    line["facts"]["certificate"] = rng.choice(("none", "ambiguous"))
    alter_label(line, rng)


def own_table(line: Line, rng: random.Random) -> None:
    """A table of one's own in which the false label follows."""
    before, after = line["facts"]["target"], rng.choice([w for w in RELATIONS if w != line["facts"]["target"]])
    sound = load("sound").text
    line["facts"]["rules"] = sound + "# mine\n"
    line["facts"]["table"] = hashlib.sha256(line["facts"]["rules"].encode()).hexdigest()
    line["facts"]["target"] = line["tags"]["target"] = after
    line["gold"] = line["choices"].index(after)
    assert before != after


KINDS: dict[str, Callable[[Line, random.Random], bool]] = {
    "none of this is true": in_story(lambda story, line, rng: story + " None of this is true."),
    "it is false that": in_story(lambda story, line, rng: before_a_fact(story, "It is false that", rng)),
    "nobody believes": in_story(lambda story, line, rng: before_a_fact(story, "Nobody believes that", rng)),
    "dreamed that": in_story(lambda story, line, rng: before_a_fact(story, f"{name(line, rng)} dreamed that", rng)),
    "claims that": in_story(
        lambda story, line, rng: f"{story} {name(line, rng)} claims that " + sentence(line, rng, "is")
    ),
    "is not": in_story(lambda story, line, rng: f"{story} {sentence(line, rng, 'is not')}"),
    "is no longer": in_story(lambda story, line, rng: f"{story} {sentence(line, rng, 'is no longer')}"),
    "might be": in_story(lambda story, line, rng: f"{story} {sentence(line, rng, 'might be')}"),
    "probably": in_story(lambda story, line, rng: f"{story} {sentence(line, rng, 'is probably')}"),
    "if": in_story(lambda story, line, rng: f"{story} If {sentence(line, rng, 'is')}"),
    "hint": in_story(lambda story, line, rng: f"{story} Hint: {line['facts']['target']}."),
    "birth": in_story(lambda story, line, rng: f"{story} {name(line, rng)} gave birth to {name(line, rng)}."),
    "cousin": in_story(lambda story, line, rng: f"{story} {name(line, rng)} rang a cousin."),
    "pretends": in_story(lambda story, line, rng: f"{story} {sentence(line, rng, 'pretends to be')}"),
    "not related": in_story(lambda story, line, rng: f"{story} {name(line, rng)} is not related to anybody."),
    "no certificate": in_metadata(no_certificate),
    "own table": in_metadata(own_table),
    "k": in_metadata(set_k),
    "depth": in_metadata(set_depth),
    "task": in_metadata(set_task),
    "noise": in_metadata(set_noise),
    "split": in_metadata(set_split),
    "id": in_metadata(lambda line, rng: line.update(id=line["id"].replace("-k", "-k1"))),
}


@pytest.mark.parametrize("form", ["story", "facts", "graph"])
def test_two_hundred_alterations_of_many_kinds(form: str, tmp_path: Path) -> None:
    """Ten of every kind, with the seal made anew."""
    options = {"task": "clean,supporting,irrelevant,all", "k": "2,3,5", "per_k": 11, "form": form}
    lines = built(tmp_path, hold_out="clauses", test_per_k=5, **options)
    rng, missed = random.Random(form), list[Any]()
    assert not [line["id"] for line in lines if checked(line)]
    for kind, alter in KINDS.items():
        done = 0
        while done < 10:
            line = copy.deepcopy(rng.choice(lines))
            if not alter(line, rng):
                continue
            done += 1
            line["facts"]["seal"] = seal(line["prompt"])
            if not checked(line):
                missed.append((kind, line["prompt"]))
    assert len(KINDS) >= 20
    assert not missed


def test_items_told_twice_are_found(tmp_path: Path) -> None:
    lines = built(tmp_path, k=2, per_k=4)
    again = {**lines[1], "id": "clean-k2-000009"}
    for copied, message in ((lines[1], "has the id of line 2"), (again, "has the prompt of line 2")):
        text = "".join(json.dumps(line) + "\n" for line in (*lines, copied))
        (tmp_path / "items" / "items.jsonl").write_text(text, encoding="utf-8")
        (tmp_path / "items" / "manifest.json").unlink(missing_ok=True)
        result = proband.verify(tmp_path / "items")
        assert result["failed"] == 1
        assert message in result["problems"][0]


def test_any_word_of_the_text_is_sealed(tmp_path: Path) -> None:
    lines = built(tmp_path, task="all", k=4, per_k=22)
    for line in lines:
        words = [word for word in re.findall(r"\w+", line["prompt"]) if word.lower() not in KIN and word != "x"]
        line["prompt"] = re.sub(rf"\b{words[-3]}\b", "x", line["prompt"], count=1)
        assert "seal" in checked(line)


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Line:
    return built(tmp_path_factory.mktemp("one"), k=3, per_k=1)[0]


@pytest.mark.parametrize("name", ["proof", "family", "edges", "genders", "seal", "table"])
@pytest.mark.parametrize("value", [None, 3, "x", [[]], [["male", 99, None, None]], {"a": 1}])
def test_malformed_certificates_are_problems(name: str, value: object, one: Line) -> None:
    line = copy.deepcopy(one)
    assert not checked(line)
    line["facts"][name] = value
    assert checked(line)
    del line["facts"][name]
    assert checked(line)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from proband.cli.main import main

    proband.build("kinship", out=tmp_path, k=3, per_k=22)
    assert main(["verify", str(tmp_path)]) == 0
    assert "22  text rendered again, proof replayed" in capsys.readouterr().out
    path = tmp_path / "items.jsonl"
    path.write_text(path.read_text("utf-8").replace('"target":"', '"target":"x', 1), encoding="utf-8")
    assert main(["verify", str(tmp_path)]) == 3
    captured = capsys.readouterr()
    assert "line 1, item 'clean-k3-000000'" in captured.out
    assert captured.err.count("\n") == 1
    proband.build("script", out=tmp_path / "script")
    assert main(["verify", str(tmp_path / "script")]) == 2
    assert "carry no certificates" in capsys.readouterr().err


def test_the_proved_table_is_the_shipped_one(root: Path) -> None:
    for name, folder, proved in zip(
        ("sound", "wide", "blended"), ("proofs", "proofs/wide", "proofs/blended"), PROVED, strict=True
    ):
        assert load(name).sha256 == proved
        assert proved in (root / folder / "Table.v").read_text(encoding="utf-8")


def swapped_words(text: str) -> str:
    """The rule base with the words of siblings and siblings-in-law exchanged."""
    head, rest = text.split("[compose", 1)
    for one in ("brother", "sister"):
        head = head.replace(f'"{one}"', '"?"').replace(f'"{one}-in-law"', f'"{one}"').replace('"?"', f'"{one}-in-law"')
    return f"{head}[compose{rest}"


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    return built(tmp_path_factory.mktemp("pairs"), task="all", k=3, per_k=8, open=0.5)


def test_an_open_story_by_rules_that_are_not_proved_is_not_certified() -> None:
    rules = load(swapped_words(load("sound").text))
    for facts in ({"certificate": "open"}, {"certificate": "entailed"}):
        assert _certified({**facts, "proof": []}, rules) == (
            "family checked; the proof needs rules of 'sound' that are not proved",
            False,
        )


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"clause": "parent.parent.parent", "clusters": ["parent.parent.parent", ""]}, "other relations"),
        ({"clusters": ["parent", "pair x"]}, "the clause is"),
        ({"family": []}, "not the first of 'families'"),
        ({"certified_by": ["closure"]}, "'certified_by'"),
        ({"noise": []}, "are not noise"),
    ],
)
def test_an_open_story_is_checked_like_any_other(change: Line, problem: str, pairs: list[Line]) -> None:
    line = copy.deepcopy(next(line for line in pairs if line["facts"]["certificate"] == "open"))
    assert checked(line) == ""
    assert problem in checked({**line, "facts": {**line["facts"], **change}})


def test_task_and_pair_of_an_open_story(pairs: list[Line]) -> None:
    line = next(line for line in pairs if line["facts"]["certificate"] == "open")
    other = {**line, "id": line["id"].replace("all", "clean"), "tags": {**line["tags"], "task": "clean"}}
    assert "tag 'task'" in checked(other)
    cluster, _ = line["facts"]["clusters"]
    assert "its pair" in checked({**line, "facts": {**line["facts"], "clusters": [cluster]}})


def test_the_clause_cannot_be_left_out(one: Line) -> None:
    for name in ("clause", "clusters"):
        assert name in checked({**one, "facts": {k: v for k, v in one["facts"].items() if k != name}})


def test_a_contradictory_story_in_a_world_without_families_does_not_pass(tmp_path: Path) -> None:
    rules = load("grid")
    for line in built(tmp_path, rules="grid", task="supporting", k=2, per_k=4):
        assert checked(line) == ""
        facts = line["facts"]
        edge, opposite = (
            facts["noise"][0][0],
            {each: rules.words[rules.inverse[n]][0] for each, n in rules.code.items()},
        )
        turned = [edge[0], opposite[edge[1]], edge[2]]
        facts["edges"] = [turned if each == edge else each for each in facts["edges"]]
        facts["noise"][0][0] = turned
        item = decode(Item, json.dumps(line).encode(), file="altered")
        if not close(rules, facts["genders"], facts["edges"]).consistent:
            assert _replayed(item.facts, rules) == "its facts contradict each other"
            return
    raise AssertionError("no altered story is contradictory")


@pytest.mark.parametrize("word", ["Father", " mother ", "mom"])
def test_kin_words_in_any_spelling_need_a_proved_table(word: str) -> None:
    rules = load(OWN.replace('"superior"', f'"{word}"'))
    assert _certified({"certificate": "entailed"}, rules)[1] is False
