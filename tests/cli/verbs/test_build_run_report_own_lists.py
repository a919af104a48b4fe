"""Lists of one's own in `build analogy`, and word vectors that do not know their words."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from proband.core.files import read_answers, read_items, write_text

BANDS = {"Angus": "AC/DC", "Freddie": "Queen", "Mick": "The Stones", "Robert": "Led Zeppelin", "Bono": "U2"}
BANDS |= {"Kurt": "Nirvana", "Thom": "Radiohead", "Damon": "Blur"}
KNOWN = ("angus", "ac/dc", "freddie", "queen", "robert", "zeppelin", "mick", "bono", "kurt", "thom", "damon")


def table(path: Path, *, group: str | None, tail: str = "tail") -> Path:
    gap = "," if path.suffix == ".csv" else "\t"
    more = [] if group is None else [group]
    head = ["head", tail, "relation", *([] if group is None else ["group"])]
    rows = [head, *([name, band.replace("/", "\\/" if tail == "tails" else "/"), "plays in", *more]
            for name, band in BANDS.items())]  # fmt: skip
    write_text(path, "".join(gap.join(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(("file", "tail"), [("x.tsv", "tail"), ("x.csv", "tail"), ("x.tsv", "tails")])
def test_own_groups_and_slashes(proband: Any, tmp_path: Path, file: str, tail: str) -> None:
    for name, group, shown in (("own", "music", "music"), ("none", None, "ungrouped"), ("es", "ES", "ES")):
        proband("build", "analogy", "--data", table(tmp_path / file, group=group, tail=tail), "-o", tmp_path / name)
        items = list(read_items(tmp_path / name))
        assert {item.tags["group"] for item in items} == {shown}
        words = {word for item in items for option in item.facts["options"] for word in option}
        assert "AC/DC" in words
        assert not {"AC", "DC", "AC\\/DC"} & words


def test_json_lines_take_a_tail_as_it_stands(proband: Any, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"head": name, "tail": band, "relation": "plays in"} for name, band in BANDS.items()]
    rows[0] = {"head": "Angus", "tails": ["AC/DC", "Acca Dacca"], "relation": "plays in"}
    write_text(tmp_path / "x.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    made = proband.json("build", "analogy", "--data", tmp_path / "x.jsonl", "-o", tmp_path / "items")
    assert made["relations"][0]["alternatives"] == 1.12
    write_text(tmp_path / "bad.jsonl", json.dumps({**rows[1], "group": 3}) + "\n")
    text = proband.fails("build", "analogy", "--data", tmp_path / "bad.jsonl", "-o", tmp_path / "bad")
    assert text.endswith("bad.jsonl line 1: column 'group': 3 must be text")


def test_pairs_of_unknown_words_are_not_covered(proband: Any, tmp_path: Path) -> None:
    """They were ties, and counted as half right."""
    items, runs, out = tmp_path / "items", tmp_path / "runs", tmp_path / "report"
    proband("build", "analogy", "--data", table(tmp_path / "x.tsv", group="music"), "-o", items)
    draw = random.Random(0)
    lines = [" ".join([word, *(f"{draw.gauss():.4f}" for _ in range(8))]) for word in KNOWN]
    write_text(tmp_path / "v.txt", f"{len(KNOWN)} 8\n" + "\n".join(lines) + "\n")
    made = proband.json("run", items, "-m", f"vec:{tmp_path / 'v.txt'}", "-o", runs / "vec")

    def known(word: str) -> bool:
        return any(part in KNOWN for part in word.lower().split())

    pairs = {item.id: [item.facts["query"], *item.facts["options"]] for item in read_items(items)}
    apart = {name: {*own[1]} ^ {*own[2]} for name, own in pairs.items()}  # the words in which the options differ
    unknown = {
        name
        for name, own in pairs.items()
        if any(not known(a) and not known(b) for a, b in own) or (apart[name] and not any(map(known, apart[name])))
    }
    assert any(apart[name] and not any(map(known, apart[name])) for name in unknown)
    found = list(read_answers(runs / "vec" / "answers.jsonl"))
    assert 0 < len(unknown) < len(pairs)
    assert {answer.item_id for answer in found if answer.status == "not covered"} == unknown
    assert Counter(answer.status for answer in found)["not covered"] == made["uncovered"] == len(unknown)
    assert made["score"]["n"] == len(pairs) - len(unknown)
    assert all(str(answer.text).startswith("no vector for '") for answer in found if answer.status)
    text = proband("run", items, "-m", f"vec:{tmp_path / 'v.txt'}", "-o", runs / "vec")
    assert f"not covered:  {len(unknown)} (unknown to the model, not counted)" in text
    said = proband("report", runs, "-o", out)
    assert f"v.txt does not cover {len(unknown)} items: left out of its scores." in said
    for file in ("index.html", "analogy.html", "tables/analogy-headline.md"):
        assert f"{len(unknown)} not covered" in (out / file).read_text()
    assert f",{len(unknown)},test items" in (out / "tables" / "analogy-headline.csv").read_text()
