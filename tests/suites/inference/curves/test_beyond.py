"""What a method adds to hypothesis-words: much for one that knows, nothing for one that says the same or at random."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from proband.core.files import read_items, write_text
from proband.core.suite import Results
from proband.pipeline.build import build
from proband.pipeline.report import item_sets
from proband.pipeline.run import run
from proband.suites.inference.curves.beyond import BEYOND, RANDOM, beyond


def test_knowledge_adds_and_a_random_number_does_not(tmp_path: Path) -> None:
    build("inference", out=tmp_path / "items", splits="test")
    items = list(read_items(tmp_path / "items"))
    knows = "".join(f"{1 - (item.gold or 0) + n % 3}\n" for n, item in enumerate(items))
    write_text(tmp_path / "knows.txt", knows)
    for name, model in (("words", "solver:hypothesis-words"), ("knows", f"scores:{tmp_path / 'knows.txt'}")):
        run(tmp_path / "items", model=model, out=tmp_path / name)
    (sheet,) = beyond(cast(Results, item_sets([tmp_path / "words", tmp_path / "knows"])[0]), 0)
    rows = {str(row[0]): row for row in sheet.rows}
    knowing, control = (rows[name] for name in ("knows", RANDOM))
    assert float(knowing[4] or 0) > 0.2
    assert float(knowing[5] or 0) > 0
    assert float(control[5] or 0) <= 0.02  # its interval reaches 0, or all but
    assert list(sheet.outcomes[BEYOND]) == [f"knows on {items[0].tags['source']}"]


def test_without_a_run_of_hypothesis_words_there_is_nothing_to_add_to(tmp_path: Path) -> None:
    build("inference", out=tmp_path / "items", splits="test")
    run(tmp_path / "items", model="solver:lemma", out=tmp_path / "lemma")
    assert beyond(cast(Results, item_sets([tmp_path / "lemma"])[0]), 0) == ()
