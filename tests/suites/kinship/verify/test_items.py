"""Verification from the text to the label: what we build passes; one altered word, edge, step or label is found."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import decode, read_items
from proband.core.types import Item
from proband.suites.kinship.reading.lexicon import KIN
from proband.suites.kinship.telling.questions import seal
from proband.suites.kinship.verify.items import PROVED, verify
from proband.suites.kinship.world.relations import RELATIONS
from proband.suites.kinship.world.rules import load

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
    return verify(decode(Item, json.dumps(line).encode(), file="altered")).problem


@pytest.mark.parametrize(
    "options",
    [
        {"task": "clean,supporting,irrelevant,disconnected,all,memory,mixed", "k": "2,4"},
        {"task": "all", "k": 3, "anonymise": True},
        {"task": "mixed", "k": 4, "brackets": True, "question": "yes-no"},
        {"k": 5, "question": "text", "form": "facts"},
        {"k": 3, "form": "graph"},
        {"k": "4,6", "revisit": True},
        {"k": 3, "hold_out": "all", "test_k": 5},
    ],
)
def test_what_we_build_passes(options: dict[str, Any], tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, per_k=22, **options)
    result = proband.verify(tmp_path)
    assert result["failed"] == 0
    assert result["problems"] == []
    assert list(result["checked"]) == [
        "text read back, proof replayed with the rule table proved in Coq, family checked"
    ]


def test_other_rule_bases(tmp_path: Path) -> None:
    own = tmp_path / "office.toml"
    own.write_text(OWN, encoding="utf-8")
    for rules, how in ((str(own), "'office'"), ("grid", "'grid'")):
        folder = tmp_path / how.strip("'")
        proband.build("kinship", out=folder, rules=rules, k=2, per_k=8)
        result = proband.verify(folder)
        assert list(result["checked"]) == [f"text read back, proof replayed with the rule base {how}"]
    own.unlink()  # the items carry their rules: they can be solved and checked without the file
    assert proband.verify(tmp_path / "office")["failed"] == 0
    proband.run(tmp_path / "office", model="solver:symbolic", out=tmp_path / "run")
    item = next(iter(read_items(tmp_path / "office")))
    assert str(tmp_path) not in json.dumps(item.facts)
    with pytest.raises(ProbandError, match="not about a family"):
        proband.export(tmp_path / "office", to="clutrr", out=tmp_path / "rows")


def test_unsound_rules_are_not_called_proved(tmp_path: Path) -> None:
    proband.build("kinship", out=tmp_path, rules="clutrr", k=3, per_k=108)
    found = proband.verify(tmp_path)["checked"]
    assert any("ambiguous" in how for how in found)
    assert any("not proved" in how for how in found)
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


def test_any_word_of_the_text_is_sealed(tmp_path: Path) -> None:
    lines = built(tmp_path, task="all", k=4, per_k=22)
    for line in lines:
        words = [word for word in re.findall(r"\w+", line["prompt"]) if word.lower() not in KIN and word != "x"]
        line["prompt"] = re.sub(rf"\b{words[-3]}\b", "x", line["prompt"], count=1)
        assert "seal" in checked(line)


@pytest.mark.parametrize("name", ["proof", "family", "edges", "genders", "seal", "table"])
@pytest.mark.parametrize("value", [None, 3, "x", [[]], [["male", 99, None, None]], {"a": 1}])
def test_malformed_certificates_are_problems(name: str, value: object, tmp_path: Path) -> None:
    line = built(tmp_path, k=3, per_k=1)[0]
    line["facts"][name] = value
    assert checked(line)
    del line["facts"][name]
    assert checked(line) or name == "table"  # without a table there is no certificate of ours to replay


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from proband.cli.main import main

    proband.build("kinship", out=tmp_path, k=3, per_k=22)
    assert main(["verify", str(tmp_path)]) == 0
    assert "22  text read back, proof replayed" in capsys.readouterr().out
    path = tmp_path / "items.jsonl"
    path.write_text(path.read_text("utf-8").replace('"target":"', '"target":"x', 1), encoding="utf-8")
    assert main(["verify", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert "line 1, item 'clean-k3-000000'" in told.out
    assert told.err.count("\n") == 1
    proband.build("script", out=tmp_path / "script")
    assert main(["verify", str(tmp_path / "script")]) == 2
    assert "carry no certificates" in capsys.readouterr().err


def test_the_proved_table_is_the_shipped_one(root: Path) -> None:
    assert load("sound").sha256 == PROVED
    assert PROVED in (root / "proofs" / "Table.v").read_text(encoding="utf-8")
