"""Items of the cloze task: the contract with nets and solvers, and the same bytes for the same seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.core.files import read_items, read_json
from proband.suites.script.metrics import CATEGORIES


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("script") / "items"
    proband.build("script", out=folder, seed=0)
    return folder


def test_items_keep_their_contract(own: Path) -> None:
    whitelist = (own / "whitelist.txt").read_text().split()
    items = list(read_items(own))
    for item in items:
        facts = item.facts
        assert [facts["concrete"][s:e] for s, e in facts["blanks"]] == facts["gold"]
        for words in facts["gold"]:
            assert set(words) <= set(whitelist) - set(facts["abstract"])
        assert len(facts["kinds"]) == len(facts["blanks"])
        assert set(facts["kinds"]) <= set(CATEGORIES)
        assert item.prompt.count("____") == sum(len(words) for words in facts["gold"])
        assert (facts.get("candidates", "").split() == whitelist) == (item.split != "train")
        assert item.split == "train" or facts["blanks"]
    splits = [item.split for item in items]
    assert splits == sorted(splits, key=lambda split: ["test", "valid", "train"].index(str(split)))


def test_same_seed_same_bytes(own: Path, tmp_path: Path) -> None:
    proband.build("script", out=tmp_path / "again", seed=0)
    for name in ("items.jsonl", "whitelist.txt", "manifest.json"):
        assert (tmp_path / "again" / name).read_bytes() == (own / name).read_bytes()


def test_manifest_tells_the_figures(own: Path) -> None:
    manifest = read_json(own / "manifest.json")
    assert manifest["splits"] == {"train": 132, "valid": 30, "test": 30}
    assert [row["sequences"] for row in manifest["table1"]] == [132, 30, 30]
    assert manifest["overlaps"]["duplicates"] == 0
    assert manifest["licence"].startswith("Apache-2.0")


def test_a_corpus_of_too_few_captions_is_not_split(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text("".join(f"task {n} .\tuse the big pot .\n" for n in range(4)))
    with pytest.raises(ProbandError, match=r"c.tsv: 4 captions are too few to hold out twice 0.45 of them"):
        proband.build("script", out=tmp_path / "items", data=tmp_path / "c.tsv", hold_out=0.45)


def test_a_corpus_without_splits_is_split_by_caption(tmp_path: Path) -> None:
    lines = [f"task {n} .\tuse the big pot and lid number {v} ." for n in range(10) for v in range(3)]
    (tmp_path / "c.tsv").write_text("\n".join(lines) + "\n")
    found = {}
    for seed in (0, 1):
        proband.build("script", out=tmp_path / str(seed), seed=seed, data=tmp_path / "c.tsv", hold_out=0.2)
        items = list(read_items(tmp_path / str(seed)))
        captions = {split: {i.facts["clusters"][0] for i in items if i.split == split} for split in
                    ("train", "valid", "test")}  # fmt: skip
        assert [len(captions[s]) for s in ("train", "valid", "test")] == [6, 2, 2]
        assert not captions["train"] & captions["test"]
        found[seed] = captions["test"]
    assert found[0] != found[1]


def test_texts_without_blanks(tmp_path: Path) -> None:
    """Dropped where they would be asked, kept where a net reads them."""
    rows = ["a\tthe big pot .\ttrain", "b\tthe .\ttrain", "c\tthe .\ttest", "d\tthe big pot .\ttest"]
    (tmp_path / "c.tsv").write_text("\n".join(rows) + "\n")
    result = proband.build("script", out=tmp_path / "o", data=tmp_path / "c.tsv", min_count=1)
    assert result["splits"] == {"train": 2, "test": 1}
    assert result["dropped_without_blanks"]["test"] == 1
    assert result["training_without_blanks"] == 1


def test_a_given_whitelist_is_kept(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("knife\nboard\n")
    result = proband.build("script", out=tmp_path / "o", whitelist=tmp_path / "words.txt")
    assert result["whitelist"] == 2
    said = {word for item in read_items(tmp_path / "o") for words in item.facts["gold"] for word in words}
    assert said == {"knife", "board"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"splits": "dev"}, "'splits' names 'dev'"),
        ({"released": True}, "carries no tags"),
        ({"data": Path("nowhere")}, "nowhere: no such file or folder"),
    ],
)
def test_bad_options(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ProbandError, match=r"^[^\n]*$") as error:
        proband.build("script", out=tmp_path / "o", **options)
    assert message in str(error.value)


@pytest.mark.nightly
@pytest.mark.data
def test_released_tags_as_blanks(data: Path, tmp_path: Path) -> None:
    result = proband.build("script", out=tmp_path / "o", data=data / "kidscook", released=True)
    assert result["splits"] == {"train": 8038, "valid": 1007, "test": 1000}
    assert result["whitelist"] == 1071
    tags = [line.split("\t")[2].split() for line in (data / "kidscook" / "test.template.tsv").read_text().splitlines()]
    items = [item for item in read_items(tmp_path / "o") if item.split == "test"]
    for item, row in zip(items, tags, strict=True):
        left_out = {i for s, e in item.facts["blanks"] for i in range(s, e)}
        assert left_out == {i for i, tag in enumerate(row) if tag == "0"}
