"""What `vary` refuses, and that a source item and its variation stay together."""

from __future__ import annotations

from pathlib import Path

import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_items


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
