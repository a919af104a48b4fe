"""What `vary` refuses; its items are a set like any other, checked by `verify`, read by `report`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import proband
from proband.cli import main
from proband.core.errors import ProbandError
from proband.core.files import encode, read_items
from proband.core.types import Item
from proband.suites.kinship.logic.search import entailed


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vary") / "items"
    proband.build("kinship", out=folder, k="2", per_k=6)
    return folder


def test_a_variation_follows_its_source_and_shares_its_clusters(items: Path, tmp_path: Path) -> None:
    manifest = proband.vary(items, out=tmp_path, as_="rename,reorder")
    varied = list(read_items(tmp_path))
    assert manifest["items"] == len(varied)
    sources = {item.id: item for item in varied if item.tags["variation"] == "original"}
    assert list(sources) == [item.id for item in read_items(items)]
    for item in varied:
        source = sources[item.facts["source"]]
        assert item.split == source.split
        assert set(source.facts["clusters"]) <= set(item.facts["clusters"])
        assert item is source or (item.prompt, item.choices) != (source.prompt, source.choices)


def test_what_cannot_be_varied_is_refused_and_nothing_is_written(items: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(ProbandError, match="is the folder of the source items"):
        proband.vary(items, out=items, as_="rename")
    with pytest.raises(ProbandError, match="nonsense"):
        proband.vary(items, out=out, as_="nonsense")
    assert not out.exists()
    proband.vary(items, out=out, as_="rename")
    with pytest.raises(ProbandError, match=r"contains another build .*; choose another folder, or use --force"):
        proband.vary(items, out=out, as_="reorder")
    with pytest.raises(ProbandError, match="contains varied items already; vary their source"):
        proband.vary(out, out=tmp_path / "twice", as_="rename")


def test_where_nothing_can_be_varied_no_items_are_left(
    items: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proband.pipeline.vary.variation_of", lambda *_, **__: "there is no other")
    with pytest.raises(ProbandError, match="no item can be varied as 'rename': there is no other"):
        proband.vary(items, out=tmp_path / "out", as_="rename")
    assert not (tmp_path / "out" / "items.jsonl").exists()


def test_items_that_have_changed_since_they_were_built_are_refused(items: Path, tmp_path: Path) -> None:
    for name in ("items.jsonl", "manifest.json"):
        (tmp_path / name).write_bytes((items / name).read_bytes())
    with open(tmp_path / "items.jsonl", "ab") as file:
        file.write(b"\n")
    with pytest.raises(ProbandError, match="has changed since it was built"):
        proband.vary(tmp_path, out=tmp_path / "out", as_="rename")


# ---- every variation of a suite --------------------------------------------------------------------------------------


KINSHIP = "rename,reword,reorder,noise,plain,inverse,counterfactual,twin"


@pytest.fixture(scope="module")
def kinship(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vary")
    assert main(["build", "kinship", "--k", "2,3,4", "--per-k", "22", "-o", str(folder / "items")]) == 0
    assert main(["vary", str(folder / "items"), "-o", str(folder / "varied"), "--as", KINSHIP]) == 0
    return folder


def by_source(folder: Path) -> Iterator[tuple[Item, dict[str, Item]]]:
    groups: dict[str, dict[str, Item]] = defaultdict(dict)
    for item in read_items(folder / "items.jsonl"):
        groups[item.facts["source"]][str(item.tags["variation"])] = item
    for group in groups.values():
        yield group.pop("original"), group


def test_each_variation_does_what_it_says(kinship: Path) -> None:
    seen = set()
    for source, group in by_source(kinship / "varied"):
        seen |= set(group)
        facts = source.facts
        assert not set(group["rename"].facts["names"]) & set(facts["names"])
        assert group["reword"].prompt != source.prompt
        assert group["reword"].facts["names"] == facts["names"]
        if "reorder" in group:
            texts = (item.prompt.split("\n")[0].strip(".") for item in (group["reorder"], source))
            sentences, before = (text.split(". ") for text in texts)
            assert sorted(" ".join(sentences)) == sorted(" ".join(before))
            assert sentences[0] == before[0]  # the opening, which says where we are
            for then in (text for text in sentences if text.startswith(("Then ", "Later ", "A little later "))):
                assert before[before.index(then) - 1] == sentences[sentences.index(then) - 1]
        assert len(group["noise"].facts["edges"]) > len(facts["edges"])
        assert " is the " in group["plain"].prompt
        assert group["plain"].facts["telling"]["form"] == "facts"
        assert group["inverse"].facts["query"] == facts["query"][::-1]
        before, after = source.prompt.split(), group["counterfactual"].prompt.split()
        assert len(before) == len(after)
        assert sum(a != b for a, b in zip(before, after)) == 1
        assert group["counterfactual"].facts["target"] != facts["target"]
        twin = group["twin"]
        assert not set(twin.facts["names"]) & set(facts["names"])
        assert [twin.facts[name] for name in ("edges", "genders", "target")] == [
            facts[name] for name in ("edges", "genders", "target")
        ]
    assert seen == set(KINSHIP.split(","))


def test_no_label_is_wrong(kinship: Path) -> None:
    """The independent search for a counter-family agrees with every label, and the reader with every text."""
    for item in read_items(kinship / "varied/items.jsonl"):
        facts = item.facts
        edges = [(i, word, j) for i, word, j in facts["edges"]]
        assert entailed(facts["genders"], edges, tuple(facts["query"]), facts["target"]), item.id
        assert item.gold is not None
        assert item.choices[item.gold] == facts["target"]
    assert main(["verify", str(kinship / "varied")]) == 0


@pytest.mark.parametrize(
    ("variation", "change", "says"),
    [
        ("rename", {"source": "clean-k2-000001"}, "is not before it"),
        ("rename", {"effect": "changes"}, "'effect' is 'changes', that of rename is 'keeps'"),
        (
            "counterfactual",
            "rename",
            "differs from its source in 1 facts|has no variation|not that of its source|facts",
        ),
        ("noise", "rename", "check failed: its source's facts"),
        ("inverse", "rename", "check failed: its source's answer"),
    ],
)
def test_verify_finds_what_is_no_such_variation(
    kinship: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], variation: str, change: Any, says: str
) -> None:
    import re

    source, group = next(by_source(kinship / "varied"))
    raw = json.loads(encode(group[variation]))
    if isinstance(change, str):  # one kind passed off as another
        raw["tags"]["variation"], raw["facts"]["effect"] = change, "keeps"
    else:
        raw["facts"] |= change
    (tmp_path / "items.jsonl").write_bytes(encode(source) + b"\n" + json.dumps(raw).encode() + b"\n")
    assert main(["verify", str(tmp_path)]) != 0
    assert re.search(says, capsys.readouterr().err)


@pytest.mark.nightly
def test_the_same_seed_the_same_bytes(kinship: Path, tmp_path: Path) -> None:
    assert main(["vary", str(kinship / "items"), "-o", str(tmp_path / "again"), "--as", KINSHIP]) == 0
    assert (tmp_path / "again/items.jsonl").read_bytes() == (kinship / "varied/items.jsonl").read_bytes()


@pytest.mark.nightly
def test_a_model_that_reads_and_one_that_does_not(kinship: Path, tmp_path: Path) -> None:
    """The reader keeps its answers and follows every change; the one that always says the same keeps them too, but
    follows none; a guesser flips."""
    varied = str(kinship / "varied")
    for model in ("solver:read", "baseline:majority", "baseline:random"):
        assert main(["run", varied, "-m", model, "-o", str(tmp_path / "runs" / model.replace(":", "-"))]) == 0
    assert main(["report", str(tmp_path / "runs"), "-o", str(tmp_path / "report")]) == 0
    (made,) = json.loads((tmp_path / "report/report.json").read_text())["sets"]
    (sheet,) = (each for each in made["sheets"] if each["name"] == "variations")
    lines = {(row[0], row[1]): dict(zip(sheet["header"], row)) for row in sheet["rows"]}
    assert lines["solver:read", "rename"]["flips"] == lines["baseline:majority", "rename"]["flips"] == "0.0"
    assert float(lines["baseline:random", "rename"]["flips"]) > 80
    assert lines["solver:read", "counterfactual"]["follows"] == "100.0"
    assert lines["baseline:majority", "counterfactual"]["follows"] == "0.0"
    assert lines["solver:read", "twin"]["difference"] == "0.0"
    (surviving,) = (each for each in made["sheets"] if each["name"] == "surviving")
    assert {row[0]: row[3] for row in surviving["rows"]}["solver:read"] == "100.0"


def test_runs_on_two_sets_are_joined_by_source(
    kinship: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("items", "varied"):
        assert main(["run", str(kinship / name), "-m", "solver:symbolic", "-o", str(tmp_path / name)]) == 0
    capsys.readouterr()
    assert main(["compare", str(tmp_path / "items"), str(tmp_path / "varied"), "--json"]) == 0
    (line,) = json.loads(capsys.readouterr().out)["groups"]
    assert (line["n"], line["difference"]) == (66, 0.0)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--as", "shout"], "kinship has no variation 'shout'; it has rename, reword"),
        (["--as", ""], "kinship has no variation ''; it has rename"),
    ],
)
def test_bad_input(
    kinship: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    assert main(["vary", str(kinship / "items"), "-o", str(tmp_path / "out"), *words]) == 2
    assert says in capsys.readouterr().err


def test_items_that_have_changed_or_carry_no_certificate(
    kinship: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (kinship / "items/items.jsonl").read_bytes()
    (tmp_path / "items.jsonl").write_bytes(lines.replace(b'"certificate":"entailed"', b'"certificate":"none"'))
    (tmp_path / "manifest.json").write_bytes((kinship / "items/manifest.json").read_bytes())
    assert main(["vary", str(tmp_path), "-o", str(tmp_path / "out"), "--as", "rename"]) == 2
    assert "has changed since it was built" in capsys.readouterr().err
    (tmp_path / "manifest.json").unlink()
    assert main(["vary", str(tmp_path), "-o", str(tmp_path / "out"), "--as", "rename"]) == 2
    assert "no item can be varied as 'rename': it carries no certificate" in capsys.readouterr().err


@pytest.mark.nightly
def test_analogy_and_inference(tmp_path: Path) -> None:
    for suite, names in (("analogy", "order,template,inverse,twin"), ("inference", "instance,voice,inverse")):
        more = ["--per-relation", "2"] if suite == "analogy" else []
        assert main(["build", suite, *more, "-o", str(tmp_path / suite)]) == 0
        varied = str(tmp_path / f"{suite}-varied")
        assert main(["vary", str(tmp_path / suite), "-o", varied, "--as", names]) == 0
        assert main(["verify", varied]) == 0
    for source, group in by_source(tmp_path / "analogy-varied"):
        assert group["order"].choices == source.choices[::-1]
        assert group["template"].prompt != source.prompt
        assert group["twin"].facts["query"] != source.facts["query"]
        assert all(group["twin"].tags[name] == source.tags[name] for name in ("relation", "probe"))
    assert all(
        item.gold is None
        for item in read_items(tmp_path / "inference-varied/items.jsonl")
        if item.tags.get("variation") == "inverse"
    )


def test_a_suite_without_variations_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "script", "-o", str(tmp_path / "script")]) == 0
    assert main(["vary", str(tmp_path / "script"), "-o", str(tmp_path / "out"), "--as", "order"]) == 2
    assert "script has no variations" in capsys.readouterr().err
