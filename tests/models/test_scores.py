"""Scores of other systems as runs: every way to name an item, and what is wrong with a file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from proband.core.errors import ProbandError
from proband.core.files import read_answers, read_items
from proband.pipeline.build import build
from proband.pipeline.frames import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "items"
    build("inference", out=path, pairs=30)
    return path


def answers(folder: Path, file: Path, out: Path, **options: object) -> dict[str, float]:
    run(folder, model=f"scores:{file}", out=out, split="all", options=options)
    found = list(read_answers(out / "answers.jsonl"))
    return {each.item_id: each.scores[0] for each in found if each.scores}


def test_every_way_to_name_an_item_gives_the_same_run(folder: Path, tmp_path: Path) -> None:
    items = list(read_items(folder))
    score = {item.id: n / 10 - 3 for n, item in enumerate(items)}
    texts = [(", ".join(i.facts["premise"]), " ".join(i.facts["hypothesis"]).title() + ".") for i in items]
    files = {
        "id.tsv": "".join(f"{item.id}\t{score[item.id]}\n" for item in items),
        "texts.jsonl": "".join(
            json.dumps({"premise": p, "hypothesis": ", ".join(i.facts["hypothesis"]), "score": score[i.id]}) + "\n"
            for i, (p, _) in zip(items, texts, strict=True)
        ),
        "Y.txt": "".join(f"{int(item.gold == 0)} {score[item.id]}\n" for item in items),
        "order.txt": "".join(f"{score[item.id]}\n" for item in items),
        "choices.jsonl": "".join(json.dumps({"item_id": i.id, "scores": [score[i.id], 0]}) + "\n" for i in items),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert answers(folder, tmp_path / name, tmp_path / f"run-{name}") == pytest.approx(score)
    with gzip.open(tmp_path / "id.tsv.gz", "wt", encoding="utf-8") as file:
        file.write(files["id.tsv"])
    on_lemma = answers(folder, tmp_path / "id.tsv.gz", tmp_path / "lemma", **{"on-lemma": True})
    assert max(on_lemma.values()) == 2.0  # rules come first, as before any model


def test_what_has_no_score_is_not_covered(folder: Path, tmp_path: Path) -> None:
    items = list(read_items(folder))
    (tmp_path / "few.tsv").write_text(f"{items[0].id}\t1\n", encoding="utf-8")
    assert answers(folder, tmp_path / "few.tsv", tmp_path / "run") == {items[0].id: 1.0}
    (tmp_path / "test.txt").write_text("0.5\n" * sum(item.split == "test" for item in items), encoding="utf-8")
    assert len(answers(folder, tmp_path / "test.txt", tmp_path / "test")) == sum(i.split == "test" for i in items)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "contains no scores"),
        ("nobody\t1\n", "line 1: no item has the id 'nobody'"),
        ("id\tscore\n{0}\t1\n{0}\t2\n", "line 3: a second score for item"),
        ("{0}\thigh\n", "line 1: the score is \\['high'\\], not a number"),
        ("{0}\tnan\n", "line 1: the score is \\['nan'\\], not a finite number"),
        ("0.5\n0.7\n", "has 2 scores without ids; there are"),
        ("id\tvalue\tx\n{0}\t1\t2\n", "line 1: has no header with the column 'score'"),
        ("id\tscore\n{0}\n", "line 2: has 1 cells but the header names 2"),
        ("{{\n", "line 1: not a JSON object"),
        ('{{"id": "{0}", "score": 1}}\n{{"id": "{1}"}}\n', "line 2: the score is \\[None\\], not a number"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(folder: Path, tmp_path: Path, text: str, message: str) -> None:
    first, second, *_ = (item.id for item in read_items(folder))
    (tmp_path / "x.tsv").write_text(text.format(first, second), encoding="utf-8")
    with pytest.raises(ProbandError, match=message):
        answers(folder, tmp_path / "x.tsv", tmp_path / "run")


def test_labels_of_another_order_are_noticed(folder: Path, tmp_path: Path) -> None:
    items = list(read_items(folder))
    lines = [f"{int(item.gold == 0)} 0.5" for item in items]
    lines[3] = f"{int(items[3].gold != 0)} 0.5"
    (tmp_path / "Y.txt").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(
        ProbandError, match=f"line 4: the label is . not that of item {items[3].id}".replace(" . ", " ., ")
    ):
        answers(folder, tmp_path / "Y.txt", tmp_path / "run")
