"""A study file is read whole or refused with the line of the mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import proband
from proband.core.errors import ProbandError
from proband.pipeline.studies.stages import RunStage, TrainStage
from proband.pipeline.studies.study_file import StageGrid, read_study


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("per-k = 22 }", "per-kk = 22 }"), r"line 12: build kinship has no option 'per-kk'"),
        (("[report]", "[report]\nfont = 3"), r"unknown key 'font' in \[report\]"),
        (
            ('suite = "kinship"\noptions = { task = "clean"', 'suit = "kinship"\noptions = { task = "clean"'),
            r"line 11: unknown key 'suit' in \[build\]",
        ),
        (('solver = "likelihood"', 'solver = "likelihood"\nlimits = 3'), r"line 27: unknown key 'limits' in \[run\]"),
        (('solver = "likelihood"', "solver = 3"), r"line 26: \[\[run\]\]: 'solver' is 3; it must be text"),
        (('items = ["clean"]', 'items = ["cleen"]'), r"line 24: no \[\[build\]\] is named 'cleen'"),
        (('models = ["fake:script.json"]', 'models = ["net:gad"]'), r"line 25: no \[\[train\]\] is named 'gad'"),
        (('name = "noisy"', 'name = "clean"'), r"line 15: two \[\[build\]\] are named 'clean'"),
        (
            ('suite = "kinship"\noptions = { task = "clean"', 'suite = "kin"\noptions = { task = "clean"'),
            "line 11: no suite 'kin'",
        ),
        (('title = "Two baselines"', 'title = "Two'), "line 3: not TOML"),
        (('"{k}"', '"{kk}"'), "line 12: no parameter 'kk'"),
        (("[study]", "[studdy]"), "line 2: unknown key 'studdy'"),
    ],
)
def test_mistakes_are_named_with_their_line(
    file: Path, tmp_path: Path, change: tuple[str, str], message: str, study: str
) -> None:
    assert change[0] in study
    file.write_text(study.replace(*change, 1))
    with pytest.raises(ProbandError, match=message):
        proband.study(file, out=tmp_path / "out", dry_run=True)


@pytest.mark.parametrize("name", sorted(p.stem for p in Path(proband.__file__).parent.glob("studies/*.toml")))
def test_every_shipped_study_reads(name: str) -> None:
    path = Path(proband.__file__).parent / "studies" / f"{name}.toml"
    assert read_study(path, {}).study.title


def stages(path: Path, kind: type[Any]) -> list[Any]:
    found = StageGrid(read_study(path, {}), file=path, out=path.parent).stages()
    return [stage for stage in found if isinstance(stage, kind)]


def trainings(path: Path) -> list[str]:
    return [stage.name for stage in stages(path, TrainStage)]


def asked(path: Path) -> list[str]:
    return [stage.model for stage in stages(path, RunStage)]


def test_a_study_takes_over_those_it_includes_and_trains_several_nets(file: Path, tmp_path: Path, study: str) -> None:
    (tmp_path / "part.toml").write_text(
        study.replace('[[run]]\nitems = ["clean", "noisy"]', '[[train]]\nname = "a"\nitems = "clean"\n'
                      'net = ["gat", "mac"]\n\n[[run]]\nitems = ["clean"]\nmodels = ["net:a"]\n\n'
                      '[[run]]\nitems = ["clean", "noisy"]')
    )  # fmt: skip
    whole = tmp_path / "whole.toml"
    whole.write_text(
        '[study]\ntitle = "All"\ninclude = ["part"]\n[parameters]\nk = "2"\n[report]\ntables = ["by_depth"]'
    )
    read = read_study(whole, {})
    assert (read.study.title, read.parameters["k"]) == ("All", "2")
    assert trainings(whole) == ["a-gat", "a-mac"]
    assert asked(whole)[:2] == ["net:a-gat", "net:a-mac"]
    assert read.report.tables == ["by_k", "by_depth"]
    with pytest.raises(ProbandError, match="no study 'nowhere' next to it"):
        whole.write_text('[study]\ntitle = "All"\ninclude = ["nowhere"]')
        read_study(whole, {})


def test_included_studies_keep_their_order_and_the_first_sets_the_parameters(file: Path, tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("two", 2)):
        (tmp_path / f"{name}.toml").write_text(
            f'[study]\ntitle = "x"\n[parameters]\nk = "{seed}"\n{name} = 0\n[[build]]\nname = "{name}"\n'
            f'suite = "kinship"\n[[run]]\nitems = ["{name}"]\nmodels = ["a:b"]\n[report]\ntables = ["{name}"]'
        )
    whole = tmp_path / "whole.toml"
    whole.write_text(
        '[study]\ntitle = "All"\ninclude = ["one", "two"]\n[parameters]\ntwo = 2\n[report]\ntables = ["own"]'
    )
    read = read_study(whole, {})
    assert read.parameters == {"k": "1", "one": 0, "two": 2}
    assert [part.name for part in read.build] == ["one", "two"]
    assert [part.items for part in read.run] == [["one"], ["two"]]
    assert read.report.tables == ["one", "two", "own"]


def test_a_training_on_several_builds_has_their_names_and_its_line(file: Path, tmp_path: Path, study: str) -> None:
    train = '[[train]]\nitems = ["clean", "noisy"]\nnet = ["gat", "mac"]\n\n'
    file.write_text(
        study.replace("[[run]]", train + '[[run]]\nitems = ["clean"]\nmodels = ["net:noisy"]\n\n[[run]]', 1)
    )
    assert trainings(file) == ["clean-gat", "clean-mac", "noisy-gat", "noisy-mac"]
    assert asked(file)[:2] == ["net:noisy-gat", "net:noisy-mac"]
    file.write_text(file.read_text().replace("[[train]]", '[[train]]\nname = "a"').replace("net:noisy", "net:a"))
    assert trainings(file) == ["a-clean-gat", "a-clean-mac", "a-noisy-gat", "a-noisy-mac"]
    assert asked(file)[:4] == [f"net:{name}" for name in trainings(file)]
    wrong = file.read_text().replace('items = ["clean", "noisy"]\nnet', 'items = ["clean", "nosy"]\nnet')
    file.write_text(wrong)
    at = wrong.splitlines().index('items = ["clean", "nosy"]') + 1
    with pytest.raises(ProbandError, match=rf"line {at}: no \[\[build\]\] is named 'nosy'"):
        trainings(file)
    file.write_text(wrong.replace("nosy", "noisy").replace('net = ["gat", "mac"]', 'net = ["gat", "mack"]'))
    with pytest.raises(ProbandError, match=rf"line {at + 1}: .*mack"):
        proband.study(file, out=tmp_path / "out", dry_run=True)


def test_an_included_study_keeps_its_report_and_names_its_own_lines(file: Path, tmp_path: Path, study: str) -> None:
    part, whole = tmp_path / "part.toml", tmp_path / "whole.toml"
    part.write_text('[study]\ntitle = "x"\n[report]\nclaims = true\nsplit = "valid"')
    whole.write_text('[study]\ntitle = "All"\ninclude = ["part"]\n[report]\nsplit = "test"')
    report = read_study(whole, {}).report
    assert (report.tables, report.claims, report.split) == (None, True, "test")
    part.write_text(
        study.replace('suite = "kinship"\noptions = { task = "clean"', 'suite = "kin"\noptions = { task = "clean"')
    )
    with pytest.raises(ProbandError, match=r"part\.toml line 11: no suite 'kin'"):
        read_study(whole, {})
    part.write_text(study)
    whole.write_text('[study]\ntitle = "All"\ninclude = ["part"]\n\n[[build]]\nname = "third"\nsuite = "kin"')
    with pytest.raises(ProbandError, match=r"whole\.toml: no suite 'kin'"):
        stages(whole, RunStage)
    whole.write_text('[study]\ntitle = "All"\ninclude = ["whole"]')
    with pytest.raises(ProbandError, match="includes 'whole', which includes it"):
        read_study(whole, {})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[parameters]", '[parameters]\na = "{b}"'), "line 6: no parameter 'b'"),
        (("[[run]]", "[[run]]\nuntil = '3'"), r"line 20: unknown key 'until' in \[run\]"),
    ],
)
def test_what_a_study_cannot_do_is_an_error(file: Path, study: str, change: tuple[str, str], message: str) -> None:
    file.write_text(study.replace(*change, 1))
    with pytest.raises(ProbandError, match=message):
        read_study(file, {})


def test_a_net_is_found_from_the_working_directory(
    file: Path, study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here" / "net").mkdir(parents=True)
    file.write_text(study.replace('models = ["fake:script.json"]', 'models = ["net:net"]'))
    with pytest.raises(ProbandError, match=r"no \[\[train\]\] is named 'net'"):
        asked(file)
    monkeypatch.chdir(tmp_path / "here")
    assert "net:net" in asked(file)
