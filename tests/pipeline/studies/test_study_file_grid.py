"""From the tables of a study to its stages: each content once, nets with the items of their seed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import proband
from proband.core.errors import ProbandError
from proband.pipeline.studies.study_file import StageGrid, read_study

SHARED = """
[study]
title = "Two names for the same stories"

[[build]]
name = "first"
suite = "kinship"
options = { k = "2", per-k = 22, hold-out = "clauses", test-per-k = 4 }

[[build]]
name = "second"
suite = "kinship"
options = { k = "2", per-k = 22, hold-out = "clauses", test-per-k = 4 }

[[build]]
name = "others"
suite = "kinship"
options = { k = "3", per-k = 4 }

[[train]]
items = ["first", "second"]
net = ["composer"]
options = { epochs = 1 }
seeds = [0]

[[run]]
items = ["first"]
models = ["net:first"]

[[run]]
items = ["others"]
models = ["net:first", "net:second"]
"""


def test_two_names_for_the_same_content_are_one_stage(file: Path, tmp_path: Path) -> None:
    file.write_text(SHARED)
    result = proband.study(file, out=tmp_path / "out")
    assert [f"{stage['verb']} {stage['name']}" for stage in result["stages"]] == [
        "build first", "build others", "train first-composer", "run first · first-composer",
        "run others · first-composer",
    ]  # fmt: skip
    assert [stage["state"] for stage in result["stages"]] == ["ran"] * 5
    # on other stories too the net has the name that was asked for first; each name where only it is asked
    file.write_text(SHARED.replace('["net:first", "net:second"]', '["net:second"]'))
    result = proband.study(file, out=tmp_path / "again")
    runs = [json.loads((Path(s["folder"]) / "run.json").read_text())["model"] for s in result["stages"][3:]]
    assert runs == ["net:first-composer", "net:second-composer"]


SETS = """
[study]
title = "Two sets of stories"

[[build]]
name = "stories"
suite = "kinship"
options = { k = "2,3", per-k = 22, hold-out = "clauses", test-per-k = 4 }
seeds = [0, 1]

[[train]]
items = ["stories"]
net = ["composer"]
label = "short"
options = { epochs = 1, device = "cpu" }
seeds = [0, 1]

[[run]]
items = ["stories"]
models = ["net:stories", "baseline:majority"]

[report]
tables = ["by_k"]
"""


def test_an_option_of_the_command_is_not_one_of_the_file(file: Path, tmp_path: Path) -> None:
    with pytest.raises(ProbandError, match=r"^study: 'workers' is 0; it must be a whole number, at least 1$"):
        StageGrid(read_study(file, {}), file=file, out=tmp_path, workers=0)


def test_a_net_answers_the_set_of_items_that_it_was_trained_for(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(SETS)
    names = [
        stage.name for stage in StageGrid(read_study(path, {}), file=path, out=tmp_path).stages() if stage.verb == "run"
    ]
    assert names == [
        *(f"stories-s{n} · stories-composer-short-stories-s{n}-s{seed}" for n in (0, 1) for seed in (0, 1)),
        *(f"stories-s{n} · baseline:majority" for n in (0, 1)),
    ]


def test_which_items_are_asked_is_part_of_the_key_of_a_run(tmp_path: Path, study: str) -> None:
    keys = []
    for where in ("", 'where = { k = "2" }', 'where = { k = "3" }'):
        path = tmp_path / "study.toml"
        path.write_text(study.replace('models = "{models}"', f'models = ["baseline:majority"]\n{where}'))
        stages = StageGrid(read_study(path, {}), file=path, out=tmp_path).stages()
        keys.append({stage.key for stage in stages if stage.verb == "run" and "majority" in stage.name})
    assert len(set.union(*keys)) == 6  # of two sets of items each
